"""SQL about how scheduling goes: counts of jobs and runs."""

from datetime import datetime, timedelta
from functools import cache

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, Outcome
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_jobs, crawl_runs
from lamplighter.store.types import literal


async def jobs_by_state(db: Connection) -> dict[str, int]:
    """State -> number of jobs."""
    query = sa.select(crawl_jobs.c.state, sa.func.count().label("jobs")).group_by(crawl_jobs.c.state)
    return {row.state: row.jobs for row in await db.execute(query)}


async def count_due(db: Connection, *, now: datetime, most: int | None = None) -> int:
    """How many jobs wait to be opened; counted up to `most`, if that is given."""
    return int(await db.scalar(_count_due(most), {"now": now}))


@cache
def _count_due(most: int | None) -> sa.Select[int]:
    # Sought by their time alone: by their state, SQLite would look at all that will ever be due.
    is_waiting = sa.func.coalesce(crawl_jobs.c.state, "").in_(literal(JobState.PENDING, JobState.SCHEDULED))
    is_due = crawl_jobs.c.next_run_at <= sa.bindparam("now")
    some = sa.select(crawl_jobs.c.id).where(is_due, is_waiting).limit(most).subquery()
    return sa.select(sa.func.count()).select_from(some)


async def runs_ended(db: Connection, *, since: datetime, longest: timedelta) -> tuple[int, int]:
    """Runs that ended since then, and how many of them failed; cancelled ones do not count.

    `longest` is how long before they may have begun: those are found by an index.
    """
    ended = sa.and_(
        crawl_runs.c.started_at >= since - longest,
        crawl_runs.c.finished_at >= since,
        crawl_runs.c.outcome.in_([Outcome.OK, Outcome.WARN, Outcome.FAIL]),
    )
    failed = sa.func.sum(sa.case((crawl_runs.c.outcome == Outcome.FAIL, 1), else_=0))
    query = sa.select(sa.func.count().label("ended"), failed.label("failed"))
    row = (await db.execute(query.where(ended))).one()
    return int(row.ended), int(row.failed or 0)
