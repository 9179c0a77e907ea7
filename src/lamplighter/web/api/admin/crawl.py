"""Crawling by hand."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, ConfigDict

from lamplighter.model.crawl import Outcome
from lamplighter.operations import crawl_control
from lamplighter.operations.crawl_control import LogLine
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.view import Asking, View

ROUTES = Routes("/admin/crawl", tag="crawl")
_SOURCE = "0b8f4a52-7c1e-4d7c-9f0a-5b1d2c3e4f60"
#: a run that somebody stopped is no failure of its source, and did not do all it meant to either
_WORDS = {Outcome.OK: "ok", Outcome.WARN: "warn", Outcome.FAIL: "fail", Outcome.CANCELLED: "warn"}


class RunWish(BaseModel):
    """Which source is to be crawled now."""

    model_config = ConfigDict(extra="forbid")

    source_id: UUID


class StartedRun(BaseModel):
    """The run that was opened."""

    source_id: str
    run_id: str
    job_id: str
    status: Literal["queued"]


class Queued(BaseModel):
    """How many runs were opened."""

    queued: int


class CrawlStatus(BaseModel):
    """What is going on."""

    #: whether runs are opened by themselves
    running: bool
    #: global: requests in flight over all hosts
    pool: dict[str, int]
    due_count: int
    #: sources that cannot be started because a run of theirs is going on
    locked: int
    in_flight: int
    #: hosts that this process holds at the moment
    active_hosts: int


class LogRow(BaseModel):
    """A run that has ended; found = inserted + updated + skipped."""

    id: str
    source_id: str
    ran_at: datetime
    duration_ms: int
    found: int
    inserted: int
    updated: int
    skipped: int
    status: Literal["ok", "warn", "fail"]
    message: str | None


class Logs(BaseModel):
    """A page of the log."""

    logs: list[LogRow]
    total: int
    limit: int
    offset: int


_LOG_EXAMPLE = {
    "id": "5d6f1c1e-0f50-4a3e-8a63-90ad6a1b2c3d",
    "source_id": _SOURCE,
    "ran_at": "2026-03-02T12:00:00Z",
    "duration_ms": 8120,
    "found": 24,
    "inserted": 3,
    "updated": 1,
    "skipped": 20,
    "status": "ok",
    "message": "10 pages (6 unchanged, 0 refused, 0 failed), 24 records: 3 new, 1 changed",
}


@ROUTES.post(
    "/run",
    errors=(404, 409),
    response_model=StartedRun,
    example={
        "source_id": _SOURCE,
        "run_id": "5d6f1c1e-0f50-4a3e-8a63-90ad6a1b2c3d",
        "job_id": "c1a0f3b4-2f2b-4d52-b2c8-7a64c8e1f901",
        "status": "queued",
    },
)
async def run(wish: RunWish, view: View, caller: Asking) -> Any:
    """Opens a run of a source now, whatever its schedule says; not while one is going on."""
    deadline = timedelta(minutes=view.settings.run_deadline_minutes)
    started = await view.db.write(
        lambda db: crawl_control.run(
            db,
            str(wish.source_id),
            actor=caller.name,
            now=view.clock.now(),
            deadline=deadline,
            norms=view.norms,
        )
    )
    view.hosts_changed()
    return {
        "source_id": str(wish.source_id),
        "run_id": started.run_id,
        "job_id": started.job_id,
        "status": "queued",
    }


@ROUTES.post("/run_due", errors=(409,), response_model=Queued, example={"queued": 4})
async def run_due(view: View, caller: Asking) -> Any:
    """Opens runs of everything that is due, at once, as far as there is room; not while all crawling is paused."""
    now = view.clock.now()
    return {"queued": await crawl_control.run_due(view.db, view.run_due, actor=caller.name, now=now)}


@ROUTES.get(
    "/status",
    response_model=CrawlStatus,
    example={
        "running": True,
        "pool": {"global": 3},
        "due_count": 12,
        "locked": 2,
        "in_flight": 2,
        "active_hosts": 2,
    },
)
async def status(view: View) -> Any:
    """What is going on at the moment."""
    async with view.db.read() as db:
        now = await crawl_control.activity(db, now=view.clock.now())
    return {
        "running": not view.settings.disable_scheduler,
        "pool": {"global": view.settings.fetch_slots},
        "due_count": now.due_jobs,
        "locked": now.busy_jobs,
        "in_flight": now.open_runs,
        "active_hosts": view.active_hosts(),
    }


@ROUTES.get(
    "/logs",
    errors=(404,),
    response_model=Logs,
    example={"logs": [_LOG_EXAMPLE], "total": 1, "limit": 20, "offset": 0},
)
async def logs(
    view: View,
    source_id: Annotated[UUID | None, Query(description="Of this source only.")] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Any:
    """Runs that have ended, the latest first."""
    async with view.db.read() as db:
        lines, total = await crawl_control.log(
            db, source_id=str(source_id) if source_id is not None else None, limit=limit, offset=offset
        )
    return listed("logs", [_row(line) for line in lines], total=total, limit=limit, offset=offset)


def _row(line: LogLine) -> dict[str, Any]:
    return {
        "id": line.run_id,
        "source_id": line.source_id,
        "ran_at": line.ran_at,
        "duration_ms": round(line.took.total_seconds() * 1000),
        "found": line.found,
        "inserted": line.inserted,
        "updated": line.updated,
        "skipped": line.skipped,
        "status": _WORDS[line.outcome],
        "message": line.message,
    }
