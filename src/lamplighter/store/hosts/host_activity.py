"""SQL about how busy hosts with several sources are, and the visits that show it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, RunOutcome
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, host_activity
from lamplighter.store.schema.types import UtcTime, literal

_IS_WATCHED = sa.and_(
    crawl_jobs.c.state.in_(literal(JobState.SCHEDULED, JobState.RUNNING)),
    crawl_jobs.c.recurring,
    crawl_jobs.c.visit_count > 0,
)


class StoredActivity(NamedTuple):
    """The activity of a host as it was last found."""

    host_id: int
    looked_at: datetime
    began_at: datetime
    bin_seconds: float
    #: a factor for each bin
    levels: Sequence[float]
    #: log-likelihood by which it predicts better than no such factor
    gain: float


class CrowdedHost(NamedTuple):
    """A host with several sources."""

    id: int
    #: runs per second of its sources
    pace: float
    sources: int
    looked_at: datetime | None


class Sibling(NamedTuple):
    """A source of a host, as far as its siblings can tell something about it."""

    id: int
    source_id: int
    priority: int
    cost: float
    belief_a: float
    belief_b: float
    is_felt: bool
    signal: float
    visited_at: datetime | None
    changed_at: datetime | None
    state: JobState
    failure_count: int
    next_run_at: datetime | None
    next_run_reason: Any


class SourceVisit(NamedTuple):
    """A run that got pages."""

    source_id: int
    at: datetime
    has_changed: bool


class SiblingVisit(NamedTuple):
    """A run that got pages, and when the one before it began; in seconds since 1970."""

    source_id: int
    before: float
    at: float
    has_changed: bool


async def crowded(db: Connection, *, sources: int) -> list[CrowdedHost]:
    """The hosts with at least so many visited sources, and when their activity was last looked at."""
    every = sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds)
    query = (
        sa.select(
            crawl_jobs.c.host_id,
            sa.func.sum(1.0 / sa.cast(sa.case((every > 0, every), else_=1), sa.Float)),
            sa.func.count(),
            sa.func.max(host_activity.c.looked_at, type_=UtcTime),
        )
        .outerjoin(host_activity, host_activity.c.host_id == crawl_jobs.c.host_id)
        .where(_IS_WATCHED, crawl_jobs.c.host_id.is_not(None))
        .group_by(crawl_jobs.c.host_id)
        .having(sa.func.count() >= sources)
    )
    return [CrowdedHost._make(row) for row in await db.execute(query)]


async def siblings(db: Connection, host_id: int) -> list[Sibling]:
    """The visited sources of a host whose runs are planned."""
    columns = [crawl_jobs.c[name] for name in Sibling._fields]
    query = sa.select(*columns).where(_IS_WATCHED, crawl_jobs.c.host_id == host_id, crawl_jobs.c.belief_a > 0)
    return [Sibling._make(row) for row in await db.execute(query.order_by(crawl_jobs.c.id))]


_HAD_PAGES = (
    crawl_runs.c.pages_fetched + crawl_runs.c.pages_unchanged > 0,
    crawl_runs.c.outcome.in_([RunOutcome.OK, RunOutcome.WARN]),
)
_VISITS = (
    sa.select(crawl_runs.c.source_id, crawl_runs.c.started_at, (crawl_runs.c.pages_changed > 0).label("has_changed"))
    .where(*_HAD_PAGES)
    .order_by(crawl_runs.c.source_id, crawl_runs.c.started_at)
)


async def visits(db: Connection, host_id: int, *, since: datetime, earliest: datetime) -> list[SiblingVisit]:
    """The visits to sources of a host since then, by source, the oldest first.

    Those of which the visit before was longer ago than the earliest moment are left out.
    """
    ours = sa.select(crawl_jobs.c.source_id).where(crawl_jobs.c.host_id == host_id)
    began = _seconds(db, crawl_runs.c.started_at)
    before = sa.func.lag(began).over(partition_by=crawl_runs.c.source_id, order_by=crawl_runs.c.started_at)
    pairs = (
        sa.select(
            crawl_runs.c.source_id,
            crawl_runs.c.started_at,
            before.label("before"),
            began.label("at"),
            (crawl_runs.c.pages_changed > 0).label("has_changed"),
        )
        .where(*_HAD_PAGES, crawl_runs.c.source_id.in_(ours), crawl_runs.c.started_at >= earliest)
        .subquery()
    )
    query = sa.select(*(pairs.c[name] for name in SiblingVisit._fields)).where(
        pairs.c.started_at >= since, pairs.c.before.is_not(None)
    )
    rows = await db.execute(query.order_by(pairs.c.source_id, pairs.c.at))
    return [SiblingVisit._make(row) for row in rows]


def _seconds(db: Connection, time: sa.ColumnElement[datetime]) -> sa.ColumnElement[float]:
    """A time as a number: to read thousands of them costs less."""
    if db.dialect.name == "sqlite":  # integer microseconds
        return sa.type_coerce(sa.type_coerce(time, sa.BigInteger) / sa.literal(1e6), sa.Float)
    return sa.cast(sa.extract("epoch", time), sa.Float)


async def visits_to(db: Connection, source_ids: Sequence[int], *, since: datetime) -> list[SourceVisit]:
    """The visits to these sources since then, by source, the oldest first."""
    found: list[SourceVisit] = []
    for some in queries.chunks(source_ids):
        query = _VISITS.where(crawl_runs.c.source_id.in_(some), crawl_runs.c.started_at >= since)
        found += [SourceVisit._make(row) for row in await db.execute(query)]
    return found


async def of_host(db: Connection, host_id: int) -> StoredActivity | None:
    """The activity of a host; None where it has too few sources."""
    columns = [host_activity.c[name] for name in StoredActivity._fields]
    return await queries.one(
        db, sa.select(*columns).where(host_activity.c.host_id == host_id), lambda row: StoredActivity._make(row)
    )


async def used_bins(db: Connection, *, gain: float) -> dict[int, float]:
    """Host -> hours of a bin, for hosts whose activity predicts that much better."""
    query = sa.select(host_activity.c.host_id, host_activity.c.bin_seconds).where(host_activity.c.gain > gain)
    return {row.host_id: row.bin_seconds / 3600 for row in await db.execute(query)}


async def save(db: Connection, found: StoredActivity) -> None:
    """Replaces the activity of a host."""
    values = found._asdict()
    statement = insert(db, host_activity).values(**values)
    await db.execute(statement.on_conflict_do_update(index_elements=["host_id"], set_=values))
