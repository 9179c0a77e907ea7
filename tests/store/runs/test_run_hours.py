"""What runs came to by the hour: the same figures before they are written down and after."""

from collections.abc import Awaitable
from datetime import datetime, timedelta

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.runs import run_hours
from lamplighter.store.runs.run_hours import RunTotals, RunYield
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_run, write
from tests.store.query_plans import plan_of

#: the hour in which the first of the runs begins
FIRST = NOON.replace(minute=0, second=0, microsecond=0)


async def _runs(db: Database, *runs: tuple[datetime, str | None]) -> None:
    """Runs of one job that began then and ended so, each with three pages and two records; None goes on."""
    await write(db, a_run)
    async with db.exclusive() as connection:
        like = (await connection.execute(sa.select(tables.crawl_runs))).one()._asdict()
        await connection.execute(sa.delete(tables.crawl_runs))
        for number, (began, outcome) in enumerate(runs, 1):
            row = like | {"id": number, "public_id": str(number), "number": number, "started_at": began}
            row |= {"outcome": outcome, "finished_at": began + timedelta(minutes=1) if outcome else None}
            row |= {"pages_fetched": 2, "pages_unchanged": 1, "records_inserted": 1, "records_updated": 1}
            await connection.execute(sa.insert(tables.crawl_runs), row)


async def test_hours_are_the_same_whether_they_were_written_or_not(db: Database) -> None:
    later = NOON + 5 * HOUR
    await _runs(db, (NOON, "ok"), (NOON, "fail"), (NOON + 2 * HOUR, "warn"), (NOON + 3 * HOUR, "cancelled"))

    before = await write(db, run_hours.by_hour, since=NOON)
    written = await write(db, run_hours.write_next, now=later)
    after = await write(db, run_hours.by_hour, since=NOON)

    assert before == after
    assert written == 3
    assert after == {
        FIRST: RunTotals(runs=2, ok=1, failed=1, pages=6, records=4),
        FIRST + 2 * HOUR: RunTotals(runs=1, ok=1, failed=0, pages=3, records=2),
        FIRST + 3 * HOUR: RunTotals(runs=1, ok=0, failed=0, pages=3, records=2),
    }


async def test_an_hour_is_not_written_while_a_run_of_it_goes_on(db: Database) -> None:
    await _runs(db, (NOON, "ok"), (NOON + HOUR, None), (NOON + 2 * HOUR, "ok"))

    written = await write(db, run_hours.write_next, now=NOON + 9 * HOUR)

    assert written == 1
    assert (await write(db, run_hours.by_hour, since=NOON))[FIRST + 2 * HOUR].ok == 1


async def test_the_hour_that_goes_on_is_not_written(db: Database) -> None:
    await _runs(db, (NOON, "ok"))

    assert await write(db, run_hours.write_next, now=NOON + timedelta(minutes=59)) == 0


async def test_hours_are_written_once_and_outlive_their_runs(db: Database) -> None:
    await _runs(db, (NOON, "ok"))
    await write(db, run_hours.write_next, now=NOON + 2 * HOUR)
    async with db.exclusive() as connection:
        await connection.execute(sa.delete(tables.crawl_runs))

    again = await write(db, run_hours.write_next, now=NOON + 3 * HOUR)

    assert again == 0
    assert (await write(db, run_hours.by_hour, since=NOON))[FIRST].runs == 1


async def test_a_long_silence_does_not_keep_hours_from_being_written(db: Database) -> None:
    await _runs(db, (NOON, "ok"), (NOON + 60 * HOUR, "ok"))
    now = NOON + 70 * HOUR

    rounds = [await write(db, run_hours.write_next, now=now) for _ in range(3)]

    assert rounds == [1, 1, 0]


async def test_spans_shorter_than_an_hour_are_those_of_the_tallies_and_of_runs_that_go_on(db: Database) -> None:
    step = timedelta(minutes=5)
    await _runs(db, (NOON - step, "ok"), (NOON, "ok"), (NOON + 2 * step, "fail"), (NOON + 2 * step, None))

    found = await write(db, run_hours.by_span, since=NOON, span=step)

    assert {time: (came.runs, came.failed) for time, came in found.items()} == {FIRST: (1, 0), FIRST + 2 * step: (2, 1)}


async def test_of_runs_that_are_not_written_yet_only_those_that_go_on_are_looked_at(db: Database) -> None:
    await _runs(db, *((NOON + number * HOUR, "ok") for number in range(300)))
    async with db.exclusive() as connection:
        await connection.execute(sa.text("ANALYZE"))

    def look(connection: Connection) -> Awaitable[object]:
        return run_hours.by_span(connection, since=NOON + 290 * HOUR, span=HOUR)

    ended = await plan_of(db, look)
    going = await plan_of(db, look, start="SELECT crawl_runs" if db.is_sqlite else "SELECT CAST")

    assert "crawl_runs" not in ended
    assert "ix_crawl_runs_open" in going


async def test_to_write_an_hour_no_run_is_looked_at_but_its_own_and_those_that_go_on(db: Database) -> None:
    await _runs(db, *((NOON + number * HOUR, "ok") for number in range(300)))
    async with db.exclusive() as connection:
        await connection.execute(sa.text("ANALYZE"))

    def next_hours(connection: Connection) -> Awaitable[object]:
        return run_hours.write_next(connection, now=NOON + 250 * HOUR)

    first = await plan_of(db, next_hours, start="SELECT min(crawl_runs.started_at")
    open_since = await plan_of(db, next_hours, start="SELECT min(coalesce")
    summed = await plan_of(db, next_hours, start="INSERT INTO run_hours")

    assert "ix_crawl_runs_started" in first
    assert "ix_crawl_runs_open" in open_since
    assert "ix_crawl_runs_started" in summed


def test_only_ended_runs_have_a_success_rate() -> None:
    assert RunTotals(runs=5, ok=3, failed=1).success_rate == 0.75
    assert RunTotals(runs=1).success_rate is None


async def test_outcomes_are_the_same_whether_their_hour_was_written_or_not(db: Database) -> None:
    await _runs(db, (NOON, "ok"), (NOON, "fail"), (NOON + 2 * HOUR, "warn"), (NOON + 4 * HOUR, None))

    before = await write(db, run_hours.yields, since=NOON, span=HOUR)
    await write(db, run_hours.write_next, now=NOON + 5 * HOUR)
    after = await write(db, run_hours.yields, since=NOON, span=HOUR)

    one = RunYield(pages_fetched=2, pages_unchanged=1, records_inserted=1, records_updated=1)
    two = RunYield(pages_fetched=4, pages_unchanged=2, records_inserted=2, records_updated=2)
    assert before == after == {FIRST: two, FIRST + 2 * HOUR: one, FIRST + 4 * HOUR: one}


async def test_outcomes_of_an_hour_that_was_written_without_them_are_not_known(db: Database) -> None:
    await _runs(db, (NOON, "ok"), (NOON + 5 * HOUR, "ok"))
    await write(db, run_hours.write_next, now=NOON + 2 * HOUR)
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.run_hours).values(pages_failed=None))

    found = await write(db, run_hours.yields, since=NOON, span=4 * HOUR)

    assert [each is None for _, each in sorted(found.items())] == [True, False]
