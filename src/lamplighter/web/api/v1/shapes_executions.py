"""Runs in the words of /api/v1, where they are called executions."""

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel

from lamplighter.model.crawl import CrawlRun, Outcome
from lamplighter.model.run_figures import told
from lamplighter.operations.executions import Execution
from lamplighter.rules.waiting import Wait
from lamplighter.store.run_lists import Summary

#: how a run ended, for those who count articles; None goes on
STATUS_WORDS: dict[Outcome | None, str] = {
    None: "running",
    Outcome.OK: "success",
    Outcome.WARN: "success",
    Outcome.FAIL: "failed",
    Outcome.CANCELLED: "cancelled",
}


class ResponseTimesOut(BaseModel):
    """How long answers took, in milliseconds; null when there was none. The p95 is exact to a fifth."""

    min: float | None
    avg: float | None
    p95: float | None
    max: float | None


class ErrorOut(BaseModel):
    """An error, and how often it came."""

    error: str
    count: int


class MetricsOut(BaseModel):
    """The figures of a run."""

    #: HTTP status -> answers
    status_codes: dict[str, int]
    bytes: int
    response_ms: ResponseTimesOut
    error_categories: dict[str, int]
    top_errors: list[ErrorOut]
    #: why pages and links were not taken -> how many
    skipped: dict[str, int]
    #: why records were not kept -> how many
    records_skipped: dict[str, int]
    retries: int
    #: answers that asked us to slow down
    slowed_down: int
    #: pages on which something else stood than their content
    obstructed: int
    turn_wait_ms: int
    pages_read: int
    parse_cpu_ms: float
    parse_peak_kb: int | None
    log_lines_left_out: int


class ExecutionOut(BaseModel):
    """One carrying-out of a job."""

    id: UUID
    job_id: UUID
    execution_number: int
    status: Literal["running", "completed", "failed", "cancelled"]
    started_at: datetime
    completed_at: datetime | None
    duration_ms: int | None
    items_crawled: int
    items_indexed: int
    error_message: str | None
    #: is not kept
    stack_trace: str | None
    #: of reading its pages; null of runs of old
    cpu_time_ms: int | None
    memory_peak_mb: float | None
    retry_attempt: int
    metadata: dict[str, Any]
    #: null before the first answer, and of runs of old
    metrics: MetricsOut | None


class ExecutionListOut(BaseModel):
    """A part of the history."""

    executions: list[ExecutionOut]
    total: int
    limit: int
    offset: int


class SourceExecutionOut(BaseModel):
    """A run of a source."""

    id: UUID
    job_id: UUID
    execution_number: int
    started_at: datetime
    completed_at: datetime | None
    status: Literal["success", "failed", "cancelled", "running"]
    articles_count: int
    duration_seconds: float | None
    error_message: str | None


class SourceExecutionListOut(BaseModel):
    """A part of a source's history."""

    executions: list[SourceExecutionOut]
    total: int
    limit: int
    offset: int


class JobStatsOut(BaseModel):
    """What the runs of a job that are kept come to."""

    job_id: UUID
    total_executions: int
    running: int
    completed: int
    failed: int
    cancelled: int
    success_rate: float | None
    average_duration_ms: int | None
    items_crawled: int
    items_indexed: int
    last_execution_at: datetime | None
    next_run_at: datetime | None


def execution_out(execution: Execution, *, wait: Wait | None = None) -> dict[str, Any]:
    """A run in the scheduler's words; `wait` is what one waits for that goes on."""
    run, figures = execution.run, execution.run.figures
    word = STATUS_WORDS[run.outcome]
    seconds = duration_seconds(run)
    tally = asdict(run.tally)
    return {
        "id": run.public_id,
        "job_id": execution.job,
        "execution_number": run.number,
        "status": "completed" if word == "success" else word,
        "started_at": run.started_at,
        "completed_at": run.finished_at,
        "duration_ms": round(seconds * 1000) if seconds is not None else None,
        "items_crawled": run.tally.pages_fetched + run.tally.pages_unchanged,
        "items_indexed": articles(run),
        "error_message": run.message if run.outcome is Outcome.FAIL else None,
        "stack_trace": None,
        "cpu_time_ms": round(figures.parse_cpu_ms) if figures is not None else None,
        "memory_peak_mb": round(figures.parse_peak_kb / 1024, 1) if figures and figures.parse_peak_kb else None,
        "retry_attempt": execution.attempt,
        "metadata": {"trigger": run.trigger, "outcome": run.outcome, "message": run.message, "tally": tally}
        | ({"waits_for": wait.why, "waits_until": wait.until} if wait is not None else {}),
        "metrics": told(figures) if figures is not None else None,
    }


def source_execution_out(execution: Execution) -> dict[str, Any]:
    """A run in the dashboard's words."""
    run = execution.run
    return {
        "id": run.public_id,
        "job_id": execution.job,
        "execution_number": run.number,
        "started_at": run.started_at,
        "completed_at": run.finished_at,
        "status": STATUS_WORDS[run.outcome],
        "articles_count": articles(run),
        "duration_seconds": duration_seconds(run),
        "error_message": run.message if run.outcome is Outcome.FAIL else None,
    }


def job_stats_out(job_id: str, summary: Summary, *, next_run_at: datetime | None) -> dict[str, Any]:
    """What runs came to."""
    average, rate = summary.average_seconds, summary.success_rate
    return {
        "job_id": job_id,
        "total_executions": summary.runs,
        "running": summary.running,
        "completed": summary.ok,
        "failed": summary.failed,
        "cancelled": summary.cancelled,
        "success_rate": round(rate, 3) if rate is not None else None,
        "average_duration_ms": round(average * 1000) if average is not None else None,
        "items_crawled": summary.pages,
        "items_indexed": summary.articles,
        "last_execution_at": summary.last_started_at,
        "next_run_at": next_run_at,
    }


def articles(run: CrawlRun) -> int:
    """Records that a run found new or changed; what it found as before, earlier runs have counted."""
    return run.tally.records_inserted + run.tally.records_updated


def duration_seconds(run: CrawlRun) -> float | None:
    """How long a run took; None while it goes on."""
    return round((run.finished_at - run.started_at).total_seconds(), 3) if run.finished_at is not None else None
