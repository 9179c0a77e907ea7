"""A short-lived cache of a query's result, for queries that every page needs."""

import asyncio
from typing import Generic, TypeVar

from lamplighter.ports import Clock
from lamplighter.store.engine.database import Database, Write

T = TypeVar("T")


class CachedQuery(Generic[T]):
    """Caches a query's result for some seconds; when it is older, one caller queries and the others wait."""

    def __init__(self, db: Database, look: Write[T], *, seconds: float, clock: Clock) -> None:
        self._db = db
        self._look = look
        self._seconds = seconds
        self._clock = clock
        self._looking = asyncio.Lock()
        self._answers: list[T] = []
        self._looked_at = float("-inf")
        #: how often the result was forgotten
        self._forgotten = 0

    async def get(self) -> T:
        """The result."""
        while self._clock.monotonic() - self._looked_at > self._seconds:
            async with self._looking:
                if self._is_old():
                    looked_at, forgotten = self._clock.monotonic(), self._forgotten
                    # Marked as read only afterwards: a concurrent caller must not take "not known" for "none".
                    self._answers = [await self._db.look(self._look)]
                    if self._forgotten == forgotten:
                        self._looked_at = looked_at
        return self._answers[0]

    def forget(self) -> None:
        """Makes the next call query, and a query that is under way does not count."""
        self._looked_at = float("-inf")
        self._forgotten += 1

    def _is_old(self) -> bool:
        return self._clock.monotonic() - self._looked_at > self._seconds
