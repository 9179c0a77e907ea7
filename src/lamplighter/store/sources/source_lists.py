"""Queries for lists of sources: filtered, sorted, and with their status.

A list takes two steps: first the ids of the rows to show, found and sorted along an index, then the data of those few
rows, their jobs and their latest runs.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, PauseReason, RunOutcome
from lamplighter.model.source import Source, SourceStatus
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_conditions, tallies
from lamplighter.store.runs.last_runs import WITH_JOB, WITH_JOB_AND_RUN, last_run_of
from lamplighter.store.runs.last_runs import LastRun as LastRun
from lamplighter.store.runs.run_lists import ARTICLES
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, sources
from lamplighter.store.sources import source_filter
from lamplighter.store.sources import tags as stored_tags
from lamplighter.store.sources.source_filter import Conditions, status_word
from lamplighter.store.sources.source_filter import SourceFilter as SourceFilter
from lamplighter.store.sources.sources import COLUMNS, IS_SHOWN, source_of


class SourceSort(StrEnum):
    """The sort keys of a list."""

    NAME = "name"
    URL = "url"
    PRIORITY = "priority"
    CREATED_AT = "created_at"
    UPDATED_AT = "updated_at"
    NEXT_RUN_AT = "next_run_at"
    LAST_RUN_AT = "last_run_at"
    #: state of the crawl job
    STATUS = "status"
    #: its estimated change rate
    CHANGE_RATE = "change_rate"


class ListedJob(NamedTuple):
    """The part of a crawl job that lists show."""

    public_id: str
    state: JobState
    pause_reason: PauseReason | None
    next_run_at: datetime | None
    interval_seconds: int
    failure_count: int
    retry_count: int
    unchanged_count: int
    held_since: datetime | None
    deleted_at: datetime | None
    last_outcome: RunOutcome | None
    #: why it runs next at that time; `rules.schedule.reasons` tells it in words
    next_run_reason: Mapping[str, Any] | None


class ListedSource(NamedTuple):
    """A source as lists show it."""

    source: Source
    status: SourceStatus
    tags: tuple[str, ...]
    #: None until the source was first enabled
    job: ListedJob | None
    #: None before the first run
    run: LastRun | None
    #: why a run that is due or open waits, and until when; None when it does not wait, or was not asked for
    waiting: tuple[str, datetime | None] | None = None


#: up to this many matches are read and sorted, instead of found along the sort's index
FEW = 1000
_JOB_COLUMNS: dict[SourceSort, sa.ColumnElement[Any]] = {
    SourceSort.NEXT_RUN_AT: crawl_jobs.c.next_run_at,
    SourceSort.LAST_RUN_AT: crawl_jobs.c.last_run_at,
    SourceSort.STATUS: crawl_jobs.c.state,
    # Sorted without an index: it changes with every visit, and is rarely requested.
    SourceSort.CHANGE_RATE: crawl_jobs.c.belief_a / crawl_jobs.c.belief_b,
}


async def page(
    db: Connection,
    which: SourceFilter,
    *,
    sort: SourceSort,
    descending: bool,
    limit: int,
    offset: int,
    total: int | None = None,
) -> tuple[list[int], int]:
    """The matching sources of a list's page, in order, and how many match; sources without a sort value are last.

    `total` is how many match, if already counted.
    """
    conditions = source_filter.conditions(db, which)
    few = None if which == SourceFilter() else await _few(db, conditions)
    if few is not None:
        # Sorting them is cheap; finding them along the sort's index could read nearly every source.
        conditions = [sources.c.id.in_(few)]
    ordered = _ordered_by_job if sort in _JOB_COLUMNS else _ordered
    ids = await ordered(db, conditions, sort, descending=descending, limit=limit, offset=offset) if few != [] else []
    if few is not None:
        return ids, len(few)
    return ids, total if total is not None else await count(db, which)


async def _few(db: Connection, conditions: Conditions) -> list[int] | None:
    """The matching sources; None if they are many: then the sort's index soon finds a page of them."""
    ids = list(await db.scalars(sa.select(sources.c.id).where(*conditions).limit(FEW + 1)))
    return ids if len(ids) <= FEW else None


async def _ordered(
    db: Connection, conditions: Conditions, sort: SourceSort, *, descending: bool, limit: int, offset: int
) -> list[int]:
    # URLs are unique, and so need no tie-breaker.
    ties = () if sort is SourceSort.URL else (sources.c.id,)
    order = _order(sources.c[sort.value], *ties, descending=descending)
    query = sa.select(sources.c.id).where(*conditions).order_by(*order)
    return list(await db.scalars(query.limit(limit).offset(offset)))


async def _ordered_by_job(
    db: Connection, conditions: Conditions, sort: SourceSort, *, descending: bool, limit: int, offset: int
) -> list[int]:
    """Sorts along an index of the jobs; a second query finds the sources that are not in it."""
    column = _JOB_COLUMNS[sort]
    with_jobs = crawl_jobs.join(sources, crawl_jobs.c.source_id == sources.c.id)
    known = sa.select(sources.c.id).select_from(with_jobs).where(*conditions, column.is_not(None))
    ordered = known.order_by(*_order(column, crawl_jobs.c.id, descending=descending))
    ids = list(await db.scalars(ordered.limit(limit).offset(offset)))
    if len(ids) == limit:
        return ids
    before = await queries.count(db, known.subquery())
    unknown = sa.select(sources.c.id).select_from(WITH_JOB).where(*conditions, column.is_(None))
    rest = unknown.order_by(sources.c.id).limit(limit - len(ids)).offset(max(0, offset - before))
    return ids + list(await db.scalars(rest))


async def count(db: Connection, which: SourceFilter) -> int:
    """How many match: from the tallies if the filter is only enabled or deleted, else counted."""
    if which == SourceFilter(enabled=which.enabled, deleted=which.deleted):
        return await tallies.sources(db, enabled=which.enabled, deleted=which.deleted)
    return await queries.count(db, sources, *source_filter.conditions(db, which))


async def page_by_records(
    db: Connection,
    which: SourceFilter,
    *,
    since: datetime,
    descending: bool,
    limit: int,
    offset: int,
    total: int | None = None,
) -> tuple[list[int], int]:
    """Like `page`, sorted by the new and changed records of runs since then."""
    conditions = source_filter.conditions(db, which)
    lately = (
        sa.select(crawl_runs.c.source_id, sa.func.sum(ARTICLES).label("found"))
        .where(crawl_runs.c.started_at >= since)
        .group_by(crawl_runs.c.source_id)
        .subquery()
    )
    joined = sources.outerjoin(lately, lately.c.source_id == sources.c.id)
    order = _order(sa.func.coalesce(lately.c.found, 0), sources.c.id, descending=descending)
    query = sa.select(sources.c.id).select_from(joined).where(*conditions).order_by(*order)
    ids = list(await db.scalars(query.limit(limit).offset(offset)))
    return ids, total if total is not None else await count(db, which)


async def most_pressing(db: Connection, *, limit: int, host: str | None = None) -> tuple[list[int], int]:
    """The sources that need attention, of all hosts or one, and how many do.

    First those that fail, then those that drift, are blocked, are retried, or are advised to be changed.
    """
    found: list[tuple[int, int]] = []
    total = 0
    for query in _PRESSING if host is None else _PRESSING_OF_HOST:
        rows: Sequence[Sequence[int]] = (await db.execute(query, {"most": limit, "host": host})).all()
        found += [(rank, source_id) for rank, source_id, _ in rows]
        total += rows[0][2] if rows else 0
    # Stable: sources of equal rank are in order already.
    return [source_id for _, source_id in sorted(found, key=lambda each: each[0])][:limit], total


def _pressing(part: sa.ColumnElement[bool], rank: sa.ColumnElement[int]) -> sa.Select[Any]:
    """Reads the index of the part, and counts its rows on the way."""
    columns = (rank.label("rank"), sources.c.id, sa.func.count().over().label("total"))
    found = sa.select(*columns).select_from(crawl_jobs.join(sources)).where(part, IS_SHOWN)
    ordered = found.order_by(sa.literal_column("rank"), crawl_jobs.c.failure_count.desc(), sources.c.id)
    return ordered.limit(sa.bindparam("most", type_=sa.Integer))


_UNWELL_RANK = sa.case(
    (job_conditions.HAS_FAILED, 0), (crawl_jobs.c.state == JobState.FAILED, 0), (job_conditions.IS_RETRYING, 3), else_=2
)
#: built once: building a statement takes as long as executing it
_PRESSING = [
    _pressing(part, rank)
    for part, rank in zip(job_conditions.NEEDS_ATTENTION, (_UNWELL_RANK, sa.literal(1), sa.literal(4)), strict=True)
]
_HOST_ID = sa.select(hosts.c.id).where(hosts.c.key == sa.bindparam("host")).scalar_subquery()
_PRESSING_OF_HOST = [query.where(crawl_jobs.c.host_id == _HOST_ID) for query in _PRESSING]


async def ids_after(db: Connection, which: SourceFilter, source_id: int, *, limit: int) -> list[int]:
    """The next matching sources by id: for processing all of them in batches."""
    query = sa.select(sources.c.id).where(*source_filter.conditions(db, which), sources.c.id > source_id)
    return list(await db.scalars(query.order_by(sources.c.id).limit(limit)))


async def details(db: Connection, ids: Sequence[int]) -> list[ListedSource]:
    """The list rows of these sources, in order."""
    rows = {row.id: row for row in await db.execute(_details(), {"ids": list(ids)})}
    tags = await stored_tags.of_sources(db, ids)
    return [_listed(rows[source_id], tags.get(source_id, ())) for source_id in ids if source_id in rows]


@cache
def _details() -> sa.Select[Any]:
    """Built once: it has many columns."""
    return (
        sa.select(
            *COLUMNS,
            status_word.label("status"),
            *(crawl_jobs.c[name].label(f"job_{name}") for name in ListedJob._fields),
            *(crawl_runs.c[name].label(f"run_{name}") for name in LastRun._fields),
        )
        .select_from(WITH_JOB_AND_RUN)
        .where(sources.c.id.in_(sa.bindparam("ids", expanding=True)))
    )


def _listed(row: Any, tags: Sequence[str]) -> ListedSource:
    # Split by position: lookups of nearly fifty columns by name are slow.
    own, job = len(COLUMNS), len(COLUMNS) + 1 + len(ListedJob._fields)
    return ListedSource(
        source=source_of(row[:own]),
        status=SourceStatus(row[own]),
        tags=tuple(tags),
        job=_job(ListedJob._make(row[own + 1 : job])) if row[own + 1] is not None else None,
        run=last_run_of(row[job:]),
    )


def _job(row: ListedJob) -> ListedJob:
    paused_by = PauseReason(row.pause_reason) if row.pause_reason else None
    outcome = RunOutcome(row.last_outcome) if row.last_outcome else None
    return row._replace(state=JobState(row.state), pause_reason=paused_by, last_outcome=outcome)


def _order(*columns: sa.ColumnElement[Any], descending: bool) -> list[sa.ColumnElement[Any]]:
    """All in one direction, as in an index."""
    return [column.desc() if descending else column.asc() for column in columns]


class NamedSource(NamedTuple):
    """A source by its name and URL."""

    name: str
    url: str


async def first_by_name(db: Connection, *, limit: int) -> list[NamedSource]:
    """The first sources by name, for suggestions."""
    query = sa.select(sources.c.name, sources.c.url).where(IS_SHOWN).order_by(sources.c.name, sources.c.id)
    return [NamedSource._make(row) for row in await db.execute(query.limit(limit))]
