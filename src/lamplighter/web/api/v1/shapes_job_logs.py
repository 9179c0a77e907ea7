"""What runs wrote down, as it is answered: as JSON, as text, and as messages of a stream."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import orjson
from pydantic import BaseModel

from lamplighter.model.crawl import CrawlRun
from lamplighter.operations.run_logs import LoggedRun
from lamplighter.store.run_log import Line
from lamplighter.web.api.v1.shapes_executions import STATUS_WORDS

LINE = {
    "id": 4711,
    "timestamp": "2026-01-29T10:15:00Z",
    "level": "info",
    "category": "lifecycle",
    "action": "run.opened",
    "message": "run 17 of 'Harbour Relief' opened (schedule), up to 10 pages",
    "url": "https://harbour.example/jobs",
    "fields": {"source": "Harbour Relief", "number": 17, "trigger": "schedule", "page_budget": 10},
}
LINES = {
    "execution_id": "c9b7d0de-3d4f-4a0e-8f43-7e2b0a1d5c33",
    "execution_number": 17,
    "status": "completed",
    "lines": [LINE],
    "next_after": None,
    "total": 1,
    "limit": 200,
}
LOGS = {
    "job_id": "5b0f6a52-9d0b-4f1e-9a55-0c4f4d6b9a11",
    "executions": [
        {
            "execution_id": "c9b7d0de-3d4f-4a0e-8f43-7e2b0a1d5c33",
            "execution_number": 17,
            "status": "completed",
            "started_at": "2026-01-29T10:15:00Z",
            "completed_at": "2026-01-29T10:15:12Z",
            "lines": 12,
            "first_line_at": "2026-01-29T10:15:00Z",
            "last_line_at": "2026-01-29T10:15:12Z",
            "view_url": "/api/v1/jobs/5b0f6a52-9d0b-4f1e-9a55-0c4f4d6b9a11/logs/view?execution=17",
            "download_url": "/api/v1/jobs/5b0f6a52-9d0b-4f1e-9a55-0c4f4d6b9a11/logs/download?execution=17",
            "stream_url": "/api/v1/jobs/5b0f6a52-9d0b-4f1e-9a55-0c4f4d6b9a11/logs/stream/v2?execution=17",
        }
    ],
    "total": 1,
    "limit": 50,
    "offset": 0,
}


class LineOut(BaseModel):
    """One line."""

    id: int
    timestamp: datetime
    level: str
    category: str
    #: what happened, in a word that never changes; null in lines of old
    action: str | None
    message: str
    url: str | None
    #: the figures of it; null when there are none
    fields: dict[str, Any] | None


class LinesOut(BaseModel):
    """A part of what a run wrote."""

    execution_id: UUID
    execution_number: int
    status: Literal["running", "completed", "failed", "cancelled"]
    lines: list[LineOut]
    #: give this as `after` for the next part; null when there is none yet
    next_after: int | None
    total: int
    limit: int


class LoggedRunOut(BaseModel):
    """A run, how much it wrote, and where that can be read."""

    execution_id: UUID
    execution_number: int
    status: Literal["running", "completed", "failed", "cancelled"]
    started_at: datetime
    completed_at: datetime | None
    lines: int
    first_line_at: datetime | None
    last_line_at: datetime | None
    view_url: str
    download_url: str
    stream_url: str


class LogsOut(BaseModel):
    """The logs of a job."""

    job_id: UUID
    executions: list[LoggedRunOut]
    total: int
    limit: int
    offset: int


def status_of(run: CrawlRun) -> str:
    """How a run stands, in the scheduler's words."""
    word = STATUS_WORDS[run.outcome]
    return "completed" if word == "success" else word


def line_out(line: Line) -> dict[str, Any]:
    """One line."""
    return {
        "id": line.id,
        "timestamp": line.at,
        "level": line.level,
        "category": line.category,
        "action": line.action,
        "message": line.message,
        "url": line.url,
        "fields": line.fields,
    }


def run_out(run: CrawlRun) -> dict[str, Any]:
    """Which run it is, and how it stands."""
    return {"execution_id": run.public_id, "execution_number": run.number, "status": status_of(run)}


def logged_run_out(job_id: UUID, logged: LoggedRun) -> dict[str, Any]:
    """A run, and how much it wrote."""
    run, extent = logged.run, logged.extent
    here = f"/api/v1/jobs/{job_id}/logs"
    return run_out(run) | {
        "started_at": run.started_at,
        "completed_at": run.finished_at,
        "lines": extent.lines if extent is not None else 0,
        "first_line_at": extent.first_at if extent is not None else None,
        "last_line_at": extent.last_at if extent is not None else None,
        "view_url": f"{here}/view?execution={run.number}",
        "download_url": f"{here}/download?execution={run.number}",
        "stream_url": f"{here}/stream/v2?execution={run.number}",
    }


def as_text(line: Line) -> bytes:
    """One line of a text file; line ends inside it are shown, so that none can pass for another line."""
    stamp = f"{line.at:%Y-%m-%dT%H:%M:%S.%fZ}"
    parts = (stamp, line.level.upper(), f"[{line.category}]", line.action or "", line.message, line.url or "")
    text = " ".join(part for part in parts if part)
    return "".join(_SHOWN.get(character, character) for character in text).encode(errors="replace") + b"\n"


#: what some program takes for the end of a line
_SHOWN = {
    character: repr(character)[1:-1]
    for character in ("\r", "\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
}


def as_ndjson(line: Line) -> bytes:
    """One line of a file of JSON objects."""
    return orjson.dumps(line_out(line), option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)
