"""One process at a time keeps the search server up to date; whoever does holds a lease in the database.

Two at once could send an older form of a record after a newer one. A process that slept beyond its lease finds that out
with its next write; what it sent until then is sent again by the other.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TypeVar
from uuid import uuid4

from lamplighter import telemetry
from lamplighter.crawl import failures
from lamplighter.errors import LeaseLost
from lamplighter.ports import Clock
from lamplighter.store import index_state
from lamplighter.store.database import Connection, Database, Write

log = telemetry.logger("index")
T = TypeVar("T")
#: renewed every third of it
_LEASE = timedelta(seconds=45)
#: what the name of one who makes rounds begins with
_ROUND, _ORDER = "round-", "order-"


class IndexLease:
    """The right to tell the search server something."""

    def __init__(self, db: Database, *, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._name = uuid4().hex
        self._owner = ""

    @asynccontextmanager
    async def for_round(self) -> AsyncIterator[bool]:
        """Holds the lease meanwhile; says whether it could be had.

        Only who leads makes rounds: another that did so until now leads no more, and is not waited for.
        """
        async with self._held(_ROUND, over=_ROUND) as is_ours:
            yield is_ours

    @asynccontextmanager
    async def for_order(self) -> AsyncIterator[bool]:
        """The same for what a person asked for, whoever leads."""
        async with self._held(_ORDER, over=None) as is_ours:
            yield is_ours

    async def write(self, work: Write[T]) -> T:
        """Writes, if the lease is still ours; LeaseLost otherwise."""
        until = self._clock.now() + _LEASE

        async def guarded(db: Connection) -> T:
            if not await index_state.keep(db, self._owner, until=until):
                raise LeaseLost("another process keeps the search server up to date by now")
            return await work(db)

        return await self._db.write(guarded)

    @asynccontextmanager
    async def _held(self, kind: str, *, over: str | None) -> AsyncIterator[bool]:
        now, owner = self._clock.now(), kind + self._name
        is_ours = await self._db.write(
            lambda db: index_state.take(db, owner, now=now, until=now + _LEASE, over=over),
        )
        self._owner = owner
        if not is_ours:
            yield False
            return
        keeper = asyncio.create_task(self._keep(owner))
        try:
            yield True
        finally:
            keeper.cancel()
            await self._db.write(lambda db: index_state.give_back(db, owner))

    async def _keep(self, owner: str) -> None:
        """Lengthens the lease while a server takes its time; whether it is still ours, the next write finds out."""
        while True:
            await asyncio.sleep(_LEASE.total_seconds() / 3)
            try:
                until = self._clock.now() + _LEASE
                await self._db.write(lambda db, until=until: index_state.keep(db, owner, until=until))  # type: ignore[misc]
            except Exception as error:
                failures.tell(log, "index.renew_failed", error)
