"""The schedule as a whole: how the day fills up, what the budget buys, who could be moved."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.crawl.gauge import Figures
from lamplighter.crawl.outlook import load_map
from lamplighter.errors import BadInput
from lamplighter.model.crawl import JobState
from lamplighter.model.schedule import PolicyName
from lamplighter.rules import rebalance, slots
from lamplighter.rules.rebalance import Candidate, Move, Plan
from lamplighter.rules.slots import LoadMap
from lamplighter.store import audit_log, job_lists, job_load, pricing, run_tallies, scheduler_figures, tags
from lamplighter.store.database import Connection, Database
from lamplighter.store.job_lists import JobName
from lamplighter.store.pricing import Pricing
from lamplighter.store.run_lists import Summary

_LAST_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How the coming day looks."""

    load: LoadMap
    #: 1 is as even as can be
    score: float
    should_rebalance: bool
    pricing: Pricing


async def overview(db: Connection, *, now: datetime) -> Schedule:
    """The starts of the coming day, and what the budget buys."""
    load = await load_map(db, now=now)
    score = slots.score(load)
    return Schedule(
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
    last_day: Summary
    #: silent runs that had to be looked after since this process began
    stale_runs: int
    score: float
    should_rebalance: bool


async def metrics(db: Connection, figures: Figures | None, *, now: datetime) -> Metrics:
    """The latest figures; before they were first taken, those of this moment."""
    by_state = await job_lists.count_by_state(db)
    score = figures.distribution_score if figures is not None else slots.score(await load_map(db, now=now))
    return Metrics(
        at=figures.at if figures is not None else now,
        jobs={str(state): by_state.get(state, 0) for state in JobState},
        due_jobs=figures.due_jobs if figures is not None else await scheduler_figures.count_due(db, now=now),
        last_day=await run_tallies.summary(db, since=now - _LAST_DAY),
        stale_runs=figures.stale_runs if figures is not None else 0,
        score=score,
        should_rebalance=rebalance.needs_rebalance(score),
    )


async def preview_rebalance(db: Connection, *, now: datetime) -> Plan:
    """What a rebalance would move where; moves nothing."""
    candidates, load = await _movable(db, now=now)
    return rebalance.preview(candidates, load, now=now)


async def plan_rebalance(db: Database, *, now: datetime) -> Plan:
    """The same on a thread of its own: with ten thousand jobs it is seconds of arithmetic, and others want to go on."""
    async with db.read() as connection:
        candidates, load = await _movable(connection, now=now)
    return await asyncio.to_thread(rebalance.preview, candidates, load, now=now)


async def apply_rebalance(db: Connection, *, actor: str, now: datetime) -> Plan:
    """Moves jobs from full slots to emptier ones, as previewed."""
    plan = await preview_rebalance(db, now=now)
    await carry_out(db, plan, actor=actor, now=now)
    return plan


async def carry_out(db: Connection, plan: Plan, *, actor: str, now: datetime) -> None:
    """Makes the moves of a plan; a job that was planned anew since stays where it is."""
    moves = [{"job": move.job_id, "from_at": move.from_at, "to_at": move.to_at} for move in plan.moves]
    await job_load.move(db, moves, now=now)
    detail = {"moves": len(moves), "score_before": plan.score_before, "score_after": plan.score_after}
    await audit_log.write(db, actor=actor, action="schedule.rebalance", subject="schedule", now=now, after=detail)


async def _movable(db: Connection, *, now: datetime) -> tuple[list[Candidate], LoadMap]:
    jobs = await job_load.movable(db, since=now, until=now + slots.HORIZON)
    return [_candidate(job, now=now) for job in jobs], await load_map(db, now=now)


async def named_moves(db: Connection, plan: Plan, *, limit: int, offset: int) -> list[NamedMove]:
    """A part of the moves of a plan, with the jobs they concern."""
    part = plan.moves[offset : offset + limit]
    names = await job_lists.names(db, [move.job_id for move in part])
    return [NamedMove(move=move, job=names[move.job_id]) for move in part if move.job_id in names]


async def set_tag_policy(db: Connection, tag: str, policy: str | None, *, actor: str, now: datetime) -> None:
    """Says how the intervals of sources with this tag are chosen; None leaves it to the installation."""
    if policy is not None and policy not in set(PolicyName):
        raise BadInput(f"policy {policy!r} is unknown; use {', '.join(PolicyName)}")
    await tags.set_policy(db, tag, PolicyName(policy) if policy is not None else None, now=now)
    await audit_log.write(db, actor=actor, action="tag.policy", subject=tag, now=now, after={"policy": policy})


def _candidate(job: job_load.Movable, *, now: datetime) -> Candidate:
    """A job may be moved by a tenth of its pace, and not into the past."""
    pace = timedelta(seconds=job.pace_seconds)
    room = slots.tolerance(pace)
    return Candidate(
        job_id=job.id,
        next_run_at=job.next_run_at,
        pace=pace,
        moved_at=job.moved_at,
        earliest=max(now, job.next_run_at - room),
        latest=job.next_run_at + room,
    )
