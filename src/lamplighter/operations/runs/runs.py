"""Runs: start, progress, cancel."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.crawl.runs.run_finish import cancel_run
from lamplighter.crawl.runs.scheduler import open_run
from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob, CrawlRun, JobChange, JobState, PauseReason, Trigger
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.sources.source_edits import refuse_deleted
from lamplighter.rules.schedule import lifecycle
from lamplighter.rules.schedule.lifecycle import JobAction
from lamplighter.store.access import audit_log
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs, run_lists, run_pages
from lamplighter.store.sources import sources


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """How far a run is."""

    run: CrawlRun
    pages_known: int
    pages_open: int


async def run_now(
    db: Connection, source_id: int, *, now: datetime, deadline: timedelta, source_defaults: SourceDefaults
) -> int:
    """Opens a run at once, whatever the schedule says. A paused job runs this once and stays paused."""
    await crawl_pause.refuse_runs(db)
    await _refuse_odd_source(db, source_id)
    job = await _job(db, source_id, source_defaults=source_defaults, now=now)
    running = await crawl_runs.open_of_job(db, job.id)
    if running is not None:
        raise NotPossible(
            f"run {running} of this source is still active; wait for it to end, or stop it",
            code="already_running",
            possible=(JobAction.STOP, JobAction.CANCEL),
        )
    if lifecycle.after(job.state, JobAction.FORCE_RUN) is JobState.PAUSED:
        await crawl_jobs.change(db, job.id, JobChange(run_count=job.run_count + 1), now=now)
    else:
        await crawl_jobs.mark_running(db, [job.id], now=now)
    opened = await open_run(db, job, trigger=Trigger.MANUAL, now=now, deadline=deadline, defaults=source_defaults.host)
    signal(Signal.HOSTS)
    return opened.id


async def _refuse_odd_source(db: Connection, source_id: int) -> None:
    """Refuses sources that are not crawled from their URL, or may not be."""
    source = await sources.get(db, source_id)
    if source is None:
        raise NotFound(f"there is no source {source_id}", code="source_not_found")
    refuse_deleted(source)
    if source.is_implicit:
        raise NotPossible("cannot force-run this crawl job: its source only fetches submitted pages")
    await takedowns.refuse_run(db, source.url)


async def _job(db: Connection, source_id: int, *, source_defaults: SourceDefaults, now: datetime) -> CrawlJob:
    """The source's job; a source that is not scheduled gets one that stays paused."""
    job = await crawl_jobs.of_source(db, source_id)
    if job is not None:
        return await crawl_jobs.lock(db, job.id) or job
    source = await sources.get(db, source_id)
    assert source is not None
    job_id = await job_keeper.create(db, source, source_defaults=source_defaults, now=now)
    if not source.enabled:
        paused = JobChange(state=JobState.PAUSED, pause_reason=PauseReason.SOURCE_DISABLED, next_run_at=None)
        await crawl_jobs.change(db, job_id, paused, now=now)
    made = await crawl_jobs.lock(db, job_id)
    assert made is not None
    return made


async def cancel(db: Connection, public_id: str, *, stamp: Stamp, verb: str = "cancelled") -> CrawlRun:
    """Ends one run; its job goes on as planned, unless it was to run once. NotPossible when it has ended."""
    run = await run_lists.by_public_id(db, public_id)
    job = await crawl_jobs.lock(db, run.job_id) if run is not None else None
    if run is None or job is None:
        raise NotFound(f"there is no run {public_id}", code="execution_not_found")
    if run.id not in await crawl_runs.lock_open(db, [run.id]):
        raise NotPossible(f"run {run.number} has ended; there is nothing to cancel", code="run_ended")
    await cancel_run(db, run.id, why=f"{verb} by {stamp.actor}", now=stamp.now)
    if job.state is JobState.RUNNING:
        await crawl_jobs.change(db, job.id, _after_cancelled_run(job, verb, stamp=stamp), now=stamp.now)
    source = await sources.get(db, run.source_id)
    subject = source.url if source is not None else str(run.source_id)
    await audit_log.write(db, stamp, "run.cancel", subject, after={"run": public_id})
    return run


def _after_cancelled_run(job: CrawlJob, verb: str, *, stamp: Stamp) -> JobChange:
    if not job.recurring:
        state = lifecycle.after(job.state, JobAction.CANCEL)
        return JobChange(state=state, next_run_at=None, next_run_reason=None)
    pace = job.pace or job.interval
    why = {"why": f"{stamp.actor} {verb} the previous run; the next one is due after the usual interval"}
    state = lifecycle.after(job.state, JobAction.STOP)
    return JobChange(state=state, next_run_at=stamp.now + pace, next_run_reason=why)


async def progress(db: Connection, run_id: int) -> RunProgress:
    """How far a run is."""
    run = await crawl_runs.get(db, run_id)
    if run is None:
        raise NotFound(f"there is no run {run_id}")
    known, still_open = await run_pages.count_of_run(db, run_id)
    return RunProgress(run=run, pages_known=known, pages_open=still_open)
