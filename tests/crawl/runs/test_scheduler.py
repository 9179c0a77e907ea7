"""Which runs are opened when: by urgency, within capacity, windows and budgets, whatever one source is like."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.rules.schedule import urgency
from lamplighter.store.engine.database import Database
from lamplighter.store.jobs import pricing
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


# ── order ────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_job_whose_waiting_costs_most_is_opened_first(db: Database) -> None:
    queues = Queues(db)
    await queues.job("calm", urgency=-3, next_run_at=NOON - HOUR)
    await queues.job("late", urgency=0, next_run_at=NOON - 2 * HOUR)
    await queues.job("urgent", urgency=2, next_run_at=NOON - HOUR)
    await queues.job("not due", urgency=2, next_run_at=NOON + MINUTE)

    assert await queues.poll() == ["urgent", "late", "calm"]


@on_sqlite
async def test_a_job_that_matters_little_gets_its_turn_while_urgent_ones_keep_coming(db: Database) -> None:
    queues = Queues(db, runs=1)
    await queues.job("least", urgency=urgency.MOST - 4, next_run_at=NOON)
    for number in range(2):
        await queues.job(f"urgent {number}", urgency=urgency.MOST, interval=MINUTE)

    for waited in range(60):  # noqa: B007  used after the loop
        if "least" in await queues.poll(MINUTE):
            break
        await queues.end_all()

    # Sixteen times less urgent, so it waits about sixteen times as long as the others, which are due every minute.
    assert 8 < waited < 40


@on_sqlite
async def test_a_job_is_opened_once_however_long_it_was_due(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", next_run_at=NOON - 3 * DAY)

    assert [await queues.poll(), await queues.poll(MINUTE)] == [["a"], []]
    assert (await queues.job_of("a")).run_count == 1


@on_sqlite
async def test_after_three_days_of_downtime_every_overdue_job_runs_once_in_the_order_of_what_was_lost(
    db: Database,
) -> None:
    queues = Queues(db, runs=5)
    lanes = range(urgency.LEAST, urgency.MOST + 1)
    for number, lane in enumerate(lanes):
        await queues.job(
            f"lane {lane - urgency.LEAST}", urgency=lane, next_run_at=NOON + number * MINUTE, interval=30 * DAY
        )

    opened = []
    queues.clock.at += 3 * DAY
    for _ in range(4):
        opened += await queues.poll(MINUTE)
        await queues.end_all()

    assert opened == [f"lane {lane - urgency.LEAST}" for lane in reversed(lanes)]


# ── capacity ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@on_sqlite
async def test_no_more_runs_go_on_than_there_is_room_for(db: Database) -> None:
    queues = Queues(db, runs=3)
    for number in range(5):
        await queues.job(f"s{number}")

    first, second = await queues.poll(), await queues.poll(MINUTE)
    await queues.end_all()

    assert (len(first), second, len(await queues.poll(MINUTE))) == (3, [], 2)


@on_sqlite
async def test_a_run_that_waits_for_a_far_turn_of_its_host_keeps_nobody_from_running(db: Database) -> None:
    queues = Queues(db, runs=1, per_host=1)
    await queues.job("slow", host="slow.example")
    await queues.poll()
    await queues.job("as slow", host="slow.example")
    await queues.job("quick")

    opened = []
    for turn_at in (NOON + MINUTE, NOON + DAY):
        await queues.set_host("slow.example", free_at=turn_at)
        opened.append(await queues.poll())

    assert opened == [[], ["quick"]]


async def test_a_host_with_a_thousand_due_jobs_does_not_keep_others_waiting(db: Database) -> None:
    queues = Queues(db, runs=10, per_host=2)
    await queues.job("crowd", host="crowd.example", next_run_at=NOON - DAY)
    await _copy_job(queues, "crowd", times=999)
    for number in range(3):
        await queues.job(f"other {number}")

    opened = await queues.poll()

    # Which of those that fell due at the same moment begin is for the database to say.
    crowd = [name for name in opened if name.startswith("crowd")]
    assert (len(set(crowd)), sorted(set(opened) - set(crowd))) == (2, ["other 0", "other 1", "other 2"])
    assert len(opened) == 5


@on_sqlite
async def test_a_job_without_a_host_learns_whom_it_asks_when_it_is_opened(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", host_id=None)

    await queues.poll()

    (host,) = await queues.rows(tables.hosts)
    assert (await queues.job_of("a")).host_id == host.id


async def test_a_job_whose_forced_run_goes_on_does_not_stand_in_the_way(db: Database) -> None:
    queues = Queues(db, runs=2)
    await queues.job("forced", urgency=2)
    await queues.poll()
    await queues.set_job("forced", state=JobState.SCHEDULED, next_run_at=NOON - DAY)
    await queues.job("other", urgency=-8)

    assert await queues.poll() == ["other"]


# ── windows and hosts ────────────────────────────────────────────────────────────────────────────────────────────────


async def test_outside_its_window_a_due_job_waits_for_the_opening_and_runs_once(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", windows_text="22:00-23:00", interval=HOUR)
    opening = NOON.replace(hour=22, minute=0, second=0, microsecond=0)

    before = await queues.poll()
    planned = await queues.job_of("a")
    queues.clock.at = opening

    assert (before, planned.next_run_at, planned.run_count) == ([], opening, 0)
    assert "window" in planned.next_run_reason["why"]
    assert [await queues.poll(), await queues.poll(MINUTE)] == [["a"], []]


@on_sqlite
async def test_the_explanation_of_a_postponed_run_keeps_its_steps_and_gains_one(db: Database) -> None:
    queues = Queues(db)
    steps = [{"step": "policy"}, {"step": "window", "at": "long ago"}]
    await queues.job("a", windows_text="22:00-23:00", next_run_reason={"steps": steps, "expected": {}})

    await queues.poll()

    reason = (await queues.job_of("a")).next_run_reason
    assert [step["step"] for step in reason["steps"]] == ["policy", "window"]
    assert reason["steps"][1]["waited_seconds"] == pytest.approx(10 * 3600, abs=1)


@on_sqlite
async def test_windows_of_the_host_hold_for_all_its_sources(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", host="shared.example")
    night = [{"kind": "deny", "days": ["sat"], "start": "00:00", "end": "24:00", "zone": "UTC"}]
    await queues.set_host("shared.example", windows=night)

    assert await queues.poll() == []
    assert await queues.next_run_at("a") == (NOON + DAY).replace(hour=0, minute=0, second=0, microsecond=0)


async def test_a_host_that_asked_to_be_left_alone_is(db: Database) -> None:
    queues = Queues(db)
    for name in ("a", "b"):
        await queues.job(name, host="shared.example")
    await queues.job("elsewhere")
    await queues.set_host("shared.example", blocked_until=NOON + HOUR)

    opened = await queues.poll()

    assert opened == ["elsewhere"]
    assert await queues.next_run_at("a") == NOON + HOUR
    assert sorted(await queues.poll(HOUR)) == ["a", "b"]


@on_sqlite
async def test_a_crowd_at_a_blocked_host_is_not_worked_off_in_one_poll(db: Database) -> None:
    queues = Queues(db, per_host=2)
    await queues.job("crowd", host="crowd.example")
    await _copy_job(queues, "crowd", times=99)
    await queues.job("other", next_run_at=NOON)
    await queues.set_host("crowd.example", blocked_until=NOON + HOUR)

    opened = await queues.poll(MINUTE)

    moved = [job for job in await queues.rows(tables.crawl_jobs) if job.next_run_at == NOON + HOUR]
    assert (opened, len(moved)) == (["other"], 2)


# ── budgets ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@on_sqlite
@pytest.mark.parametrize(("per_hour", "cost"), [(6, 1), (30, 5), (12, 24)])
async def test_the_budget_of_the_installation_paces_the_runs(db: Database, per_hour: int, cost: int) -> None:
    queues = Queues(db, budget_per_hour=per_hour)
    for number in range(20):
        await queues.job(f"s{number}", cost=cost, next_run_at=NOON - DAY)

    opened = [len(await queues.poll(10 * MINUTE)) for _ in range(3 * 6)]

    spent = sum(opened) * cost
    assert per_hour * 3 - cost <= spent <= per_hour * 3 + cost
    assert max(opened) == 1


@on_sqlite
async def test_a_budget_larger_than_one_run_per_poll_is_not_wasted(db: Database) -> None:
    queues = Queues(db, budget_per_hour=600)
    for number in range(45):
        await queues.job(f"s{number}")

    opened = [len(await queues.poll(MINUTE)) for _ in range(3)]

    # Ten in a minute, and at first one minute ahead.
    assert sum(opened) <= 10 * 3 + 11
    assert sum(opened) >= 20


@on_sqlite
async def test_the_budget_of_a_host_paces_its_runs_and_nobody_elses(db: Database) -> None:
    queues = Queues(db)
    for number in range(12):
        await queues.job(f"slow {number}", host="slow.example", cost=5)
        await queues.job(f"quick {number}")
    await queues.set_host("slow.example", budget_per_hour=10)

    opened = [await queues.poll(10 * MINUTE) for _ in range(12)]

    slow = [name for names in opened for name in names if name.startswith("slow")]
    assert len([name for name in opened[0] if name.startswith("quick")]) == 12
    assert 3 <= len(slow) <= 5


@on_sqlite
async def test_without_a_budget_nothing_is_charged(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", cost=1000)

    await queues.poll()

    async with db.read() as connection:
        assert await pricing.get(connection) == pricing.Pricing()
    assert [host.budget_free_at for host in await queues.rows(tables.hosts)] == [None]


# ── trouble ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param({"url": "ht!tp:/nowhere"}, id="an address that is none"),
        pytest.param({"windows": [{"kind": "allow", "zone": "Mars/Olympus"}]}, id="windows of another planet"),
        pytest.param({"windows": "always"}, id="windows that are no list"),
        pytest.param({"organisation_type": "circus", "policy": "whim"}, id="words that nobody knows"),
    ],
)
async def test_one_bad_source_never_stops_the_others(db: Database, broken: dict[str, Any]) -> None:
    queues = Queues(db)
    await queues.job("bad", urgency=2, next_run_at=NOON - DAY)
    await queues.job("good")
    await queues.set_source("bad", **broken)

    assert "good" in await queues.poll()


@on_sqlite
async def test_a_job_that_cannot_be_opened_is_put_aside_and_says_why(db: Database) -> None:
    queues = Queues(db)
    await queues.job("bad")
    await queues.set_source("bad", url="ht!tp:/nowhere")

    await queues.poll()

    job = await queues.job_of("bad")
    assert (job.state, job.run_count, job.next_run_at) == ("pending", 0, NOON + HOUR)
    assert job.failure_count == 1
    assert "could not be started" in job.next_run_reason["why"]
    assert "ht!tp:/nowhere" in job.next_run_reason["why"]


@on_sqlite
async def test_a_clock_set_back_an_hour_causes_neither_a_burst_nor_a_stall(db: Database) -> None:
    queues = Queues(db, budget_per_hour=60)
    for number in range(3):
        await queues.job(f"s{number}", interval=HOUR / 2)
    opened = []
    for minutes in (*[10] * 6, -60, *[10] * 18):
        opened.append(len(await queues.poll(minutes * MINUTE)))
        await queues.end_all()

    before, after = opened[:6], opened[6:]
    assert sum(before) == 6
    assert max(after) <= 3
    assert sum(after[1:10]) <= 3
    assert sum(after[9:]) >= 9


async def test_two_schedulers_open_each_job_once(db: Database) -> None:
    queues, rival = Queues(db), Queues(db)
    for number in range(20):
        await queues.job(f"s{number}")

    await asyncio.gather(queues.scheduler.open_due(), rival.scheduler.open_due())

    runs = await queues.rows(tables.crawl_runs)
    assert len(runs) == len({run.job_id for run in runs})


async def _execute(db: Any, statement: Any, rows: Any = None) -> None:
    await db.execute(statement, rows)


async def _copy_job(queues: Queues, name: str, *, times: int) -> None:
    """As many more sources and jobs like this one."""
    job = await queues.job_of(name)
    source = next(row for row in await queues.rows(tables.sources) if row.id == job.source_id)
    copies = [
        source._asdict()
        | {
            "id": 10_000 + number,
            "public_id": f"s{number}",
            "name": f"{name} {number}",
            "url": f"{source.url}/{number}",
        }
        for number in range(times)
    ]
    jobs = [
        job._asdict() | {"id": copy["id"], "public_id": copy["public_id"], "source_id": copy["id"]} for copy in copies
    ]
    await queues.db.write(lambda db: _execute(db, sa.insert(tables.sources), copies))
    await queues.db.write(lambda db: _execute(db, sa.insert(tables.crawl_jobs), jobs))
