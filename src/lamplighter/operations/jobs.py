"""Crawl jobs: pause, resume, cancel, retry, run now, delete. What is refused says what is possible."""

from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl import job_keeper
from lamplighter.crawl.finish import cancel_run
from lamplighter.crawl.norms import Norms
from lamplighter.crawl.outlook import load_map
from lamplighter.errors import BadInput, NotFound
from lamplighter.model.crawl import CrawlJob, PauseReason
from lamplighter.operations import runs, takedowns
from lamplighter.rules import lifecycle, slots, urls
from lamplighter.rules.lifecycle import Action
from lamplighter.store import audit_log, crawl_jobs, crawl_runs, sources
from lamplighter.store.database import Connection

#: a resumed job is let in within this time, where the load is least
_LET_IN_WITHIN = timedelta(hours=1)
#: who wants a source left alone for longer disables it
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


async def pause(db: Connection, job: CrawlJob, *, actor: str, now: datetime, until: datetime | None = None) -> None:
    """Leaves a job alone until then, or until somebody resumes it; without a time automation will not."""
    state = lifecycle.after(job.state, Action.PAUSE)
    if until is not None and not now < until <= now + LONGEST_PAUSE:
        raise BadInput(f"a pause until {until:%Y-%m-%d %H:%M} UTC is out of range; use up to a year", field="until")
    await _change(db, job, Action.PAUSE, actor, now, state=state, pause_reason=PauseReason.USER, resume_at=until)


async def resume(db: Connection, job: CrawlJob, *, actor: str, now: datetime) -> datetime:
    """Lets a paused job go on, its failures forgotten; returns when it runs."""
    state = lifecycle.after(job.state, Action.RESUME)
    lifecycle.refuse_resume_of(job.pause_reason)
    at = await _let_in(db, job, now=now)
    go_on: dict[str, Any] = {"pause_reason": None, "resume_at": None, **job_keeper.NO_FAILURES}
    why = {"why": "it was resumed"}
    await _change(db, job, Action.RESUME, actor, now, state=state, next_run_at=at, next_run_reason=why, **go_on)
    return at


async def cancel(db: Connection, job: CrawlJob, *, actor: str, now: datetime) -> None:
    """Ends a job for good, and the run that goes on with it."""
    state = lifecycle.after(job.state, Action.CANCEL)
    await _change(db, job, Action.CANCEL, actor, now, state=state, **_NOTHING_PLANNED)
    await _cancel_run(db, job, actor=actor, now=now)


async def retry(db: Connection, job: CrawlJob, *, actor: str, now: datetime) -> None:
    """Gives a failed job all its tries anew, beginning now."""
    state = lifecycle.after(job.state, Action.RETRY)
    if (source := await sources.get(db, job.source_id)) is not None:
        await takedowns.refuse_run(db, source.url)
    why = {"why": "somebody asked for another try"}
    anew: dict[str, Any] = {"next_run_at": now, "next_run_reason": why, **job_keeper.NO_FAILURES}
    await _change(db, job, Action.RETRY, actor, now, state=state, **anew)


async def force_run(
    db: Connection, job: CrawlJob, *, actor: str, now: datetime, deadline: timedelta, norms: Norms
) -> int:
    """Opens a run at once, whatever the schedule says, and returns its id; a paused job runs this once."""
    run_id = await runs.run_now(db, job.source_id, now=now, deadline=deadline, norms=norms)
    await _note(db, job, "force_run", actor, now, after={"run": run_id})
    return run_id


async def delete(db: Connection, job: CrawlJob, *, actor: str, now: datetime) -> None:
    """Cancels a job and hides it; its history is kept, and automation does not make it again."""
    gone: dict[str, Any] = {"deleted_at": now}
    if job.state not in job_keeper.ENDED:
        gone |= {"state": lifecycle.after(job.state, Action.CANCEL), **_NOTHING_PLANNED}
    await crawl_jobs.change(db, job.id, now=now, **gone)
    await _cancel_run(db, job, actor=actor, now=now)
    await _note(db, job, "delete", actor, now, after={"deleted_at": now.isoformat()})


_NOTHING_PLANNED = {"next_run_at": None, "next_run_reason": None, "resume_at": None, "pause_reason": None}


async def _cancel_run(db: Connection, job: CrawlJob, *, actor: str, now: datetime) -> None:
    going_on = await crawl_runs.open_of_job(db, job.id)
    if going_on is not None:
        await cancel_run(db, going_on, why=f"cancelled by {actor}", now=now)


async def _let_in(db: Connection, job: CrawlJob, *, now: datetime) -> datetime:
    """When a resumed job runs: as planned if that is still to come, else soon, where the load is least."""
    if job.next_run_at is not None and job.next_run_at > now and not job.failure_count:
        return job.next_run_at
    pace = job.pace or job.interval
    latest = now + min(pace, _LET_IN_WITHIN)
    return slots.place(await load_map(db, now=now), at=now, pace=pace, earliest=now, latest=latest)


async def _change(db: Connection, job: CrawlJob, action: Action, actor: str, now: datetime, **values: Any) -> None:
    await crawl_jobs.change(db, job.id, now=now, **values)
    await _note(db, job, action, actor, now, after={"state": values["state"]})


async def _note(
    db: Connection, job: CrawlJob, action: str, actor: str, now: datetime, *, after: dict[str, Any]
) -> None:
    source = await sources.get(db, job.source_id)
    subject = source.url if source is not None else str(job.source_id)
    before = {"state": job.state}
    await audit_log.write(db, actor=actor, action=f"job.{action}", subject=subject, now=now, before=before, after=after)
