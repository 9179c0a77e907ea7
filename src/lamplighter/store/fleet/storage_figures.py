"""SQL about storage figures: the database's size and row counts, estimated or counted up to a limit."""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.columns import metadata

#: counting stops here
MOST_COUNTED = 20_000


@dataclass(frozen=True, slots=True)
class TableRows:
    """The row count of a table."""

    count: int
    #: the count is an estimate
    is_rough: bool = False
    #: counting stopped: there are more
    is_least: bool = False


async def database_bytes(db: Connection) -> int:
    """The size of the database, indexes included."""
    if db.dialect.name == "sqlite":
        return int(await db.scalar(sa.text("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")))
    return int(await db.scalar(sa.text("SELECT pg_database_size(current_database())")))


async def rows_of(db: Connection, names: Iterable[str]) -> dict[str, TableRows]:
    """Table -> its number of rows."""
    names = list(names)
    known = {} if db.dialect.name == "sqlite" else await _estimates(db, names)
    return {name: known.get(name) or await _counted(db, metadata.tables[name]) for name in names}


async def _estimates(db: Connection, names: list[str]) -> dict[str, TableRows]:
    """PostgreSQL's own row estimates, for tables that are large enough for them to be accurate."""
    query = "SELECT relname, reltuples::bigint AS rows FROM pg_class WHERE oid = ANY(CAST(:names AS regclass[]))"
    rows = await db.execute(sa.text(query).bindparams(names=names))
    return {row.relname: TableRows(row.rows, is_rough=True) for row in rows if row.rows > MOST_COUNTED}


async def _counted(db: Connection, table: sa.Table) -> TableRows:
    count = await queries.count(db, sa.select(sa.literal(1)).select_from(table).limit(MOST_COUNTED + 1).subquery())
    return TableRows(min(count, MOST_COUNTED), is_least=count > MOST_COUNTED)
