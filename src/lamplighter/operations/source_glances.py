"""Sources as an operator looks over them: how each stands and why, when it is next and why, what it brought lately."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from lamplighter.errors import NotFound
from lamplighter.model.crawl import CrawlJob, JobState
from lamplighter.model.schedule import Learnt
from lamplighter.operations.source_standing import Standing, standing_of
from lamplighter.rules import belief, reasons, recency
from lamplighter.store import crawl_jobs, run_lists, source_lists
from lamplighter.store.database import Connection
from lamplighter.store.source_lists import ListedSource, Sort, SourceFilter

LATELY = timedelta(days=1)
#: visits before which a change rate would be a guess
_TELLING_VISITS = 2
_PLANNED = (JobState.PENDING, JobState.SCHEDULED)


class Order(StrEnum):
    """By what the list of sources may be sorted."""

    NAME = "name"
    STATUS = "status"
    LAST_RUN = "last_run"
    NEXT_RUN = "next_run"
    RECORDS = "records"
    CHANGE_RATE = "change_rate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """One source at a glance."""

    listed: ListedSource
    standing: Standing
    #: None when none is planned, or one goes on
    next_run_at: datetime | None
    #: why then, in words; empty when none is planned
    next_run_why: str
    #: new or changed ones that its runs of the last day found
    records_lately: int
    #: how often it is believed to change; None before that can be told
    changes_every: timedelta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GlancePage:
    """A part of a list, and how long the whole is."""

    rows: Sequence[Glance]
    total: int


_SORTS = {
    Order.NAME: Sort.NAME,
    Order.STATUS: Sort.STATUS,
    Order.LAST_RUN: Sort.LAST_RUN_AT,
    Order.NEXT_RUN: Sort.NEXT_RUN_AT,
    Order.CHANGE_RATE: Sort.CHANGE_RATE,
}


async def page(
    db: Connection, which: SourceFilter, *, order: Order, descending: bool, limit: int, offset: int, now: datetime
) -> GlancePage:
    """One page of the sources that match."""
    how: dict[str, Any] = {"descending": descending, "limit": limit, "offset": offset}
    if order is Order.RECORDS:
        ids, total = await source_lists.page_by_records(db, which, since=now - LATELY, **how)
    else:
        ids, total = await source_lists.page(db, which, sort=_SORTS[order], **how)
    return GlancePage(rows=await of(db, ids, now=now), total=total)


async def one(db: Connection, source_id: int, *, now: datetime) -> Glance:
    """One source."""
    for glance in await of(db, [source_id], now=now):
        return glance
    raise NotFound(f"there is no source {source_id}", code="source_not_found")


async def of(db: Connection, ids: Sequence[int], *, now: datetime) -> list[Glance]:
    """These sources, in this order."""
    jobs = await crawl_jobs.of_sources(db, ids)
    records = await run_lists.new_records(db, ids, since=now - LATELY)
    return [
        _glance(listed, jobs.get(listed.source.id), records.get(listed.source.id, 0))
        for listed in await source_lists.details(db, ids)
    ]


def _glance(listed: ListedSource, job: CrawlJob | None, records: int) -> Glance:
    next_run_at = _planned(job)
    return Glance(
        listed=listed,
        standing=standing_of(listed.source, job, listed.run),
        next_run_at=next_run_at,
        next_run_why=reasons.sentence(job.next_run_reason) if job is not None and next_run_at is not None else "",
        records_lately=records,
        changes_every=_changes_every(job.learnt) if job is not None else None,
    )


def _planned(job: CrawlJob | None) -> datetime | None:
    """What was planned stands in a job's row even while it is paused, and then does not hold."""
    if job is None:
        return None
    return job.next_run_at if job.state in _PLANNED else job.resume_at if job.state is JobState.PAUSED else None


def _changes_every(learnt: Learnt | None) -> timedelta | None:
    if learnt is None or learnt.visit_count <= _TELLING_VISITS:
        return None
    return timedelta(hours=min(recency.unfelt(1 / learnt.belief.rate), belief.LONGEST_GAP))
