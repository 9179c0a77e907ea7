"""Compares the search server's index with the records, id by id, and has the differences told.

Not by what we believe to have told: an index that was wiped, restored from a backup or changed by another hand would
stay wrong for ever.
"""

from functools import partial

from lamplighter import telemetry
from lamplighter.crawl.index_lease import IndexLease
from lamplighter.model.search_index import Held
from lamplighter.ports import Clock, SearchServer
from lamplighter.store import index_documents, index_outbox, index_state
from lamplighter.store.database import Database

log = telemetry.logger("index")
_AT_ONCE = 1_000


async def reconcile(db: Database, *, server: SearchServer, lease: IndexLease, clock: Clock) -> int:
    """Enters what is missing, superfluous or other into the outbox, and returns how much; IndexAway, LeaseLost."""
    differing, last = 0, 0
    while True:
        there = await server.held(after=last, limit=_AT_ONCE)
        async with db.read() as connection:
            known = await index_documents.held(connection, after=last, limit=_AT_ONCE)
        # As far as both sides are known; a side that told less than it could has no more.
        ends = [side[-1].id for side in (there, known) if len(side) == _AT_ONCE]
        ids = _differences(there, known, upto=min(ends, default=None))
        await lease.write(partial(index_outbox.enter, ids=ids, now=clock.now()))
        differing += len(ids)
        if not ends:
            break
        last = min(ends)
    await lease.write(partial(index_state.note_reconciled, now=clock.now()))
    log.info("index.reconciled", engine=server.engine, differing=differing)
    return differing


def _differences(there: list[Held], known: list[Held], *, upto: int | None) -> set[int]:
    """Ids that only one side has, or in another form."""
    return {each.id for each in set(there) ^ set(known) if upto is None or each.id <= upto}
