"""Runs for the admin API: start a source, run all that is due, activity, log."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.model.source import Source
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.jobs import job_waits
from lamplighter.operations.runs import runs
from lamplighter.rules.fleet import fleet
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import instances, scheduler_figures
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs, run_history
from lamplighter.store.runs.activity import count_open
from lamplighter.store.sources import sources

#: figure of an instance: requests to sites that are out now
IN_FLIGHT = "requests_in_flight"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A run that was opened, by the names the world outside knows."""

    run_id: str
    job_id: str
    #: what it waits for; None when it starts at once
    wait: Wait | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSnapshot:
    """What is going on."""

    due_jobs: int
    #: jobs with an open run
    busy_jobs: int
    #: requests to sites that are out now, of all processes
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A run that has ended, in one line. Records found = inserted + updated + unchanged + skipped."""

    run_id: str
    source_id: str
    ran_at: datetime
    took: timedelta
    found: int
    inserted: int
    updated: int
    unchanged: int
    #: not usable, or not storable
    skipped: int
    outcome: RunOutcome
    message: str | None


async def run(
    db: Connection, source_id: str, *, stamp: Stamp, deadline: timedelta, source_defaults: SourceDefaults
) -> RunStarted:
    """Opens a run of a source now; NotPossible while one is open."""
    source = await _source(db, source_id)
    run_id = await runs.run_now(db, source.id, now=stamp.now, deadline=deadline, source_defaults=source_defaults)
    opened, job = await crawl_runs.get(db, run_id), await crawl_jobs.of_source(db, source.id)
    assert opened is not None, "it was written a moment ago"
    assert job is not None, "a run cannot be without its job"
    await audit_log.write(db, stamp, "source.run", source.url, after={"run": opened.public_id})
    wait = await job_waits.of_source(db, source.id, now=stamp.now)
    return RunStarted(run_id=opened.public_id, job_id=job.public_id, wait=wait)


async def run_due(db: Database, open_due: Callable[[], Awaitable[int]], *, stamp: Stamp) -> int:
    """Opens runs of everything that is due, on request; NotPossible while all crawling is paused."""
    async with db.read() as reading:
        await crawl_pause.refuse_runs(reading)
    opened = await open_due()
    if opened:
        after = {"runs": opened}
        await db.write(lambda writing: audit_log.write(writing, stamp, "crawl.run_due", "all that is due", after=after))
    return opened


async def activity(db: Connection, *, own: str, own_requests: int, now: datetime) -> CrawlSnapshot:
    """How many jobs are due, how many have a run, and how many requests are out: here, and as others last reported."""
    _, busy_jobs = await count_open(db)
    due_jobs = await scheduler_figures.count_due(db, now=now)
    others = [each for each in await instances.everyone(db) if each.id != own and not fleet.is_lost(each, now=now)]
    requests = own_requests + sum(int(each.figures.get(IN_FLIGHT, 0)) for each in others)
    return CrawlSnapshot(due_jobs=due_jobs, busy_jobs=busy_jobs, requests=requests)


async def log(db: Connection, *, source_id: str | None, limit: int, offset: int) -> tuple[list[LogLine], int]:
    """Runs that have ended, of one source or of all, the latest first, and how many there are."""
    source = await _source(db, source_id) if source_id is not None else None
    rows, total = await run_history.ended(
        db, source_id=source.id if source is not None else None, limit=limit, offset=offset
    )
    return [_line(row) for row in rows], total


async def _source(db: Connection, public_id: str) -> Source:
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
        unchanged=row.records_unchanged,
        skipped=row.records_skipped + row.records_failed,
        outcome=RunOutcome(row.outcome),
        message=row.message,
    )
