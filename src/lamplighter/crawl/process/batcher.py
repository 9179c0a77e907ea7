"""Commits results in batches: the rows of many pages cost little more than the rows of one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Generic, TypeVar

from lamplighter import metrics, telemetry
from lamplighter.crawl.process import loops
from lamplighter.store.engine.database import is_away

log = telemetry.logger("batcher")
T = TypeVar("T")
#: seconds that a batch waits for more items, for each item of the batch before it
_LINGER_PER_ITEM = 0.005
#: an item that cannot be stored is replaced so often: without what was read, then without what was fetched
_MOST_REPLACED = 2


class Batcher(Generic[T]):
    """Takes items one by one and commits them in batches, in their order.

    While the database is away a batch waits. A single item that cannot be stored is given up: `broken`
    returns what to store in its place. A batch waits `linger` seconds for more items at most.
    """

    def __init__(
        self,
        commit: Callable[[Sequence[T]], Awaitable[None]],
        *,
        broken: Callable[[T, Exception], T],
        most: int,
        linger: float,
        name: str,
    ) -> None:
        self._commit = commit
        self._broken = broken
        self._most = most
        #: items that may be uncommitted
        self._room = 2 * most
        self._linger = linger
        self._name = name
        self._items, self._seconds = metrics.COMMIT_ITEMS.labels(name), metrics.COMMIT_SECONDS.labels(name)
        self._waiting: list[T] = []
        self._arrived = asyncio.Event()
        self._settled = asyncio.Condition()
        self._put_count = 0
        self._done_count = 0
        #: the size of the last batch
        self._last_count = 0

    async def put(self, item: T) -> None:
        """Adds an item; waits while far too many are uncommitted, so that memory stays bounded."""
        if self._put_count - self._done_count >= self._room:
            async with self._settled:
                await self._settled.wait_for(lambda: self._put_count - self._done_count < self._room)
        self.add(item)

    def add(self, item: T) -> None:
        """Adds an item at once: for what is held in memory anyway."""
        if not self._waiting:
            self._arrived.set()
        self._waiting.append(item)
        self._put_count += 1

    async def settled(self) -> None:
        """Returns when everything put so far is committed."""
        target = self._put_count
        async with self._settled:
            await self._settled.wait_for(lambda: self._done_count >= target)

    async def run(self) -> None:
        """Commits batch after batch, until cancelled."""
        while True:
            await self._arrived.wait()
            if len(self._waiting) < self._most:
                # The larger the last batch was, the longer waiting pays; a single page does not wait long.
                await asyncio.sleep(min(self._last_count * _LINGER_PER_ITEM, self._linger))
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            if not self._waiting:
                self._arrived.clear()
            self._last_count = len(batch)
            await self._commit_and_measure(batch)
            async with self._settled:
                self._done_count += len(batch)
                self._settled.notify_all()

    async def _commit_and_measure(self, batch: Sequence[T]) -> None:
        began = monotonic()
        await self._commit_until_done(batch)
        self._items.observe(len(batch))
        self._seconds.observe(monotonic() - began)

    async def _commit_until_done(self, batch: Sequence[T]) -> None:
        pause, replaced = 0.2, 0
        while True:
            try:
                return await self._commit(batch)
            except Exception as error:
                if not is_away(error) and len(batch) > 1:
                    for item in batch:
                        await self._commit_until_done([item])
                    return None
                loops.report_failure(log, "batch.commit_failed", error, batch=self._name, items=len(batch))
                if not is_away(error) and replaced < _MOST_REPLACED:
                    batch, replaced = [self._broken(batch[0], error)], replaced + 1
                    continue
            await asyncio.sleep(pause)
            pause = min(pause * 2, 10.0)
