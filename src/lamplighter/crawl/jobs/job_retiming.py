"""Decides how a crawl job changes when its source, its tags or a person change its schedule settings."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import reduce
from operator import or_

from lamplighter.crawl.planning.source_defaults import SourceDefaults, windows_of
from lamplighter.model.crawl import CrawlJob, JobChange, JobState
from lamplighter.model.schedule import IntervalBounds, Window
from lamplighter.model.source import Source
from lamplighter.rules.schedule import schedule, window
from lamplighter.rules.schedule.policies import learned
from lamplighter.rules.schedule.urgency import urgency
from lamplighter.store.hosts.host_times import HostTimes


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
    interval = timedelta(seconds=int(source_defaults.baseline(source, host).total_seconds()))
    changes: list[JobChange] = []
    if (job.interval, job.recurring, job.host_id) != (interval, source.recurring, host_id):
        changes.append(JobChange(interval=interval, recurring=source.recurring, host_id=host_id))
    if job.priority != source.priority:
        lane = urgency(weight=learned.weight(source.priority), learnt=job.learnt, due_at=job.next_run_at or now)
        changes.append(JobChange(priority=source.priority, urgency=lane))
    planned = _planned_anew(job, source, interval, bounds=source_defaults.bounds_of(source, interval), now=now)
    if planned is not None:
        changes.append(planned)
        job = replace(job, **planned.said())
    within = _within_windows(job, windows_of(source, host), now=now)
    if within is not None:
        changes.append(within)
    return reduce(or_, changes) if changes else None


def _planned_anew(
    job: CrawlJob, source: Source, interval: timedelta, *, bounds: IntervalBounds, now: datetime
) -> JobChange | None:
    """A new next run if the interval, policy or bounds that the job was planned by have changed."""
    if job.state is not JobState.SCHEDULED or job.failure_count or job.next_run_at is None:
        return None
    pace = job.pace or interval
    last = job.learnt.visited_at if job.learnt is not None and job.learnt.visited_at is not None else now
    soonest = max(now, last + min(max(interval, bounds.least), bounds.most))
    if interval != job.interval and soonest < job.next_run_at:
        return JobChange(next_run_at=soonest, next_run_reason={"why": "its interval was changed"})
    if source.policy is not None and _planned_by(job) not in (None, source.policy) and soonest < job.next_run_at:
        return JobChange(next_run_at=soonest, next_run_reason={"why": "its policy was changed"})
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


def _planned_by(job: CrawlJob) -> str | None:
    """The policy that chose the next run; None if none did."""
    steps = (job.next_run_reason or {}).get("steps") or [{}]
    policy: str | None = steps[0].get("policy")
    return policy
