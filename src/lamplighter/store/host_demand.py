"""SQL about how much is asked of hosts: what was in the last day, and what the schedule will."""

from collections.abc import Collection
from datetime import datetime, timedelta

import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_jobs, crawl_runs, hosts

_HOUR = timedelta(hours=1)
_WATCHED = (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING)


async def asked_per_hour(
    db: Connection, host_ids: Collection[int], *, since: datetime, until: datetime
) -> dict[int, float]:
    """Requests per hour of the runs that began in this stretch of time on each of these hosts."""
    asked = crawl_runs.c.pages_fetched + crawl_runs.c.pages_unchanged + crawl_runs.c.pages_failed
    # Submitted pages belong to a source of their host's own, whose job starts nowhere.
    whose = sa.or_(crawl_jobs.c.host_id == hosts.c.id, crawl_jobs.c.source_id == hosts.c.task_source_id)
    query = (
        sa.select(hosts.c.id, sa.func.sum(asked).label("requests"))
        .select_from(hosts.join(crawl_jobs, whose).join(crawl_runs, crawl_runs.c.source_id == crawl_jobs.c.source_id))
        .where(hosts.c.id.in_(sorted(host_ids)), crawl_runs.c.started_at >= since, crawl_runs.c.started_at < until)
        .group_by(hosts.c.id)
    )
    hours = (until - since) / _HOUR
    return {row.id: float(row.requests or 0) / hours for row in await db.execute(query)}


async def planned_per_hour(db: Connection, host_ids: Collection[int]) -> dict[int, float]:
    """Requests per hour that the recurring jobs of each of these hosts make at the pace they have now."""
    pace = sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds)
    rate = crawl_jobs.c.cost * _HOUR.total_seconds() / sa.func.nullif(pace, 0)
    is_watched = sa.and_(crawl_jobs.c.recurring, crawl_jobs.c.state.in_(_WATCHED))
    query = sa.select(crawl_jobs.c.host_id, sa.func.sum(rate).label("rate"))
    mine = query.where(crawl_jobs.c.host_id.in_(sorted(host_ids)), is_watched).group_by(crawl_jobs.c.host_id)
    return {row.host_id: float(row.rate or 0) for row in await db.execute(mine)}
