"""Scheduler: how scheduling goes, how the day fills up, and how to spread it better."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.operations import schedule, sync
from lamplighter.operations.schedule import Metrics, NamedMove, Schedule
from lamplighter.rules import slots
from lamplighter.rules.rebalance import SHOULD_REBALANCE_BELOW, Plan
from lamplighter.store.database import Connection
from lamplighter.web.api.paging import Limit, Offset
from lamplighter.web.api.routes import Routes
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1", tag="scheduler")
_MOVE = {
    "job_id": "5b0f6a52-9d0b-4f1e-9a55-0c4f4d6b9a11",
    "source_name": "Harbour Relief",
    "from": "2026-01-29T12:00:00Z",
    "to": "2026-01-29T12:45:00Z",
}
_REBALANCE = {
    "applied": False,
    "score_before": 0.62,
    "score_after": 0.91,
    "total": 1,
    "limit": 250,
    "offset": 0,
    "moves": [_MOVE],
}
_METRICS = {
    "jobs": {"pending": 2, "scheduled": 296, "running": 6, "completed": 0, "failed": 3, "paused": 5, "cancelled": 0},
    "total_jobs": 312,
    "due_jobs": 1,
    "executions": {"total": 4231, "running": 6, "failed": 42, "success_rate": 0.99, "average_duration_ms": 12300},
    "stale_locks_cleared": 0,
    "distribution_score": 0.93,
    "should_rebalance": False,
    "last_metrics_update": "2026-01-29T10:15:30Z",
}
_DISTRIBUTION = {
    "slot_minutes": 15,
    "slots": [{"starts_at": "2026-01-29T10:15:00Z", "jobs": 4}],
    "total_starts": 4,
    "distribution_score": 0.93,
    "should_rebalance": False,
    "recommendation": "evenly spread; nothing to do",
}
_SYNC = {
    "sources_seen": 312,
    "enabled": 300,
    "created": 1,
    "already_has_job": 299,
    "resumed": 0,
    "skipped": 12,
    "orphaned": 0,
    "errors": 0,
    "broken": [],
}


class ExecutionFigures(BaseModel):
    """Runs of the last 24 hours."""

    total: int
    running: int
    failed: int
    success_rate: float | None
    average_duration_ms: int | None


class MetricsOut(BaseModel):
    """How scheduling goes; executions are of the last 24 hours."""

    jobs: dict[str, int]
    total_jobs: int
    due_jobs: int
    executions: ExecutionFigures
    stale_locks_cleared: int
    distribution_score: float
    should_rebalance: bool
    last_metrics_update: datetime


class SlotOut(BaseModel):
    """A quarter of an hour."""

    starts_at: datetime
    jobs: int


class DistributionOut(BaseModel):
    """How the coming day fills up."""

    slot_minutes: int
    slots: list[SlotOut]
    total_starts: int
    distribution_score: float
    should_rebalance: bool
    recommendation: str


class MoveOut(BaseModel):
    """One next run at another time."""

    job_id: UUID
    source_name: str
    from_at: datetime = Field(alias="from")
    to_at: datetime = Field(alias="to")


class RebalanceOut(BaseModel):
    """What was moved, or would be."""

    applied: bool
    score_before: float
    score_after: float
    total: int
    limit: int
    offset: int
    moves: list[MoveOut]


class SyncOut(BaseModel):
    """What a comparison of all sources with their jobs came to."""

    sources_seen: int
    enabled: int
    created: int
    already_has_job: int
    resumed: int
    skipped: int
    #: jobs of deleted sources that were still alive, and now ended
    orphaned: int
    errors: int
    #: the sources that could not be compared; the log tells why
    broken: list[str]


@ROUTES.get("/scheduler/metrics", response_model=MetricsOut, example=_METRICS)
async def metrics(view: View) -> Any:
    """How scheduling goes."""
    async with view.db.read() as db:
        return metrics_out(await schedule.metrics(db, view.scheduling(), now=view.clock.now()))


@ROUTES.get("/scheduler/distribution", response_model=DistributionOut, example=_DISTRIBUTION)
async def distribution(view: View) -> Any:
    """How the coming day fills up, in quarters of an hour."""
    async with view.db.read() as db:
        return _distribution_out(await schedule.overview(db, now=view.clock.now()))


@ROUTES.post("/scheduler/rebalance/preview", response_model=RebalanceOut, example=_REBALANCE)
async def preview(view: View, limit: Limit = 250, offset: Offset = 0) -> Any:
    """What a rebalance would move where; moves nothing."""
    plan = await schedule.plan_rebalance(view.db, now=view.clock.now())
    async with view.db.read() as db:
        moves = await schedule.named_moves(db, plan, limit=limit, offset=offset)
    return _rebalance_out(plan, moves, applied=False, limit=limit, offset=offset)


@ROUTES.post("/scheduler/rebalance", response_model=RebalanceOut, example=_REBALANCE | {"applied": True})
async def rebalance(view: View, caller: Asking, limit: Limit = 250, offset: Offset = 0) -> Any:
    """Moves jobs from full quarters of an hour to emptier ones nearby."""
    now = view.clock.now()

    plan = await schedule.plan_rebalance(view.db, now=now)

    async def work(db: Connection) -> list[NamedMove]:
        await schedule.carry_out(db, plan, actor=caller.name, now=now)
        return await schedule.named_moves(db, plan, limit=limit, offset=offset)

    moves = await view.db.write(work)
    view.jobs_changed()
    return _rebalance_out(plan, moves, applied=True, limit=limit, offset=offset)


@ROUTES.post("/admin/sync-enabled-sources", response_model=SyncOut, example=_SYNC)
async def sync_enabled_sources(view: View, caller: Asking) -> Any:
    """Compares every source with its job now instead of within minutes; what a person paused stays paused."""
    report = await sync.sync_enabled(view.db, norms=view.norms, actor=caller.name, clock=view.clock)
    view.jobs_changed()
    return {name: getattr(report, name) for name in SyncOut.model_fields}


def metrics_out(found: Metrics) -> dict[str, Any]:
    """The figures in the scheduler's words."""
    day = found.last_day
    rate, seconds = day.success_rate, day.average_seconds
    return {
        "jobs": found.jobs,
        "total_jobs": sum(found.jobs.values()),
        "due_jobs": found.due_jobs,
        "executions": {
            "total": day.runs,
            "running": day.running,
            "failed": day.failed,
            "success_rate": round(rate, 3) if rate is not None else None,
            "average_duration_ms": round(seconds * 1000) if seconds is not None else None,
        },
        "stale_locks_cleared": found.stale_runs,
        "distribution_score": round(found.score, 3),
        "should_rebalance": found.should_rebalance,
        "last_metrics_update": found.at,
    }


def _distribution_out(found: Schedule) -> dict[str, Any]:
    begin = found.load.ends_at - slots.HORIZON
    advice = "evenly spread; nothing to do"
    if found.should_rebalance:
        how = "POST /api/v1/scheduler/rebalance/preview"
        advice = f"the score is below {SHOULD_REBALANCE_BELOW}; see what a rebalance would do: {how}"
    return {
        "slot_minutes": int(slots.SLOT.total_seconds() // 60),
        "slots": [
            {"starts_at": begin + number * slots.SLOT, "jobs": jobs} for number, jobs in enumerate(found.load.starts)
        ],
        "total_starts": sum(found.load.starts),
        "distribution_score": round(found.score, 3),
        "should_rebalance": found.should_rebalance,
        "recommendation": advice,
    }


def _rebalance_out(plan: Plan, moves: list[NamedMove], *, applied: bool, limit: int, offset: int) -> dict[str, Any]:
    return {
        "applied": applied,
        "score_before": round(plan.score_before, 3),
        "score_after": round(plan.score_after, 3),
        "total": len(plan.moves),
        "limit": limit,
        "offset": offset,
        "moves": [
            {
                "job_id": each.job.public_id,
                "source_name": each.job.source_name,
                "from": each.move.from_at,
                "to": each.move.to_at,
            }
            for each in moves
        ],
    }
