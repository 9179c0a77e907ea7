"""Keeps the search server up to date: sends changes, carries out orders, and compares everything now and then."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from lamplighter import telemetry
from lamplighter.crawl.records.index_deliver import IndexDeliver
from lamplighter.crawl.records.index_lease import IndexLease
from lamplighter.errors import LeaseLost, NotPossible
from lamplighter.model.search_index import IndexedRecord, IndexOrder
from lamplighter.ports import Clock, IndexAway, SearchServer
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import index_documents, index_outbox, index_state, records

log = telemetry.logger("index")
#: how often all ids are compared, and how often the counts
_RECONCILE_EVERY = timedelta(days=1)
COUNT_SECONDS = 60.0
#: how long an operator's order waits for the lease; longer than a dead process's lease lasts
_LEASE_PATIENCE_SECONDS = 75.0
_LEASE_LOOK_SECONDS = 0.5
#: documents put into a new index at once, and ids compared at once
_PUT_AT_ONCE = 500
AT_ONCE = 1_000


class IndexRound:
    """Updates the index."""

    def __init__(self, db: Database, *, server: SearchServer, clock: Clock) -> None:
        self._db = db
        self._server = server
        self._clock = clock
        self._lease = IndexLease(db, clock=clock)
        self._deliver = IndexDeliver(db, server=server, lease=self._lease, clock=clock)
        self._is_known = False
        #: whether the server's index has our settings; None while that is not known
        self._is_fit: bool | None = None
        self._counted_at = float("-inf")

    async def make_round(self) -> int:
        """Does the work that is due, and returns how many records were sent. A server that is away is no error."""
        if not self._is_known:
            await self._turn_on()
        elif not await self._is_on():
            return 0  # an operator turned it off; the next process that starts with a search server turns it on
        try:
            if self._server.trouble is not None:
                self._is_fit = await self._server.prepare()
            if not await self._has_something_to_do():
                return 0
            async with self._lease.for_round() as is_ours:
                return await self._work() if is_ours else 0
        except IndexAway:
            return 0  # the client has logged it; everything waits in the outbox
        except LeaseLost as error:
            log.warning("index.lease_lost", reason=str(error))
            return 0

    async def carry_out(self, what: IndexOrder, progress: Callable[[int], None]) -> int:
        """Carries out an operator's order at once; returns how many records were written, or differed; NotPossible."""
        await self._turn_on()
        give_up_at = self._clock.monotonic() + _LEASE_PATIENCE_SECONDS
        while self._clock.monotonic() < give_up_at:
            async with self._lease.for_order() as is_ours:
                if is_ours:
                    return await self._carry_out(what, progress)
            await asyncio.sleep(_LEASE_LOOK_SECONDS)
        raise NotPossible("another process is making the index anew; `lamplighter index status` shows how far it is")

    async def _carry_out(self, what: IndexOrder, progress: Callable[[int], None]) -> int:
        try:
            if what is IndexOrder.REINDEX or not await self._server.prepare():
                count = await self._rebuild(progress)
            else:
                # The operator wants parked records to be tried again.
                await self._lease.write(index_outbox.send_again)
                count = await self._reconcile()
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
        """Checks cheaply, without a write: most rounds have no work."""
        if self._is_fit is not True or self._is_time_to_count():
            return True
        async with self._db.read() as db:
            waits = await index_outbox.tickets(db) or await index_outbox.due(db, now=self._clock.now(), limit=1)
            return bool(waits or (await index_state.get(db)).ordered)

    def _is_time_to_count(self) -> bool:
        return self._clock.monotonic() - self._counted_at >= COUNT_SECONDS

    async def _work(self) -> int:
        async with self._db.read() as db:
            ordered = (await index_state.get(db)).ordered
        if self._is_fit is None:
            self._is_fit = await self._server.prepare()
        if ordered is IndexOrder.REINDEX or not self._is_fit:
            await self._rebuild()
        elif ordered is IndexOrder.RECONCILE:
            # The operator wants parked records to be tried again.
            await self._lease.write(index_outbox.send_again)
            await self._reconcile_or_rebuild()
        progress = await self._deliver.deliver_all()
        if self._is_time_to_count():
            await self._look_at_the_whole()
            progress += await self._deliver.deliver_all()
        return progress

    async def _look_at_the_whole(self) -> None:
        """Compares the counts, and if they differ, or after a day, everything."""
        now = self._clock.now()
        async with self._db.read() as db:
            state, waiting = await index_state.get(db), await index_outbox.tally(db)
            known = await records.count(db)
        self._counted_at = self._clock.monotonic()
        is_old = state.reconciled_at is None or now - state.reconciled_at >= _RECONCILE_EVERY
        # A parked record may be in the index in an earlier state, or not at all.
        expected = range(known - waiting.parked, known + 1)
        if is_old or (not waiting.pending and await self._server.count() not in expected):
            await self._reconcile_or_rebuild()

    async def _reconcile_or_rebuild(self) -> None:
        if await self._server.prepare():
            await self._reconcile()
        else:
            await self._rebuild()

    async def _rebuild(self, progress: Callable[[int], None] = lambda _: None) -> int:
        """Fills a new index, reports progress, and returns its number of records; raises IndexAway, LeaseLost.

        Under the lease nothing else is delivered meanwhile: records that change wait in the outbox, and are then sent
        to the new index.
        """
        log.info("index.rebuilding", engine=self._server.engine)
        # Refused and running tasks belong to the old index.
        await self._lease.write(index_outbox.send_again)
        done, last, refused = 0, 0, set[int]()
        async with self._server.anew() as filling:
            while True:
                async with self._db.read() as connection:
                    documents = await index_documents.after(connection, last, limit=_PUT_AT_ONCE)
                if not documents:
                    break
                refused |= (await filling.put(documents)).keys()
                last, done = documents[-1].id, done + len(documents)
                await self._lease.write(partial(index_state.note_done, done=done))
                progress(done)
        now = self._clock.now()

        async def finish(connection: Connection) -> None:
            # Each of them will be accepted later, or parked with the reason.
            await index_outbox.enter(connection, refused, now=now)
            await index_state.note_done(connection, None)
            await index_state.note_reconciled(connection, now=now)

        await self._lease.write(finish)
        log.info("index.rebuilt", engine=self._server.engine, records=done - len(refused), refused=len(refused))
        self._is_fit = True
        return done - len(refused)

    async def _reconcile(self) -> int:
        """Puts differing records into the outbox, and returns their number; raises IndexAway, LeaseLost."""
        differing, last = 0, 0
        while True:
            there = await self._server.held(after=last, limit=AT_ONCE)
            async with self._db.read() as connection:
                known = await index_documents.held(connection, after=last, limit=AT_ONCE)
            # Compare as far as both sides are read; a side with less than a full page has no more.
            ends = [side[-1].id for side in (there, known) if len(side) == AT_ONCE]
            ids = _differences(there, known, upto=min(ends, default=None))
            await self._lease.write(partial(index_outbox.enter, ids=ids, now=self._clock.now()))
            differing += len(ids)
            if not ends:
                break
            last = min(ends)
        await self._lease.write(partial(index_state.note_reconciled, now=self._clock.now()))
        log.info("index.reconciled", engine=self._server.engine, differing=differing)
        return differing


def _differences(there: list[IndexedRecord], known: list[IndexedRecord], *, upto: int | None) -> set[int]:
    """Ids that only one side has, or that differ."""
    return {each.id for each in set(there) ^ set(known) if upto is None or each.id <= upto}
