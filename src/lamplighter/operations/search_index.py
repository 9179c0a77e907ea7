"""The index that records are found in: how it stands, and what an operator can do about it."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from lamplighter.errors import NotPossible
from lamplighter.model.search_index import IndexOrder
from lamplighter.ports import IndexAway, SearchServer
from lamplighter.store import audit_log, index_outbox, index_state, records
from lamplighter.store.database import Connection, Database
from lamplighter.store.index_outbox import Parked

EMBEDDED = "database"
_MOST_PARKED = 50
#: for the server's own number: a person waits for it, and a search would not be waited for longer
_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What a search server has not been told yet: cheap to find out."""

    #: database, meilisearch, elasticsearch or opensearch
    engine: str
    pending: int
    parked: int
    #: since when the oldest waits
    oldest_at: datetime | None
    #: why the server is taken for away; None while it answers, and without one
    trouble: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How the index stands."""

    waiting: Waiting
    #: what was refused too often, as far as anybody reads on
    parked: list[Parked]
    in_database: int
    #: None when there is no server, or it does not say
    in_index: int | None
    ordered: IndexOrder | None
    #: records that a reindex has written so far
    done: int | None
    reconciled_at: datetime | None


async def waiting(db: Connection, server: SearchServer | None) -> Waiting:
    """What the server has not been told yet."""
    tally = await index_outbox.tally(db)
    return Waiting(
        engine=server.engine if server is not None else EMBEDDED,
        pending=tally.pending,
        parked=tally.parked,
        oldest_at=tally.oldest_at,
        trouble=server.trouble if server is not None else None,
    )


async def standing(db: Database, server: SearchServer | None) -> Standing:
    """All of it, with the numbers of both sides."""
    in_index = await _count_of(server)
    async with db.read() as connection:
        state = await index_state.get(connection)
        return Standing(
            waiting=await waiting(connection, server),
            parked=await index_outbox.parked(connection, limit=_MOST_PARKED),
            in_database=await records.count(connection),
            in_index=in_index,
            ordered=state.ordered,
            done=state.done,
            reconciled_at=state.reconciled_at,
        )


async def order(db: Connection, server: SearchServer | None, what: IndexOrder, *, actor: str, now: datetime) -> None:
    """Has this done by whichever process keeps the index."""
    engine = outside(server).engine
    await index_state.order(db, what)
    await audit_log.write(db, actor=actor, action=f"index.{what}", subject=engine, now=now)


async def turn_off(db: Connection, *, actor: str, now: datetime) -> None:
    """From now on nobody notes what a search server would have to be told."""
    await index_state.turn_off(db)
    await index_outbox.clear(db)
    await audit_log.write(db, actor=actor, action="index.off", subject="index", now=now)


def outside(server: SearchServer | None) -> SearchServer:
    """The search server; NotPossible without one."""
    if server is None:
        raise NotPossible(
            "records are found in the database itself, whose index is always as they are; LAMPLIGHTER_INDEX_URL names "
            "a search server to be kept up to date"
        )
    return server


async def _count_of(server: SearchServer | None) -> int | None:
    if server is None:
        return None
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return await server.count()
    except (IndexAway, TimeoutError):
        return None
