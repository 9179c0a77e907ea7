"""The daily comparison of policies, and the line that stays of it."""

from datetime import timedelta

from lamplighter.operations.jobs import comparison_keeper, policy_comparison
from lamplighter.operations.jobs.comparison_keeper import ComparisonKeeper
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import pricing
from tests.clocks import At
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.operations.jobs.visited import visited
from tests.store.given_rows import write

pytestmark = on_sqlite
DAY = timedelta(days=1)


async def _priced(db: Connection) -> None:
    await pricing.save(db, price=1.0, owed=0.0, figures={}, solved_at=NOON)


async def _watched(db: Connection, names: str) -> None:
    """Sources that were visited every six hours for ten days, and had changed every third time."""
    for name in names:
        await visited(db, name, *((6 * number, number % 3 == 2) for number in range(41)))


async def test_what_learned_saves_is_found_once_a_day(db: Database) -> None:
    clock = At(NOON + 10 * DAY)
    keeper = ComparisonKeeper(db, clock=clock)
    await write(db, _priced)
    await write(db, _watched, "abcde")

    assert await keeper.compare_if_old()
    assert not await keeper.compare_if_old()
    clock.at += DAY
    assert await keeper.compare_if_old()

    assert (await write(db, comparison_keeper.saving)).startswith("learned")


async def test_of_little_nothing_is_said(db: Database) -> None:
    keeper = ComparisonKeeper(db, clock=At(NOON + 10 * DAY))
    await write(db, _priced)

    assert not await keeper.compare_if_old()  # nothing has changed yet
    await write(db, _watched, "ab")
    assert await keeper.compare_if_old()

    assert await write(db, comparison_keeper.saving) == ""


async def test_before_anything_is_learned_nothing_is_compared(db: Database) -> None:
    keeper = ComparisonKeeper(db, clock=At(NOON + 10 * DAY))
    await write(db, _watched, "abcde")

    assert not await keeper.compare_if_old()


async def test_while_somebody_compares_the_keeper_waits_for_its_next_round(db: Database) -> None:
    keeper = ComparisonKeeper(db, clock=At(NOON + 10 * DAY))
    await write(db, _priced)
    await write(db, _watched, "abcde")

    with policy_comparison.BUSY:
        assert not await keeper.compare_if_old()
    assert await keeper.compare_if_old()
