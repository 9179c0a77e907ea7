"""SQL about how much there is of everything, cheaply: estimates where the database has them, counts that end early."""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from lamplighter.store.columns import metadata
from lamplighter.store.database import Connection

#: further than this nobody counts
MOST_COUNTED = 20_000


@dataclass(frozen=True, slots=True)
class Rows:
    """How many rows a table has."""

    count: int
    #: it is an estimate
    is_rough: bool = False
    #: there are more, and nobody counted on
    is_least: bool = False


async def database_bytes(db: Connection) -> int:
    """What the whole database takes, indexes included."""
    if db.dialect.name == "sqlite":
        return int(await db.scalar(sa.text("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")))
    return int(await db.scalar(sa.text("SELECT pg_database_size(current_database())")))


async def rows_of(db: Connection, names: Iterable[str]) -> dict[str, Rows]:
    """How many rows each of these tables has."""
    names = list(names)
    known = {} if db.dialect.name == "sqlite" else await _estimates(db, names)
    return {name: known.get(name) or await _counted(db, metadata.tables[name]) for name in names}


async def _estimates(db: Connection, names: list[str]) -> dict[str, Rows]:
    """What PostgreSQL last counted, of tables that are large enough for that to be near the truth."""
    query = "SELECT relname, reltuples::bigint AS rows FROM pg_class WHERE oid = ANY(CAST(:names AS regclass[]))"
    rows = await db.execute(sa.text(query).bindparams(names=names))
    return {row.relname: Rows(row.rows, is_rough=True) for row in rows if row.rows > MOST_COUNTED}


async def _counted(db: Connection, table: sa.Table) -> Rows:
    some = sa.select(sa.literal(1)).select_from(table).limit(MOST_COUNTED + 1).subquery()
    count = int(await db.scalar(sa.select(sa.func.count()).select_from(some)))
    return Rows(min(count, MOST_COUNTED), is_least=count > MOST_COUNTED)
