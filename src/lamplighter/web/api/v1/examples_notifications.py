"""Examples of channels, rules and notifications for the API's description."""

from typing import Any

_CHANNEL_ID = "8c1e2b1a-51d6-4a8c-9f0e-3f1f0a7b6d10"

CHANNEL: dict[str, Any] = {
    "id": _CHANNEL_ID,
    "name": "on call",
    "kind": "webhook",
    "target_hint": "https://hooks.example.org",
    "has_secret": True,
    "title_template": None,
    "body_template": None,
    "enabled": True,
    "max_tries": 8,
    "failure_count": 0,
    "last_sent_at": "2026-03-14T12:00:01Z",
    "last_error": None,
    "held_until": None,
    "created_at": "2026-03-01T08:00:00Z",
    "updated_at": "2026-03-01T08:00:00Z",
}
RULE: dict[str, Any] = {
    "id": "a1b0f1de-0b1c-4a55-8d1f-5f3f7e2b9c21",
    "channel_id": _CHANNEL_ID,
    "channel_name": "on call",
    "kind": "run.failed",
    "source_id": None,
    "source_name": None,
    "tag": "news",
    "threshold": 3,
    "digest_minutes": None,
    "enabled": True,
    "created_at": "2026-03-01T08:05:00Z",
}
NOTIFICATION: dict[str, Any] = {
    "id": "c0a4b1d2-7f3e-4d62-9a7b-0d9c5e6f1a32",
    "channel_id": _CHANNEL_ID,
    "channel_name": "on call",
    "channel_kind": "webhook",
    "kind": "run.failed",
    "state": "sent",
    "title": "Example jobs: run failed 3 times in a row",
    "text": "Run 12 of Example jobs failed: timeout: timed out",
    "created_at": "2026-03-14T12:00:00Z",
    "due_at": "2026-03-14T12:00:00Z",
    "try_count": 1,
    "sent_at": "2026-03-14T12:00:01Z",
    "status": 200,
    "detail": "HTTP 200",
}
PREVIEW: dict[str, Any] = {
    "title": "Test from Lamplighter",
    "text": "This is a test. Whoever reads it will be told of what the rules say.",
    "payload": {
        "event": "test",
        "timestamp": "2026-03-14T12:00:00Z",
        "data": {"source": None, "by": "anna"},
        "id": "00000000-0000-4000-8000-000000000000",
        "title": "Test from Lamplighter",
        "text": "This is a test. Whoever reads it will be told of what the rules say.",
    },
}
