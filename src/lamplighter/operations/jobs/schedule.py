"""The schedule of the coming day: load, metrics, rebalancing, policies of tags."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.crawl.fleet.database_gauges import SchedulerFigures
from lamplighter.crawl.planning.outlook import load_map
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.model.schedule import PolicyName
from lamplighter.rules.schedule import rebalance, slots
from lamplighter.rules.schedule.rebalance import MovableJob, Move, RebalancePlan
from lamplighter.rules.schedule.schedule import moved_for_load
from lamplighter.rules.schedule.slots import LoadMap
from lamplighter.rules.sources import source_state
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import scheduler_figures
from lamplighter.store.jobs import job_lists, job_load, pricing, tallies
from lamplighter.store.jobs.job_lists import JobName
from lamplighter.store.jobs.job_load import Postponed
from lamplighter.store.jobs.pricing import Pricing
from lamplighter.store.runs import run_tallies
from lamplighter.store.runs.run_lists import RunSummary
from lamplighter.store.sources import tags

_LAST_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySchedule:
    """How the coming day looks."""

    load: LoadMap
    #: 1 is as even as can be
    score: float
    should_rebalance: bool
    pricing: Pricing


async def overview(db: Connection, *, now: datetime) -> DaySchedule:
    """The starts of the coming day, and what the budget buys."""
    load = await load_map(db, now=now)
    score = slots.score(load)
    return DaySchedule(
        load=load, score=score, should_rebalance=rebalance.needs_rebalance(score), pricing=await pricing.get(db)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMove:
    """A move, and of what."""

    move: Move
    job: JobName


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """How scheduling goes, in figures."""

    at: datetime
    #: state -> number of jobs
    jobs: dict[str, int]
    due_jobs: int
    last_day: RunSummary
    #: leases of crashed processes that were taken over, and silent runs that were handled
    stale_locks: int
    score: float
    should_rebalance: bool


async def metrics(db: Connection, figures: SchedulerFigures | None, *, now: datetime) -> Metrics:
    """The latest figures; before they were first taken, those of this moment."""
    score = figures.distribution_score if figures is not None else slots.score(await load_map(db, now=now))
    return Metrics(
        at=figures.at if figures is not None else now,
        jobs={str(status): number for status, number in source_state.by_status(await tallies.jobs(db)).items()},
        due_jobs=figures.due_jobs if figures is not None else await scheduler_figures.count_due(db, now=now),
        last_day=await run_tallies.summary(db, since=now - _LAST_DAY),
        stale_locks=figures.stale_locks if figures is not None else 0,
        score=score,
        should_rebalance=rebalance.needs_rebalance(score),
    )


async def preview_rebalance(db: Connection, *, now: datetime) -> RebalancePlan:
    """What a rebalance would move where; moves nothing."""
    candidates, load = await _movable(db, now=now)
    return rebalance.preview(candidates, load, now=now)


async def plan_rebalance(db: Database, *, now: datetime) -> RebalancePlan:
    """The same on its own thread: with ten thousand jobs it takes seconds, which would block the event loop."""
    async with db.read() as connection:
        candidates, load = await _movable(connection, now=now)
    return await asyncio.to_thread(rebalance.preview, candidates, load, now=now)


async def apply_rebalance(db: Connection, *, stamp: Stamp) -> RebalancePlan:
    """Moves jobs from full slots to emptier ones, as previewed."""
    plan = await preview_rebalance(db, now=stamp.now)
    await carry_out(db, plan, stamp=stamp)
    return plan


async def carry_out(db: Connection, plan: RebalancePlan, *, stamp: Stamp) -> None:
    """Makes the moves of a plan; a job that was planned anew since stays where it is."""
    reasons = await job_load.reasons(db, [move.job_id for move in plan.moves])
    moves = [
        Postponed(
            move.job_id,
            from_at=move.from_at,
            to_at=move.to_at,
            why=moved_for_load(reasons.get(move.job_id), by=move.to_at - move.from_at),
        )
        for move in plan.moves
    ]
    await job_load.move(db, moves, now=stamp.now)
    detail = {"moves": len(moves), "score_before": plan.score_before, "score_after": plan.score_after}
    await audit_log.write(db, stamp, "schedule.rebalance", "schedule", after=detail)


async def why_unmoved(db: Connection, plan: RebalancePlan, *, now: datetime) -> str | None:
    """Why a rebalance moves no run; None if it moves some."""
    if plan.moves:
        return None
    held = await job_load.held(
        db,
        since=now,
        until=now + slots.HORIZON,
        imminent_until=now + rebalance.IMMINENT,
        moved_since=now - rebalance.REST,
    )
    if not held.planned:
        return "no run is planned for the next 24 hours"
    told = [f"{count:,} {words}" for words, count in zip(_HELD, held[1:], strict=True) if count]
    rest = "; the others have no emptier slot within a tenth of their interval" if told else ""
    whole = "no run has an emptier slot within a tenth of its interval"
    return f"of {held.planned:,} planned runs {', '.join(told)}{rest}" if told else whole


#: in the order of `HeldJobs`
_HELD = (
    "back off after a failure",
    "have a crawl window",
    "keep exactly to their interval",
    "have not run yet",
    "start within half an hour",
    "were moved within the last hour",
)


async def _movable(db: Connection, *, now: datetime) -> tuple[list[MovableJob], LoadMap]:
    jobs = await job_load.movable(db, since=now, until=now + slots.HORIZON)
    return [_candidate(job, now=now) for job in jobs], await load_map(db, now=now)


async def named_moves(db: Connection, plan: RebalancePlan, *, limit: int, offset: int) -> list[NamedMove]:
    """A part of the moves of a plan, with the jobs they concern."""
    part = plan.moves[offset : offset + limit]
    names = await job_lists.names(db, [move.job_id for move in part])
    return [NamedMove(move=move, job=names[move.job_id]) for move in part if move.job_id in names]


async def set_tag_policy(db: Connection, tag: str, policy: str | None, *, stamp: Stamp) -> None:
    """Says how the intervals of sources with this tag are chosen; None leaves it to the installation."""
    if policy is not None and policy not in set(PolicyName):
        raise BadInput(f"policy {policy!r} is unknown; use {', '.join(PolicyName)}")
    await tags.set_policy(db, tag, PolicyName(policy) if policy is not None else None, now=stamp.now)
    await audit_log.write(db, stamp, "tag.policy", tag, after={"policy": policy})


def _candidate(job: job_load.MovableRow, *, now: datetime) -> MovableJob:
    """A job may be moved by a tenth of its pace, not into the past, and only later if a person set its interval."""
    pace = timedelta(seconds=job.pace_seconds)
    room = slots.tolerance(pace)
    return MovableJob(
        job_id=job.id,
        next_run_at=job.next_run_at,
        pace=pace,
        moved_at=job.moved_at,
        earliest=job.next_run_at if job.has_set_interval else max(now, job.next_run_at - room),
        latest=job.next_run_at + room,
    )
