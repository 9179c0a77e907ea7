"""The pages that a parse phase has taken: those just fetched, with their bodies, and those from the database."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.ports import Clock
from lamplighter.store.pages.pages import Downloaded

#: a fetched page that waits longer than this to be read is stored before it is read: what is not stored when the
#: process dies is asked for again. The more pages wait, the more is saved by storing each once, the longer they may.
_SLOW_SECONDS, _SECONDS_PER_PAGE = 0.1, 0.01
#: bytes of fetched bodies that wait to be read in memory
_MOST_BYTES = 32 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class UnreadPage:
    """A page that is to be read."""

    page: Downloaded
    #: None when the archive has it
    body: bytes | None = None
    #: its visit, while that is not on its way to the database
    visited: PageVisit | None = None
    #: when it was fetched, in seconds
    since: float = 0.0
    #: whether its visit was not stored, because its run is over or its host is no longer ours
    is_dropped: bool = False


class UnreadPages:
    """Pages by id, from when they are taken until their readings are stored."""

    def __init__(self, clock: Clock, *, most: int, stopping: asyncio.Event) -> None:
        self._clock = clock
        #: fetched pages that wait to be read
        self._most = most
        self._stopping = stopping
        self._all: dict[int, UnreadPage] = {}
        #: those that were just fetched and are not read yet, and the bytes of their bodies
        self._fetched: dict[int, UnreadPage] = {}
        self._bytes = 0
        #: such a page came, or was read
        self._came, self._freed = asyncio.Event(), asyncio.Event()

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[int]:
        return iter(self._all)

    def get(self, page_id: int) -> UnreadPage | None:
        """The page, if it was taken."""
        return self._all.get(page_id)

    def add(self, item: UnreadPage) -> bool:
        """Takes a page; False if it was taken before."""
        if item.page.id in self._all:
            return False
        self._all[item.page.id] = item
        if item.visited is not None:
            item.since = self._clock.monotonic()
            self._fetched[item.page.id] = item
            self._came.set()
            self._bytes += len(item.body or b"")
        return True

    def is_read(self, page_id: int) -> None:
        """Notes that a page was read."""
        if (item := self._fetched.pop(page_id, None)) is not None:
            self._bytes -= len(item.body or b"")
            self._freed.set()

    def let_go(self, page_id: int) -> None:
        """Forgets a page: its reading is stored, or it is not read here."""
        self._all.pop(page_id, None)
        if page_id in self._fetched:
            self.is_read(page_id)

    @property
    def _patience(self) -> float:
        return _SLOW_SECONDS + _SECONDS_PER_PAGE * len(self._fetched)

    async def slow(self) -> list[UnreadPage]:
        """Waits until fetched pages have waited too long to be read, and returns them."""
        while True:
            waiting = [item for item in self._fetched.values() if item.visited is not None]
            latest = self._clock.monotonic() - self._patience
            if slow := [item for item in waiting if item.since <= latest]:
                return slow
            self._came.clear()
            if waiting:
                await asyncio.sleep(waiting[0].since - latest)
            else:
                await self._came.wait()

    async def has_room(self, size: int) -> bool:
        """Whether there is room for one more fetched body; waits for it unless reading is slow."""
        while len(self._fetched) >= self._most or (self._bytes and self._bytes + size > _MOST_BYTES):
            oldest = next(iter(self._fetched.values()))
            left = oldest.since + self._patience - self._clock.monotonic()
            if left <= 0 or self._stopping.is_set():
                return False
            self._freed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._freed.wait()
        return True
