"""Examples of jobs and runs for the API's description."""

from typing import Any

_JOB_ID = "5b0f6a52-9d0b-4f1e-9a55-0c4f4d6b9a11"
_SOURCE_ID = "0f8e1c3a-6d2b-4a77-8a39-2f7f5b1f9c20"
_RUN_ID = "c9b7d0de-3d4f-4a0e-8f43-7e2b0a1d5c33"

JOB: dict[str, Any] = {
    "id": _JOB_ID,
    "source_id": _SOURCE_ID,
    "source_name": "Harbour Relief",
    "url": "https://harbour.example/jobs",
    "status": "scheduled",
    "interval_minutes": 60,
    "interval_type": "minutes",
    "schedule_enabled": True,
    "next_run_at": "2026-01-29T10:45:00Z",
    "next_run_reason": "every 60 min · +2.1% jitter",
    "next_run_explanation": {"steps": [{"step": "policy", "policy": "learned", "seconds": 3600.0}]},
    "adaptive_scheduling": True,
    "policy": "learned",
    "current_interval_minutes": 60,
    "is_paused": False,
    "paused_at": None,
    "pause_reason": None,
    "cancelled_at": None,
    "max_retries": 3,
    "retry_backoff_seconds": 60,
    "current_retry_count": 0,
    "auto_managed": True,
    "priority": 75,
    "max_concurrent": 1,
    "failure_count": 0,
    "last_failure_at": None,
    "backoff_until": None,
    "crawl_window_start": 22,
    "crawl_window_end": 5,
    "windows": [{"kind": "allow", "days": ["mon", "tue"], "start": "22:00", "end": "05:00", "zone": "UTC"}],
    "metadata": None,
    "actions": ["pause", "cancel", "force-run"],
    "created_at": "2026-01-01T08:00:00Z",
    "updated_at": "2026-01-29T09:45:12Z",
}
JOBS = {"jobs": [JOB], "total": 1, "limit": 50, "offset": 0}
FORCED = {**JOB, "status": "running", "actions": ["cancel"], "execution_id": _RUN_ID}
DELETED = {"id": _JOB_ID, "status": "cancelled", "deleted_at": "2026-01-29T10:00:00Z"}
COUNTS = {
    "pending": 2,
    "scheduled": 296,
    "running": 6,
    "completed": 0,
    "failed": 3,
    "paused": 5,
    "cancelled": 0,
    "total": 312,
}
BULK = {
    "action": "pause",
    "preview": False,
    "total": 2,
    "succeeded": 1,
    "failed": 1,
    "results": [
        {"id": _JOB_ID, "result": "done", "error": None, "code": None},
        {
            "id": _SOURCE_ID,
            "result": "error",
            "error": "cannot pause a crawl job that is running; from here it can only cancel",
            "code": "not_possible",
        },
    ],
}
STATS: dict[str, Any] = {
    "total_sources": 312,
    "total_jobs": 312,
    "jobs_by_status": {"pending": 298, "running": 6, "completed": 0, "failed": 3, "paused": 5, "cancelled": 0},
    "health": {"healthy": 298, "warning": 8, "failed": 6},
    "last_24h": {
        "total_runs": 4231,
        "successful_runs": 4189,
        "failed_runs": 42,
        "articles_extracted": 89432,
        "success_rate": 0.99,
    },
    "throughput": {"articles_per_hour": 3726.3, "runs_per_hour": 176.3},
}
RECENT = {
    "id": _RUN_ID,
    "started_at": "2026-01-29T10:15:00Z",
    "completed_at": "2026-01-29T10:15:12Z",
    "status": "success",
    "articles_count": 47,
    "duration_seconds": 12.1,
}
BY_SOURCE: dict[str, Any] = {
    "job": JOB,
    "health": {
        "status": "healthy",
        "last_run_at": "2026-01-29T10:15:00Z",
        "last_run_status": "success",
        "last_24h_runs": 47,
        "last_24h_failures": 1,
        "last_24h_articles": 892,
        "success_rate": 0.979,
        "avg_duration_seconds": 12.3,
    },
    "recent_executions": [RECENT],
}
EXECUTION: dict[str, Any] = {
    "id": _RUN_ID,
    "job_id": _JOB_ID,
    "execution_number": 17,
    "status": "completed",
    "started_at": "2026-01-29T10:15:00Z",
    "completed_at": "2026-01-29T10:15:12Z",
    "duration_ms": 12100,
    "items_crawled": 5,
    "items_indexed": 47,
    "error_message": None,
    "stack_trace": None,
    "cpu_time_ms": 212,
    "memory_peak_mb": 96.3,
    "retry_attempt": 0,
    "metadata": {"trigger": "schedule", "outcome": "ok", "message": "5 pages", "tally": {"pages_fetched": 5}},
    "metrics": {
        "status_codes": {"200": 5, "404": 1},
        "bytes": 184320,
        "response_ms": {"min": 41.2, "avg": 88.4, "p95": 181.0, "max": 201.7},
        "error_categories": {"not_found": 1},
        "top_errors": [{"error": "not_found: HTTP 404", "count": 1}],
        "skipped": {"robots_disallow": 2, "duplicate": 14},
        "records_skipped": {},
        "retries": 0,
        "slowed_down": 0,
        "obstructed": 0,
        "turn_wait_ms": 15034,
        "pages_read": 5,
        "parse_cpu_ms": 212.4,
        "parse_peak_kb": 98612,
        "log_lines_left_out": 0,
    },
}
EXECUTIONS = {"executions": [EXECUTION], "total": 1, "limit": 50, "offset": 0}
SOURCE_EXECUTIONS: dict[str, Any] = {
    "executions": [{**RECENT, "job_id": _JOB_ID, "execution_number": 17, "error_message": None}],
    "total": 1,
    "limit": 50,
    "offset": 0,
}
JOB_STATS: dict[str, Any] = {
    "job_id": _JOB_ID,
    "total_executions": 100,
    "running": 0,
    "completed": 98,
    "failed": 2,
    "cancelled": 0,
    "success_rate": 0.98,
    "average_duration_ms": 12300,
    "items_crawled": 500,
    "items_indexed": 892,
    "last_execution_at": "2026-01-29T10:15:00Z",
    "next_run_at": "2026-01-29T10:45:00Z",
}
