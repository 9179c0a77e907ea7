"""SQL about cohorts: what is known of sources that are alike, and of those on one host."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import cohorts, crawl_jobs, records, sources
from lamplighter.store.types import UtcTime

#: hours of a week
HOURS = 168
#: one belief that is not a number would make one of the whole sum; PostgreSQL takes NaN for greater than any number
_IS_SOUND = sa.and_(*(sa.and_(column > 0, column < 1e12) for column in (crawl_jobs.c.belief_a, crawl_jobs.c.belief_b)))


class Cohort(NamedTuple):
    """The evidence of sources that are alike."""

    key: str
    changes: float
    hours: float
    #: changes seen in each hour of the week (UTC, from Monday)
    by_hour: Sequence[float]
    #: whether they predict better than no profile at all
    has_rhythm: bool


class Member(NamedTuple):
    """The evidence of the sources that share kind, organisation type and priority."""

    kind: str | None
    organisation_type: str | None
    priority: int
    changes: float
    hours: float


class Young(NamedTuple):
    """A job that was visited a few times only."""

    id: int
    source_id: int
    interval_seconds: int
    visit_count: int
    belief_a: float
    belief_b: float


async def gathered_at(db: Connection) -> datetime | None:
    """When the cohorts were last gathered."""
    found: datetime | None = await db.scalar(sa.select(sa.func.max(cohorts.c.updated_at, type_=UtcTime)))
    return found


async def young(db: Connection, *, visits: int) -> list[Young]:
    """The jobs that were visited, but no more than this often."""
    columns = [crawl_jobs.c[name] for name in Young._fields]
    few = sa.and_(crawl_jobs.c.visit_count.between(1, visits), _IS_SOUND)
    return [Young._make(row) for row in await db.execute(sa.select(*columns).where(few))]


async def save_beliefs(db: Connection, beliefs: Mapping[int, tuple[float, float]]) -> None:
    """Writes what is believed of jobs."""
    if beliefs:
        statement = sa.update(crawl_jobs).where(crawl_jobs.c.id == sa.bindparam("job"))
        rows = [{"job": job_id, "a": a, "b": b} for job_id, (a, b) in sorted(beliefs.items())]
        await db.execute(statement.values(belief_a=sa.bindparam("a"), belief_b=sa.bindparam("b")), rows)


async def all_of_them(db: Connection) -> dict[str, Cohort]:
    """The cohorts by key."""
    columns = [cohorts.c[name] for name in Cohort._fields]
    return {row.key: Cohort._make(row) for row in await db.execute(sa.select(*columns))}


async def replace_all(db: Connection, found: Sequence[Cohort], *, now: datetime) -> None:
    """Puts these in the place of all earlier ones."""
    await db.execute(sa.delete(cohorts))
    if found:
        await db.execute(sa.insert(cohorts), [cohort._asdict() | {"updated_at": now} for cohort in found])


async def members(db: Connection) -> list[Member]:
    """What is believed of all sources that were visited, summed up by what makes them alike."""
    alike = (sources.c.kind, sources.c.organisation_type, crawl_jobs.c.priority)
    query = (
        sa.select(*alike, sa.func.sum(crawl_jobs.c.belief_a), sa.func.sum(crawl_jobs.c.belief_b))
        .join(sources, sources.c.id == crawl_jobs.c.source_id)
        .where(_IS_SOUND, crawl_jobs.c.visit_count > 1)
        .group_by(*alike)
    )
    return [Member._make(row) for row in await db.execute(query)]


_OF_HOST = (
    sa.select(sa.func.sum(crawl_jobs.c.belief_a).label("changes"), sa.func.sum(crawl_jobs.c.belief_b).label("hours"))
    .where(crawl_jobs.c.host_id == sa.bindparam("host"), crawl_jobs.c.id != sa.bindparam("except_job"))
    .where(crawl_jobs.c.visit_count > 1, _IS_SOUND)
)


async def of_host(db: Connection, host_id: int, *, except_job: int) -> tuple[float, float] | None:
    """Changes and hours of the other sources on a host; None when none of them was visited twice."""
    row = (await db.execute(_OF_HOST, {"host": host_id, "except_job": except_job})).one()
    return (row.changes, row.hours) if row.changes is not None else None


async def publications(
    db: Connection, *, since: datetime, until: datetime
) -> dict[tuple[str | None, str | None, int], Mapping[int, int]]:
    """When in the week records first seen in this stretch were published, by kind, organisation type and priority.

    Midnight sharp is left out: it is what a date without a time of day reads as.
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
    """Whole seconds since 1970 at which a record was published."""
    if db.dialect.name == "sqlite":
        return sa.type_coerce(records.c.published_at, sa.BigInteger) // 1_000_000
    return sa.cast(sa.func.floor(sa.extract("epoch", records.c.published_at)), sa.BigInteger)


def _hour_of_week(db: Connection) -> sa.ColumnElement[Any]:
    # 1970 began on a Thursday, three days after a Monday.
    return (_seconds(db) // 3600 + 72) % HOURS


def _has_time_of_day(db: Connection) -> sa.ColumnElement[bool]:
    return _seconds(db) % 86400 != 0
