"""Run logs in responses: as JSON, as text, and as stream messages."""

from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from pydantic import BaseModel, Field

from lamplighter.model.crawl import CrawlRun
from lamplighter.operations.runs.run_logs import LoggedRun
from lamplighter.store.runs.run_log import RunLogLine
from lamplighter.web.api.envelope import part_of
from lamplighter.web.api.v1.runs.executions import RunStatus, status_of


class LineOut(BaseModel):
    """Log line."""

    id: int
    timestamp: datetime
    level: str
    category: str = Field(examples=["lifecycle"])
    #: a stable name of what happened; null in old lines
    action: str | None = Field(examples=["run.opened"])
    message: str = Field(examples=["run 17 of 'Harbour Relief' opened (schedule), up to 10 pages"])
    url: str | None
    #: its figures; null when there are none
    fields: dict[str, Any] | None = Field(examples=[{"number": 17, "trigger": "schedule", "page_budget": 10}])


class LinesOut(BaseModel):
    """A part of a run's log."""

    execution_id: UUID
    execution_number: int
    status: RunStatus
    lines: list[LineOut]
    #: the value of `after` for the next part; null when there is none yet
    next_after: int | None
    total: int
    limit: int


class LoggedRunOut(BaseModel):
    """A run, the size of its log, and the log's URLs."""

    execution_id: UUID
    execution_number: int
    status: RunStatus
    started_at: datetime
    completed_at: datetime | None
    lines: int
    first_line_at: datetime | None
    last_line_at: datetime | None
    view_url: str = Field(examples=["/api/v1/jobs/…/logs/view?execution=17"])
    download_url: str
    stream_url: str


LogsOut = part_of("executions", LoggedRunOut, job_id=UUID)


def line_out(line: RunLogLine) -> dict[str, Any]:
    """Log line."""
    same = ("level", "category", "action", "message", "url", "fields")
    return {"id": line.id, "timestamp": line.at} | {name: getattr(line, name) for name in same}


def run_out(run: CrawlRun) -> dict[str, Any]:
    """A run's id, number and status."""
    return {"execution_id": run.public_id, "execution_number": run.number, "status": status_of(run.outcome)}


def logged_run_out(job_id: UUID, logged: LoggedRun) -> dict[str, Any]:
    """A run, and its log's size."""
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


def as_text(line: RunLogLine) -> bytes:
    """One line of a text file; line breaks inside it are escaped, so that none can forge a line."""
    stamp = f"{line.at:%Y-%m-%dT%H:%M:%S.%fZ}"
    parts = (stamp, line.level.upper(), f"[{line.category}]", line.action or "", line.message, line.url or "")
    text = " ".join(part for part in parts if part)
    return "".join(_SHOWN.get(character, character) for character in text).encode(errors="replace") + b"\n"


#: characters that some programs treat as a line break
_SHOWN = {
    character: repr(character)[1:-1]
    for character in ("\r", "\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
}


def as_ndjson(line: RunLogLine) -> bytes:
    """One line of an NDJSON file."""
    return orjson.dumps(line_out(line), option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)
