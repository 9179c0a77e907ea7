"""Crawl jobs: pause, resume, cancel, retry. What is refused says what is possible."""

from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.finish import cancel_run
from lamplighter.crawl.outlook import load_map
from lamplighter.errors import NotFound
from lamplighter.model.crawl import CrawlJob, PauseReason
from lamplighter.rules import lifecycle, slots, urls
from lamplighter.rules.lifecycle import Action
from lamplighter.store import audit_log, crawl_jobs, crawl_runs, sources
from lamplighter.store.database import Connection

#: a resumed job is let in within this time, where the load is least
_LET_IN_WITHIN = timedelta(hours=1)


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


async def pause(db: Connection, job: CrawlJob, *, actor: str, now: datetime) -> None:
    """Leaves a job alone until somebody resumes it; automation will not."""
    state = lifecycle.after(job.state, Action.PAUSE)
    await _change(db, job, Action.PAUSE, actor, now, state=state, pause_reason=PauseReason.USER, resume_at=None)


async def resume(db: Connection, job: CrawlJob, *, actor: str, now: datetime) -> datetime:
    """Lets a paused job go on, its failures forgotten; returns when it runs."""
    state = lifecycle.after(job.state, Action.RESUME)
    lifecycle.refuse_resume_of(job.pause_reason)
    at = await _let_in(db, job, now=now)
    await _change(
        db,
        job,
        Action.RESUME,
        actor,
        now,
        state=state,
        pause_reason=None,
        resume_at=None,
        retry_count=0,
        failure_count=0,
        backoff_until=None,
        next_run_at=at,
        next_run_reason={"why": "it was resumed"},
    )
    return at


async def cancel(db: Connection, job: CrawlJob, *, actor: str, now: datetime) -> None:
    """Ends a job for good, and the run that goes on with it."""
    state = lifecycle.after(job.state, Action.CANCEL)
    nothing = {"next_run_at": None, "next_run_reason": None, "resume_at": None, "pause_reason": None}
    await _change(db, job, Action.CANCEL, actor, now, state=state, **nothing)
    going_on = await crawl_runs.open_of_job(db, job.id)
    if going_on is not None:
        await cancel_run(db, going_on, why=f"cancelled by {actor}", now=now)


async def retry(db: Connection, job: CrawlJob, *, actor: str, now: datetime) -> None:
    """Gives a failed job all its tries anew, beginning now."""
    state = lifecycle.after(job.state, Action.RETRY)
    again: dict[str, Any] = {"retry_count": 0, "failure_count": 0, "backoff_until": None}
    why = {"why": "somebody asked for another try"}
    await _change(db, job, Action.RETRY, actor, now, state=state, next_run_at=now, next_run_reason=why, **again)


async def _let_in(db: Connection, job: CrawlJob, *, now: datetime) -> datetime:
    """When a resumed job runs: as planned if that is still to come, else soon, where the load is least."""
    if job.next_run_at is not None and job.next_run_at > now and not job.failure_count:
        return job.next_run_at
    pace = job.pace or job.interval
    latest = now + min(pace, _LET_IN_WITHIN)
    return slots.place(await load_map(db, now=now), at=now, pace=pace, earliest=now, latest=latest)


async def _change(db: Connection, job: CrawlJob, action: Action, actor: str, now: datetime, **values: Any) -> None:
    await crawl_jobs.change(db, job.id, now=now, **values)
    source = await sources.get(db, job.source_id)
    subject = source.url if source is not None else str(job.source_id)
    await audit_log.write(db, actor=actor, action=f"job.{action}", subject=subject, now=now)
