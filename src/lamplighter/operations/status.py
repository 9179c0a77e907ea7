"""What is being watched, and how does it stand?"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.crawl import PauseReason
from lamplighter.rules import reasons
from lamplighter.store import records, scheduler_figures, sources, tables
from lamplighter.store.database import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedSource:
    """A source with its crawl job and its latest run."""

    url: str
    name: str
    kind: str | None
    enabled: bool
    priority: int
    max_depth: int
    max_pages: int | None
    #: as the operator gave it
    interval_seconds: int | None
    tags: tuple[str, ...]
    #: None until the job keeper has heard of the source
    state: str | None
    pause_reason: str | None
    next_run_at: datetime | None
    #: why then, in words; None when no run is planned
    why: str | None
    #: None while a run is going on, and before the first
    last_outcome: str | None
    last_message: str | None
    last_started_at: datetime | None
    last_finished_at: datetime | None
    record_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A run in one line."""

    source_name: str
    trigger: str
    started_at: datetime
    finished_at: datetime | None
    outcome: str | None
    message: str | None
    #: had, whether changed or not
    pages: int
    records: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The totals."""

    sources: int
    records: int
    pages: int
    due_jobs: int


async def figures(db: Connection, *, now: datetime) -> Figures:
    """Counts everything that is counted on the status page."""
    return Figures(
        sources=await sources.count(db),
        records=await records.count(db),
        pages=(await db.execute(sa.select(sa.func.count()).select_from(tables.pages))).scalar_one(),
        due_jobs=await scheduler_figures.count_due(db, now=now),
    )


async def watched(db: Connection, *, limit: int | None = None) -> list[WatchedSource]:
    """Sources by name, each with its job, its latest run and its number of records."""
    source, job, run = tables.sources, tables.crawl_jobs, tables.crawl_runs
    any_run, record = run.alias(), tables.records
    latest = sa.select(sa.func.max(any_run.c.id)).where(any_run.c.source_id == source.c.id).correlate(source)
    found = sa.select(sa.func.count(record.c.id)).where(record.c.source_id == source.c.id).correlate(source)
    query = (
        sa.select(
            source,
            *(job.c[name] for name in ("state", "pause_reason", "next_run_at", "next_run_reason")),
            run.c.outcome,
            run.c.message,
            run.c.started_at,
            run.c.finished_at,
            found.scalar_subquery().label("record_count"),
        )
        .outerjoin(job, job.c.source_id == source.c.id)
        .outerjoin(run, run.c.id == latest.scalar_subquery())
        .order_by(source.c.name, source.c.id)
        .limit(limit)
    )
    rows = (await db.execute(query)).all()
    tags = await _tags(db, [row.id for row in rows])
    return [_watched(row, tuple(tags.get(row.id, ()))) for row in rows]


async def latest_runs(db: Connection, *, limit: int) -> list[RunLine]:
    """The newest runs of all sources."""
    run = tables.crawl_runs
    query = sa.select(run, tables.sources.c.name.label("source_name")).join(tables.sources)
    return [
        RunLine(
            source_name=row.source_name,
            trigger=row.trigger,
            started_at=row.started_at,
            finished_at=row.finished_at,
            outcome=row.outcome,
            message=row.message,
            pages=row.pages_fetched + row.pages_unchanged,
            records=row.records_found,
        )
        for row in await db.execute(query.order_by(run.c.id.desc()).limit(limit))
    ]


async def _tags(db: Connection, source_ids: Sequence[int]) -> dict[int, list[str]]:
    tag = tables.source_tags
    by_source: dict[int, list[str]] = {}
    for start in range(0, len(source_ids), 500):
        query = sa.select(tag).where(tag.c.source_id.in_(source_ids[start : start + 500])).order_by(tag.c.tag)
        for row in await db.execute(query):
            by_source.setdefault(row.source_id, []).append(row.tag)
    return by_source


def _watched(row: Any, tags: tuple[str, ...]) -> WatchedSource:
    # What was planned for a job stands in its row even while it is paused by a person, and is not to be shown then.
    is_planned = row.next_run_at is not None and row.pause_reason != PauseReason.USER
    return WatchedSource(
        url=row.url,
        name=row.name,
        kind=row.kind,
        enabled=row.enabled,
        priority=row.priority,
        max_depth=row.max_depth,
        max_pages=row.max_pages,
        interval_seconds=row.interval_seconds,
        tags=tags,
        state=row.state,
        pause_reason=row.pause_reason,
        next_run_at=row.next_run_at if is_planned else None,
        why=reasons.sentence(row.next_run_reason) if is_planned else None,
        last_outcome=row.outcome,
        last_message=row.message,
        last_started_at=row.started_at,
        last_finished_at=row.finished_at,
        record_count=row.record_count,
    )
