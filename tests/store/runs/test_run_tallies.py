"""What everybody's runs came to lately is the same as if all of them were counted."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from lamplighter.store.engine.database import Database
from lamplighter.store.runs import run_lists, run_tallies
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_run, write
from tests.store.query_plans import plan_of

MINUTE = timedelta(minutes=1)


async def _runs(db: Database) -> None:
    """Runs of one job, a minute apart, that took ever longer; every fourth of them goes on."""
    await write(db, a_run)
    async with db.exclusive() as connection:
        like = (await connection.execute(sa.select(tables.crawl_runs))).one()._asdict()
        await connection.execute(sa.delete(tables.crawl_runs))
        for number in range(60):
            began = NOON + number * MINUTE
            outcome = ("ok", "warn", None, "fail", "ok", "cancelled", None, "ok")[number % 8]
            row = like | {"id": number + 1, "public_id": str(number), "number": number, "started_at": began}
            row |= {"outcome": outcome, "finished_at": began + number * MINUTE / 10 if outcome else None}
            row |= {"pages_fetched": number, "pages_unchanged": 1, "records_inserted": 2, "records_updated": number}
            await connection.execute(sa.insert(tables.crawl_runs), row)


@pytest.mark.parametrize(
    "since",
    [
        pytest.param(NOON - HOUR, id="before the first"),
        pytest.param(NOON.replace(minute=10, second=0, microsecond=0), id="where a step begins"),
        pytest.param(NOON.replace(minute=10, second=0, microsecond=1), id="a moment later"),
        pytest.param(NOON + 33 * MINUTE, id="within a step"),
        pytest.param(NOON + 58 * MINUTE, id="within the last step"),
        pytest.param(NOON + 2 * HOUR, id="after the last"),
    ],
)
async def test_a_summary_from_tallies_is_that_of_the_runs(db: Database, since: object) -> None:
    await _runs(db)

    counted = await write(db, run_lists.summary, since=since)
    tallied = await write(db, run_tallies.summary, since=since)

    assert tallied._replace(average_seconds=0) == counted._replace(average_seconds=0)
    assert tallied.average_seconds == pytest.approx(counted.average_seconds, abs=0.001)


async def test_forgotten_steps_stay_forgotten_when_their_runs_go(db: Database) -> None:
    await _runs(db)

    await write(db, run_tallies.forget, before=NOON + 30 * MINUTE)
    async with db.exclusive() as connection:
        await connection.execute(
            sa.delete(tables.crawl_runs).where(tables.crawl_runs.c.started_at < NOON + 40 * MINUTE)
        )

    async with db.read() as connection:
        steps = set(await connection.scalars(sa.select(tables.run_tallies.c.step)))
    assert min(steps) == run_tallies.step_of(NOON + 30 * MINUTE)
    since = run_tallies.time_of(min(steps))
    assert (await write(db, run_tallies.summary, since=since)).runs == 20


async def test_open_runs_are_found_by_an_index_of_their_own(db: Database) -> None:
    await _runs(db)
    async with db.exclusive() as connection:
        await connection.execute(sa.text("ANALYZE"))

    plan = await plan_of(db, lambda c: run_lists.summary_of_open(c, since=NOON))

    assert "ix_crawl_runs_open" in plan
