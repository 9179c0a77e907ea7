"""Executions: the runs of jobs."""

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.model.run_figures import as_metrics
from lamplighter.operations.runs import activity, run_history
from lamplighter.operations.runs.run_history import Execution
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import run_lists
from lamplighter.store.runs.run_lists import RunSummary
from lamplighter.web.api.envelope import WaitingOut, listed, part_of, taken_from, waiting_out
from lamplighter.web.routes import Routes
from lamplighter.web.values import Limit, Offset
from lamplighter.web.view import ServiceView, View

ROUTES = Routes("/api/v1", tag="executions")
#: run outcome -> status; None is still running
STATUS_WORDS: dict[RunOutcome | None, str] = {
    None: "running",
    RunOutcome.OK: "success",
    RunOutcome.WARN: "success",
    RunOutcome.FAIL: "failed",
    RunOutcome.CANCELLED: "cancelled",
}
RunWord = Literal["success", "failed", "cancelled", "running"]
RunStatus = Literal["running", "completed", "failed", "cancelled"]


class ResponseTimesOut(BaseModel):
    """Response times in milliseconds; null without responses. The p95 is exact to a fifth."""

    min: float | None
    avg: float | None
    p95: float | None
    max: float | None


class ErrorOut(BaseModel):
    """An error and its count."""

    error: str = Field(examples=["not_found: HTTP 404"])
    count: int


class RunMetricsOut(BaseModel):
    """Figures of a run."""

    #: HTTP status -> number of responses
    status_codes: dict[str, int] = Field(examples=[{"200": 5, "404": 1}])
    bytes: int
    response_ms: ResponseTimesOut
    error_categories: dict[str, int] = Field(examples=[{"not_found": 1}])
    top_errors: list[ErrorOut]
    #: why pages and links were skipped -> number
    skipped: dict[str, int] = Field(examples=[{"robots_disallow": 2, "duplicate": 14}])
    #: why records were not stored -> number
    records_skipped: dict[str, int]
    retries: int
    #: responses that asked us to slow down
    slowed_down: int
    #: pages with an obstacle in place of their content
    obstructed: int
    turn_wait_ms: int
    pages_read: int
    parse_cpu_ms: float
    parse_peak_kb: int | None
    log_lines_left_out: int


class ExecutionOut(BaseModel):
    """One run of a job."""

    id: UUID
    job_id: UUID
    execution_number: int
    status: RunStatus
    started_at: datetime
    completed_at: datetime | None
    duration_ms: int | None
    items_crawled: int
    items_indexed: int
    error_message: str | None
    #: always null; not stored
    stack_trace: str | None
    #: CPU time of parsing; null for old runs
    cpu_time_ms: int | None
    memory_peak_mb: float | None
    retry_attempt: int
    metadata: dict[str, Any] = Field(examples=[{"trigger": "schedule", "outcome": "ok", "tally": {"pages_fetched": 5}}])
    #: what an open run waits for; null while it fetches
    waiting: WaitingOut | None
    #: null before the first response, and for old runs
    metrics: RunMetricsOut | None


class RecentExecution(BaseModel):
    """A run in short."""

    id: UUID
    started_at: datetime
    completed_at: datetime | None
    status: RunWord
    articles_count: int
    duration_seconds: float | None


class SourceExecutionOut(RecentExecution):
    """A run of a source."""

    job_id: UUID
    execution_number: int
    error_message: str | None


class JobStatsOut(BaseModel):
    """Figures of a job's stored runs."""

    job_id: UUID
    total_executions: int = taken_from("runs")
    running: int
    completed: int = taken_from("ok")
    failed: int
    cancelled: int
    success_rate: float | None
    average_duration_ms: int | None
    items_crawled: int = taken_from("pages")
    items_indexed: int = taken_from("articles")
    last_execution_at: datetime | None = taken_from("last_started_at")
    next_run_at: datetime | None


def execution_out(execution: Execution, *, wait: Wait | None = None) -> dict[str, Any]:
    """A run as an execution; `wait` is what a current run waits for."""
    run, figures = execution.run, execution.run.figures
    seconds = _duration_seconds(run)
    tally = asdict(run.tally)
    return {
        "id": run.public_id,
        "job_id": execution.job,
        "execution_number": run.number,
        "status": status_of(run.outcome),
        "started_at": run.started_at,
        "completed_at": run.finished_at,
        "duration_ms": round(seconds * 1000) if seconds is not None else None,
        "items_crawled": run.tally.pages_fetched + run.tally.pages_unchanged,
        "items_indexed": _articles(run),
        "error_message": run.message if run.outcome is RunOutcome.FAIL else None,
        "stack_trace": None,
        "cpu_time_ms": round(figures.parse_cpu_ms) if figures is not None else None,
        "memory_peak_mb": round(figures.parse_peak_kb / 1024, 1) if figures and figures.parse_peak_kb else None,
        "retry_attempt": execution.attempt,
        "metadata": {"trigger": run.trigger, "outcome": run.outcome, "message": run.message, "tally": tally}
        | ({"waits_for": wait.why, "waits_until": wait.until} if wait is not None else {}),
        "waiting": waiting_out(wait),
        "metrics": as_metrics(figures) if figures is not None else None,
    }


def recent(run: CrawlRun) -> dict[str, Any]:
    """A run in short."""
    return {
        "id": run.public_id,
        "started_at": run.started_at,
        "completed_at": run.finished_at,
        "status": STATUS_WORDS[run.outcome],
        "articles_count": _articles(run),
        "duration_seconds": _duration_seconds(run),
    }


def source_execution_out(execution: Execution) -> dict[str, Any]:
    """A run in a source's list."""
    run = execution.run
    return recent(run) | {
        "job_id": execution.job,
        "execution_number": run.number,
        "error_message": run.message if run.outcome is RunOutcome.FAIL else None,
    }


def status_of(outcome: RunOutcome | None) -> str:
    """The status of a run's outcome; None is running."""
    word = STATUS_WORDS[outcome]
    return "completed" if word == "success" else word


def job_stats_out(job_id: str, summary: RunSummary, *, next_run_at: datetime | None) -> dict[str, Any]:
    """Figures of runs."""
    average, rate = summary.average_seconds, summary.success_rate
    return summary._asdict() | {
        "job_id": job_id,
        "success_rate": round(rate, 3) if rate is not None else None,
        "average_duration_ms": round(average * 1000) if average is not None else None,
        "next_run_at": next_run_at,
    }


def _articles(run: CrawlRun) -> int:
    """New and changed records of a run; unchanged ones were counted by earlier runs."""
    return run.tally.records_inserted + run.tally.records_updated


def _duration_seconds(run: CrawlRun) -> float | None:
    """The duration of a run; None while it runs."""
    return round((run.finished_at - run.started_at).total_seconds(), 3) if run.finished_at is not None else None


@ROUTES.get("/jobs/{job_id}/executions", response_model=part_of("executions", ExecutionOut))
async def of_job(job_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The runs of a job, the latest first; also of a deleted one."""
    async with view.db.read() as db:
        page = await run_history.of_job(db, str(job_id), limit=limit, offset=offset)
        rows = [execution_out(each, wait=await _wait(db, view, each)) for each in page.rows]
    return listed("executions", rows, total=page.total, limit=limit, offset=offset)


@ROUTES.get("/jobs/{job_id}/stats", response_model=JobStatsOut)
async def stats(job_id: UUID, view: View) -> Any:
    """Figures of a job's stored runs."""
    async with view.db.read() as db:
        job = await run_history.kept_job(db, str(job_id))
        summary = await run_lists.summary(db, job_id=job.id)
    return job_stats_out(job.public_id, summary, next_run_at=job.next_run_at)


@ROUTES.get("/executions/{execution_id}", response_model=ExecutionOut)
async def show(execution_id: UUID, view: View) -> Any:
    """One run."""
    async with view.db.read() as db:
        execution = await run_history.execution(db, str(execution_id))
        return execution_out(execution, wait=await _wait(db, view, execution))


async def _wait(db: Connection, view: ServiceView, execution: Execution) -> Wait | None:
    """What a run waits for; None when it is over."""
    run, now = execution.run, view.clock.now()
    if run.finished_at is not None:
        return None
    return await activity.wait_of_run(db, run.id, defaults=view.source_defaults.host, now=now)


@ROUTES.get("/sources/{source_id}/executions", response_model=part_of("executions", SourceExecutionOut))
async def of_source(source_id: UUID, view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """The runs of a source, the latest first."""
    page = await view.read(lambda db: run_history.of_source(db, str(source_id), limit=limit, offset=offset))
    rows = [source_execution_out(each) for each in page.rows]
    return listed("executions", rows, total=page.total, limit=limit, offset=offset)
