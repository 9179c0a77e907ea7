"""SQL about lists of sources: which match, in which order, and how each stands.

A list is made in two steps: the ids of the rows that are shown, found and sorted along an index, then everything about
those few rows, their jobs and their latest runs.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.source import SourceStatus
from lamplighter.store import job_standing, source_filter, tallies
from lamplighter.store import tags as stored_tags
from lamplighter.store.database import Connection
from lamplighter.store.last_runs import WITH_JOB, WITH_JOB_AND_RUN, last_run_of
from lamplighter.store.last_runs import LastRun as LastRun
from lamplighter.store.run_lists import ARTICLES
from lamplighter.store.source_filter import Conditions, standing
from lamplighter.store.source_filter import SourceFilter as SourceFilter
from lamplighter.store.sources import IS_SHOWN, SourceRow
from lamplighter.store.tables import crawl_jobs, crawl_runs, sources


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
    #: how often it is believed to change
    CHANGE_RATE = "change_rate"


class JobGlance(NamedTuple):
    """A source's crawl job, as far as lists show it."""

    public_id: str
    state: JobState
    pause_reason: PauseReason | None
    next_run_at: datetime | None
    interval_seconds: int
    failure_count: int
    retry_count: int
    unchanged_count: int


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
_JOB_COLUMNS: dict[Sort, sa.ColumnElement[Any]] = {
    Sort.NEXT_RUN_AT: crawl_jobs.c.next_run_at,
    Sort.LAST_RUN_AT: crawl_jobs.c.last_run_at,
    Sort.STATUS: crawl_jobs.c.state,
    # Sorted each time: it differs with every visit, and nobody asks for it often.
    Sort.CHANGE_RATE: crawl_jobs.c.belief_a / crawl_jobs.c.belief_b,
}


async def page(
    db: Connection,
    which: SourceFilter,
    *,
    sort: Sort,
    descending: bool,
    limit: int,
    offset: int,
    total: int | None = None,
) -> tuple[list[int], int]:
    """The matching sources of one page, in order, and how many match; what the sort knows nothing of comes last.

    `total` is how many match, where that was counted already.
    """
    conditions = source_filter.conditions(db, which)
    few = None if which == SourceFilter() else await _few(db, conditions)
    if few is not None:
        # Sorting them is nothing; to meet them along the sort's index would take reading nearly every source.
        conditions = [sources.c.id.in_(few)]
    ordered = _ordered_by_job if sort in _JOB_COLUMNS else _ordered
    ids = await ordered(db, conditions, sort, descending=descending, limit=limit, offset=offset) if few != [] else []
    if few is not None:
        return ids, len(few)
    return ids, total if total is not None else await count(db, which)


async def _few(db: Connection, conditions: Conditions) -> list[int] | None:
    """The sources that match; None if they are many, of which the sort's index soon has enough for a page."""
    ids = list(await db.scalars(sa.select(sources.c.id).where(*conditions).limit(_FEW + 1)))
    return ids if len(ids) <= _FEW else None


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
    unknown = sa.select(sources.c.id).select_from(WITH_JOB).where(*conditions, column.is_(None))
    rest = unknown.order_by(sources.c.id).limit(limit - len(ids)).offset(max(0, offset - before))
    return ids + list(await db.scalars(rest))


async def count(db: Connection, which: SourceFilter) -> int:
    """How many match; counted, unless all that is asked is whether they are enabled or deleted."""
    if which == SourceFilter(enabled=which.enabled, deleted=which.deleted):
        return await tallies.sources(db, enabled=which.enabled, deleted=which.deleted)
    conditions = source_filter.conditions(db, which)
    return int(await db.scalar(sa.select(sa.func.count()).select_from(sources).where(*conditions)))


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
    """The same as `page`, sorted by the records that runs since then found new or changed."""
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


async def most_pressing(db: Connection, *, limit: int) -> tuple[list[int], int]:
    """The sources that need attention, and how many do: those that fail first, then those that drift, then refusals."""
    found: list[tuple[int, int]] = []
    total = 0
    for query in _PRESSING:
        rows: Sequence[Sequence[int]] = (await db.execute(query, {"most": limit})).all()
        found += [(rank, source_id) for rank, source_id, _ in rows]
        total += rows[0][2] if rows else 0
    # Those of one rank are in order already.
    return [source_id for _, source_id in sorted(found, key=lambda each: each[0])][:limit], total


def _pressing(part: sa.ColumnElement[bool], rank: sa.ColumnElement[int]) -> sa.Select[Any]:
    """Along the index of the part; how many there are is counted on the way."""
    columns = (rank.label("rank"), sources.c.id, sa.func.count().over().label("total"))
    order: tuple[sa.ColumnElement[Any], ...] = (
        sa.literal_column("rank"),
        crawl_jobs.c.failure_count.desc(),
        sources.c.id,
    )
    found = sa.select(*columns).select_from(crawl_jobs.join(sources)).where(part, IS_SHOWN)
    return found.order_by(*order).limit(sa.bindparam("most", type_=sa.Integer))


_UNWELL_RANK = sa.case(
    (job_standing.HAS_FAILED, 0), (crawl_jobs.c.state == JobState.FAILED, 0), (job_standing.IS_RETRYING, 3), else_=2
)
#: made once: to put a statement together takes as long as to carry it out
_PRESSING = [
    _pressing(part, rank)
    for part, rank in zip(job_standing.NEEDS_ATTENTION, (_UNWELL_RANK, sa.literal(1)), strict=True)
]


async def ids_after(db: Connection, which: SourceFilter, source_id: int, *, limit: int) -> list[int]:
    """The next matching sources in the order of their ids: for going through all of them, bit by bit."""
    query = sa.select(sources.c.id).where(*source_filter.conditions(db, which), sources.c.id > source_id)
    return list(await db.scalars(query.order_by(sources.c.id).limit(limit)))


async def details(db: Connection, ids: Sequence[int]) -> list[ListedSource]:
    """Everything about these sources, in this order."""
    rows = {row.id: row for row in await db.execute(_details(), {"ids": list(ids)})}
    tags = await stored_tags.of_sources(db, ids)
    return [_listed(rows[source_id], tags.get(source_id, ())) for source_id in ids if source_id in rows]


@cache
def _details() -> sa.Select[Any]:
    """Made once, of nearly fifty columns."""
    return (
        sa.select(
            *(sources.c[name] for name in SourceRow._fields),
            standing.label("status"),
            *(crawl_jobs.c[name].label(f"job_{name}") for name in JobGlance._fields),
            *(crawl_runs.c[name].label(f"run_{name}") for name in LastRun._fields),
        )
        .select_from(WITH_JOB_AND_RUN)
        .where(sources.c.id.in_(sa.bindparam("ids", expanding=True)))
    )


def _listed(row: Any, tags: Sequence[str]) -> ListedSource:
    # Cut by position: a row of nearly fifty columns takes long to look up by their names.
    own, job = len(SourceRow._fields), len(SourceRow._fields) + 1 + len(JobGlance._fields)
    return ListedSource(
        source=SourceRow._make(row[:own]),
        status=SourceStatus(row[own]),
        tags=tuple(tags),
        job=_job(JobGlance._make(row[own + 1 : job])) if row[own + 1] is not None else None,
        run=last_run_of(row[job:]),
    )


def _job(row: JobGlance) -> JobGlance:
    paused_by = PauseReason(row.pause_reason) if row.pause_reason else None
    return row._replace(state=JobState(row.state), pause_reason=paused_by)


def _order(*columns: sa.ColumnElement[Any], descending: bool) -> list[sa.ColumnElement[Any]]:
    """All in one direction, as an index has them."""
    return [column.desc() if descending else column.asc() for column in columns]
