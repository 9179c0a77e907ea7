"""A description and an example of every kind of notice: for forms, previews and the documentation."""

from collections.abc import Mapping
from typing import Any

from lamplighter.model.notification import NoticeKind

#: placeholder for a notification's id
EXAMPLE_ID = "00000000-0000-4000-8000-000000000000"
_SOURCE = {
    "id": "11111111-1111-4111-8111-111111111111",
    "name": "Example jobs",
    "url": "https://jobs.example.org/vacancies",
}
_RECORDS = [
    {"title": "Field nurse", "url": "https://jobs.example.org/vacancies/41"},
    {"title": "Logistics officer", "url": "https://jobs.example.org/vacancies/42"},
]
_CHANGED = [
    {
        "title": "Copper kettle",
        "url": "https://shop.example.org/kettles/7",
        "changes": [{"field": "price", "from": "120.0", "to": "89.0"}],
    }
]
_ALERT = {
    "rule": "DiskAlmostFull",
    "subject": "",
    "severity": "critical",
    "detail": "412 MB of disk space are free; at least 500 MB are required",
    "remedy": "Free disk space, or keep less in the archive.",
}

ABOUT: Mapping[NoticeKind, str] = {
    NoticeKind.RUN_FAILED: "a run failed, and as many runs in a row as the rule says; notified once",
    NoticeKind.RUN_RECOVERED: "a run succeeded after at least as many failed runs as the rule says",
    NoticeKind.BREAKER_OPENED: "a source failed so often that it is paused for a day or longer",
    NoticeKind.SOURCE_BLOCKED: "robots.txt, a takedown or the site itself keeps us out",
    NoticeKind.SOURCE_DRIFTED: "a source shows far less than usual: its extractor may be broken",
    NoticeKind.RECORDS_NEW: "a run found records that were not known before; a source's first complete run is not told",
    NoticeKind.RECORDS_CHANGED: "a run found records changed: which field, from what, to what",
    NoticeKind.RECORDS_GONE: "records are gone: two complete runs in a row did not show them",
    NoticeKind.RECORDS_BACK: "records that were gone are shown again",
    NoticeKind.PRICE_FELL: "a price fell below the value of the rule",
    NoticeKind.PAGES_CHANGED: "the text or the records of a page changed",
    NoticeKind.ALERT_FIRED: "an alert fired: its rule has held for long enough",
    NoticeKind.ALERT_CLEARED: "an alert cleared: its rule no longer holds",
    NoticeKind.TASK_COMPLETED: "a submitted page was fetched and parsed",
    NoticeKind.TASK_FAILED: "a submitted page could not be fetched",
    NoticeKind.TEST: "an operator tests a channel",
}


def _example(data: Mapping[str, Any], *, source: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"items": [{"at": "2026-03-14T12:00:00+00:00", "source": source, "data": data}], "more": 0}


EXAMPLES: Mapping[NoticeKind, dict[str, Any]] = {
    NoticeKind.RUN_FAILED: _example(
        {"run": 12, "failures": 3, "reason": f"timeout: timed out ({_SOURCE['url']})"}, source=_SOURCE
    ),
    NoticeKind.RUN_RECOVERED: _example(
        {"run": 13, "failures": 3, "reason": "4 pages (3 unchanged, 0 refused, 0 failed), 25 records"}, source=_SOURCE
    ),
    NoticeKind.BREAKER_OPENED: _example(
        {
            "run": 20,
            "failures": 8,
            "reason": f"server_error: HTTP 500 ({_SOURCE['url']})",
            "until": "2026-03-15T12:00:00+00:00",
        },
        source=_SOURCE,
    ),
    NoticeKind.SOURCE_BLOCKED: _example(
        {
            "run": 14,
            "reason": f"robots_disallow: Disallow: /vacancies ({_SOURCE['url']})",
            "until": "2026-03-15T00:00:00+00:00",
        },
        source=_SOURCE,
    ),
    NoticeKind.SOURCE_DRIFTED: _example({"run": 15, "reason": "2 records, usually 25"}, source=_SOURCE),
    NoticeKind.RECORDS_NEW: _example({"run": 16, "count": 2, "records": _RECORDS}, source=_SOURCE),
    NoticeKind.RECORDS_CHANGED: _example({"run": 16, "count": 1, "records": _CHANGED}, source=_SOURCE),
    NoticeKind.RECORDS_GONE: _example({"run": 16, "count": 2, "records": _RECORDS}, source=_SOURCE),
    NoticeKind.RECORDS_BACK: _example({"run": 16, "count": 2, "records": _RECORDS}, source=_SOURCE),
    NoticeKind.PRICE_FELL: _example({"run": 16, "count": 1, "records": _CHANGED, "below": 100.0}, source=_SOURCE),
    NoticeKind.PAGES_CHANGED: _example(
        {"run": 16, "count": 1, "records": [{"title": "version 4", "url": _SOURCE["url"]}]}, source=_SOURCE
    ),
    NoticeKind.ALERT_FIRED: _example(_ALERT),
    NoticeKind.ALERT_CLEARED: _example(_ALERT),
    NoticeKind.TASK_COMPLETED: _example(
        {"task_id": 41, "url": "https://shop.example.org/p/41", "status": "completed", "product_id": 7}
    ),
    NoticeKind.TASK_FAILED: _example(
        {"task_id": 42, "url": "https://shop.example.org/p/42", "status": "failed", "product_id": None}
    ),
    NoticeKind.TEST: _example({"by": "anna"}),
}
