"""Runs: start one now, see how far it is, stop it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl import job_keeper
from lamplighter.crawl.finish import cancel_run
from lamplighter.crawl.norms import Norms
from lamplighter.crawl.scheduler import open_run
from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.crawl import CrawlJob, CrawlRun, JobState, PauseReason, Trigger
from lamplighter.operations import standstill, takedowns
from lamplighter.operations.source_edits import refuse_deleted
from lamplighter.rules import lifecycle
from lamplighter.rules.lifecycle import Action, Step
from lamplighter.store import audit_log, crawl_jobs, crawl_runs, run_lists, run_pages, sources
from lamplighter.store.database import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    run: CrawlRun
    pages_known: int
    pages_open: int


async def run_now(db: Connection, source_id: int, *, now: datetime, deadline: timedelta, norms: Norms) -> int:
    """Opens a run at once, whatever the schedule says. A paused job runs this once and stays paused."""
    await standstill.refuse_runs(db)
    await _refuse_odd_source(db, source_id)
    job = await _job(db, source_id, norms=norms, now=now)
    running = await crawl_runs.open_of_job(db, job.id)
    if running is not None:
        raise NotPossible(
            f"run {running} of this source is still going on; wait for it to end, or cancel it",
            code="already_running",
            possible=(Action.CANCEL,),
        )
    if lifecycle.after(job.state, Action.FORCE_RUN) is JobState.PAUSED:
        await crawl_jobs.change(db, job.id, now=now, run_count=job.run_count + 1)
    else:
        await crawl_jobs.mark_running(db, [job.id], now=now)
    opened = await open_run(db, job, trigger=Trigger.MANUAL, now=now, deadline=deadline, defaults=norms.host)
    return opened.id


async def _refuse_odd_source(db: Connection, source_id: int) -> None:
    """Refuses sources that are not crawled from their URL, or may not be."""
    source = await sources.get(db, source_id)
    if source is None:
        raise NotFound(f"there is no source {source_id}", code="source_not_found")
    refuse_deleted(source)
    if source.is_implicit:
        raise NotPossible("cannot force-run this crawl job: its source is only asked for submitted pages")
    await takedowns.refuse_run(db, source.url)


async def _job(db: Connection, source_id: int, *, norms: Norms, now: datetime) -> CrawlJob:
    """The source's job; a source that is not scheduled gets one that stays paused."""
    job = await crawl_jobs.of_source(db, source_id)
    if job is not None:
        return await crawl_jobs.lock(db, job.id) or job
    source = await sources.get(db, source_id)
    assert source is not None
    job_id = await job_keeper.create(db, source, norms=norms, now=now)
    if not source.enabled:
        await crawl_jobs.change(
            db, job_id, now=now, state=JobState.PAUSED, pause_reason=PauseReason.SOURCE_DISABLED, next_run_at=None
        )
    made = await crawl_jobs.lock(db, job_id)
    assert made is not None
    return made


async def cancel(db: Connection, public_id: str, *, actor: str, now: datetime) -> CrawlRun:
    """Stops one run; its job goes on as planned, unless it was to run once. NotPossible when it has ended."""
    run = await run_lists.by_public_id(db, public_id)
    job = await crawl_jobs.lock(db, run.job_id) if run is not None else None
    if run is None or job is None:
        raise NotFound(f"there is no run {public_id}", code="execution_not_found")
    if run.id not in await crawl_runs.lock_open(db, [run.id]):
        raise NotPossible(f"run {run.number} has ended; there is nothing to cancel", code="run_ended")
    await cancel_run(db, run.id, why=f"cancelled by {actor}", now=now)
    if job.state is JobState.RUNNING:
        await crawl_jobs.change(db, job.id, now=now, **_after_cancelled_run(job, actor=actor, now=now))
    source = await sources.get(db, run.source_id)
    subject = source.url if source is not None else str(run.source_id)
    await audit_log.write(db, actor=actor, action="run.cancel", subject=subject, now=now, after={"run": public_id})
    return run


def _after_cancelled_run(job: CrawlJob, *, actor: str, now: datetime) -> dict[str, Any]:
    if not job.recurring:
        state = lifecycle.after(job.state, Action.CANCEL)
        return {"state": state, "next_run_at": None, "next_run_reason": None}
    pace = job.pace or job.interval
    why = {"why": f"{actor} cancelled the run before; the next one is due after the usual interval"}
    state = lifecycle.after(job.state, Step.REPEAT)
    return {"state": state, "next_run_at": now + pace, "next_run_reason": why}


async def progress(db: Connection, run_id: int) -> Progress:
    """How far a run is."""
    run = await crawl_runs.get(db, run_id)
    if run is None:
        raise NotFound(f"there is no run {run_id}")
    known, still_open = await run_pages.count_of_run(db, run_id)
    return Progress(run=run, pages_known=known, pages_open=still_open)
