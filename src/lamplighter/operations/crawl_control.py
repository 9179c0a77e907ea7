"""Crawling by hand: start a source now, see what is going on and what came of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.norms import Norms
from lamplighter.errors import NotFound
from lamplighter.model.crawl import Outcome
from lamplighter.operations import runs, standstill
from lamplighter.store import audit_log, crawl_jobs, crawl_log, crawl_runs, scheduler_figures, sources
from lamplighter.store.database import Connection, Database
from lamplighter.store.sources import SourceRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A run that was opened, by the names the world outside knows."""

    run_id: str
    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What is going on."""

    due_jobs: int
    open_runs: int
    #: jobs with an open run
    busy_jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A run that has ended, in one line. Records found = inserted + updated + skipped."""

    run_id: str
    source_id: str
    ran_at: datetime
    took: timedelta
    found: int
    inserted: int
    updated: int
    #: as before, not usable, or not storable
    skipped: int
    outcome: Outcome
    message: str | None


async def run(
    db: Connection, source_id: str, *, actor: str, now: datetime, deadline: timedelta, norms: Norms
) -> Started:
    """Opens a run of a source now; NotPossible while one is going on."""
    source = await _source(db, source_id)
    run_id = await runs.run_now(db, source.id, now=now, deadline=deadline, norms=norms)
    opened, job = await crawl_runs.get(db, run_id), await crawl_jobs.of_source(db, source.id)
    assert opened is not None, "it was written a moment ago"
    assert job is not None, "a run cannot be without its job"
    after = {"run": opened.public_id}
    await audit_log.write(db, actor=actor, action="source.run", subject=source.url, now=now, after=after)
    return Started(run_id=opened.public_id, job_id=job.public_id)


async def run_due(db: Database, open_due: Callable[[], Awaitable[int]], *, actor: str, now: datetime) -> int:
    """Opens runs of everything that is due, because somebody asked for it; NotPossible while all stands still."""
    async with db.read() as reading:
        await standstill.refuse_runs(reading)
    opened = await open_due()
    if opened:
        after = {"runs": opened}
        await db.write(
            lambda writing: audit_log.write(
                writing, actor=actor, action="crawl.run_due", subject="all that is due", now=now, after=after
            )
        )
    return opened


async def activity(db: Connection, *, now: datetime) -> Activity:
    """How many jobs are due, and how many runs are going on."""
    open_runs, busy_jobs = await crawl_log.count_open(db)
    due_jobs = await scheduler_figures.count_due(db, now=now)
    return Activity(due_jobs=due_jobs, open_runs=open_runs, busy_jobs=busy_jobs)


async def log(db: Connection, *, source_id: str | None, limit: int, offset: int) -> tuple[list[LogLine], int]:
    """Runs that have ended, of one source or of all, the latest first, and how many there are."""
    source = await _source(db, source_id) if source_id is not None else None
    rows, total = await crawl_log.listed(
        db, source_id=source.id if source is not None else None, limit=limit, offset=offset
    )
    return [_line(row) for row in rows], total


async def _source(db: Connection, public_id: str) -> SourceRow:
    source = await sources.by_public_id(db, public_id)
    if source is None or source.deleted_at is not None or source.is_implicit:
        raise NotFound(f"there is no source {public_id}; GET /admin/sources lists them", code="source_not_found")
    return source


def _line(row: Any) -> LogLine:
    return LogLine(
        run_id=row.public_id,
        source_id=row.source_public_id,
        ran_at=row.started_at,
        took=row.finished_at - row.started_at,
        found=row.records_found,
        inserted=row.records_inserted,
        updated=row.records_updated,
        skipped=row.records_found - row.records_inserted - row.records_updated,
        outcome=Outcome(row.outcome),
        message=row.message,
    )
