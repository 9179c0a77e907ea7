"""Queries for the demand of all jobs, which pricing needs, in chunks."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, sources
from lamplighter.store.schema.types import literal

_CHUNK = 20_000
_LONGEST_RUN = timedelta(days=1)
_AT_AN_END = (JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)


class JobDemand(NamedTuple):
    """What pricing needs of a job."""

    id: int
    source_id: int
    host_id: int | None
    priority: int
    cost: float
    interval_seconds: int
    pace_seconds: int | None
    belief_a: float | None
    belief_b: float | None
    is_felt: bool
    watched_hours: float
    seen_stale_hours: float
    signal: float
    visited_at: datetime | None
    changed_at: datetime | None
    policy: str | None
    min_interval_seconds: int | None
    max_interval_seconds: int | None
    #: the interval that the source sets itself
    set_interval_seconds: int | None
    #: what a person set for the job, as stored
    override: Any


async def chunks(db: Database) -> AsyncIterator[Sequence[JobDemand]]:
    """All recurring jobs that are not paused or ended, in chunks; each is a read transaction of its own."""
    after = 0
    while True:
        async with db.read() as connection:
            chunk = await _after(connection, after)
        if not chunk:
            return
        yield chunk
        after = chunk[-1].id


async def _after(db: Connection, job_id: int) -> list[JobDemand]:
    own = {name: name for name in ("policy", "min_interval_seconds", "max_interval_seconds")}
    own["set_interval_seconds"] = "interval_seconds"
    columns = [sources.c[own[name]] if name in own else crawl_jobs.c[name] for name in JobDemand._fields]
    is_watched = crawl_jobs.c.state.in_(literal(JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING))
    query = (
        sa.select(*columns)
        .join(sources, sources.c.id == crawl_jobs.c.source_id)
        .where(crawl_jobs.c.id > job_id, is_watched, crawl_jobs.c.recurring)
        .order_by(crawl_jobs.c.id)
        .limit(_CHUNK)
    )
    return [JobDemand._make(row) for row in await db.execute(query)]


async def used(db: Connection, *, since: datetime, until: datetime) -> float:
    """Fetches of the runs that ended in this span; a source's first run is no part of any interval."""
    sent = crawl_runs.c.pages_fetched + crawl_runs.c.pages_unchanged + crawl_runs.c.pages_failed
    is_in = sa.and_(crawl_runs.c.finished_at >= since, crawl_runs.c.finished_at < until, crawl_runs.c.number > 1)
    # The index is by when they began.
    began = crawl_runs.c.started_at >= since - _LONGEST_RUN
    return float(await db.scalar(sa.select(sa.func.sum(sent)).where(is_in, began)) or 0)


async def least_per_hour(db: Connection, host_key: str, *, most: timedelta) -> float:
    """Fetches per hour of a host's sources at their longest intervals."""
    query = (
        sa.select(crawl_jobs.c.cost, crawl_jobs.c.interval_seconds, sources.c.max_interval_seconds)
        .join(sources, sources.c.id == crawl_jobs.c.source_id)
        .join(hosts, hosts.c.id == crawl_jobs.c.host_id)
        .where(hosts.c.key == host_key, crawl_jobs.c.recurring, crawl_jobs.c.state.not_in(_AT_AN_END))
    )
    usual = most.total_seconds()
    needed = (
        row.cost * 3600 / (row.max_interval_seconds or max(usual, row.interval_seconds))
        for row in await db.execute(query)
    )
    return float(sum(needed))
