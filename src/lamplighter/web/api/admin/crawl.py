"""Crawl control."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, BeforeValidator, Field

from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.runs import crawl_control
from lamplighter.rules.hosts import waiting
from lamplighter.web.api.envelope import Milliseconds, listed, part_of, taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Limit, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/admin/crawl", tag="crawl")
#: a run that an operator stopped is neither a failure of its source nor complete
_WORDS = {RunOutcome.OK: "ok", RunOutcome.WARN: "warn", RunOutcome.FAIL: "fail", RunOutcome.CANCELLED: "warn"}
_Word = Annotated[Literal["ok", "warn", "fail"], BeforeValidator(_WORDS.__getitem__)]


class RunIn(Given):
    """The source to crawl now."""

    source_id: UUID


class StartedRun(BaseModel):
    """The opened run."""

    source_id: str
    run_id: str
    job_id: str
    status: Literal["queued"]
    #: what follows, in a sentence
    message: str = Field(examples=["The run was started."])
    #: when its host is requested again; null when it is not waited for
    waiting_until: datetime | None


class RunsQueued(BaseModel):
    """The number of opened runs."""

    queued: int


class CrawlStatus(BaseModel):
    """Crawl status."""

    #: whether the scheduler opens runs
    running: bool
    #: global: the most requests in flight over all hosts
    pool: dict[str, int] = Field(examples=[{"global": 64}])
    due_count: int
    #: sources of which a run is open, so that no other can be started
    locked: int
    #: requests to sites that are out now, of all processes
    in_flight: int
    #: hosts that this process leases now
    active_hosts: int


class LogRow(BaseModel):
    """A finished run; found = inserted + updated + unchanged + skipped, each thing once."""

    id: str = taken_from("run_id")
    source_id: str
    ran_at: datetime
    duration_ms: Milliseconds = taken_from("took")
    found: int
    inserted: int
    updated: int
    unchanged: int
    skipped: int
    status: _Word = taken_from("outcome")
    message: str | None = Field(examples=["10 pages (6 unchanged, 0 refused, 0 failed), 24 records: 3 new, 1 changed"])


@ROUTES.post("/run", errors=(404, 409), response_model=StartedRun)
async def run(submitted: RunIn, view: View, caller: Asking) -> Any:
    """Opens a run of a source now, whatever its schedule says; 409 while one is running."""
    deadline = view.run_deadline
    started = await view.db.write(
        lambda db: crawl_control.run(
            db,
            str(submitted.source_id),
            stamp=view.stamp(caller),
            deadline=deadline,
            source_defaults=view.source_defaults,
        )
    )
    return {
        "source_id": str(submitted.source_id),
        "run_id": started.run_id,
        "job_id": started.job_id,
        "status": "queued",
        "message": waiting.started(started.wait),
        "waiting_until": started.wait.until if started.wait is not None else None,
    }


@ROUTES.post("/run_due", errors=(409,), response_model=RunsQueued)
async def run_due(view: View, caller: Asking) -> Any:
    """Opens runs of all due jobs at once, as far as there is room; not while all crawling is paused."""
    stamp = view.stamp(caller)
    return {"queued": await crawl_control.run_due(view.db, view.crawl.run_due, stamp=stamp)}


@ROUTES.get("/status", response_model=CrawlStatus)
async def status(view: View) -> Any:
    """The current crawl status."""
    turns = view.sites.door.turns
    now = await view.read(
        lambda db: crawl_control.activity(db, own=turns.owner, own_requests=turns.in_flight, now=view.clock.now())
    )
    return {
        "running": not view.settings.disable_scheduler,
        "pool": {"global": view.settings.fetch_slots},
        "due_count": now.due_jobs,
        "locked": now.busy_jobs,
        "in_flight": now.requests,
        "active_hosts": view.crawl.active_hosts(),
    }


@ROUTES.get("/logs", errors=(404,), response_model=part_of("logs", LogRow))
async def logs(
    view: View,
    source_id: Annotated[UUID | None, Query(description="Of this source only.")] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Any:
    """Finished runs, the latest first."""
    async with view.db.read() as db:
        lines, total = await crawl_control.log(
            db, source_id=str(source_id) if source_id is not None else None, limit=limit, offset=offset
        )
    return listed("logs", lines, total=total, limit=limit, offset=offset)
