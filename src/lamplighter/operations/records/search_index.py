"""The search index: its status and backlog, and orders to rebuild it."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from lamplighter.errors import NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.search_index import IndexOrder
from lamplighter.ports import IndexAway, SearchServer
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import index_outbox, index_state, records
from lamplighter.store.records.index_outbox import ParkedDocument

EMBEDDED = "database"
_MOST_PARKED = 50
#: for the server's own number: a person waits for it, and a search would not be waited for longer
PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexBacklog:
    """What was not yet sent to the search server: cheap to find out."""

    #: database, meilisearch, elasticsearch or opensearch
    engine: str
    pending: int
    parked: int
    #: since when the oldest waits
    oldest_at: datetime | None
    #: why the server is taken for away; None while it answers, and without one
    trouble: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndexStatus:
    """The status of the index."""

    waiting: IndexBacklog
    #: the first documents that were refused too often
    parked: list[ParkedDocument]
    in_database: int
    #: None when there is no server, or it does not say
    in_index: int | None
    ordered: IndexOrder | None
    #: records that a reindex has written so far
    done: int | None
    reconciled_at: datetime | None


async def waiting(db: Connection, server: SearchServer | None) -> IndexBacklog:
    """What was not yet sent to the server."""
    counts = (await index_outbox.tally(db))._asdict()
    if server is None:
        return IndexBacklog(engine=EMBEDDED, trouble=None, **counts)
    return IndexBacklog(engine=server.engine, trouble=server.trouble, **counts)


async def status(db: Database, server: SearchServer | None) -> SearchIndexStatus:
    """All of it, with the numbers of both sides."""
    in_index = await _count_of(server)
    async with db.read() as connection:
        state = await index_state.get(connection)
        return SearchIndexStatus(
            waiting=await waiting(connection, server),
            parked=await index_outbox.parked(connection, limit=_MOST_PARKED),
            in_database=await records.count(connection),
            in_index=in_index,
            ordered=state.ordered,
            done=state.done,
            reconciled_at=state.reconciled_at,
        )


async def order(db: Connection, server: SearchServer | None, what: IndexOrder, *, stamp: Stamp) -> None:
    """Orders this from the process that keeps the index."""
    engine = outside(server).engine
    await index_state.order(db, what)
    await audit_log.write(db, stamp, f"index.{what}", engine)


async def turn_off(db: Connection, *, stamp: Stamp) -> None:
    """Stops filling the index outbox, and clears it."""
    await index_state.turn_off(db)
    await index_outbox.clear(db)
    await audit_log.write(db, stamp, "index.off", "index")


def outside(server: SearchServer | None) -> SearchServer:
    """The search server; NotPossible without one."""
    if server is None:
        raise NotPossible(
            "the database itself is the search engine and is always up to date; set LAMPLIGHTER_INDEX_URL to use a "
            "search server"
        )
    return server


async def _count_of(server: SearchServer | None) -> int | None:
    if server is None:
        return None
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await server.count()
    except (IndexAway, TimeoutError):
        return None
