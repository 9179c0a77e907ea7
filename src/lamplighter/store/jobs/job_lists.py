"""Queries for lists of crawl jobs: filtered, sorted and counted.

They omit jobs that a person deleted, and jobs of deleted or implicit sources.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import CrawlJob, JobState, RunOutcome
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_conditions
from lamplighter.store.jobs.job_rows import job_of
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, sources
from lamplighter.store.schema.types import UtcTime
from lamplighter.store.sources.sources import IS_SHOWN

#: what a list may be sorted by
SORTABLE: Mapping[str, sa.Column[Any]] = {
    "created_at": crawl_jobs.c.created_at,
    "updated_at": crawl_jobs.c.updated_at,
    "next_run_at": crawl_jobs.c.next_run_at,
    "priority": crawl_jobs.c.priority,
    "status": crawl_jobs.c.state,
    "failure_count": crawl_jobs.c.failure_count,
    "source_name": sources.c.name,
}
_IS_LISTED = sa.and_(crawl_jobs.c.deleted_at.is_(None), IS_SHOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """Which jobs; None and empty mean all."""

    states: tuple[JobState, ...] = ()
    #: the same as people see it: a job whose runs fail is failed
    statuses: tuple[JobState, ...] = ()
    #: the source's public id
    source: str | None = None
    #: part of the source's name or URL
    search: str | None = None
    priority_min: int | None = None
    priority_max: int | None = None
    auto_managed: bool | None = None
    #: the host of its start page
    host: str | None = None

    @property
    def is_by_status_only(self) -> bool:
        """Whether it filters by status only."""
        return self == JobFilter(statuses=self.statuses)


class JobDetail(NamedTuple):
    """A job with its metadata and times."""

    job: CrawlJob
    metadata: Any
    created_at: datetime
    updated_at: datetime


class JobName(NamedTuple):
    """How people identify a job."""

    public_id: str
    source_name: str


async def page(
    db: Connection, which: JobFilter, *, sort: str, descending: bool, limit: int, offset: int
) -> list[JobDetail]:
    """One page of the list, sorted."""
    query = sa.select(crawl_jobs).join(sources).where(_IS_LISTED, *_conditions(which))
    query = query.order_by(*_order(SORTABLE[sort], descending=descending))
    return [_detail(row) for row in await db.execute(query.limit(limit).offset(offset))]


async def ids(db: Connection, which: JobFilter, *, limit: int) -> list[str]:
    """The public ids of these jobs, the oldest first."""
    query = sa.select(crawl_jobs.c.public_id).join(sources).where(_IS_LISTED, *_conditions(which))
    return list(await db.scalars(query.order_by(crawl_jobs.c.id).limit(limit)))


async def get(db: Connection, public_id: str) -> JobDetail | None:
    """One job; None when it would not be listed."""
    return await _one(db, crawl_jobs.c.public_id == public_id)


async def kept(db: Connection, public_id: str) -> JobDetail | None:
    """One job, also a deleted one or that of a deleted source: its history is kept. None for the jobs of tasks."""
    query = sa.select(crawl_jobs).join(sources).where(crawl_jobs.c.public_id == public_id, ~sources.c.is_implicit)
    return await queries.one(db, query, _detail)


async def of_source(db: Connection, source: str) -> JobDetail | None:
    """The job of the source with this public id; None when it would not be listed."""
    return await _one(db, sources.c.public_id == source)


async def _one(db: Connection, which: sa.ColumnElement[bool]) -> JobDetail | None:
    return await queries.one(db, sa.select(crawl_jobs).join(sources).where(_IS_LISTED, which), _detail)


async def count(db: Connection, which: JobFilter) -> int:
    """How many jobs match."""
    return await queries.count(db, crawl_jobs.join(sources), _IS_LISTED, *_conditions(which))


async def names(db: Connection, job_ids: Sequence[int]) -> dict[int, JobName]:
    """Job id -> how people identify it."""
    columns = (crawl_jobs.c.id, crawl_jobs.c.public_id, sources.c.name)
    rows = await db.execute(sa.select(*columns).join(sources).where(crawl_jobs.c.id.in_(job_ids)))
    return {row.id: JobName(row.public_id, row.name) for row in rows}


async def last_failures(db: Connection, job_ids: Sequence[int]) -> dict[int, datetime]:
    """Job -> when a run of it last failed; jobs without a failed run are omitted."""
    ended = sa.func.max(crawl_runs.c.finished_at, type_=UtcTime).label("at")
    failed = sa.and_(crawl_runs.c.job_id.in_(job_ids), crawl_runs.c.outcome == RunOutcome.FAIL)
    query = sa.select(crawl_runs.c.job_id, ended).where(failed).group_by(crawl_runs.c.job_id)
    return {row.job_id: row.at for row in await db.execute(query)}


def _order(key: sa.Column[Any], *, descending: bool) -> list[sa.ColumnElement[Any]]:
    """By this column, then by the id of its table, as in the indexes; NULL comes last."""
    order = [column.desc() if descending else column.asc() for column in (key, key.table.c.id)]
    return [order[0].nulls_last(), order[1]] if key.nullable else list(order)


def _conditions(which: JobFilter) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if which.states:
        found.append(crawl_jobs.c.state.in_(which.states))
    if which.statuses:
        found.append(job_conditions.has_status(which.statuses))
    if which.source is not None:
        found.append(sources.c.public_id == which.source)
    if which.search is not None:
        found.append(queries.contains(which.search, sources.c.name, sources.c.url))
    if which.priority_min is not None:
        found.append(crawl_jobs.c.priority >= which.priority_min)
    if which.priority_max is not None:
        found.append(crawl_jobs.c.priority <= which.priority_max)
    if which.auto_managed is not None:
        found.append(crawl_jobs.c.auto_managed.is_(which.auto_managed))
    if which.host is not None:
        host = sa.select(hosts.c.id).where(hosts.c.key == which.host.lower())
        found.append(crawl_jobs.c.host_id == host.scalar_subquery())
    return found


def _detail(row: Any) -> JobDetail:
    # `row.metadata` would be SQLAlchemy's own.
    return JobDetail(job_of(row), row._mapping[crawl_jobs.c.metadata], row.created_at, row.updated_at)
