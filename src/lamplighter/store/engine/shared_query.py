"""One query for what many callers ask for at the same time."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Generic, TypeVar

from lamplighter.store.engine.database import Connection, Database

Wanted = TypeVar("Wanted")
Found = TypeVar("Found")


class _Reading(Generic[Wanted, Found]):
    """What is read together, by key; None before that."""

    def __init__(self) -> None:
        self.wanted: dict[int, Wanted] = {}
        self.found: Mapping[int, Found] | None = None


class SharedQuery(Generic[Wanted, Found]):
    """One reading at a time: whoever asks meanwhile shares the next, so that no answer is older than its question."""

    def __init__(
        self, db: Database, look: Callable[[Connection, Mapping[int, Wanted]], Coroutine[Any, Any, Mapping[int, Found]]]
    ) -> None:
        self._db = db
        self._look = look
        self._next = _Reading[Wanted, Found]()
        self._reading = asyncio.Lock()

    async def get(self, key: int, wanted: Wanted) -> Found | None:
        """The answer for this key; None when there is none."""
        mine = self._next
        mine.wanted[key] = wanted
        async with self._reading:
            if mine.found is None:
                if mine is self._next:
                    self._next = _Reading()
                mine.found = await self._db.look(lambda db: self._look(db, mine.wanted))
        return mine.found.get(key)
