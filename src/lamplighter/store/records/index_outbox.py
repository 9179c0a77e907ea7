"""SQL about the index outbox: triggers enter records (`index_outbox_ddl`), here they are sent and removed.

Removing never waits for a trigger's lock: a row that a transaction is changing is left for the next round. Triggers
take these locks in the order in which their transaction changes records, which no other order could follow.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert, numbers
from lamplighter.store.schema.tables import index_outbox

_IS_UNSENT = sa.and_(index_outbox.c.ticket.is_(None), index_outbox.c.parked_at.is_(None))


class PendingDocument(NamedTuple):
    """A record to send, as it was when it was read."""

    record_id: int
    revision: int
    try_count: int


class OutboxTally(NamedTuple):
    """Outbox counts."""

    pending: int
    parked: int
    #: when the oldest was entered; None when nothing waits
    oldest_at: datetime | None


class ParkedDocument(NamedTuple):
    """A record that the server refused too often."""

    record_id: int
    try_count: int
    parked_at: datetime
    detail: str | None


_PENDING = tuple(index_outbox.c[name] for name in PendingDocument._fields)


async def due(db: Connection, *, now: datetime, limit: int) -> list[PendingDocument]:
    """The records to be sent, those with the fewest tries first."""
    is_due = sa.or_(index_outbox.c.due_at.is_(None), index_outbox.c.due_at <= now)
    order = (index_outbox.c.try_count, index_outbox.c.record_id)
    query = sa.select(*_PENDING).where(_IS_UNSENT, is_due).order_by(*order).limit(limit)
    return [PendingDocument._make(row) for row in await db.execute(query)]


async def enter(db: Connection, ids: Iterable[int], *, now: datetime, afresh: bool = False) -> None:
    """Queues these records to be sent; with `afresh`, records that already wait start over."""
    for some in queries.chunks(sorted(set(ids))):
        statement = insert(db, index_outbox).values([{"record_id": each, "entered_at": now} for each in some])
        if afresh:
            again = {"revision": index_outbox.c.revision + 1, **_UNTRIED}
            statement = statement.on_conflict_do_update(index_elements=["record_id"], set_=again)
        else:
            statement = statement.on_conflict_do_nothing()
        await db.execute(statement)


_UNTRIED: dict[str, Any] = {"ticket": None, "try_count": 0, "due_at": None, "parked_at": None, "detail": None}


async def wait_for(db: Connection, sent: Sequence[PendingDocument], *, ticket: str) -> None:
    """Stores the ticket under which these were sent; those that changed since are sent again anyway."""
    statement = sa.update(index_outbox).where(index_outbox.c.record_id.in_(_unchanged(db)))
    await db.execute(statement.values(ticket=ticket), _pairs(sent))


async def settle(db: Connection, sent: Sequence[PendingDocument]) -> None:
    """Removes what the server has stored; what changed since stays."""
    if sent:
        await db.execute(sa.delete(index_outbox).where(index_outbox.c.record_id.in_(_unchanged(db))), _pairs(sent))


async def put_off(
    db: Connection,
    refused: Sequence[PendingDocument],
    *,
    detail: str,
    due_at: datetime,
    counts: bool,
    parked_at: datetime | None,
) -> None:
    """Sends again later what the server refused, or parks it; `counts` says whether this was a try."""
    values: dict[str, Any] = {"ticket": None, "due_at": due_at, "detail": detail, "parked_at": parked_at}
    if counts:
        values["try_count"] = index_outbox.c.try_count + 1
    statement = sa.update(index_outbox).where(index_outbox.c.record_id.in_(_unchanged(db)))
    await db.execute(statement.values(**values), _pairs(refused))


async def tickets(db: Connection) -> list[str]:
    """The tickets whose results are still unknown."""
    query = sa.select(index_outbox.c.ticket).where(index_outbox.c.ticket.is_not(None)).distinct()
    return list(await db.scalars(query.order_by(index_outbox.c.ticket)))


async def sent_with(db: Connection, ticket: str) -> list[PendingDocument]:
    """What was sent under a ticket and has not changed since."""
    query = sa.select(*_PENDING).where(index_outbox.c.ticket == ticket).order_by(index_outbox.c.record_id)
    return [PendingDocument._make(row) for row in await db.execute(query)]


async def send_again(db: Connection) -> None:
    """Sends again what has no result yet, and what was parked."""
    is_stuck = sa.or_(index_outbox.c.ticket.is_not(None), index_outbox.c.parked_at.is_not(None))
    free = sa.select(index_outbox.c.record_id).where(is_stuck).with_for_update(skip_locked=True)
    await db.execute(sa.update(index_outbox).where(index_outbox.c.record_id.in_(free)).values(**_UNTRIED))


async def clear(db: Connection) -> None:
    """Removes everything: no search server is kept up to date any more."""
    await db.execute(sa.delete(index_outbox))


async def tally(db: Connection) -> OutboxTally:
    """Counts the outbox's entries."""
    is_pending, parked = index_outbox.c.parked_at.is_(None), sa.func.count(index_outbox.c.parked_at)
    oldest = sa.func.min(sa.case((is_pending, index_outbox.c.entered_at)))
    return OutboxTally._make(
        (await db.execute(sa.select(sa.func.count(sa.case((is_pending, 1))), parked, oldest))).one()
    )


async def parked(db: Connection, *, limit: int) -> list[ParkedDocument]:
    """The parked records, and why each was parked."""
    columns = (index_outbox.c[name] for name in ParkedDocument._fields)
    query = sa.select(*columns).where(index_outbox.c.parked_at.is_not(None)).order_by(index_outbox.c.record_id)
    return [ParkedDocument._make(row) for row in await db.execute(query.limit(limit))]


def _unchanged(db: Connection) -> Any:
    """Selects those of the given rows whose revision is still the same, and that no transaction is changing."""
    record_id, revision = numbers(db.dialect.name, "rows", count=2)
    given = sa.select(record_id.label("record_id"), revision.label("revision")).cte("given")
    same = sa.and_(index_outbox.c.record_id == given.c.record_id, index_outbox.c.revision == given.c.revision)
    free = sa.select(index_outbox.c.record_id).join(given, same)
    return free.with_for_update(of=index_outbox, skip_locked=True)


def _pairs(rows: Sequence[PendingDocument]) -> dict[str, Any]:
    return {"rows": [[row.record_id, row.revision] for row in rows]}
