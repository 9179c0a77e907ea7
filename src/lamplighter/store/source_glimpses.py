"""SQL about sources at a glance: the few columns that a row of the dashboard's list needs, in one statement.

A source and its job have about eighty columns between them. To read them all and make values of them takes longer than
everything else about a page of fifty.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.store.database import Connection
from lamplighter.store.last_runs import WITH_JOB_AND_RUN, LastRun, last_run_of
from lamplighter.store.tables import crawl_jobs, crawl_runs, sources


class SourceGlimpse(NamedTuple):
    """A source, as far as it is named and stands by itself."""

    id: int
    public_id: str
    name: str
    url: str
    enabled: bool
    deleted_at: datetime | None
    disabled_reason: str | None
    disabled_at: datetime | None
    disabled_by: str | None


class JobGlimpse(NamedTuple):
    """Its crawl job, as far as that says how it stands and what is planned."""

    state: JobState
    pause_reason: PauseReason | None
    state_since: datetime | None
    resume_at: datetime | None
    deleted_at: datetime | None
    max_retries: int
    retry_count: int
    failure_count: int
    next_run_at: datetime | None
    next_run_reason: Any
    #: what is believed about its changes; None before the first visit
    belief_a: float | None
    belief_b: float | None
    visit_count: int


class Glimpse(NamedTuple):
    """All that a row is made of, but for its tags and its records."""

    source: SourceGlimpse
    #: None until the source was first enabled
    job: JobGlimpse | None
    #: None before the first that says something
    run: LastRun | None


_OWN = len(SourceGlimpse._fields)
_JOB = _OWN + len(JobGlimpse._fields)
_GLIMPSES = (
    sa.select(
        *(sources.c[name] for name in SourceGlimpse._fields),
        *(crawl_jobs.c[name] for name in JobGlimpse._fields),
        *(crawl_runs.c[name] for name in LastRun._fields),
    )
    .select_from(WITH_JOB_AND_RUN)
    .where(sources.c.id.in_(sa.bindparam("ids", expanding=True)))
)


async def of(db: Connection, ids: Sequence[int]) -> list[Glimpse]:
    """These sources, in this order."""
    rows = {row[0]: row for row in await db.execute(_GLIMPSES, {"ids": list(ids)})}
    return [_glimpse(rows[source_id]) for source_id in ids if source_id in rows]


def _glimpse(row: Any) -> Glimpse:
    # Cut by position: to look up each of thirty columns by its name takes longer.
    job = JobGlimpse._make(row[_OWN:_JOB])
    return Glimpse(
        source=SourceGlimpse._make(row[:_OWN]),
        job=_job(job) if job.state is not None else None,
        run=last_run_of(row[_JOB:]),
    )


def _job(row: JobGlimpse) -> JobGlimpse:
    paused_by = PauseReason(row.pause_reason) if row.pause_reason else None
    return row._replace(state=JobState(row.state), pause_reason=paused_by)
