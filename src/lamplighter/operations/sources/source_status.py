"""Lists sources with job, latest run and number of records."""

from dataclasses import dataclass, fields
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa

from lamplighter.model.crawl import PauseReason, SourceState
from lamplighter.operations.jobs import job_waits
from lamplighter.operations.sources.source_words import depth_word
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.rules.schedule import reasons
from lamplighter.rules.sources import source_state
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from lamplighter.store.sources import source_filter, tags
from lamplighter.store.sources.source_filter import SourceFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedSource:
    """A source with its crawl job and its latest run."""

    #: as the API and the records have it
    id: str
    url: str
    name: str
    kind: str | None
    enabled: bool
    priority: int
    #: "page" is its URL alone, -1 is without limit
    max_depth: int | str
    max_pages: int | None
    #: as the operator gave it
    interval_seconds: int | None
    tags: tuple[str, ...]
    #: how it is doing, in the words of the start page
    health: SourceState
    #: of its job; None until it has one
    state: str | None
    pause_reason: str | None
    next_run_at: datetime | None
    #: why then, in words; None when no run is planned
    why: str | None
    #: None while a run is going on, and before the first
    last_outcome: str | None
    #: what it waits for, if it is due or running and its host gets no requests
    waiting: str | None
    last_message: str | None
    last_started_at: datetime | None
    last_finished_at: datetime | None
    record_count: int


_MADE_UP = ("id", "health", "max_depth", "tags", "waiting", "next_run_at", "why")
_COLUMNS = tuple(each.name for each in fields(WatchedSource) if each.name not in _MADE_UP)
#: columns of the job that the health depends on, besides state and reason
_HEALTH = ("failure_count", "retry_count", "held_since", "last_outcome", "deleted_at")


async def watched(
    db: Connection, *, now: datetime, source_id: int | None = None, which: SourceFilter | None = None
) -> list[WatchedSource]:
    """Sources by name, those of a filter, or the one, each with its job, its latest run and its number of records.

    Without those that nobody watches: they only hold the pages that were submitted for a domain.
    """
    source, job, run = tables.sources, tables.crawl_jobs, tables.crawl_runs
    any_run, record = run.alias(), tables.records
    latest = sa.select(sa.func.max(any_run.c.id)).where(any_run.c.source_id == source.c.id).correlate(source)
    found = sa.select(sa.func.count(record.c.id)).where(record.c.source_id == source.c.id).correlate(source)
    query = (
        sa.select(
            source,
            *(job.c[name] for name in ("state", "pause_reason", "next_run_at", "next_run_reason")),
            *(job.c[name].label(f"job_{name}") for name in _HEALTH),
            *(run.c[name].label(f"last_{name}") for name in ("outcome", "message", "started_at", "finished_at")),
            found.scalar_subquery().label("record_count"),
        )
        .outerjoin(job, job.c.source_id == source.c.id)
        .outerjoin(run, run.c.id == latest.scalar_subquery())
        .where(~source.c.is_implicit, source.c.id == source_id if source_id is not None else sa.true())
        .where(*(source_filter.conditions(db, which) if which is not None else ()))
        .order_by(source.c.name, source.c.id)
    )
    rows = (await db.execute(query)).all()
    labels = await tags.of_sources(db, [row.id for row in rows])
    waits = await job_waits.of_sources(db, [row.id for row in rows], now=now)
    return [_watched(row, tuple(labels.get(row.id, ())), wait=waits.get(row.id)) for row in rows]


def _watched(row: Any, labels: tuple[str, ...], *, wait: Wait | None) -> WatchedSource:
    # What was planned for a job stands in its row even while it is paused by a person, and is not to be shown then.
    is_planned = row.next_run_at is not None and row.pause_reason != PauseReason.USER
    return WatchedSource(
        id=row.public_id,
        health=source_state.state_of_job(_job(row), waits=wait is not None, enabled=row.enabled),
        tags=labels,
        waiting=wait.sentence if wait is not None else None,
        max_depth=depth_word(row.max_depth),
        **{name: getattr(row, name) for name in _COLUMNS},
        next_run_at=row.next_run_at if is_planned else None,
        why=reasons.sentence(row.next_run_reason) if is_planned else None,
    )


def _job(row: Any) -> Any:
    """The columns of the job by their names; None without a job."""
    named = {name: getattr(row, f"job_{name}") for name in _HEALTH}
    return SimpleNamespace(state=row.state, pause_reason=row.pause_reason, **named) if row.state is not None else None
