"""Crawl jobs: pause, resume, stop, cancel, retry, run now, delete. What is refused says what is possible."""

from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.planning.outlook import load_map
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.crawl.runs.run_finish import cancel_run
from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob, JobChange, JobState, PauseReason
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.runs import runs
from lamplighter.rules.schedule import lifecycle, slots
from lamplighter.rules.schedule.lifecycle import JobAction
from lamplighter.rules.sources import source_state
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs
from lamplighter.store.sources import sources

#: a resumed job is let in within this time, where the load is least
_LET_IN_WITHIN = timedelta(hours=1)
#: for longer than this, disable the source
LONGEST_PAUSE = timedelta(days=366)


async def find(db: Connection, url: str) -> CrawlJob:
    """The crawl job of the source that watches this URL, held until the transaction ends."""
    source = await sources.by_url(db, urls.normalise(url))
    if source is None:
        raise NotFound(f"no source watches {url}; `lamplighter sources list` shows them")
    job = await crawl_jobs.of_source(db, source.id)
    held = await crawl_jobs.lock(db, job.id) if job is not None else None
    if held is None:
        raise NotFound(f"{url} has no crawl job yet; a running service makes one within seconds of enabling the source")
    return held


async def get(db: Connection, public_id: str) -> CrawlJob:
    """The crawl job with this id, held until the transaction ends; those that are in no list are not found."""
    job = await crawl_jobs.by_public_id(db, public_id)
    if job is None or job.deleted_at is not None or job.pause_reason is PauseReason.TASKS:
        raise NotFound(f"there is no crawl job {public_id}; GET /api/v1/jobs lists them", code="job_not_found")
    return job


async def pause(
    db: Connection, job: CrawlJob, *, stamp: Stamp, until: datetime | None = None, stop_run: bool = False
) -> None:
    """Pauses a job until then, or without a time until an operator resumes it; its open run ends by itself, or now."""
    state = lifecycle.after(job.state, JobAction.PAUSE)
    if until is not None and not stamp.now < until <= stamp.now + LONGEST_PAUSE:
        raise BadInput(f"a pause until {until:%Y-%m-%d %H:%M} UTC is out of range; use up to a year", field="until")
    paused = JobChange(pause_reason=PauseReason.USER, resume_at=until)
    await _change(db, job, JobAction.PAUSE, stamp, state, paused)
    if stop_run:
        await _cancel_run(db, job, why=f"stopped by {stamp.actor}", stamp=stamp)


async def stop(db: Connection, job: CrawlJob, *, stamp: Stamp) -> None:
    """Ends the open run of a job now; the job goes on as planned, a paused one stays paused."""
    run_id = await crawl_runs.open_of_job(db, job.id)
    run = await crawl_runs.get(db, run_id) if run_id is not None else None
    if run is None:
        raise NotPossible(
            f"this crawl job has no active run, so there is nothing to stop; it is {job.state}",
            code="run_ended",
            possible=lifecycle.actions_of(job.state, job.pause_reason, status=source_state.status_of_job(job)),
        )
    await runs.cancel(db, run.public_id, stamp=stamp, verb="stopped")


async def resume(db: Connection, job: CrawlJob, *, stamp: Stamp) -> datetime:
    """Resumes a paused job and resets its failures; returns when it runs."""
    state = lifecycle.after(job.state, JobAction.RESUME)
    lifecycle.refuse_resume_of(job.pause_reason)
    at = await _let_in(db, job, now=stamp.now)
    resumed = JobChange(pause_reason=None, resume_at=None, next_run_at=at, next_run_reason={"why": "it was resumed"})
    await _change(db, job, JobAction.RESUME, stamp, state, resumed | job_keeper.NO_FAILURES)
    return at


async def cancel(db: Connection, job: CrawlJob, *, stamp: Stamp) -> None:
    """Cancels a job and its open run."""
    state = lifecycle.after(job.state, JobAction.CANCEL)
    await _change(db, job, JobAction.CANCEL, stamp, state, _NOTHING_PLANNED)
    await _cancel_run(db, job, why=f"cancelled by {stamp.actor}", stamp=stamp)


async def retry(db: Connection, job: CrawlJob, *, stamp: Stamp) -> None:
    """Gives a job whose runs fail all its tries anew, beginning now."""
    state = lifecycle.after_retry(job.state, status=source_state.status_of_job(job))
    if (source := await sources.get(db, job.source_id)) is not None:
        await takedowns.refuse_run(db, source.url)
    why = {"why": "an operator requested a retry"}
    anew = JobChange(next_run_at=stamp.now, next_run_reason=why, pause_reason=None, resume_at=None)
    await _change(db, job, JobAction.RETRY, stamp, state, anew | job_keeper.NO_FAILURES)


async def force_run(
    db: Connection, job: CrawlJob, *, stamp: Stamp, deadline: timedelta, source_defaults: SourceDefaults
) -> int:
    """Opens a run at once, whatever the schedule says, and returns its id; a paused job runs this once."""
    run_id = await runs.run_now(db, job.source_id, now=stamp.now, deadline=deadline, source_defaults=source_defaults)
    await _note(db, job, "force_run", stamp, after={"run": run_id})
    return run_id


async def delete(db: Connection, job: CrawlJob, *, stamp: Stamp) -> None:
    """Cancels a job and hides it; its history is kept, and automation does not make it again."""
    gone = JobChange(deleted_at=stamp.now)
    if job.state not in job_keeper.ENDED:
        gone |= JobChange(state=lifecycle.after(job.state, JobAction.CANCEL)) | _NOTHING_PLANNED
    await crawl_jobs.change(db, job.id, gone, now=stamp.now)
    await _cancel_run(db, job, why=f"cancelled by {stamp.actor}", stamp=stamp)
    await _note(db, job, "delete", stamp, after={"deleted_at": stamp.now.isoformat()})


_NOTHING_PLANNED = JobChange(next_run_at=None, next_run_reason=None, resume_at=None, pause_reason=None)


async def _cancel_run(db: Connection, job: CrawlJob, *, why: str, stamp: Stamp) -> None:
    going_on = await crawl_runs.open_of_job(db, job.id)
    if going_on is not None:
        await cancel_run(db, going_on, why=why, now=stamp.now)


async def _let_in(db: Connection, job: CrawlJob, *, now: datetime) -> datetime:
    """When a resumed job runs: as planned if that is still to come, else soon, where the load is least."""
    if job.next_run_at is not None and job.next_run_at > now and not job.failure_count:
        return job.next_run_at
    pace = job.pace or job.interval
    latest = now + min(pace, _LET_IN_WITHIN)
    return slots.place(await load_map(db, now=now), at=now, pace=pace, earliest=now, latest=latest)


async def _change(
    db: Connection, job: CrawlJob, action: JobAction, stamp: Stamp, state: JobState, change: JobChange
) -> None:
    await crawl_jobs.change(db, job.id, change | JobChange(state=state), now=stamp.now)
    await _note(db, job, action, stamp, after={"state": state})


async def _note(db: Connection, job: CrawlJob, action: str, stamp: Stamp, *, after: dict[str, Any]) -> None:
    source = await sources.get(db, job.source_id)
    subject = source.url if source is not None else str(job.source_id)
    await audit_log.write(db, stamp, f"job.{action}", subject, before={"state": job.state}, after=after)
