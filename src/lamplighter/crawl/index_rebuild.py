"""Makes the search server's index anew from the records, beside the one in use, and puts it in its place."""

from collections.abc import Callable
from functools import partial

from lamplighter import telemetry
from lamplighter.crawl.index_lease import IndexLease
from lamplighter.ports import Clock, SearchServer
from lamplighter.store import index_documents, index_outbox, index_state
from lamplighter.store.database import Connection, Database

log = telemetry.logger("index")
_AT_ONCE = 500


async def rebuild(
    db: Database,
    *,
    server: SearchServer,
    lease: IndexLease,
    clock: Clock,
    told: Callable[[int], None],
) -> int:
    """Fills a new index, telling how far it is, and returns how many records it has; IndexAway, LeaseLost.

    Under the lease nothing else is delivered meanwhile: what changes behind our back waits in the outbox, and the new
    index is told of it.
    """
    log.info("index.rebuilding", engine=server.engine)
    # What was refused or under way is about the old index.
    await lease.write(index_outbox.send_again)
    done, last, refused = 0, 0, set[int]()
    async with server.anew() as filling:
        while True:
            async with db.read() as connection:
                documents = await index_documents.after(connection, last, limit=_AT_ONCE)
            if not documents:
                break
            refused |= (await filling.put(documents)).keys()
            last, done = documents[-1].id, done + len(documents)
            await lease.write(partial(index_state.note_done, done=done))
            told(done)
    now = clock.now()

    async def finish(connection: Connection) -> None:
        # One by one they will be taken, or parked with the reason.
        await index_outbox.enter(connection, refused, now=now)
        await index_state.note_done(connection, None)
        await index_state.note_reconciled(connection, now=now)

    await lease.write(finish)
    log.info("index.rebuilt", engine=server.engine, records=done - len(refused), refused=len(refused))
    return done - len(refused)
