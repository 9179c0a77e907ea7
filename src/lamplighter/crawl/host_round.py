"""The pages of one held host, in the order in which they are asked for."""

import asyncio
from collections import deque
from dataclasses import replace

from lamplighter.fetch.turns import HeldHost
from lamplighter.model.page import HeldBody, Page
from lamplighter.ports import Clock
from lamplighter.rules import urls
from lamplighter.store import pages
from lamplighter.store.database import Database

#: pages of a host looked up at once: twice as many as were asked for since the last look, within these bounds. What is
#: looked up and not asked for in time is looked up again, so a host with a long delay needs few at a time.
_FEWEST_PAGES, _MOST_PAGES = 4, 64
#: pages looked up longer ago are looked up again: their source may be gone, their run over
_QUEUE_SECONDS = 1.0
#: how long a host without pages is kept, in case the parser finds some
_LINGER_SECONDS = 2.0
#: the same when pages are read by other processes: those call for the host, and whoever is free takes it
_LINGER_UNTOLD_SECONDS = 0.25
_BODIES_REMEMBERED = 10_000


class HostRound:
    """What is to be asked of a host while we hold it, under one lease."""

    def __init__(self, held: HeldHost, *, db: Database, clock: Clock, stopping: asyncio.Event, is_told: bool) -> None:
        self.held = held
        #: pages handed out whose answers are not durable yet: the database still calls them pending
        self.in_hand: set[int] = set()
        #: somebody added a page
        self.arrived = asyncio.Event()
        #: the host was given back
        self.ended = asyncio.Event()
        self._db = db
        self._clock = clock
        self._stopping = stopping
        #: whether we are told of new pages while we hold the host
        self._is_told = is_told
        self._began_at = self._filled_at = clock.monotonic()
        self._queue: deque[Page] = deque()
        #: pages handed out since the last look
        self._taken = 0
        self._refilling = asyncio.Lock()
        #: the database had no more when it was last asked, so somebody has to add a page first
        self._is_drained = False
        self._sources: set[int] = set()
        #: URL -> what another source got from it lately
        self._bodies: dict[str, HeldBody] = {}

    @property
    def age_seconds(self) -> float:
        """How long we have held the host."""
        return self._clock.monotonic() - self._began_at

    async def next_page(self) -> Page | None:
        """The next page to ask for; None when there is none and none is expected."""
        async with self._refilling:
            if self._clock.monotonic() - self._filled_at > _QUEUE_SECONDS:
                self._queue.clear()
                self._is_drained = False
            while not self._queue and not self._is_over():
                expects_more = bool(self.in_hand)
                if self._is_drained and not await self._wait_for_more() and not expects_more:
                    return None
                self.arrived.clear()
                await self._refill()
            if self._is_over():
                return None
            page = self._queue.popleft()
            self._taken += 1
            self.in_hand.add(page.id)
            return page

    def settled(self, page: Page, body: HeldBody | None) -> None:
        """The answer for this page is durable."""
        self.in_hand.discard(page.id)
        if body is None:
            self._bodies.pop(page.url, None)
        elif self._is_shared:
            self._remember({page.url: body})

    def with_body(self, page: Page) -> Page:
        """The page with the newest body that we know of it, whichever source got it."""
        if page.body is None and (body := self._bodies.get(page.url)) is not None:
            return replace(page, body=body)
        return page

    def _is_over(self) -> bool:
        return self._stopping.is_set() or self.held.is_lost

    @property
    def _is_shared(self) -> bool:
        """Several sources watch this host, so what one of them got may spare the host the same question by another."""
        return len(self._sources) > 1

    def _remember(self, bodies: dict[str, HeldBody]) -> None:
        self._bodies |= bodies
        while len(self._bodies) > _BODIES_REMEMBERED:
            self._bodies.pop(next(iter(self._bodies)))

    async def _refill(self) -> None:
        # A page may settle while we read: then the rows still call it pending, and in_hand no longer has it.
        in_hand = set(self.in_hand)
        limit = min(max(_FEWEST_PAGES, 2 * self._taken), _MOST_PAGES) + len(in_hand)
        self._taken = 0
        now = self._clock.now()
        due = await self._db.look(lambda db: pages.due(db, self.held.host.id, now=now, limit=limit))
        self._sources |= {page.source_id for page in due}
        if self._is_shared:
            keys = [urls.url_key(page.url) for page in due if page.body is None]
            self._remember(await self._db.look(lambda db: pages.bodies(db, keys)))
        self._queue.extend(page for page in due if page.id not in in_hand)
        self._is_drained = len(due) < limit
        self._filled_at = self._clock.monotonic()

    async def _wait_for_more(self) -> bool:
        try:
            async with asyncio.timeout(_LINGER_SECONDS if self._is_told else _LINGER_UNTOLD_SECONDS):
                await self.arrived.wait()
        except TimeoutError:
            return False
        return True
