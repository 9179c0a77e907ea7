"""What the core needs from outside, as protocols; `app.py` chooses who answers."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from lamplighter.model.capture import Capture
from lamplighter.model.event import DeadLetter, Delivery, Event, EventFigures
from lamplighter.model.notification import Told
from lamplighter.model.record_search import Hits, Order
from lamplighter.model.search_index import Document, Held, IndexQuery, Outcome, Refusal, Sent
from lamplighter.model.sight import Sight
from lamplighter.model.visit import Fetched


class Clock(Protocol):
    """Two clocks: one to write down, one to wait by."""

    def now(self) -> datetime:
        """The time of the database, aware UTC: what is stored and compared between workers."""

    def monotonic(self) -> float:
        """Seconds that only ever grow: what pacing is measured by, whatever the wall clock does."""


class Kept(NamedTuple):
    """Where the archive keeps a capture."""

    key: str
    #: the file or object that it shares with others
    segment: str
    #: bytes that it takes there
    size: int


class Segment(NamedTuple):
    """One file or object of the archive."""

    name: str
    size: int
    changed_at: datetime


class Archive(Protocol):
    """Keeps what sites answered. An archive that is away raises OSError: the same may succeed later."""

    async def put(self, captures: Sequence[Capture]) -> list[Kept]:
        """Stores captures, and says where each is; all survive the death of this process when this returns."""

    async def get(self, key: str) -> bytes | None:
        """The body, or None when it is not (or no longer) there."""

    async def get_all(self, keys: Sequence[str]) -> list[bytes | None]:
        """The same of several at once, which costs little more than one."""

    async def capture(self, key: str) -> Capture | None:
        """The whole capture, or None when it is not (or no longer) there."""

    async def discard(self, keys: Sequence[str]) -> None:
        """Makes these captures unreadable for good; a key that is unknown is no error."""

    async def segments(self) -> list[Segment]:
        """Everything that takes up space."""

    async def remove(self, segment: str) -> None:
        """Frees the space of a segment, whatever it holds; one that is unknown is no error."""


#: told which hosts or pages somebody called for
Hear = Callable[[Sequence[int]], Awaitable[None]]


class Depth(NamedTuple):
    """How many messages wait in a queue, and how many processes listen to it."""

    ready: int
    consumers: int


class Queue(Protocol):
    """Wakes those who ask sites and those who read pages, in this process or in any other.

    A bell and no more: what is to be done stands in the database, where it is also looked for. So a message that is
    lost costs a second or two, and one that comes twice costs nothing.
    """

    def wake_hosts(self, host_ids: Iterable[int], *, urgent: bool = False) -> None:
        """Says that these hosts have pages to ask for; never waits, never fails."""

    def offer_pages(self, page_ids: Iterable[int]) -> None:
        """Says that these pages wait to be read; never waits, never fails."""

    async def run(self, *, hosts: Hear | None, pages: Hear | None, stopping: asyncio.Event) -> None:
        """Carries messages until cancelled; hears those for which somebody is given, and none once `stopping` is set.

        A message is done with when whoever hears it returns.
        """

    @property
    def trouble(self) -> str | None:
        """Why no message can be carried at present; None when they can."""

    async def depths(self) -> Mapping[str, Depth] | None:
        """What waits, by queue; None where messages wait nowhere, or when that cannot be found out now."""


class Vault(Protocol):
    """Makes text unreadable for whoever has the database and not the keys."""

    def encrypt(self, text: str) -> bytes:
        """What may be stored in place of the text."""

    def decrypt(self, sealed: bytes) -> str:
        """The text; NotPossible when no key opens it."""

    def add_key(self) -> bool:
        """A new key for what is encrypted from now on; False when the keys are not ours to change."""


class Mirror(Protocol):
    """Shows outside readers what was visited and learnt: a copy, never the truth, and never read back."""

    async def show(self, sights: Sequence[Sight]) -> bool:
        """Shows these, each in place of what was shown of the same; False when the mirror is away."""

    async def is_there(self) -> bool:
        """Whether anything can be shown; a mirror that went away is tried again from time to time."""

    @property
    def is_away(self) -> bool:
        """Whether it did not answer when it was last asked."""

    async def close(self) -> None:
        """Lets go of it."""


class Letter(NamedTuple):
    """An e-mail."""

    to: str
    #: on one line
    subject: str
    text: str
    #: the same each time that it is sent, so that a second copy is known as one
    id: str
    at: datetime


class Mail(Protocol):
    """Sends e-mails."""

    async def send(self, letter: Letter) -> Told:
        """What came of it; never fails, and takes seconds at most."""


class NotRendered(Exception):
    """A page could not be had as a browser shows it; the message says why."""


class AskForScript(Protocol):
    """Goes through the one door for a page's script or for what a script asks for."""

    async def __call__(self, url: str, *, is_script: bool) -> Fetched | None:
        """What stands there, or None when it may not or cannot be had."""


class Renderer(Protocol):
    """Shows pages as a browser would."""

    async def render(self, url: str, html: bytes, content_type: str, ask: AskForScript) -> bytes:
        """The page after its scripts have run, as UTF-8; raises NotRendered."""

    async def close(self) -> None:
        """Ends whatever was started for it."""


class IndexAway(Exception):
    """A search server does not answer, or not as it should; the message says why, without credentials."""


class NotExpressible(Exception):
    """A search server has no way to answer this question exactly."""


class Index(Protocol):
    """Finds records."""

    @property
    def engine(self) -> str:
        """What it is, in a word."""

    async def search(self, query: IndexQuery, order: Order) -> Hits:
        """A page of what is wanted, and how much there is; IndexAway, NotExpressible."""

    async def facets(self, query: IndexQuery, names: Sequence[str], *, most: int) -> dict[str, list[tuple[Any, int]]]:
        """How many of the wanted records have each value, the most frequent first; IndexAway, NotExpressible."""


class Filling(Protocol):
    """An index that is being made."""

    async def put(self, documents: Sequence[Document]) -> Mapping[int, Refusal]:
        """Adds records, and says which were not taken; IndexAway."""


class SearchServer(Index, Protocol):
    """An index of its own that has to be kept as the records are. Everything may raise IndexAway."""

    @property
    def identity(self) -> str:
        """Which server and which of its indexes, without credentials: another one has to be filled anew."""

    @property
    def trouble(self) -> str | None:
        """Why it is taken for away; None while it answers."""

    async def prepare(self) -> bool:
        """Makes it ready for records; False when what is there was made in another way and has to be made anew."""

    async def put(self, documents: Sequence[Document]) -> Sent:
        """Adds records, in place of what was known of them."""

    async def remove(self, ids: Sequence[int]) -> Sent:
        """Forgets records; one that is unknown is no error."""

    async def outcome(self, ticket: str) -> Outcome:
        """What came of something sent."""

    def anew(self) -> AbstractAsyncContextManager[Filling]:
        """An empty index beside the one in use, whose place it takes at the end unless something is raised."""

    async def held(self, *, after: int, limit: int) -> list[Held]:
        """What is there, in the order of ids."""

    async def count(self) -> int:
        """How many records are there."""

    async def close(self) -> None:
        """Ends whatever was started for it."""


class StreamAway(Exception):
    """The stream of events does not answer; nothing is lost by that, and it is asked again by itself."""


class Events(Protocol):
    """Hands out facts about sources to those who act on them: each until somebody has settled it."""

    async def receive(self) -> Sequence[Delivery]:
        """The next events, for us to settle; empty when there are none for a while. Raises StreamAway."""

    async def acknowledge(self, settled: Sequence[Delivery]) -> None:
        """These are settled, and their effects stored: they need not be handed out again."""

    async def hand_back(self, unsettled: Sequence[Delivery]) -> None:
        """These could not be tried for a reason that was not theirs: they come again, as if for the first time."""

    async def bury(self, delivery: Delivery, *, reason: str) -> None:
        """Puts an event aside that will not be handed out again, unless a person has it retried."""

    async def dead_letters(self, *, limit: int, offset: int) -> tuple[Sequence[DeadLetter], int]:
        """Events put aside, the latest first, and how many there are."""

    async def dead_letter(self, letter_id: str) -> DeadLetter | None:
        """One of them; None when there is none with this id."""

    async def retry(self, letter: DeadLetter) -> None:
        """Hands an event out once more that was put aside."""

    async def discard(self, letter: DeadLetter) -> None:
        """Forgets an event that was put aside."""

    async def figures(self) -> EventFigures:
        """How events fare; never fails."""


class EventStream(Events, Protocol):
    """Events that leave the process: others may listen, and publish too."""

    @property
    def is_away(self) -> bool:
        """Whether the server did not answer when it was last asked."""

    async def publish(self, events: Sequence[Event]) -> Sequence[str]:
        """Adds events to the stream and returns where each stands; in seconds, or raises StreamAway."""

    async def take_over(self) -> Sequence[Delivery]:
        """Events that somebody received and has left lying, now ours to settle."""

    async def still_carried(self, positions: Sequence[str]) -> set[str]:
        """Those that the stream still holds for somebody to receive or to settle."""

    async def sweep(self) -> None:
        """Forgets receivers that are gone and have nothing left to settle."""

    async def close(self) -> None:
        """Leaves, with nothing of ours unsettled that anybody would wait for."""
