"""SQL about scheduling figures: counts of jobs and runs."""

from datetime import datetime, timedelta
from functools import cache

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs
from lamplighter.store.schema.types import UtcTime


async def count_due(db: Connection, *, now: datetime, most: int | None = None) -> int:
    """The number of due jobs, counted up to `most` if that is given."""
    return int(await db.scalar(_count_due(db.dialect.name, most), {"now": now}))


@cache
def _count_due(dialect: str, most: int | None) -> sa.TextClause:
    # Without the hint, SQLite may use the index by state and read every planned job.
    by_time = "crawl_jobs INDEXED BY ix_crawl_jobs_planned" if dialect == "sqlite" else "crawl_jobs"
    is_due = "state IN ('pending', 'scheduled') AND next_run_at <= :now"
    # In the order of the index, so that PostgreSQL uses no other.
    bounded = f" ORDER BY next_run_at LIMIT {most}" if most is not None else ""
    counting = sa.text(f"SELECT count(*) FROM (SELECT id FROM {by_time} WHERE {is_due}{bounded}) AS those")
    return counting.bindparams(sa.bindparam("now", type_=UtcTime))


async def runs_ended(db: Connection, *, since: datetime, longest: timedelta) -> tuple[int, int]:
    """Counts runs that ended since then, and those that failed; without cancelled ones.

    `longest` is how long before `since` they may have begun: it allows an index.
    """
    ended = sa.and_(
        crawl_runs.c.started_at >= since - longest,
        crawl_runs.c.finished_at >= since,
        crawl_runs.c.outcome.in_([RunOutcome.OK, RunOutcome.WARN, RunOutcome.FAIL]),
    )
    failed = queries.count_if(crawl_runs.c.outcome == RunOutcome.FAIL).label("failed")
    row = (await db.execute(sa.select(sa.func.count().label("ended"), failed).where(ended))).one()
    return int(row.ended), int(row.failed or 0)
