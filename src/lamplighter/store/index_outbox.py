"""SQL about what the search server has not been told yet: triggers enter it (`index_outbox_ddl`), here it leaves.

Leaving never waits for a trigger's lock: a row that somebody is just changing is left for the next time. Triggers take
these locks in the order of the records that their transaction changes, which nobody else could follow.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import index_outbox
from lamplighter.store.upsert import insert, numbers

_MANY = 500
_IS_UNSENT = sa.and_(index_outbox.c.ticket.is_(None), index_outbox.c.parked_at.is_(None))


class Pending(NamedTuple):
    """A record to tell of, as far as it had changed when we looked."""

    record_id: int
    revision: int
    try_count: int


class Tally(NamedTuple):
    """How much waits."""

    pending: int
    parked: int
    #: since when the oldest waits; None when nothing does
    oldest_at: datetime | None


class Parked(NamedTuple):
    """A record that the server refused too often."""

    record_id: int
    try_count: int
    parked_at: datetime
    detail: str | None


async def due(db: Connection, *, now: datetime, limit: int) -> list[Pending]:
    """What is to be sent, that which was tried least first."""
    is_due = sa.or_(index_outbox.c.due_at.is_(None), index_outbox.c.due_at <= now)
    query = sa.select(*(index_outbox.c[name] for name in Pending._fields)).where(_IS_UNSENT, is_due)
    ordered = query.order_by(index_outbox.c.try_count, index_outbox.c.record_id).limit(limit)
    return [Pending._make(row) for row in await db.execute(ordered)]


async def enter(db: Connection, ids: Iterable[int], *, now: datetime, afresh: bool = False) -> None:
    """Has the server told of these records; those that wait already only wait anew when `afresh`."""
    wanted = sorted(set(ids))
    for start in range(0, len(wanted), _MANY):
        rows = [{"record_id": record_id, "entered_at": now} for record_id in wanted[start : start + _MANY]]
        statement = insert(db, index_outbox).values(rows)
        if afresh:
            revision = index_outbox.c.revision + 1
            again = statement.on_conflict_do_update(
                index_elements=["record_id"], set_={"revision": revision, **_UNTRIED}
            )
        else:
            again = statement.on_conflict_do_nothing()
        await db.execute(again)


_UNTRIED: dict[str, Any] = {"ticket": None, "try_count": 0, "due_at": None, "parked_at": None, "detail": None}


async def wait_for(db: Connection, sent: Sequence[Pending], *, ticket: str) -> None:
    """Notes under which ticket these were sent; those that have changed since are to be sent again anyway."""
    unchanged = _unchanged(db)
    statement = sa.update(index_outbox).where(index_outbox.c.record_id.in_(unchanged))
    await db.execute(statement.values(ticket=ticket), _pairs(sent))


async def settle(db: Connection, told: Sequence[Pending]) -> None:
    """The server knows these as they were; those that have changed since stay."""
    if told:
        unchanged = _unchanged(db)
        await db.execute(sa.delete(index_outbox).where(index_outbox.c.record_id.in_(unchanged)), _pairs(told))


async def put_off(
    db: Connection,
    refused: Sequence[Pending],
    *,
    detail: str,
    due_at: datetime,
    counts: bool,
    parked_at: datetime | None,
) -> None:
    """The server did not take these: they are sent again later, or parked; `counts` is whether it was a try."""
    values: dict[str, Any] = {"ticket": None, "due_at": due_at, "detail": detail, "parked_at": parked_at}
    if counts:
        values["try_count"] = index_outbox.c.try_count + 1
    statement = sa.update(index_outbox).where(index_outbox.c.record_id.in_(_unchanged(db)))
    await db.execute(statement.values(**values), _pairs(refused))


async def tickets(db: Connection) -> list[str]:
    """What we wait for."""
    query = sa.select(index_outbox.c.ticket).where(index_outbox.c.ticket.is_not(None)).distinct()
    return list(await db.scalars(query.order_by(index_outbox.c.ticket)))


async def sent_with(db: Connection, ticket: str) -> list[Pending]:
    """What was sent under a ticket and has not changed since."""
    query = sa.select(*(index_outbox.c[name] for name in Pending._fields)).where(index_outbox.c.ticket == ticket)
    return [Pending._make(row) for row in await db.execute(query.order_by(index_outbox.c.record_id))]


async def send_again(db: Connection) -> None:
    """Whatever was under way is sent again, and what was parked is tried again."""
    rows = sa.select(index_outbox.c.record_id).where(
        sa.or_(index_outbox.c.ticket.is_not(None), index_outbox.c.parked_at.is_not(None))
    )
    free = rows.with_for_update(skip_locked=True)
    await db.execute(sa.update(index_outbox).where(index_outbox.c.record_id.in_(free)).values(**_UNTRIED))


async def clear(db: Connection) -> None:
    """Forgets everything: nobody is to be told any more."""
    await db.execute(sa.delete(index_outbox))


async def tally(db: Connection) -> Tally:
    """How much waits, and since when."""
    row = (
        await db.execute(
            sa.select(
                sa.func.count(sa.case((index_outbox.c.parked_at.is_(None), 1))).label("pending"),
                sa.func.count(index_outbox.c.parked_at).label("parked"),
                sa.func.min(sa.case((index_outbox.c.parked_at.is_(None), index_outbox.c.entered_at))).label(
                    "oldest_at"
                ),
            )
        )
    ).one()
    return Tally(row.pending, row.parked, row.oldest_at)


async def parked(db: Connection, *, limit: int) -> list[Parked]:
    """What was given up, and why."""
    query = sa.select(*(index_outbox.c[name] for name in Parked._fields)).where(index_outbox.c.parked_at.is_not(None))
    return [Parked._make(row) for row in await db.execute(query.order_by(index_outbox.c.record_id).limit(limit))]


def _unchanged(db: Connection) -> Any:
    """Selects those of the given rows whose revision is still the same, and that nobody is just changing."""
    record_id, revision = numbers(db.dialect.name, "rows", count=2)
    given = sa.select(record_id.label("record_id"), revision.label("revision")).cte("given")
    same = sa.and_(index_outbox.c.record_id == given.c.record_id, index_outbox.c.revision == given.c.revision)
    free = sa.select(index_outbox.c.record_id).join(given, same)
    return free.with_for_update(of=index_outbox, skip_locked=True)


def _pairs(rows: Sequence[Pending]) -> dict[str, Any]:
    return {"rows": [[row.record_id, row.revision] for row in rows]}
