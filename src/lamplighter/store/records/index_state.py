"""SQL about the search index's state: whether it is kept up to date, its lease, and requested work."""

from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.search_index import IndexOrder
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.schema.tables import index_state


class IndexState(NamedTuple):
    """Index state."""

    is_on: bool
    #: which server is kept up to date
    engine: str | None
    ordered: IndexOrder | None
    #: records that a reindex has written; None when none is under way
    done: int | None
    reconciled_at: datetime | None


async def get(db: Connection) -> IndexState:
    """Index state."""
    row = (await db.execute(sa.select(*(index_state.c[name] for name in IndexState._fields)))).one()
    ordered = IndexOrder(row.ordered) if row.ordered is not None else None
    return IndexState(row.is_on, row.engine, ordered, row.done, row.reconciled_at)


async def turn_on(db: Connection, engine: str) -> bool:
    """Fills the outbox for this server from now on; True if that is new, and then a reindex is requested."""
    is_other = sa.or_(index_state.c.is_on.is_(sa.false()), index_state.c.engine.is_distinct_from(engine))
    values = {"is_on": True, "engine": engine, "ordered": IndexOrder.REINDEX, "reconciled_at": None}
    return rows_written(await db.execute(sa.update(index_state).where(is_other).values(**values))) > 0


async def turn_off(db: Connection) -> None:
    """Stops filling the outbox."""
    values = {"is_on": False, "engine": None, "ordered": None, "done": None, "reconciled_at": None}
    await db.execute(sa.update(index_state).values(**values))


async def order(db: Connection, what: IndexOrder) -> None:
    """Requests index work; a requested reindex stays, as it includes a comparison."""
    unless_more = sa.or_(index_state.c.ordered.is_(None), index_state.c.ordered != IndexOrder.REINDEX)
    await db.execute(sa.update(index_state).where(unless_more).values(ordered=what))


async def take(db: Connection, owner: str, *, now: datetime, until: datetime, over: str | None = None) -> bool:
    """Takes the lease; False while another owner has it, unless its name begins with `over`."""
    held = index_state.c.lease_owner
    is_free = [held.is_(None), held == owner, index_state.c.lease_until <= now]
    if over is not None:
        is_free.append(held.startswith(over, autoescape=True))
    return await _set(db, sa.or_(*is_free), lease_owner=owner, lease_until=until)


async def keep(db: Connection, owner: str, *, until: datetime) -> bool:
    """Renews the lease and locks it until the transaction ends; False if another owner has it."""
    return await _set(db, index_state.c.lease_owner == owner, lease_until=until)


async def give_back(db: Connection, owner: str) -> None:
    """Ends the lease."""
    await _set(db, index_state.c.lease_owner == owner, lease_owner=None, lease_until=None)


async def note_done(db: Connection, done: int | None) -> None:
    """Stores a reindex's progress; None at its end."""
    await db.execute(sa.update(index_state).values(done=done))


async def note_reconciled(db: Connection, *, now: datetime) -> None:
    """Notes that the index was compared or rebuilt; ends the request."""
    await db.execute(sa.update(index_state).values(reconciled_at=now, ordered=None))


async def _set(db: Connection, which: Any, **values: Any) -> bool:
    return rows_written(await db.execute(sa.update(index_state).where(which).values(**values))) > 0
