"""The schedule as a whole, as an operator sees and changes it."""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.operations.jobs import schedule
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.changing import set_job
from tests.crawl.runs.due_jobs import Queues, on_sqlite
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, write

DAY = timedelta(days=1)


async def _crowd(db: Database, count: int = 12) -> list[int]:
    """Daily jobs that all start at the same time."""
    jobs = [await write(db, a_job, f"s{number}", due=NOON + 8 * HOUR) for number in range(count)]
    for job_id in jobs:
        await write(db, set_job, job_id, now=NOON, pace_seconds=86_400)
    return jobs


async def _planned(db: Database) -> list[Any]:
    return [(job.next_run_at, job.moved_at) for job in await Queues(db).rows(tables.crawl_jobs)]


async def test_a_preview_moves_nothing(db: Database) -> None:
    await _crowd(db)
    before = await _planned(db)

    plan = await write(db, schedule.preview_rebalance, now=NOON)

    assert plan.moves
    assert plan.score_after > plan.score_before
    assert await _planned(db) == before


async def test_a_rebalance_moves_what_its_preview_named_and_no_farther_than_a_tenth_of_the_pace(db: Database) -> None:
    await _crowd(db)
    preview = await write(db, schedule.preview_rebalance, now=NOON)

    plan = await write(db, schedule.apply_rebalance, stamp=Stamp("test", NOON))

    after = await write(db, schedule.overview, now=NOON)
    assert plan == preview
    assert after.score == pytest.approx(plan.score_after)
    moved = [at for at, moved_at in await _planned(db) if moved_at == NOON]
    assert len(moved) == len(plan.moves)
    assert all(abs(at - (NOON + 8 * HOUR)) <= DAY / 10 for at in moved)
    (line,) = [line for line in await Queues(db).rows(tables.audit_log) if line.action == "schedule.rebalance"]
    assert line.after["moves"] == len(plan.moves)


@on_sqlite
async def test_a_second_rebalance_leaves_alone_what_the_first_moved(db: Database) -> None:
    await _crowd(db)
    await write(db, schedule.apply_rebalance, stamp=Stamp("test", NOON))

    again = await write(db, schedule.apply_rebalance, stamp=Stamp("test", NOON + HOUR / 2))

    assert again.moves == ()


@on_sqlite
async def test_an_empty_schedule_is_even_and_has_no_price(db: Database) -> None:
    found = await write(db, schedule.overview, now=NOON)

    assert (found.score, found.should_rebalance, sum(found.load.starts)) == (1.0, False, 0)
    assert found.pricing.price is None


@on_sqlite
async def test_a_policy_that_nobody_knows_is_refused_by_name(db: Database) -> None:
    with pytest.raises(BadInput, match="policy 'whim' is unknown; use fixed, yield_days"):
        await write(db, schedule.set_tag_policy, "sea", "whim", stamp=Stamp("test", NOON))

    assert await Queues(db).rows(tables.tags) == []


@on_sqlite
async def test_a_tag_gets_a_policy_and_loses_it(db: Database) -> None:
    stored = []
    for policy in ("fixed", None):
        await write(db, schedule.set_tag_policy, "sea", policy, stamp=Stamp("test", NOON))
        stored += [row.policy for row in await Queues(db).rows(tables.tags)]

    assert stored == ["fixed", None]


@on_sqlite
async def test_a_moved_job_keeps_its_new_rhythm_and_says_so(db: Database) -> None:
    jobs = await _crowd(db)
    policy = {"step": "policy", "policy": "hash_backoff", "set_seconds": 86400.0}
    reason = {"steps": [policy], "expected": {"visits": 0}}
    for job_id in jobs:
        planned = reason | {"rhythm_at": (NOON + 8 * HOUR).isoformat()}
        await write(db, set_job, job_id, now=NOON, next_run_reason=planned, auto_managed=False)

    plan = await write(db, schedule.apply_rebalance, stamp=Stamp("test", NOON))

    rows = await Queues(db).rows(tables.crawl_jobs)
    moved = [job for job in rows if job.moved_at == NOON]
    assert plan.moves
    assert all(job.next_run_at >= NOON + 8 * HOUR for job in moved)
    assert all(job.next_run_reason["rhythm_at"] == job.next_run_at.isoformat() for job in moved)
    assert all(job.next_run_reason["steps"][-1]["step"] == "slot" for job in moved)


@on_sqlite
async def test_a_rebalance_that_moves_nothing_says_why(db: Database) -> None:
    for job_id in await _crowd(db):
        await write(db, set_job, job_id, now=NOON, override={"adaptive": False})

    plan = await write(db, schedule.preview_rebalance, now=NOON)

    assert plan.moves == ()
    why = await write(db, schedule.why_unmoved, plan, now=NOON)
    assert why is not None
    assert why.startswith("of 12 planned runs 12 keep exactly to their interval")
