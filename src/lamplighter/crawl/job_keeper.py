"""Makes the crawl job of a source match the source. Every change of a source ends here, and does only this."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.finish import cancel_run
from lamplighter.crawl.norms import Norms, windows_of
from lamplighter.model.crawl import CrawlJob, JobState, PauseReason
from lamplighter.model.schedule import Bounds, PolicyName, Window
from lamplighter.rules import lifecycle, schedule, urls, window
from lamplighter.rules.lifecycle import Step
from lamplighter.rules.policies import learned, priority
from lamplighter.rules.urgency import urgency
from lamplighter.store import crawl_jobs, crawl_runs, host_times, hosts, sources
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow


async def match(db: Connection, source_id: int, *, norms: Norms, now: datetime) -> None:
    """Creates, pauses, resumes or re-times the job so that it says what the source says; harmless to repeat."""
    source = await sources.get(db, source_id)
    if source is None:  # its job went with it
        return
    job = await crawl_jobs.of_source(db, source_id)
    if job is None:
        if source.enabled:
            await create(db, source, norms=norms, now=now)
        return
    await _retime(db, job, source, norms=norms, now=now)
    if not source.enabled:
        await _stop(db, job, now=now)
    elif job.pause_reason is PauseReason.SOURCE_DISABLED:
        await _go_on(db, job, now=now)


async def create(db: Connection, source: SourceRow, *, norms: Norms, now: datetime) -> int:
    """The crawl job of a new source, due at once (or after the initial delay of its priority), and its id."""
    host_id = await _host_id(db, source, now=now)
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


def _is_by_priority(source: SourceRow, norms: Norms) -> bool:
    return (source.policy or norms.policy) == PolicyName.PRIORITY


async def _retime(db: Connection, job: CrawlJob, source: SourceRow, *, norms: Norms, now: datetime) -> None:
    """Takes over what bears on the schedule, and plans anew only when that is something else than before."""
    host_id = job.host_id if job.host_id is not None else await _host_id(db, source, now=now)
    host = (await host_times.many(db, [host_id])).get(host_id)
    interval = timedelta(seconds=int(norms.baseline(source, host).total_seconds()))
    changes: dict[str, Any] = {}
    if (job.interval, job.recurring, job.host_id) != (interval, source.recurring, host_id):
        changes |= {
            "interval_seconds": int(interval.total_seconds()),
            "recurring": source.recurring,
            "host_id": host_id,
        }
    if job.priority != source.priority:
        lane = urgency(weight=learned.weight(source.priority), learnt=job.learnt, due_at=job.next_run_at or now)
        changes |= {"priority": source.priority, "urgency": lane}
    changes |= _planned_anew(job, source, interval, bounds=norms.bounds_of(source, interval), now=now)
    changes |= _within_windows(replace(job, **_plan_of(changes)), windows_of(source, host), now=now)
    if changes:
        await crawl_jobs.change(db, job.id, now=now, **changes)


async def _host_id(db: Connection, source: SourceRow, *, now: datetime) -> int:
    host_key = urls.parse(source.url).host_key
    return (await hosts.ensure(db, [host_key], now=now))[host_key]


def _planned_anew(
    job: CrawlJob, source: SourceRow, interval: timedelta, *, bounds: Bounds, now: datetime
) -> dict[str, Any]:
    """Another next run, if the job was planned by an interval, a policy or bounds that hold no more."""
    if job.state is not JobState.SCHEDULED or job.failure_count or job.next_run_at is None:
        return {}
    pace = job.pace or interval
    last = job.learnt.visited_at if job.learnt is not None and job.learnt.visited_at is not None else now
    soonest = max(now, last + min(max(interval, bounds.least), bounds.most))
    if interval != job.interval and soonest < job.next_run_at:
        return {"next_run_at": soonest, "next_run_reason": {"why": "its interval was changed"}}
    if source.policy is not None and _planned_by(job) not in (None, source.policy) and soonest < job.next_run_at:
        return {"next_run_at": soonest, "next_run_reason": {"why": "its policy was changed"}}
    earliest, latest = last + bounds.least, max(now, last + bounds.most)
    if (pace > bounds.most and latest < job.next_run_at) or (pace < bounds.least and job.next_run_at < earliest):
        within = min(max(job.next_run_at, earliest), latest)
        return {"next_run_at": within, "next_run_reason": {"why": "its bounds were changed"}}
    return {}


def _plan_of(changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: changes[name] for name in ("next_run_at", "next_run_reason") if name in changes}


def _within_windows(job: CrawlJob, windows: Sequence[Sequence[Window]], *, now: datetime) -> dict[str, Any]:
    """The opening that a planned run waits for since a window was set; what is due already, the scheduler puts back."""
    if job.state is not JobState.SCHEDULED or job.next_run_at is None or job.next_run_at <= now:
        return {}
    opening = window.next_opening_of(windows, job.next_run_at)
    if opening is None or opening == job.next_run_at:
        return {}
    step = schedule.opening_step(opening, planned_at=job.next_run_at)
    return {"next_run_at": opening, "next_run_reason": schedule.postponed(job.next_run_reason, step)}


def _planned_by(job: CrawlJob) -> str | None:
    """The policy that chose the next run; None when it was something else."""
    steps = (job.next_run_reason or {}).get("steps") or [{}]
    policy: str | None = steps[0].get("policy")
    return policy


async def _stop(db: Connection, job: CrawlJob, *, now: datetime) -> None:
    """A source that is disabled is not asked any more, not even by the run that goes on."""
    # What rests until automation wakes it must not be woken while its source is disabled.
    is_to_be_woken = job.state is JobState.PAUSED and job.pause_reason in lifecycle.ENDING_BY_THEMSELVES
    if job.state not in (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING) and not is_to_be_woken:
        return
    state = lifecycle.after(job.state, Step.REST)
    await crawl_jobs.change(db, job.id, now=now, state=state, pause_reason=PauseReason.SOURCE_DISABLED, resume_at=None)
    going_on = await crawl_runs.open_of_job(db, job.id)
    if going_on is not None:
        await cancel_run(db, going_on, why="its source was disabled", now=now)


async def _go_on(db: Connection, job: CrawlJob, *, now: datetime) -> None:
    """Undoes what disabling did, and nothing else."""
    await crawl_jobs.change(
        db,
        job.id,
        now=now,
        state=lifecycle.after(job.state, Step.BEGIN_AGAIN),
        pause_reason=None,
        next_run_at=now,
        next_run_reason={"why": "its source was enabled"},
    )
