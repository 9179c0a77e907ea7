"""Keeps the search server as the records are: what changed, what was ordered, and now and then a look at the whole."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from lamplighter import telemetry
from lamplighter.crawl.index_deliver import IndexDeliver
from lamplighter.crawl.index_lease import IndexLease
from lamplighter.crawl.index_rebuild import rebuild
from lamplighter.crawl.index_reconcile import reconcile
from lamplighter.errors import LeaseLost, NotPossible
from lamplighter.model.search_index import IndexOrder
from lamplighter.ports import Clock, IndexAway, SearchServer
from lamplighter.store import index_outbox, index_state, records
from lamplighter.store.database import Database

log = telemetry.logger("index")
#: how often all ids are compared, and how often the numbers
_RECONCILE_EVERY = timedelta(days=1)
_COUNT_SECONDS = 60.0
#: how long a person's order waits for a process that is at it; longer than a dead one's lease lasts
_LEASE_PATIENCE_SECONDS = 75.0
_LEASE_LOOK_SECONDS = 0.5


class IndexRound:
    """One step at a time."""

    def __init__(self, db: Database, *, server: SearchServer, clock: Clock) -> None:
        self._db = db
        self._server = server
        self._clock = clock
        self._lease = IndexLease(db, clock=clock)
        self._deliver = IndexDeliver(db, server=server, lease=self._lease, clock=clock)
        self._is_known = False
        #: whether what is there was made as we make it; None while that is not known
        self._is_fit: bool | None = None
        self._counted_at = float("-inf")

    async def make_round(self) -> int:
        """Does what there is to do, and returns how many records were told of. A server that is away is no error."""
        if not self._is_known:
            await self._turn_on()
        elif not await self._is_on():
            return 0  # somebody turned it off; the next process that starts with a search server turns it on
        try:
            if self._server.trouble is not None:
                self._is_fit = await self._server.prepare()
            if not await self._has_something_to_do():
                return 0
            async with self._lease.for_round() as is_ours:
                return await self._work() if is_ours else 0
        except IndexAway:
            return 0  # whoever spoke with it has logged it; everything waits in the outbox
        except LeaseLost as error:
            log.warning("index.lease_lost", reason=str(error))
            return 0

    async def carry_out(self, what: IndexOrder, told: Callable[[int], None]) -> int:
        """Does at once what a person asked for, telling how far it is; NotPossible when it cannot be done now.

        Returns how many records were written, or how many differed.
        """
        await self._turn_on()
        give_up_at = self._clock.monotonic() + _LEASE_PATIENCE_SECONDS
        while self._clock.monotonic() < give_up_at:
            async with self._lease.for_order() as is_ours:
                if is_ours:
                    return await self._carry_out(what, told)
            await asyncio.sleep(_LEASE_LOOK_SECONDS)
        raise NotPossible("another process is making the index anew; `lamplighter index status` shows how far it is")

    async def _carry_out(self, what: IndexOrder, told: Callable[[int], None]) -> int:
        try:
            if what is IndexOrder.REINDEX or not await self._server.prepare():
                count = await self._rebuild(told)
            else:
                # Somebody wants to see what was given up tried again.
                await self._lease.write(index_outbox.send_again)
                count = await reconcile(self._db, server=self._server, lease=self._lease, clock=self._clock)
            await self._deliver.deliver_all()
        except IndexAway as error:
            raise NotPossible(f"the search server does not do its part: {error}") from None
        return count

    async def _turn_on(self) -> None:
        if await self._db.write(lambda db: index_state.turn_on(db, self._server.identity)):
            log.info("index.turned_on", engine=self._server.engine)
        self._is_known = True

    async def _is_on(self) -> bool:
        async with self._db.read() as db:
            return (await index_state.get(db)).is_on

    async def _has_something_to_do(self) -> bool:
        """Cheap, and without a write: most rounds have nothing to do."""
        if self._is_fit is not True or self._is_time_to_count():
            return True
        async with self._db.read() as db:
            waits = await index_outbox.tickets(db) or await index_outbox.due(db, now=self._clock.now(), limit=1)
            return bool(waits or (await index_state.get(db)).ordered)

    def _is_time_to_count(self) -> bool:
        return self._clock.monotonic() - self._counted_at >= _COUNT_SECONDS

    async def _work(self) -> int:
        async with self._db.read() as db:
            ordered = (await index_state.get(db)).ordered
        if self._is_fit is None:
            self._is_fit = await self._server.prepare()
        if ordered is IndexOrder.REINDEX or not self._is_fit:
            await self._rebuild()
        elif ordered is IndexOrder.RECONCILE:
            # Somebody wants to see what was given up tried again.
            await self._lease.write(index_outbox.send_again)
            await self._reconcile()
        told = await self._deliver.deliver_all()
        if self._is_time_to_count():
            await self._look_at_the_whole()
            told += await self._deliver.deliver_all()
        return told

    async def _look_at_the_whole(self) -> None:
        """Compares the numbers, and if they tell of a difference, or it was long ago, everything."""
        now = self._clock.now()
        async with self._db.read() as db:
            state, waiting = await index_state.get(db), await index_outbox.tally(db)
            known = await records.count(db)
        self._counted_at = self._clock.monotonic()
        is_old = state.reconciled_at is None or now - state.reconciled_at >= _RECONCILE_EVERY
        # What was given up may be there in an earlier form, or not at all.
        expected = range(known - waiting.parked, known + 1)
        if is_old or (not waiting.pending and await self._server.count() not in expected):
            await self._reconcile()

    async def _reconcile(self) -> None:
        if await self._server.prepare():
            await reconcile(self._db, server=self._server, lease=self._lease, clock=self._clock)
        else:
            await self._rebuild()

    async def _rebuild(self, told: Callable[[int], None] = lambda _: None) -> int:
        count = await rebuild(self._db, server=self._server, lease=self._lease, clock=self._clock, told=told)
        self._is_fit = True
        return count
