"""The pages of one leased host, in the order of their fetches."""

import asyncio
from collections import deque
from dataclasses import replace
from datetime import datetime

from lamplighter.crawl.fetching.due_pages import DuePages
from lamplighter.fetch.held_host import HeldHost
from lamplighter.model.page import HeldBody, Page
from lamplighter.ports import Clock
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import pages

#: pages of a host read at once: twice as many as were fetched since the last read, within these bounds. Pages that
#: are not fetched in time are read again, so a host with a long delay needs few at a time.
_FEWEST_PAGES, _MOST_PAGES = 4, 64
#: pages read longer ago are read again: their source may be gone, their run over
_QUEUE_SECONDS = 1.0
#: how long a host without pages stays leased, in case the parser finds some
LINGER_SECONDS = 2.0
#: the same when other processes parse: they announce the host, and any free worker takes it
_SHORT_LINGER_SECONDS = 0.25
_BODIES_REMEMBERED = 10_000


class HostRound:
    """The pages to fetch from a host under one lease."""

    def __init__(
        self,
        held: HeldHost,
        *,
        db: Database,
        due: DuePages,
        clock: Clock,
        stopping: asyncio.Event,
        hears_of_pages: bool,
        before: "HostRound | None" = None,
    ) -> None:
        self.held = held
        #: our own round under a lease that has expired, until it has ended
        self.before = before
        #: pages being fetched whose visits are not stored yet: the database still has them as pending
        self.in_hand: set[int] = set()
        #: pages whose request is in flight, and since when
        self.requested: dict[int, datetime] = {}
        #: a page was added
        self.arrived = asyncio.Event()
        #: the host was released
        self.ended = asyncio.Event()
        #: visits on their way to the database
        self._unstored = 0
        self._all_stored = asyncio.Event()
        self._db = db
        self._due = due
        self._clock = clock
        self._stopping = stopping
        #: whether new pages are announced to us while we lease the host
        self._hears_of_pages = hears_of_pages
        self._began_at = self._filled_at = clock.monotonic()
        self._queue: deque[Page] = deque()
        #: pages taken since the last read
        self._taken = 0
        self._refilling = asyncio.Lock()
        #: the last read found no more pages, so a page must be added first
        self._is_drained = False
        self._sources: set[int] = set()
        #: whether several sources watch this host, so that one source's body may save another's request
        self._is_shared = False
        #: URL -> the body that another source fetched lately
        self._bodies: dict[str, HeldBody] = {}

    @property
    def age_seconds(self) -> float:
        """How long we have leased it."""
        return self._clock.monotonic() - self._began_at

    async def next_page(self) -> Page | None:
        """The next page to fetch; None when there is none and none is expected.

        The caller has just seen that the host is ours and that we go on.
        """
        if self._queue and not self._is_outdated():
            return self._taken_first()
        async with self._refilling:
            if self._is_outdated():
                self._queue.clear()
                self._is_drained = False
            while not self._queue and not self._is_over():
                expects_more = bool(self.in_hand)
                if self._is_drained and not await self._wait_for_more() and not expects_more:
                    return None
                self.arrived.clear()
                await self._refill()
            return None if self._is_over() else self._taken_first()

    def _taken_first(self) -> Page:
        page = self._queue.popleft()
        self._taken += 1
        self.in_hand.add(page.id)
        return page

    def _is_outdated(self) -> bool:
        """Whether the pages in line were read so long ago that they are read again."""
        return self._clock.monotonic() - self._filled_at > _QUEUE_SECONDS

    def visited(self) -> None:
        """Notes that a visit is about to be stored."""
        self._unstored += 1

    async def all_stored(self) -> None:
        """Returns when every visit is stored."""
        if self._unstored:
            self._all_stored.clear()
            await self._all_stored.wait()

    def settled(self, page: Page, body: HeldBody | None) -> None:
        """Notes that a visit is stored."""
        self.in_hand.discard(page.id)
        self._unstored -= 1
        if not self._unstored:
            self._all_stored.set()
        if body is None:
            self._bodies.pop(page.url, None)
        elif self._is_shared:
            self._remember({page.url: body})

    def with_body(self, page: Page) -> Page:
        """The page; without a body, with one that another source fetched."""
        if page.body is None and (body := self._bodies.get(page.url)) is not None:
            return replace(page, body=body)
        return page

    def _is_over(self) -> bool:
        return self._stopping.is_set() or self.held.is_lost

    def _remember(self, bodies: dict[str, HeldBody]) -> None:
        self._bodies |= bodies
        while len(self._bodies) > _BODIES_REMEMBERED:
            self._bodies.pop(next(iter(self._bodies)))

    async def _refill(self) -> None:
        # A visit may be stored while we read: then the rows still say pending, and in_hand no longer has the page.
        in_hand = set(self.in_hand)
        limit = min(max(_FEWEST_PAGES, 2 * self._taken), _MOST_PAGES) + len(in_hand)
        self._taken = 0
        due = await self._due.of(self.held.host.id, limit=limit)
        self._sources |= {page.source_id for page in due}
        self._is_shared = len(self._sources) > 1
        if self._is_shared:
            keys = [urls.url_key(page.url) for page in due if page.body is None]
            self._remember(await self._db.look(lambda db: pages.bodies(db, keys)))
        self._queue.extend([page for page in due if page.id not in in_hand])
        self._is_drained = len(due) < limit
        self._filled_at = self._clock.monotonic()

    async def _wait_for_more(self) -> bool:
        try:
            async with asyncio.timeout(LINGER_SECONDS if self._hears_of_pages else _SHORT_LINGER_SECONDS):
                await self.arrived.wait()
        except TimeoutError:
            return False
        return True
