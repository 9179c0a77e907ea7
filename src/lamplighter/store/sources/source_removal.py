"""Counts the data that belongs to a source, and deletes it in batches."""

from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.schema.tables import crawl_runs, pages, records, run_log_lines


class Impact(NamedTuple):
    """How much data would be deleted with a source."""

    pages: int
    records: int
    runs: int


async def impact(db: Connection, source_id: int) -> Impact:
    """Counts the data of a source."""
    tables = (pages, records, crawl_runs)
    return Impact._make([await queries.count(db, table, table.c.source_id == source_id) for table in tables])


async def remove_some(db: Connection, source_id: int, *, limit: int) -> bool:
    """Deletes a batch of a source's data; False when only the source, its job and its runs are left."""
    runs = sa.select(crawl_runs.c.id).where(crawl_runs.c.source_id == source_id)
    conditions = (
        (records, records.c.source_id == source_id),
        (pages, pages.c.source_id == source_id),
        (run_log_lines, run_log_lines.c.run_id.in_(runs)),
    )
    for table, mine in conditions:
        some = sa.select(table.c.id).where(mine).limit(limit)
        if rows_written(await db.execute(sa.delete(table).where(table.c.id.in_(some)))):
            return True
    return False
