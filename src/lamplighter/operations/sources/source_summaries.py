"""Summaries of sources for lists: health, next run, records of the last day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from lamplighter.errors import NotFound
from lamplighter.model.crawl import JobState
from lamplighter.model.schedule import Belief
from lamplighter.operations.jobs import job_waits
from lamplighter.operations.list_part import ListPart
from lamplighter.operations.sources.source_health import SourceHealth, health_of
from lamplighter.rules.change import belief, recency
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.rules.schedule import reasons
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import run_lists, run_strips
from lamplighter.store.runs.run_strips import RunBar
from lamplighter.store.sources import source_lists, source_summaries, tags
from lamplighter.store.sources.source_lists import LastRun, SourceFilter, SourceSort
from lamplighter.store.sources.source_summaries import SummaryJob, SummaryRow, SummarySource

LATELY = timedelta(days=1)
#: visits before which a change rate would be a guess
_TELLING_VISITS = 2
_PLANNED = (JobState.PENDING, JobState.SCHEDULED)


class SourceOrder(StrEnum):
    """By what the list of sources may be sorted."""

    NAME = "name"
    STATUS = "status"
    LAST_RUN = "last_run"
    NEXT_RUN = "next_run"
    RECORDS = "records"
    CHANGE_RATE = "change_rate"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSummary:
    """The summary of one source."""

    source: SummarySource
    tags: Sequence[str]
    #: the latest that says anything; None before the first
    run: LastRun | None
    health: SourceHealth
    #: None when none is planned, or one goes on
    next_run_at: datetime | None
    #: why then, in words; empty when none is planned
    next_run_why: str
    #: new or changed ones that its runs of the last day found
    records_lately: int
    #: how often it is believed to change; None before that is known
    changes_every: timedelta | None
    #: its latest runs, the oldest first
    strip: Sequence[RunBar]


_SORTS = {
    SourceOrder.NAME: SourceSort.NAME,
    SourceOrder.STATUS: SourceSort.STATUS,
    SourceOrder.LAST_RUN: SourceSort.LAST_RUN_AT,
    SourceOrder.NEXT_RUN: SourceSort.NEXT_RUN_AT,
    SourceOrder.CHANGE_RATE: SourceSort.CHANGE_RATE,
}


async def page(
    db: Connection,
    which: SourceFilter,
    *,
    order: SourceOrder,
    descending: bool,
    limit: int,
    offset: int,
    now: datetime,
    total: int | None = None,
) -> ListPart[SourceSummary]:
    """One page of the sources that match; `total` is how many do, where that was counted already."""
    how: dict[str, Any] = {"descending": descending, "limit": limit, "offset": offset, "total": total}
    if order is SourceOrder.RECORDS:
        ids, total = await source_lists.page_by_records(db, which, since=now - LATELY, **how)
    else:
        ids, total = await source_lists.page(db, which, sort=_SORTS[order], **how)
    return ListPart(rows=await of(db, ids, now=now), total=total)


async def one(db: Connection, source_id: int, *, now: datetime) -> SourceSummary:
    """One source."""
    for glance in await of(db, [source_id], now=now):
        return glance
    raise NotFound(f"there is no source {source_id}", code="source_not_found")


async def of(db: Connection, ids: Sequence[int], *, now: datetime) -> list[SourceSummary]:
    """These sources, in this order."""
    records = await run_lists.new_records(db, ids, since=now - LATELY)
    labels = await tags.of_sources(db, ids)
    waits = await job_waits.of_sources(db, ids, now=now)
    strips = await run_strips.of_sources(db, ids)
    return [
        _summary(
            row,
            records=records.get(row.source.id, 0),
            labels=labels.get(row.source.id, ()),
            wait=waits.get(row.source.id),
            strip=strips.get(row.source.id, ()),
        )
        for row in await source_summaries.of(db, ids)
    ]


def _summary(
    row: SummaryRow, *, records: int, labels: Sequence[str], wait: Wait | None, strip: Sequence[RunBar]
) -> SourceSummary:
    source, job, run = row
    next_run_at = _planned(job)
    return SourceSummary(
        source=source,
        tags=labels,
        run=run,
        health=health_of(source, job, run, wait=wait),
        next_run_at=next_run_at,
        next_run_why=reasons.sentence(job.next_run_reason) if job is not None and next_run_at is not None else "",
        records_lately=records,
        changes_every=_changes_every(job),
        strip=strip,
    )


def _planned(job: SummaryJob | None) -> datetime | None:
    """What was planned stands in a job's row even while it is paused, and then does not hold."""
    if job is None:
        return None
    return job.next_run_at if job.state in _PLANNED else job.resume_at if job.state is JobState.PAUSED else None


def _changes_every(job: SummaryJob | None) -> timedelta | None:
    if job is None or job.belief_a is None or job.belief_b is None or job.visit_count <= _TELLING_VISITS:
        return None
    gap = 1 / Belief(a=job.belief_a, b=job.belief_b).rate
    return timedelta(hours=min(recency.unfelt(gap) if job.is_felt else gap, belief.LONGEST_GAP))
