"""Makes the crawl job of a source match the source. Every change of a source ends here, and does only this."""

from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl import effective
from lamplighter.crawl.finish import cancel_run
from lamplighter.crawl.norms import Norms
from lamplighter.crawl.retiming import host_id_of, retimed
from lamplighter.model.crawl import CrawlJob, JobState, PauseReason
from lamplighter.model.schedule import PolicyName
from lamplighter.rules import lifecycle
from lamplighter.rules.lifecycle import Action, Step
from lamplighter.rules.policies import learned, priority
from lamplighter.rules.urgency import urgency
from lamplighter.store import crawl_jobs, crawl_runs, host_times, sources
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow

#: states that a job does not leave by itself
ENDED = (JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)


async def match(db: Connection, source_id: int, *, norms: Norms, now: datetime) -> None:
    """Creates, pauses, resumes, ends or re-times the job so that it says what the source says; harmless to repeat.

    Two kinds are left alone: a job that a person deleted, and that of a source which is not crawled from its URL.
    """
    source = await sources.get(db, source_id)
    if source is None or source.is_implicit:  # its job went with it, or is not ours
        return
    job = await crawl_jobs.of_source(db, source_id)
    if job is None:
        if source.enabled and source.deleted_at is None:
            await create(db, source, norms=norms, now=now)
        return
    if job.deleted_at is not None:
        return
    if source.deleted_at is not None:
        await _end(db, job, now=now)
        return
    await retime(db, job, norms=norms, now=now)
    if not source.enabled:
        await _stop(db, job, now=now)
    elif job.pause_reason is PauseReason.SOURCE_DISABLED:
        await begin_again(db, job, why="its source was enabled", now=now)
    elif job.pause_reason is PauseReason.SOURCE_DELETED:
        await begin_again(db, job, why="its source was restored", now=now)
    elif job.state is JobState.CANCELLED and job.pause_reason is PauseReason.USER:
        await begin_again(db, job, why="its source was restored", now=now, **_paused_as_before(job))


async def create(db: Connection, source: SourceRow, *, norms: Norms, now: datetime) -> int:
    """The crawl job of a new source, due at once (or after the initial delay of its priority), and its id."""
    source = await effective.of_source(db, source, default=norms.policy)
    host_id = await host_id_of(db, source, now=now)
    host = (await host_times.many(db, [host_id])).get(host_id)
    delay = priority.initial_delay(source.priority) if _is_by_priority(source, norms) else timedelta(0)
    return await crawl_jobs.add(
        db,
        source_id=source.id,
        priority=source.priority,
        interval=norms.baseline(source, host),
        recurring=source.recurring,
        host_id=host_id,
        urgency=urgency(weight=learned.weight(source.priority), learnt=None, due_at=now),
        next_run_at=now + delay,
        now=now,
    )


async def retime(db: Connection, job: CrawlJob, *, norms: Norms, now: datetime) -> None:
    """Takes over what bears on the schedule, and plans anew only when that is something else than before."""
    source = await effective.of_job(db, job, default=norms.policy)
    changes = await retimed(db, job, source, norms=norms, now=now)
    if changes:
        await crawl_jobs.change(db, job.id, now=now, **changes)


async def begin_again(db: Connection, job: CrawlJob, *, why: str, now: datetime, **more: Any) -> None:
    """Has a job that rested or had ended begin from the start, at once."""
    anew = {"state": lifecycle.after(job.state, Step.BEGIN_AGAIN), "pause_reason": None, "resume_at": None}
    plan = {"next_run_at": now, "next_run_reason": {"why": why}}
    await crawl_jobs.change(db, job.id, now=now, **(anew | plan | more))


async def bring_back(db: Connection, source_id: int, *, asked_at: datetime, now: datetime) -> None:
    """Enabling a source is asking for its job, even if somebody had deleted that before; it is automatic again."""
    job = await crawl_jobs.of_source(db, source_id)
    if job is None or job.deleted_at is None or job.deleted_at > asked_at:
        return
    automatic = {"deleted_at": None, "auto_managed": True, "override": None}
    await begin_again(db, job, why="its source was enabled", now=now, **automatic, **NO_FAILURES)


#: what is forgotten when somebody asks for a new beginning
NO_FAILURES = {"retry_count": 0, "failure_count": 0, "backoff_until": None}


def _is_by_priority(source: SourceRow, norms: Norms) -> bool:
    return (source.policy or norms.policy) == PolicyName.PRIORITY


async def _stop(db: Connection, job: CrawlJob, *, now: datetime) -> None:
    """A source that is disabled is not asked any more, not even by the run that goes on."""
    # What rests until automation wakes it must not be woken while its source is disabled.
    is_to_be_woken = job.state is JobState.PAUSED and job.pause_reason in lifecycle.ENDING_BY_THEMSELVES
    if job.state not in (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING) and not is_to_be_woken:
        return
    state = lifecycle.after(job.state, Step.REST)
    await crawl_jobs.change(db, job.id, now=now, state=state, pause_reason=PauseReason.SOURCE_DISABLED, resume_at=None)
    await _end_run(db, job, why="its source was disabled", now=now)


async def _end(db: Connection, job: CrawlJob, *, now: datetime) -> None:
    """The job of a deleted source is cancelled; what had ended before stays as it ended."""
    if job.state in ENDED:
        return
    state = lifecycle.after(job.state, Action.CANCEL)
    nothing = {"next_run_at": None, "next_run_reason": None, "resume_at": None}
    # That a person had paused it is remembered: restoring the source must not undo that.
    reason = PauseReason.USER if job.pause_reason is PauseReason.USER else PauseReason.SOURCE_DELETED
    await crawl_jobs.change(db, job.id, now=now, state=state, pause_reason=reason, **nothing)
    await _end_run(db, job, why="its source was deleted", now=now)


def _paused_as_before(job: CrawlJob) -> dict[str, Any]:
    """A job that a person had paused before its source was deleted begins again with that pause."""
    anew = lifecycle.after(job.state, Step.BEGIN_AGAIN)
    return {"state": lifecycle.after(anew, Action.PAUSE), "pause_reason": PauseReason.USER}


async def _end_run(db: Connection, job: CrawlJob, *, why: str, now: datetime) -> None:
    going_on = await crawl_runs.open_of_job(db, job.id)
    if going_on is not None:
        await cancel_run(db, going_on, why=why, now=now)
