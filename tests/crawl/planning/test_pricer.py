"""How the budget is distributed, and what a run is worth then."""

from typing import Any

import pytest

from lamplighter.crawl.planning.pricer import Pricer
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import pricing
from lamplighter.store.jobs.pricing import Pricing
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.store.given_rows import write


async def _watched(db: Database, **source_defaults: Any) -> Queues:
    """Four hourly sources of two pages each, on hosts of their own."""
    queues = Queues(db, interval=HOUR, **source_defaults)
    for number in range(4):
        await queues.job(f"s{number}", cost=2, belief_a=1.0, belief_b=float(5 + 20 * number))
    return queues


async def _priced(queues: Queues) -> Pricing:
    pricer = Pricer(
        queues.db, clock=queues.clock, source_defaults=queues.source_defaults, outlooks=queues.planner.outlooks
    )
    await pricer.reprice()
    return await write(queues.db, pricing.get)


@on_sqlite
async def test_without_sources_there_is_no_price(db: Database) -> None:
    assert await _priced(Queues(db)) == Pricing()


async def test_without_a_budget_what_the_sources_own_intervals_would_spend_is_distributed(db: Database) -> None:
    found = await _priced(await _watched(db))

    assert found.figures is not None
    assert (found.figures["sources"], found.figures["budget_per_hour"], found.figures["is_budget_given"]) == (
        4,
        8,
        False,
    )
    assert found.figures["demand_per_hour"] == pytest.approx(8, rel=0.01)
    assert found.price is not None
    assert found.price > 0


@on_sqlite
async def test_a_larger_budget_makes_runs_cheaper_and_copies_fresher(db: Database) -> None:
    small = await _priced(await _watched(db, budget_per_hour=4))
    large = await _priced(Queues(db, budget_per_hour=16))

    assert (small.price or 0) > (large.price or 0) > 0
    assert small.figures is not None
    assert large.figures is not None
    assert small.figures["expected_staleness"] > large.figures["expected_staleness"]
    assert large.figures["staleness_with_more"] < large.figures["staleness_with_less"]


@on_sqlite
async def test_sources_that_do_not_learn_take_their_share_first(db: Database) -> None:
    queues = await _watched(db, budget_per_hour=10)
    await queues.job("fixed", cost=3, policy="fixed")
    await queues.job("paused", cost=3, state="paused")

    found = await _priced(queues)

    assert found.figures is not None
    assert (found.figures["sources"], found.figures["budget_per_hour"]) == (4, 7)


@on_sqlite
async def test_a_budget_that_is_too_small_is_called_so(db: Database) -> None:
    found = await _priced(await _watched(db, budget_per_hour=0.001))

    assert found.figures is not None
    assert found.figures["is_budget_too_small"]
    assert found.figures["least_budget_per_hour"] > 0.001


@on_sqlite
async def test_what_a_small_budget_owes_is_made_up_for_within_seven_of_its_intervals(db: Database) -> None:
    queues = await _watched(db, budget_per_hour=0.05)  # eight pages: each once in 160 hours

    async def before(connection: Connection) -> None:
        await pricing.save(connection, price=1.0, owed=5.0, figures={}, solved_at=queues.clock.at)

    await db.write(before)
    found = await _priced(queues)

    assert found.owed == pytest.approx(5.0)  # a third of a week's fetches would be 2.8
    assert found.figures is not None
    assert found.figures["demand_per_hour"] == pytest.approx(0.05 + 5.0 / (7 * 160), rel=0.01)


async def test_a_host_in_greater_demand_than_it_can_serve_has_its_own_price(db: Database) -> None:
    queues = await _watched(db, budget_per_hour=100)
    for number in range(3):
        await queues.job(f"crowd{number}", host="slow.example", belief_a=1.0, belief_b=1.0)
    await queues.set_host("slow.example", min_delay_ms=3_600_000)

    found = await _priced(queues)

    hosts = {host.key: host.price for host in await queues.rows(tables.hosts)}
    assert hosts["slow.example"] > (found.price or 0)
    assert hosts["s0.example"] is None
    assert found.figures is not None
    assert found.figures["hosts_at_capacity"] == 1


@on_sqlite
async def test_a_new_price_holds_for_the_very_next_plan(db: Database) -> None:
    queues = await _watched(db)
    await queues.poll()
    before = await queues.end("s0", pages_fetched=1, pages_changed=1)

    found = await _priced(queues)
    await queues.end("s1", pages_fetched=1, pages_changed=1)

    step = (await queues.job_of("s1")).next_run_reason["steps"][0]
    assert step["price"] == pytest.approx(found.price)
    assert before.next_run_reason["steps"][0]["price"] != step["price"]


@on_sqlite
async def test_a_price_is_found_as_soon_as_there_is_a_source_and_then_kept_for_an_hour(db: Database) -> None:
    queues = Queues(db)
    pricer = Pricer(db, clock=queues.clock, source_defaults=queues.source_defaults, outlooks=queues.planner.outlooks)
    solved_at = []

    await pricer.reprice_if_old()
    await queues.job("first")
    for minutes in (1, 30, 61):
        queues.clock.at = NOON + minutes * HOUR / 60
        await pricer.reprice_if_old()
        solved_at.append((await write(db, pricing.get)).solved_at)

    assert solved_at == [NOON + HOUR / 60, NOON + HOUR / 60, NOON + 61 * HOUR / 60]


@on_sqlite
async def test_what_is_promised_follows_what_was_seen_of_all_sources_in_the_last_days(db: Database) -> None:
    queues, corrections = await _watched(db), []
    # An edit on the fourth day, of which the month's sum forgets an eighth in four days.
    seen = [(600.0, 0.0), (700.0, 100.0), (800.0, 87.0), (900.0, 76.0)]

    for days, (watched, stale) in enumerate(seen):
        queues.clock.at = NOON + 4 * 24 * days * HOUR
        for number in range(4):
            await queues.set_job(f"s{number}", watched_hours=watched, seen_stale_hours=stale)
        figures = (await _priced(queues)).figures or {}
        corrections.append(figures["promise_correction"])

    assert corrections[0] < 0.1
    assert corrections[1] > 3 * corrections[2] > 9 * corrections[3]


@on_sqlite
async def test_a_corrupt_figure_of_a_source_does_not_spoil_what_is_promised(db: Database) -> None:
    queues = await _watched(db)
    for number in range(4):
        await queues.set_job(f"s{number}", watched_hours=600.0, seen_stale_hours=60.0)
    sound = ((await _priced(queues)).figures or {})["promise_correction"]

    await queues.set_job("s3", seen_stale_hours=-1e300)
    figures = (await _priced(queues)).figures or {}

    assert 0.7 * sound < figures["promise_correction"] <= sound
