"""Examples of the task API's answers about tasks."""

from typing import Any

from lamplighter.web.api.envelope import done

_URL = "https://shop.example/lamp/1"
_HASH = "9f2b3f1c6d0e8a7b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b"
_NOON = "2026-03-02T12:00:00Z"
_HTML = "5f3c9f7d1b6e4a0c8d2e:1048576:7342"
_LINE: dict[str, Any] = {
    "id": 12345,
    "domain_name": "shop.example",
    "url": _URL,
    "status": "completed",
    "priority": 5,
    "scheduled_at": _NOON,
    "completed_at": "2026-03-02T12:00:04Z",
    "response_time_ms": 182,
}
_WHOLE = _LINE | {
    "domain_id": 7,
    "url_hash": _HASH,
    "started_at": "2026-03-02T12:00:03Z",
    "retry_count": 0,
    "max_retries": 3,
    "error_message": None,
    "crawl_frequency": "1 day",
    "next_crawl_at": "2026-03-03T12:00:04Z",
    "recrawl_count": 2,
    "is_recurring": True,
    "html_path": _HTML,
    "http_status_code": 200,
    "proxy_id": None,
    "proxy_url": None,
    "created_at": "2026-02-28T09:30:00Z",
    "updated_at": "2026-03-02T12:00:04Z",
    "created_by": "token:shop",
}
TASK = done(_WHOLE, "Task")
LIST = done([_LINE], "Tasks", pagination={"page": 1, "per_page": 20, "total": 1, "total_pages": 1})
ADDED = done(
    {
        "task_id": 12345,
        "url": _URL,
        "url_hash": _HASH,
        "status": "pending",
        "priority": 5,
        "scheduled_at": _NOON,
        "created_at": _NOON,
    },
    "Task submitted",
)
BATCH = done(
    {
        "total_submitted": 2,
        "total_duplicates": 1,
        "total_failed": 1,
        "task_ids": [12345, 12346],
        "details": [
            {"url": "nonsense", "reason": "Cannot use 'nonsense' as a URL: it cannot be parsed or has no host."}
        ],
    },
    "2 tasks submitted",
)
RESTARTED = done(
    {"task_id": 12345, "status": "pending", "scheduled_at": _NOON, "retry_count": 0, "priority": 5}, "Task restarted"
)
REREAD = done({"task_id": 12345, "status": "downloaded", "html_path": _HTML}, "Parsing restarted")
RESTARTED_MANY = done({"total_restarted": 2, "task_ids": [12345, 12346]}, "2 tasks restarted")
PAUSED = done({"task_id": 12345, "status": "paused", "previous_status": "pending"}, "Task paused")
RESUMED = done({"task_id": 12345, "status": "pending", "scheduled_at": _NOON}, "Task resumed")
PRIORITISED = done({"task_id": 12345, "priority": 1, "previous_priority": 5}, "Priority changed")
CANCELLED = done({"task_id": 12345, "status": "cancelled"}, "Task cancelled")
STATS = done(
    {
        "total_tasks": 120,
        "by_status": {"pending": 20, "completed": 97, "failed": 3},
        "success_rate": 97.0,
        "avg_response_time_ms": 210.5,
        "total_recrawls": 240,
        "time_range": "24h",
    },
    "Statistics of tasks",
)
