"""Scheduler: metrics, the distribution of the coming day, and rebalancing."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.operations.jobs import job_sync, schedule
from lamplighter.operations.jobs.schedule import DaySchedule, Metrics, NamedMove
from lamplighter.rules.schedule import slots
from lamplighter.rules.schedule.rebalance import RebalancePlan, in_words
from lamplighter.store.engine.database import Connection
from lamplighter.web.api.envelope import listed, part_of, taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.values import Limit, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1", tag="scheduler")


class ExecutionFigures(BaseModel):
    """Runs of the last 24 hours."""

    total: int
    running: int
    failed: int
    success_rate: float | None
    average_duration_ms: int | None


class SchedulerMetricsOut(BaseModel):
    """Scheduler metrics; executions are of the last 24 hours."""

    jobs: dict[str, int] = Field(examples=[{"pending": 2, "scheduled": 296, "running": 6, "failed": 3}])
    total_jobs: int
    due_jobs: int
    executions: ExecutionFigures
    stale_locks_cleared: int
    distribution_score: float
    should_rebalance: bool
    last_metrics_update: datetime


class SlotOut(BaseModel):
    """A load slot."""

    starts_at: datetime
    jobs: int


class DistributionOut(BaseModel):
    """The load of the coming day."""

    slot_minutes: int
    slots: list[SlotOut]
    total_starts: int
    distribution_score: float
    should_rebalance: bool
    recommendation: str = Field(examples=["evenly spread; nothing to do"])


class MoveOut(BaseModel):
    """A next run to be moved."""

    job_id: UUID = taken_from("job", "public_id")
    source_name: str = taken_from("job", "source_name")
    from_at: datetime = taken_from("move", "from_at", serialization_alias="from")
    to_at: datetime = taken_from("move", "to_at", serialization_alias="to")


RebalanceOut = part_of("moves", MoveOut, applied=bool, score_before=float, score_after=float, message=str | None)


class SyncOut(BaseModel):
    """The result of comparing all sources with their jobs."""

    sources_seen: int
    enabled: int
    created: int
    already_has_job: int
    resumed: int
    skipped: int
    #: jobs of deleted sources that were still active, and are now ended
    orphaned: int
    errors: int
    #: the sources that could not be compared; the log says why
    broken: list[str]


@ROUTES.get("/scheduler/metrics", response_model=SchedulerMetricsOut)
async def metrics(view: View) -> Any:
    """Scheduler metrics."""
    return metrics_out(await view.read(lambda db: schedule.metrics(db, view.crawl.scheduling(), now=view.clock.now())))


@ROUTES.get("/scheduler/distribution", response_model=DistributionOut)
async def distribution(view: View) -> Any:
    """The load of the coming day, by quarter of an hour."""
    return _distribution_out(await view.read(lambda db: schedule.overview(db, now=view.clock.now())))


@ROUTES.post("/scheduler/rebalance/preview", response_model=RebalanceOut)
async def preview(view: View, limit: Limit = 250, offset: Offset = 0) -> Any:
    """The moves of a rebalance; moves nothing."""
    plan = await schedule.plan_rebalance(view.db, now=view.clock.now())
    async with view.db.read() as db:
        moves = await schedule.named_moves(db, plan, limit=limit, offset=offset)
        why = await schedule.why_unmoved(db, plan, now=view.clock.now())
    return _rebalance_out(plan, moves, applied=False, limit=limit, offset=offset) | {"message": why}


@ROUTES.post("/scheduler/rebalance", response_model=RebalanceOut)
async def rebalance(view: View, caller: Asking, limit: Limit = 250, offset: Offset = 0) -> Any:
    """Moves runs from full load slots to emptier ones nearby."""
    stamp = view.stamp(caller)

    plan = await schedule.plan_rebalance(view.db, now=stamp.now)

    async def work(db: Connection) -> tuple[list[NamedMove], str | None]:
        await schedule.carry_out(db, plan, stamp=stamp)
        why = await schedule.why_unmoved(db, plan, now=stamp.now)
        return await schedule.named_moves(db, plan, limit=limit, offset=offset), why

    moves, why = await view.db.write(work)
    return _rebalance_out(plan, moves, applied=True, limit=limit, offset=offset) | {"message": why}


@ROUTES.post("/admin/sync-enabled-sources", response_model=SyncOut)
async def sync_enabled_sources(view: View, caller: Asking) -> Any:
    """Compares every source with its job now instead of within minutes; jobs that a person paused stay so."""
    return await job_sync.sync_enabled(
        view.db, source_defaults=view.source_defaults, actor=caller.name, clock=view.clock
    )


def metrics_out(found: Metrics) -> dict[str, Any]:
    """The metrics as a response."""
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
        "stale_locks_cleared": found.stale_locks,
        "distribution_score": round(found.score, 3),
        "should_rebalance": found.should_rebalance,
        "last_metrics_update": found.at,
    }


def _distribution_out(found: DaySchedule) -> dict[str, Any]:
    begin = found.load.ends_at - slots.HORIZON
    advice = in_words(found.score, total=sum(found.load.starts))
    if found.should_rebalance:
        advice += "; see what a rebalance would do: POST /api/v1/scheduler/rebalance/preview"
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


def _rebalance_out(
    plan: RebalancePlan, moves: list[NamedMove], *, applied: bool, limit: int, offset: int
) -> dict[str, Any]:
    scores = {"score_before": round(plan.score_before, 3), "score_after": round(plan.score_after, 3)}
    return listed("moves", moves, total=len(plan.moves), limit=limit, offset=offset) | scores | {"applied": applied}
