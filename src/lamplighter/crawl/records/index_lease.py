"""The lease of the search index: one process at a time keeps the search server up to date.

Two at once could send an older state of a record after a newer one. A process that outlived its lease finds that out
with its next write; what it sent until then is sent again by the other.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import TypeVar
from uuid import uuid4

from lamplighter import telemetry
from lamplighter.crawl.process import loops
from lamplighter.errors import LeaseLost
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Connection, Database, Write
from lamplighter.store.records import index_state

log = telemetry.logger("index")
T = TypeVar("T")
#: renewed every third of it
LEASE = timedelta(seconds=45)
#: prefixes of the lease owner's name
_ROUND, _ORDER = "round-", "order-"


class IndexLease:
    """The right to write to the search server."""

    def __init__(self, db: Database, *, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._name = uuid4().hex
        self._owner = ""

    def for_round(self) -> AbstractAsyncContextManager[bool]:
        """Holds the lease; yields whether it was obtained.

        Only the leader makes rounds: a process that did so before has lost the lead, so we take over.
        """
        return self._held(_ROUND, over=_ROUND)

    def for_order(self) -> AbstractAsyncContextManager[bool]:
        """The same for an operator's order, in any process."""
        return self._held(_ORDER, over=None)

    async def write(self, work: Write[T]) -> T:
        """Writes if the lease is ours; raises LeaseLost otherwise."""
        until = self._clock.now() + LEASE

        async def guarded(db: Connection) -> T:
            if not await index_state.keep(db, self._owner, until=until):
                raise LeaseLost("another process keeps the search server up to date by now")
            return await work(db)

        return await self._db.write(guarded)

    @asynccontextmanager
    async def _held(self, kind: str, *, over: str | None) -> AsyncIterator[bool]:
        now, owner = self._clock.now(), kind + self._name
        is_ours = await self._db.write(lambda db: index_state.take(db, owner, now=now, until=now + LEASE, over=over))
        self._owner = owner
        if not is_ours:
            yield False
            return
        step, renewing = partial(self._renew, owner), LEASE.total_seconds() / 3
        keeper = asyncio.create_task(loops.repeat(step, seconds=renewing, log=log, failed="index.renew_failed"))
        try:
            yield True
        finally:
            keeper.cancel()
            await self._db.write(lambda db: index_state.give_back(db, owner))

    async def _renew(self, owner: str) -> None:
        """Renews the lease while the server is slow; the next write checks whether it is still ours."""
        until = self._clock.now() + LEASE
        await self._db.write(lambda db: index_state.keep(db, owner, until=until))
