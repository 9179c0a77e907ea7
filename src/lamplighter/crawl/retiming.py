"""What changes in a crawl job when its source, its tags or a person say something else about its schedule?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.norms import Norms, windows_of
from lamplighter.model.crawl import CrawlJob, JobState
from lamplighter.model.schedule import Bounds, Window
from lamplighter.rules import schedule, window
from lamplighter.rules.policies import learned
from lamplighter.rules.urgency import urgency
from lamplighter.store.host_times import HostTimes
from lamplighter.store.sources import SourceRow


def retimed(
    job: CrawlJob, source: SourceRow, host_id: int, host: HostTimes | None, *, norms: Norms, now: datetime
) -> dict[str, Any]:
    """The columns of the job that are to be something else, for a source as it holds for this job."""
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
    return changes


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
