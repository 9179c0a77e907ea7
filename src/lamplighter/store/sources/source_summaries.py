"""Queries for source summaries: the few columns that a row of the dashboard's list needs, in one statement.

A source and its job have about eighty columns together. Reading and converting all of them takes longer than
everything else for a page of fifty.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, PauseReason, RunOutcome
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs.last_runs import WITH_JOB_AND_RUN, LastRun, last_run_of
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, sources


class SummarySource(NamedTuple):
    """The name and status of a source."""

    id: int
    public_id: str
    name: str
    url: str
    enabled: bool
    deleted_at: datetime | None
    disabled_reason: str | None
    disabled_at: datetime | None
    disabled_by: str | None


class SummaryJob(NamedTuple):
    """The state and schedule of its crawl job."""

    state: JobState
    pause_reason: PauseReason | None
    state_since: datetime | None
    resume_at: datetime | None
    deleted_at: datetime | None
    max_retries: int
    retry_count: int
    failure_count: int
    held_since: datetime | None
    last_outcome: RunOutcome | None
    next_run_at: datetime | None
    next_run_reason: Any
    #: its estimated change rate; None before the first visit
    belief_a: float | None
    belief_b: float | None
    is_felt: bool
    visit_count: int


class SummaryRow(NamedTuple):
    """The data of a row, without tags and records."""

    source: SummarySource
    #: None until the source was first enabled
    job: SummaryJob | None
    #: None before the first run that ended and was not cancelled
    run: LastRun | None


_OWN = len(SummarySource._fields)
_JOB = _OWN + len(SummaryJob._fields)
_SUMMARIES = (
    sa.select(
        *(sources.c[name] for name in SummarySource._fields),
        *(crawl_jobs.c[name] for name in SummaryJob._fields),
        *(crawl_runs.c[name] for name in LastRun._fields),
    )
    .select_from(WITH_JOB_AND_RUN)
    .where(sources.c.id.in_(sa.bindparam("ids", expanding=True)))
)


async def of(db: Connection, ids: Sequence[int]) -> list[SummaryRow]:
    """These sources, in this order."""
    rows = {row[0]: row for row in await db.execute(_SUMMARIES, {"ids": list(ids)})}
    return [_summary_row(rows[source_id]) for source_id in ids if source_id in rows]


def _summary_row(row: Any) -> SummaryRow:
    # Split by position: a lookup of each of thirty columns by name takes longer.
    job = SummaryJob._make(row[_OWN:_JOB])
    return SummaryRow(
        source=SummarySource._make(row[:_OWN]),
        job=_job(job) if job.state is not None else None,
        run=last_run_of(row[_JOB:]),
    )


def _job(row: SummaryJob) -> SummaryJob:
    paused_by = PauseReason(row.pause_reason) if row.pause_reason else None
    outcome = RunOutcome(row.last_outcome) if row.last_outcome else None
    return row._replace(state=JobState(row.state), pause_reason=paused_by, last_outcome=outcome)
