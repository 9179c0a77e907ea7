"""The interfaces that the core needs, as protocols; `app` chooses the implementations."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from lamplighter.model.capture import Capture
from lamplighter.model.event import DeadLetter, Delivery, Event, EventFigures
from lamplighter.model.mirror import MirrorEntry
from lamplighter.model.notification import DeliveryResult
from lamplighter.model.record_search import Hits, RecordOrder
from lamplighter.model.search_index import Document, IndexedRecord, IndexQuery, IndexRefusal, IndexSendResult, Outcome
from lamplighter.model.visit import Fetched


class Clock(Protocol):
    """A clock for timestamps and a clock for waiting."""

    def now(self) -> datetime:
        """The database's time, aware UTC: for times stored or compared between workers."""

    def monotonic(self) -> float:
        """Seconds that only ever grow: for pacing, whatever the wall clock does."""


class ArchivedAt(NamedTuple):
    """The place of a capture in the archive."""

    key: str
    #: the file or object that it shares with other captures
    segment: str
    #: its size there, in bytes
    size: int


class ArchiveSegment(NamedTuple):
    """One file or object of the archive."""

    name: str
    size: int
    changed_at: datetime


class StrayCapture(NamedTuple):
    """A capture to which no key that is known refers."""

    at: ArchivedAt
    url: str
    fetched_at: datetime


class Archive(Protocol):
    """Stores captures of responses. An unavailable archive raises OSError: the same call may succeed later."""

    async def put(self, captures: Sequence[Capture]) -> list[ArchivedAt]:
        """Stores captures, and returns the place of each; all survive a crash of this process when this returns."""

    async def get(self, key: str) -> bytes | None:
        """The body, or None when it is not (or no longer) there."""

    async def get_all(self, keys: Sequence[str]) -> list[bytes | None]:
        """Several bodies at once, at about the cost of one."""

    async def capture(self, key: str) -> Capture | None:
        """The whole capture, or None when it is not (or no longer) there."""

    async def discard(self, keys: Sequence[str]) -> None:
        """Makes these captures unreadable for good; an unknown key is not an error."""

    async def segments(self) -> list[ArchiveSegment]:
        """All segments that take up space."""

    async def strays(self, segment: ArchiveSegment, known: Collection[str]) -> list[StrayCapture]:
        """The captures of a segment beside those with known keys, in its last megabytes; broken ones are left out."""

    async def remove(self, segment: str) -> None:
        """Deletes a segment, whatever it holds; an unknown segment is not an error."""


#: called with the hosts or pages of a message
Hear = Callable[[Sequence[int]], Awaitable[None]]


class Depth(NamedTuple):
    """How many messages wait in a queue, and how many processes listen to it."""

    ready: int
    consumers: int


class Queue(Protocol):
    """Wakes fetchers and readers, in this process or in any other.

    It only wakes: the work itself is in the database, which every process also polls. So a lost message costs a second
    or two, and a duplicate message costs nothing.
    """

    def wake_hosts(self, host_ids: Iterable[int], *, urgent: bool = False) -> None:
        """Announces that these hosts have pages to fetch; never waits, never fails."""

    def offer_pages(self, page_ids: Iterable[int]) -> None:
        """Announces that these pages wait to be parsed; never waits, never fails."""

    async def run(self, *, hosts: Hear | None, pages: Hear | None, stopping: asyncio.Event) -> None:
        """Delivers messages until cancelled; only those with a consumer, and none once `stopping` is set.

        A message is acknowledged when its consumer returns.
        """

    @property
    def trouble(self) -> str | None:
        """Why no message can be delivered now; None if messages can be."""

    async def depths(self) -> Mapping[str, Depth] | None:
        """The number of waiting messages by queue; None where messages never wait, or while that is unknown."""


class Vault(Protocol):
    """Encrypts text, so that the database alone does not reveal it."""

    def encrypt(self, text: str) -> bytes:
        """The encrypted text."""

    def decrypt(self, sealed: bytes) -> str:
        """The decrypted text; NotPossible when no key fits."""

    def add_key(self) -> bool:
        """Adds a new key for what is encrypted from now on; False when the keys cannot be changed here."""


class Mirror(Protocol):
    """Mirrors crawl state for outside readers: a copy, never the truth, and never read back."""

    async def show(self, entries: Sequence[MirrorEntry]) -> bool:
        """Writes these entries, each replacing the one before; False when the mirror is unavailable."""

    async def is_there(self) -> bool:
        """Whether entries can be written; an unavailable mirror is retried now and then."""

    async def answers(self) -> bool:
        """Asks it now, unless it was unavailable a moment ago."""

    @property
    def is_away(self) -> bool:
        """Whether it did not respond the last time."""

    async def close(self) -> None:
        """Closes the connection."""


class Letter(NamedTuple):
    """An e-mail."""

    to: str
    #: on one line
    subject: str
    text: str
    #: the same for every try, so that a second copy can be recognised
    id: str
    at: datetime


class Mail(Protocol):
    """Sends e-mails."""

    async def send(self, letter: Letter) -> DeliveryResult:
        """The result of sending; never raises, and takes seconds at most."""


class NotRendered(Exception):
    """A page could not be rendered in the browser; the message says why."""


class AskForScript(Protocol):
    """Fetches a page's script, or what a script requests, through the fetch layer."""

    async def __call__(self, url: str, *, is_script: bool) -> Fetched | None:
        """The response, or None when it may not or cannot be fetched."""


class Renderer(Protocol):
    """Renders pages in a browser."""

    async def render(self, url: str, html: bytes, content_type: str, ask: AskForScript) -> bytes:
        """The page after its scripts have run, as UTF-8; raises NotRendered."""

    async def close(self) -> None:
        """Stops the browser."""


class IndexAway(Exception):
    """A search server does not respond, or not properly; the message says why, without credentials."""


class NotExpressible(Exception):
    """A search server cannot express this query exactly."""


class Index(Protocol):
    """Searches records."""

    @property
    def engine(self) -> str:
        """The name of the engine."""

    async def search(self, query: IndexQuery, order: RecordOrder) -> Hits:
        """A page of results, and the total; IndexAway, NotExpressible."""

    async def facets(self, query: IndexQuery, names: Sequence[str], *, most: int) -> dict[str, list[tuple[Any, int]]]:
        """How many of the matching records have each value, the most frequent first; IndexAway, NotExpressible."""


class Filling(Protocol):
    """An index that is being built."""

    async def put(self, documents: Sequence[Document]) -> Mapping[int, IndexRefusal]:
        """Adds records, and returns which were refused; IndexAway."""


class SearchServer(Index, Protocol):
    """A separate index that must be kept in sync with the records. Every method may raise IndexAway."""

    @property
    def identity(self) -> str:
        """The server and its index, without credentials: after a change the index must be filled again."""

    @property
    def trouble(self) -> str | None:
        """Why it counts as unavailable; None while it responds."""

    async def prepare(self) -> bool:
        """Prepares it for records; False when the existing index is incompatible and has to be rebuilt."""

    async def put(self, documents: Sequence[Document]) -> IndexSendResult:
        """Adds records, replacing earlier versions."""

    async def remove(self, ids: Sequence[int]) -> IndexSendResult:
        """Deletes records; an unknown one is not an error."""

    async def outcome(self, ticket: str) -> Outcome:
        """The result of a ticket."""

    def anew(self) -> AbstractAsyncContextManager[Filling]:
        """An empty index beside the one in use, which it replaces at the end unless an error is raised."""

    async def held(self, *, after: int, limit: int) -> list[IndexedRecord]:
        """The records in the index, in the order of ids."""

    async def count(self) -> int:
        """The number of records in the index."""

    async def close(self) -> None:
        """Closes the session."""


class StreamAway(Exception):
    """The event stream does not respond; no event is lost, and it is retried automatically."""


class Events(Protocol):
    """Delivers events about sources to their consumers, each until it is processed."""

    async def receive(self) -> Sequence[Delivery]:
        """The next events to process; empty when there are none for a while. Raises StreamAway."""

    async def acknowledge(self, settled: Sequence[Delivery]) -> None:
        """Marks events as processed, with their effects stored: they are not delivered again."""

    async def hand_back(self, unsettled: Sequence[Delivery]) -> None:
        """Returns events that could not be tried through no fault of theirs: they are delivered again as if new."""

    async def bury(self, delivery: Delivery, *, reason: str) -> None:
        """Makes an event a dead letter, delivered again only if an operator retries it."""

    async def dead_letters(self, *, limit: int, offset: int) -> tuple[Sequence[DeadLetter], int]:
        """The dead letters, the latest first, and their number."""

    async def dead_letter(self, letter_id: str) -> DeadLetter | None:
        """One dead letter; None when there is none with this id."""

    async def retry(self, letter: DeadLetter) -> None:
        """Delivers a dead letter once more."""

    async def discard(self, letter: DeadLetter) -> None:
        """Deletes a dead letter."""

    async def figures(self) -> EventFigures:
        """Figures about the queue; never raises."""


class EventStream(Events, Protocol):
    """Events that leave the process: other programs may listen, and publish too."""

    @property
    def is_away(self) -> bool:
        """Whether the server did not respond the last time."""

    async def publish(self, events: Sequence[Event]) -> Sequence[str]:
        """Adds events to the stream and returns the position of each; takes seconds, or raises StreamAway."""

    async def take_over(self) -> Sequence[Delivery]:
        """Claims events that another consumer received and did not process."""

    async def still_carried(self, positions: Sequence[str]) -> set[str]:
        """The positions that the stream still holds to be received or processed."""

    async def sweep(self) -> None:
        """Removes consumers that are gone and have nothing pending."""

    async def close(self) -> None:
        """Closes the connection, and leaves the group unless events of ours are pending."""
