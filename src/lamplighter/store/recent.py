"""What the database said a moment ago, for questions that come with every page."""

import asyncio
from typing import Generic, TypeVar

from lamplighter.ports import Clock
from lamplighter.store.database import Database, Write

T = TypeVar("T")


class Recent(Generic[T]):
    """An answer that may be so many seconds old; when it is older, one caller looks again and the others wait."""

    def __init__(self, db: Database, look: Write[T], *, seconds: float, clock: Clock) -> None:
        self._db = db
        self._look = look
        self._seconds = seconds
        self._clock = clock
        self._looking = asyncio.Lock()
        self._answers: list[T] = []
        self._looked_at = float("-inf")

    async def get(self) -> T:
        """The answer."""
        if self._is_old():
            async with self._looking:
                if self._is_old():
                    looked_at = self._clock.monotonic()
                    # Not marked as read before it is: whoever comes meanwhile must not take "not known" for "none".
                    self._answers = [await self._db.look(self._look)]
                    self._looked_at = looked_at
        return self._answers[0]

    def _is_old(self) -> bool:
        return self._clock.monotonic() - self._looked_at > self._seconds
