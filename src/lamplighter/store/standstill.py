"""SQL about the one switch that stops all crawling: a row while it is off, none while it goes on."""

import sqlalchemy as sa

from lamplighter.model.fleet import Standstill
from lamplighter.store.database import Connection
from lamplighter.store.tables import standstill
from lamplighter.store.upsert import insert

_NAME = "crawl"
_COLUMNS = (standstill.c.since, standstill.c.paused_by, standstill.c.reason)


async def get(db: Connection) -> Standstill | None:
    """Why nobody crawls; None while they do."""
    row = (await db.execute(sa.select(*_COLUMNS).where(standstill.c.name == _NAME))).one_or_none()
    return Standstill(**row._mapping) if row is not None else None


async def begin(db: Connection, wanted: Standstill) -> bool:
    """Stops all crawling, and says whether it was this that stopped it."""
    row = {"since": wanted.since, "paused_by": wanted.paused_by, "reason": wanted.reason}
    statement = insert(db, standstill).values(name=_NAME, **row).on_conflict_do_nothing(index_elements=["name"])
    return (await db.execute(statement.returning(standstill.c.name))).first() is not None


async def end(db: Connection) -> Standstill | None:
    """Lets crawling go on, and returns what had stopped it; None when nothing had."""
    gone = sa.delete(standstill).where(standstill.c.name == _NAME).returning(*_COLUMNS)
    row = (await db.execute(gone)).one_or_none()
    return Standstill(**row._mapping) if row is not None else None
