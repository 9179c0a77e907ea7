"""SQL about lists of sources: which match, in which order, and how each stands.

A list is made in two steps: the ids of the rows that are shown, found and sorted along an index, then everything about
those few rows, their jobs and their latest runs.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, Outcome, PauseReason
from lamplighter.model.source import SourceStatus
from lamplighter.store import source_filter
from lamplighter.store import tags as stored_tags
from lamplighter.store.database import Connection
from lamplighter.store.source_filter import Conditions, standing
from lamplighter.store.source_filter import SourceFilter as SourceFilter
from lamplighter.store.sources import SourceRow
from lamplighter.store.tables import crawl_jobs, crawl_runs, sources
from lamplighter.store.types import literal


class Sort(StrEnum):
    """By what a list may be sorted."""

    NAME = "name"
    URL = "url"
    PRIORITY = "priority"
    CREATED_AT = "created_at"
    UPDATED_AT = "updated_at"
    NEXT_RUN_AT = "next_run_at"
    LAST_RUN_AT = "last_run_at"
    #: where the crawl job stands
    STATUS = "status"


class JobGlance(NamedTuple):
    """A source's crawl job, as far as lists show it."""

    public_id: str
    state: JobState
    pause_reason: PauseReason | None
    next_run_at: datetime | None
    interval_seconds: int
    failure_count: int
    unchanged_count: int


class LastRun(NamedTuple):
    """The latest run that says something of the source."""

    started_at: datetime
    finished_at: datetime | None
    outcome: Outcome
    message: str | None
    records_found: int


class ListedSource(NamedTuple):
    """A source with all that a list shows of it."""

    source: SourceRow
    status: SourceStatus
    tags: tuple[str, ...]
    #: None until the source was first enabled
    job: JobGlance | None
    #: None before the first
    run: LastRun | None


#: so many matches are looked up and sorted, rather than met one by one in their order
_FEW = 1000
#: a run that was cancelled, or goes on, says nothing
_TELLING = (Outcome.OK, Outcome.WARN, Outcome.FAIL)
_WITH_JOB = sources.outerjoin(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
_JOB_COLUMNS: dict[Sort, sa.ColumnElement[Any]] = {
    Sort.NEXT_RUN_AT: crawl_jobs.c.next_run_at,
    Sort.LAST_RUN_AT: crawl_jobs.c.last_run_at,
    Sort.STATUS: crawl_jobs.c.state,
}


async def page(
    db: Connection, which: SourceFilter, *, sort: Sort, descending: bool, limit: int, offset: int
) -> tuple[list[int], int]:
    """The matching sources of one page, in order, and how many match; what the sort knows nothing of comes last."""
    conditions, is_everything = source_filter.conditions(db, which), which == SourceFilter()
    few = None if is_everything else await _few(db, conditions)
    if few is not None:
        # Sorting them is nothing; to meet them along the sort's index would take reading nearly every source.
        conditions = [sources.c.id.in_(few)]
    ordered = _ordered_by_job if sort in _JOB_COLUMNS else _ordered
    ids = await ordered(db, conditions, sort, descending=descending, limit=limit, offset=offset) if few != [] else []
    return ids, len(few) if few is not None else await _count(db, conditions)


async def _few(db: Connection, conditions: Conditions) -> list[int] | None:
    """The sources that match; None if they are many, of which the sort's index soon has enough for a page."""
    ids = list(await db.scalars(sa.select(sources.c.id).where(*conditions).limit(_FEW + 1)))
    return ids if len(ids) <= _FEW else None


async def _count(db: Connection, conditions: Conditions) -> int:
    return int(await db.scalar(sa.select(sa.func.count()).select_from(sources).where(*conditions)))


async def _ordered(
    db: Connection, conditions: Conditions, sort: Sort, *, descending: bool, limit: int, offset: int
) -> list[int]:
    # No two sources have one URL, so that needs no further order.
    ties = () if sort is Sort.URL else (sources.c.id,)
    order = _order(sources.c[sort.value], *ties, descending=descending)
    query = sa.select(sources.c.id).where(*conditions).order_by(*order)
    return list(await db.scalars(query.limit(limit).offset(offset)))


async def _ordered_by_job(
    db: Connection, conditions: Conditions, sort: Sort, *, descending: bool, limit: int, offset: int
) -> list[int]:
    """Sorted along an index of the jobs, which knows nothing of sources without one: those are a query of their own."""
    column = _JOB_COLUMNS[sort]
    with_jobs = crawl_jobs.join(sources, crawl_jobs.c.source_id == sources.c.id)
    known = sa.select(sources.c.id).select_from(with_jobs).where(*conditions, column.is_not(None))
    ordered = known.order_by(*_order(column, crawl_jobs.c.id, descending=descending))
    ids = list(await db.scalars(ordered.limit(limit).offset(offset)))
    if len(ids) == limit:
        return ids
    before = await db.scalar(sa.select(sa.func.count()).select_from(known.subquery()))
    unknown = sa.select(sources.c.id).select_from(_WITH_JOB).where(*conditions, column.is_(None))
    rest = unknown.order_by(sources.c.id).limit(limit - len(ids)).offset(max(0, offset - before))
    return ids + list(await db.scalars(rest))


async def ids_after(db: Connection, which: SourceFilter, source_id: int, *, limit: int) -> list[int]:
    """The next matching sources in the order of their ids: for going through all of them, bit by bit."""
    query = sa.select(sources.c.id).where(*source_filter.conditions(db, which), sources.c.id > source_id)
    return list(await db.scalars(query.order_by(sources.c.id).limit(limit)))


async def details(db: Connection, ids: Sequence[int]) -> list[ListedSource]:
    """Everything about these sources, in this order."""
    run_id = _latest_run("id")
    query = (
        sa.select(
            *(sources.c[name] for name in SourceRow._fields),
            standing.label("status"),
            *(crawl_jobs.c[name].label(f"job_{name}") for name in JobGlance._fields),
            *(crawl_runs.c[name].label(f"run_{name}") for name in LastRun._fields),
        )
        .select_from(_WITH_JOB.outerjoin(crawl_runs, crawl_runs.c.id == run_id))
        .where(sources.c.id.in_(ids))
    )
    rows = {row.id: row for row in await db.execute(query)}
    tags = await stored_tags.of_sources(db, ids)
    return [_listed(rows[source_id], tags.get(source_id, ())) for source_id in ids if source_id in rows]


def _listed(row: Any, tags: Sequence[str]) -> ListedSource:
    # Cut by position: a row of nearly fifty columns takes long to look up by their names.
    own, job = len(SourceRow._fields), len(SourceRow._fields) + 1 + len(JobGlance._fields)
    return ListedSource(
        source=SourceRow._make(row[:own]),
        status=SourceStatus(row[own]),
        tags=tuple(tags),
        job=_job(JobGlance._make(row[own + 1 : job])) if row[own + 1] is not None else None,
        run=_run(LastRun._make(row[job:])) if row[job] is not None else None,
    )


def _job(row: JobGlance) -> JobGlance:
    paused_by = PauseReason(row.pause_reason) if row.pause_reason else None
    return row._replace(state=JobState(row.state), pause_reason=paused_by)


def _run(row: LastRun) -> LastRun:
    return row._replace(outcome=Outcome(row.outcome))


def _latest_run(column: str) -> sa.ScalarSelect[Any]:
    """Something of the latest run of a source that says anything."""
    run = crawl_runs.alias()
    query = sa.select(run.c[column]).where(run.c.source_id == sources.c.id, run.c.outcome.in_(literal(*_TELLING)))
    return query.order_by(run.c.started_at.desc(), run.c.id.desc()).limit(1).correlate(sources).scalar_subquery()


def _order(*columns: sa.ColumnElement[Any], descending: bool) -> list[sa.ColumnElement[Any]]:
    """All in one direction, as an index has them."""
    return [column.desc() if descending else column.asc() for column in columns]
