"""Queries for cohorts: the change rates of similar sources, and of those on one host."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import cohorts, crawl_jobs, records, sources
from lamplighter.store.schema.types import UtcTime

#: hours of a week
HOURS = 168
#: a belief that is NaN would make the whole sum NaN; PostgreSQL sorts NaN above every number
_IS_SOUND = sa.and_(
    *(sa.and_(column > 0, column < 1e12) for column in (crawl_jobs.c.belief_a, crawl_jobs.c.belief_b)),
    crawl_jobs.c.evidence_hours < 1e12,
)
#: what was observed, without the priors: a prior that counted as evidence would confirm itself
_CHANGES, _HOURS = crawl_jobs.c.evidence_changes, crawl_jobs.c.evidence_hours


class Cohort(NamedTuple):
    """The change rate of similar sources."""

    key: str
    changes: float
    hours: float
    #: changes seen in each hour of the week (UTC, from Monday)
    by_hour: Sequence[float]
    #: whether this profile predicts better than none
    has_rhythm: bool
    #: of the prior that predicted best, and whether hours are felt
    shape: float = 0.6
    is_felt: bool = True


class Member(NamedTuple):
    """The changes of all sources with this kind, organisation type and priority."""

    kind: str | None
    organisation_type: str | None
    priority: int
    changes: float
    hours: float


class YoungJob(NamedTuple):
    """A job with only a few visits."""

    id: int
    source_id: int
    interval_seconds: int
    visit_count: int
    belief_a: float
    belief_b: float
    prior_a: float | None
    prior_b: float | None


_EVIDENCE = ("evidence_changes", "evidence_hours")


class FittedJob(NamedTuple):
    """A visited job, as far as its prior is concerned."""

    id: int
    source_id: int
    host_id: int | None
    interval_seconds: int
    visit_count: int
    prior_a: float | None
    is_felt: bool
    kind: str | None
    organisation_type: str | None
    priority: int


async def visited(db: Connection) -> list[FittedJob]:
    """All jobs that were visited at least twice."""
    own = ("kind", "organisation_type")
    columns = [sources.c[name] if name in own else crawl_jobs.c[name] for name in FittedJob._fields]
    query = sa.select(*columns).join(sources, sources.c.id == crawl_jobs.c.source_id)
    return [FittedJob._make(row) for row in await db.execute(query.where(crawl_jobs.c.visit_count > 1, _IS_SOUND))]


async def save_replayed(db: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Saves the beliefs of jobs that were replayed under another prior, unless they were visited meanwhile."""
    if rows:
        mine = sa.and_(crawl_jobs.c.id == sa.bindparam("job"), crawl_jobs.c.visit_count == sa.bindparam("visits"))
        names = ("belief_a", "belief_b", "prior_a", "prior_b", "rise", "fall", "is_felt", *_EVIDENCE)
        values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in names}
        await db.execute(sa.update(crawl_jobs).where(mine).values(values), list(rows))


async def gathered_at(db: Connection) -> datetime | None:
    """When the cohorts were last updated."""
    found: datetime | None = await db.scalar(sa.select(sa.func.max(cohorts.c.updated_at, type_=UtcTime)))
    return found


async def young(db: Connection, *, visits: int) -> list[YoungJob]:
    """The jobs with at least one and at most this many visits."""
    columns = [crawl_jobs.c[name] for name in YoungJob._fields]
    few = sa.and_(crawl_jobs.c.visit_count.between(1, visits), _IS_SOUND)
    return [YoungJob._make(row) for row in await db.execute(sa.select(*columns).where(few))]


async def save_beliefs(db: Connection, beliefs: Mapping[int, tuple[float, float, float]]) -> None:
    """Saves the beliefs of jobs, and the hours of their priors."""
    if beliefs:
        statement = sa.update(crawl_jobs).where(crawl_jobs.c.id == sa.bindparam("job"))
        rows = [{"job": job_id, "a": a, "b": b, "prior": prior} for job_id, (a, b, prior) in sorted(beliefs.items())]
        values: dict[str, Any] = {
            "belief_a": sa.bindparam("a"),
            "belief_b": sa.bindparam("b"),
            "prior_b": sa.bindparam("prior"),
        }
        await db.execute(statement.values(values), rows)


async def all_of_them(db: Connection) -> dict[str, Cohort]:
    """The cohorts by key."""
    columns = [cohorts.c[name] for name in Cohort._fields]
    return {row.key: Cohort._make(row) for row in await db.execute(sa.select(*columns))}


async def replace_all(db: Connection, found: Sequence[Cohort], *, now: datetime) -> None:
    """Replaces all cohorts by these."""
    await db.execute(sa.delete(cohorts))
    if found:
        await db.execute(sa.insert(cohorts), [cohort._asdict() | {"updated_at": now} for cohort in found])


async def members(db: Connection) -> list[Member]:
    """Sums of beliefs of all visited sources, by kind, organisation type and priority."""
    alike = (sources.c.kind, sources.c.organisation_type, crawl_jobs.c.priority)
    query = (
        sa.select(*alike, sa.func.sum(_CHANGES), sa.func.sum(_HOURS))
        .join(sources, sources.c.id == crawl_jobs.c.source_id)
        .where(_IS_SOUND, crawl_jobs.c.visit_count > 1)
        .group_by(*alike)
    )
    return [Member._make(row) for row in await db.execute(query)]


_OF_HOST = (
    sa.select(sa.func.sum(_CHANGES).label("changes"), sa.func.sum(_HOURS).label("hours"))
    .where(crawl_jobs.c.host_id == sa.bindparam("host"), crawl_jobs.c.id != sa.bindparam("except_job"))
    .where(crawl_jobs.c.is_felt == sa.bindparam("felt"))
    .where(crawl_jobs.c.visit_count > 1, _IS_SOUND)
)


async def of_host(db: Connection, host_id: int, *, except_job: int, is_felt: bool) -> tuple[float, float] | None:
    """Changes and hours of the other sources on a host with such hours; None when none of them was visited twice."""
    row = (await db.execute(_OF_HOST, {"host": host_id, "except_job": except_job, "felt": is_felt})).one()
    return (row.changes, row.hours) if row.changes is not None else None


async def publications(
    db: Connection, *, since: datetime, until: datetime
) -> dict[tuple[str | None, str | None, int], Mapping[int, int]]:
    """Counts records published in this span per hour of the week, by kind, organisation type and priority.

    Exact midnight is omitted: it means a date without a time of day.
    """
    hour = _hour_of_week(db)
    alike = (sources.c.kind, sources.c.organisation_type, crawl_jobs.c.priority)
    query = (
        sa.select(*alike, hour.label("hour"), sa.func.count().label("number"))
        .join(sources, sources.c.id == records.c.source_id)
        .join(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
        .where(records.c.published_at >= since, records.c.published_at < until, _has_time_of_day(db))
        .group_by(*alike, hour)
    )
    found: dict[tuple[str | None, str | None, int], dict[int, int]] = {}
    for row in await db.execute(query):
        found.setdefault((row.kind, row.organisation_type, row.priority), {})[int(row.hour)] = int(row.number)
    return dict(found)


def _seconds(db: Connection) -> sa.ColumnElement[Any]:
    """When a record was published, in seconds since 1970."""
    if db.dialect.name == "sqlite":
        return sa.type_coerce(records.c.published_at, sa.BigInteger) // 1_000_000
    return sa.cast(sa.func.floor(sa.extract("epoch", records.c.published_at)), sa.BigInteger)


def _hour_of_week(db: Connection) -> sa.ColumnElement[Any]:
    # 1970 began on a Thursday, three days after a Monday.
    return (_seconds(db) // 3600 + 72) % HOURS


def _has_time_of_day(db: Connection) -> sa.ColumnElement[bool]:
    return _seconds(db) % 86400 != 0
