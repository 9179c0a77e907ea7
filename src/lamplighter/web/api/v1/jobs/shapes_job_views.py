"""Response models of crawl jobs: one job, job health, figures."""

from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.model import window_json
from lamplighter.model.crawl import CrawlJob, JobState, PauseReason, SourceState
from lamplighter.model.schedule import PolicyName, WindowKind
from lamplighter.operations.jobs.job_health import JobHealth, JobOverview
from lamplighter.operations.jobs.job_views import JobView
from lamplighter.rules.schedule import lifecycle, reasons, window_text
from lamplighter.web.api.envelope import WaitingOut, taken_from, waiting_out
from lamplighter.web.api.v1.runs.executions import (
    STATUS_WORDS,
    RecentExecution,
    RunWord,
    recent,
)

_UNITS = {"minutes": timedelta(minutes=1), "hours": timedelta(hours=1), "days": timedelta(days=1)}
_WAITING = (JobState.PENDING, JobState.SCHEDULED)
#: fields that have the same name there
_OF_JOB = ("max_retries", "auto_managed", "priority", "failure_count", "backoff_until")
_OF_VIEW = ("policy", "last_failure_at", "metadata", "created_at", "updated_at")


class JobOut(BaseModel):
    """A crawl job."""

    id: UUID
    source_id: UUID
    source_name: str
    url: str
    status: JobState = Field(description="A job whose runs fail is failed, whenever it is tried again.")
    state: SourceState = Field(description="How its source is doing, in the words of GET /jobs/stats.")
    #: what it waits for, if it should run and its host gets no requests; null when it does not wait
    waiting: WaitingOut | None
    #: the interval as set; null for a job that runs once
    interval_minutes: int | float | None
    #: the unit in which it was given, and its number in that unit
    interval_type: Literal["minutes", "hours", "days"]
    interval_value: int | float | None
    schedule_enabled: bool
    next_run_at: datetime | None
    #: the reason for next_run_at: as text, and as data
    next_run_reason: str | None = Field(examples=["every 60 min · +2.1% jitter"])
    next_run_explanation: dict[str, Any] | None = Field(
        examples=[{"steps": [{"step": "policy", "policy": "learned", "seconds": 3600.0}]}]
    )
    adaptive_scheduling: bool
    policy: PolicyName
    #: the interval that the scheduling policy last chose
    current_interval_minutes: int | float | None
    is_paused: bool
    paused_at: datetime | None
    pause_reason: PauseReason | None
    cancelled_at: datetime | None
    max_retries: int
    retry_backoff_seconds: int
    current_retry_count: int
    auto_managed: bool
    priority: int
    max_concurrent: int = Field(description="Always 1: a job has one run at a time.")
    failure_count: int
    last_failure_at: datetime | None
    backoff_until: datetime | None
    crawl_window_start: int | None
    crawl_window_end: int | None
    windows: list[dict[str, Any]] = Field(
        examples=[[{"kind": "allow", "days": ["mon", "tue"], "start": "22:00", "end": "05:00", "zone": "UTC"}]]
    )
    metadata: dict[str, Any] | None
    #: the actions that are possible now
    actions: list[str] = Field(examples=[["pause", "cancel", "force-run"]])
    created_at: datetime
    updated_at: datetime


class ForcedOut(JobOut):
    """A job with a forced run."""

    execution_id: UUID
    #: what follows, in a sentence
    message: str = Field(examples=["The run was started."])


class JobHealthOut(BaseModel):
    """The health of a job."""

    status: SourceState
    last_run_at: datetime | None
    last_run_status: RunWord | None
    last_24h_runs: int
    last_24h_failures: int
    last_24h_articles: int
    success_rate: float | None
    avg_duration_seconds: float | None


class BySourceOut(BaseModel):
    """The job of a source, and its health."""

    job: JobOut
    health: JobHealthOut
    recent_executions: list[RecentExecution]


class HealthCounts(BaseModel):
    """Sources by state; the numbers add up to total_sources."""

    never_run: int
    running: int
    waiting: int = Field(description="Due or running, but their host gets no requests now.")
    healthy: int = Field(description="Their last run succeeded.")
    warning: int
    failing: int
    blocked: int = Field(description="By robots.txt or a takedown.")
    paused: int
    disabled: int
    failed: int = Field(description="The same number as failing.")


class LastDay(BaseModel):
    """Figures of the last 24 hours."""

    total_runs: int = taken_from("runs")
    successful_runs: int = taken_from("ok")
    failed_runs: int = taken_from("failed")
    articles_extracted: int = taken_from("articles")
    success_rate: float | None


class Throughput(BaseModel):
    """Hourly figures."""

    articles_per_hour: float
    runs_per_hour: float


class StatsOut(BaseModel):
    """Figures of all jobs."""

    total_sources: int
    total_jobs: int
    jobs_by_status: dict[str, int]
    health: HealthCounts
    last_24h: LastDay
    throughput: Throughput


def job_out(view: JobView) -> dict[str, Any]:
    """A job as a response."""
    job = view.job
    is_planned = job.state in _WAITING or job.pause_reason in lifecycle.ENDING_BY_THEMSELVES
    start, end = _hours(view.source.windows)
    return {
        "id": job.public_id,
        "source_id": view.source.public_id,
        "source_name": view.source.name,
        "url": view.source.url,
        "status": view.status,
        "state": view.state,
        "waiting": waiting_out(view.waiting),
        **_interval(job),
        "schedule_enabled": job.recurring,
        "next_run_at": job.next_run_at if is_planned else None,
        "next_run_reason": reasons.sentence(job.next_run_reason) if is_planned else None,
        "next_run_explanation": job.next_run_reason if is_planned else None,
        "adaptive_scheduling": view.policy is not PolicyName.FIXED,
        "current_interval_minutes": _minutes(job.pace.total_seconds()) if job.pace is not None else None,
        "is_paused": job.state is JobState.PAUSED,
        "paused_at": job.state_since if job.state is JobState.PAUSED else None,
        "pause_reason": job.pause_reason if job.state is JobState.PAUSED else None,
        "cancelled_at": job.state_since if job.state is JobState.CANCELLED else None,
        "retry_backoff_seconds": int(job.retry_backoff.total_seconds()),
        "current_retry_count": job.retry_count,
        # A job has one run at a time.
        "max_concurrent": 1,
        "crawl_window_start": start,
        "crawl_window_end": end,
        "windows": window_json.to_json(view.source.windows),
        "actions": list(view.actions),
        **{name: getattr(job, name) for name in _OF_JOB},
        **{name: getattr(view, name) for name in _OF_VIEW},
    }


def _interval(job: CrawlJob) -> dict[str, Any]:
    """The interval in minutes, and in the unit in which a person gave it."""
    unit = (job.override.interval_type if job.override is not None else None) or "minutes"
    return {
        "interval_minutes": _minutes(job.interval.total_seconds()) if job.recurring else None,
        "interval_type": unit,
        "interval_value": _minutes(job.interval / _UNITS[unit] * 60) if job.recurring else None,
    }


def by_source_out(view: JobView, health: JobHealth) -> dict[str, Any]:
    """A job, its health and its latest runs."""
    latest = health.runs[0] if health.runs else None
    day = health.last_day
    return {
        "job": job_out(view),
        "health": {
            "status": health.state,
            "last_run_at": latest.started_at if latest is not None else None,
            "last_run_status": STATUS_WORDS[latest.outcome] if latest is not None else None,
            "last_24h_runs": day.runs,
            "last_24h_failures": day.failed,
            "last_24h_articles": day.articles,
            "success_rate": _rate(day.success_rate),
            "avg_duration_seconds": _rate(day.average_seconds),
        },
        "recent_executions": [recent(run) for run in health.runs],
    }


def stats_out(overview: JobOverview) -> dict[str, Any]:
    """Figures of all jobs; scheduled jobs count as pending."""
    jobs, day = {str(status): number for status, number in overview.jobs.items()}, overview.last_day
    jobs["pending"] += jobs.pop("scheduled")
    return {
        "total_sources": overview.sources,
        "total_jobs": sum(jobs.values()),
        "jobs_by_status": jobs,
        "health": {**overview.states, "failed": overview.states[SourceState.FAILING]},
        "last_24h": day._asdict() | {"success_rate": _rate(day.success_rate)},
        "throughput": {"articles_per_hour": round(day.articles / 24, 1), "runs_per_hour": round(day.runs / 24, 1)},
    }


def _rate(value: float | None) -> float | None:
    return round(value, 3) if value is not None else None


def _minutes(seconds: float) -> float:
    """Minutes, as an integer if whole."""
    minutes = seconds / 60
    return int(minutes) if minutes == int(minutes) else round(minutes, 2)


def _hours(windows: tuple[Any, ...]) -> tuple[int | None, int | None]:
    """The UTC hours of a single daily window that allows crawling, if they are whole; else None."""
    if len(windows) != 1:
        return None, None
    (only,) = windows
    is_plain = only.kind is WindowKind.ALLOW and only.days == window_text.EVERY_DAY and only.zone == "UTC"
    if not is_plain or only.start % 60 or only.end % 60:
        return None, None
    return only.start // 60, only.end // 60 % 24
