"""Decides how a crawl job must change to match its source, its tags and a person's settings. Pure functions."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import NamedTuple

from lamplighter.crawl.planning.source_defaults import SourceDefaults, windows_of
from lamplighter.model.crawl import CrawlJob, JobChange, JobState, PauseReason
from lamplighter.model.schedule import IntervalBounds, PolicyName, Window
from lamplighter.model.source import Source
from lamplighter.rules.schedule import lifecycle, reasons, schedule, window
from lamplighter.rules.schedule.lifecycle import JobAction, JobStep
from lamplighter.rules.schedule.policies import learned, priority
from lamplighter.rules.schedule.urgency import urgency
from lamplighter.store.hosts.host_times import HostTimes
from lamplighter.store.jobs.crawl_jobs import NewJob

#: states that a job does not leave by itself
ENDED = (JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)
RECURS = "it is now recurring"
_RESTORED = "its source was restored"
_DISABLED = "its source was disabled"


class JobChangeResult(StrEnum):
    """How a job changed."""

    CREATED = "created"
    RETIMED = "retimed"
    PAUSED = "paused"
    RESUMED = "resumed"
    #: its source was deleted, and it was still alive
    ORPHANED = "orphaned"
    #: its run was ended; the job itself did not change
    STOPPED = "stopped"


class JobUpdate(NamedTuple):
    """The update of one job."""

    became: JobChangeResult
    job: JobChange = JobChange()
    #: why the open run is ended; None lets it continue
    ends_run: str | None = None


def wants_job(source: Source, source_defaults: SourceDefaults) -> bool:
    """Whether a source without a job gets one."""
    return source.enabled and source.deleted_at is None and source_defaults.auto_manage


def new_job(
    source: Source, host_id: int, host: HostTimes | None, *, source_defaults: SourceDefaults, now: datetime
) -> NewJob:
    """Builds the job of a new source, due at once or after the initial delay of its priority."""
    is_by_priority = (source.policy or source_defaults.policy) == PolicyName.PRIORITY
    delay = priority.initial_delay(source.priority) if is_by_priority else timedelta(0)
    return NewJob(
        source_id=source.id,
        priority=source.priority,
        interval=source_defaults.baseline(source),
        recurring=source.recurring,
        host_id=host_id,
        urgency=urgency(weight=learned.weight(source.priority), learnt=None, due_at=now),
        next_run_at=now + delay,
        next_run_reason={"why": f"its first run waits {reasons.span(delay.total_seconds())}, by its priority"}
        if delay
        else None,
    )


def change_of(
    job: CrawlJob,
    source: Source,
    host_id: int,
    host: HostTimes | None,
    *,
    run_since: datetime | None,
    source_defaults: SourceDefaults,
    now: datetime,
) -> JobUpdate | None:
    """Decides how the job must change to match its effective source; None if it matches already.

    Does not change a job that a person deleted, nor end a person's pause. `run_since` is when the open run
    started; None without one.
    """
    if job.deleted_at is not None:
        return None
    if source.deleted_at is not None:
        return _ended(job)
    timing = retimed(job, source, host_id, host, source_defaults=source_defaults, now=now)
    moved = _stopped(job, source, run_since) if not source.enabled else _going_on(job, source, now=now)
    if moved is not None:
        return moved._replace(job=timing | moved.job) if timing is not None else moved
    return JobUpdate(JobChangeResult.RETIMED, timing) if timing is not None else None


def is_to_recur(job: CrawlJob, source: Source) -> bool:
    """Whether a completed one-time job must run again because its source now recurs."""
    return job.state is JobState.COMPLETED and source.recurring


def begun_again(job: CrawlJob, *, why: str, now: datetime) -> JobChange:
    """The change that restarts a paused or ended job, due at once."""
    return JobChange(
        state=_state_anew(job), pause_reason=None, resume_at=None, next_run_at=now, next_run_reason={"why": why}
    )


def _state_anew(job: CrawlJob) -> JobState:
    return lifecycle.after(job.state, JobStep.BEGIN_AGAIN)


def _going_on(job: CrawlJob, source: Source, *, now: datetime) -> JobUpdate | None:
    """Restarts a job that was stopped automatically because of its source; it is enabled."""
    if is_to_recur(job, source):
        return JobUpdate(JobChangeResult.RESUMED, begun_again(job, why=RECURS, now=now))
    if job.pause_reason is PauseReason.SOURCE_DISABLED:
        return JobUpdate(JobChangeResult.RESUMED, begun_again(job, why="its source was enabled", now=now))
    if job.pause_reason is PauseReason.SOURCE_DELETED:
        return JobUpdate(JobChangeResult.RESUMED, begun_again(job, why=_RESTORED, now=now))
    if job.state is JobState.CANCELLED and job.pause_reason is PauseReason.USER:
        # A person had paused it before its source was deleted: it comes back with that pause.
        anew = begun_again(job, why=_RESTORED, now=now)
        paused = JobChange(state=lifecycle.after(_state_anew(job), JobAction.PAUSE), pause_reason=PauseReason.USER)
        return JobUpdate(JobChangeResult.PAUSED, anew | paused)
    return None


def _stopped(job: CrawlJob, source: Source, run_since: datetime | None) -> JobUpdate | None:
    """Pauses the job of a disabled source and ends its open run."""
    # A pause that ends by itself must not end while the source is disabled.
    is_to_be_woken = job.state is JobState.PAUSED and job.pause_reason in lifecycle.ENDING_BY_THEMSELVES
    if job.state in (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING) or is_to_be_woken:
        state = lifecycle.after(job.state, JobStep.REST)
        paused = JobChange(state=state, pause_reason=PauseReason.SOURCE_DISABLED, resume_at=None)
        return JobUpdate(JobChangeResult.PAUSED, paused, _DISABLED)
    # A paused job may have been forced to run. Before the source was disabled: that run ends. After: it is wanted.
    is_to_end = run_since is not None and source.disabled_at is not None and run_since < source.disabled_at
    return JobUpdate(JobChangeResult.STOPPED, ends_run=_DISABLED) if is_to_end else None


def _ended(job: CrawlJob) -> JobUpdate | None:
    """Cancels the job of a deleted source; a job that had ended stays unchanged."""
    if job.state in ENDED:
        return None
    # Remember a person's pause: restoring the source must not undo it.
    reason = PauseReason.USER if job.pause_reason is PauseReason.USER else PauseReason.SOURCE_DELETED
    ended = JobChange(
        state=lifecycle.after(job.state, JobAction.CANCEL),
        pause_reason=reason,
        next_run_at=None,
        next_run_reason=None,
        resume_at=None,
    )
    return JobUpdate(JobChangeResult.ORPHANED, ended, "its source was deleted")


def retimed(
    job: CrawlJob,
    source: Source,
    host_id: int,
    host: HostTimes | None,
    *,
    source_defaults: SourceDefaults,
    now: datetime,
) -> JobChange | None:
    """The job's changed schedule fields for its effective source; None if nothing changes."""
    interval = timedelta(seconds=int(source_defaults.baseline(source).total_seconds()))
    changes: list[JobChange] = []
    if (job.interval, job.recurring, job.host_id) != (interval, source.recurring, host_id):
        changes.append(JobChange(interval=interval, recurring=source.recurring, host_id=host_id))
    if job.priority != source.priority:
        lane = urgency(weight=learned.weight(source.priority), learnt=job.learnt, due_at=job.next_run_at or now)
        changes.append(JobChange(priority=source.priority, urgency=lane))
    bounds, policy = source_defaults.bounds_of(source, interval), source_defaults.policy_of(source)
    planned = _planned_anew(job, source, interval, policy=policy, bounds=bounds, now=now)
    if planned is not None:
        changes.append(planned)
        job = replace(job, **planned.said())
    within = _within_windows(job, windows_of(source, host), now=now)
    if within is not None:
        changes.append(within)
    return reduce(or_, changes) if changes else None


def _planned_anew(
    job: CrawlJob, source: Source, interval: timedelta, *, policy: PolicyName, bounds: IntervalBounds, now: datetime
) -> JobChange | None:
    """A new next run if the interval, policy or bounds that the job was planned by have changed."""
    is_waiting = job.state in (JobState.SCHEDULED, JobState.PAUSED) and not (job.failure_count or job.retry_count)
    if not is_waiting or job.next_run_at is None:
        return None
    pace = job.pace or interval
    last = job.learnt.visited_at if job.learnt is not None and job.learnt.visited_at is not None else now
    usual = min(max(interval, bounds.least), bounds.most)
    at = max(now, last + usual)
    # The learned policy knows a better time than its baseline, unless a person sets the interval, or did so before.
    is_set = source.interval is not None or _was_set(job)
    if at < job.next_run_at or (at > job.next_run_at and (is_set or policy is not PolicyName.LEARNED)):
        whose = " by a person" if source.interval is not None else ""
        if interval != job.interval:
            why = f"its interval was changed: set to {reasons.span(interval.total_seconds())}{whose}"
            return JobChange(next_run_at=at, next_run_reason={"why": why}, pace=usual)
        if source.policy is not None and _planned_by(job) not in (None, source.policy):
            return JobChange(next_run_at=at, next_run_reason={"why": f"its policy was changed to {source.policy}"})
    earliest, latest = last + bounds.least, max(now, last + bounds.most)
    if (pace > bounds.most and latest < job.next_run_at) or (pace < bounds.least and job.next_run_at < earliest):
        within = min(max(job.next_run_at, earliest), latest)
        return JobChange(next_run_at=within, next_run_reason={"why": "its bounds were changed"})
    return None


def _within_windows(job: CrawlJob, windows: Sequence[Sequence[Window]], *, now: datetime) -> JobChange | None:
    """Moves a planned run to the next window opening; the scheduler postpones jobs that are already due."""
    if job.state is not JobState.SCHEDULED or job.next_run_at is None or job.next_run_at <= now:
        return None
    opening = window.next_opening_of(windows, job.next_run_at)
    if opening is None or opening == job.next_run_at:
        return None
    step = schedule.opening_step(opening, planned_at=job.next_run_at)
    return JobChange(next_run_at=opening, next_run_reason=schedule.postponed(job.next_run_reason, step))


def _was_set(job: CrawlJob) -> bool:
    """Whether the next run was planned by an interval that a person set."""
    reason = job.next_run_reason or {}
    steps = reason.get("steps") or [{}]
    return "set_seconds" in steps[0] or str(reason.get("why", "")).endswith("by a person")


def _planned_by(job: CrawlJob) -> str | None:
    """The policy that chose the next run; None if none did."""
    steps = (job.next_run_reason or {}).get("steps") or [{}]
    policy: str | None = steps[0].get("policy")
    return policy
