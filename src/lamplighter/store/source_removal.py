"""SQL about what hangs on a source: how much it is, and taking it away bit by bit."""

from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import crawl_runs, pages, records, run_log_lines


class Impact(NamedTuple):
    """What was found through a source, and would go with it."""

    pages: int
    records: int
    runs: int


async def impact(db: Connection, source_id: int) -> Impact:
    """Counts what hangs on a source."""
    counts = [
        int(await db.scalar(sa.select(sa.func.count()).select_from(table).where(table.c.source_id == source_id)))
        for table in (pages, records, crawl_runs)
    ]
    return Impact._make(counts)


async def remove_some(db: Connection, source_id: int, *, limit: int) -> bool:
    """Takes away some of what hangs on a source; False when nothing is left but the source, its job and its runs."""
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
