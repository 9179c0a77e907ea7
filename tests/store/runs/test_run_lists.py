"""What runs come to, and how that is found."""

from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine.database import Database
from lamplighter.store.runs import run_lists
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_run, write
from tests.store.query_plans import plan_of


async def _runs(db: Database, *outcomes: str | None, **columns: Any) -> None:
    """Runs of one job, an hour apart, each of ten seconds; None goes on."""
    _, run_id = await write(db, a_run)
    async with db.exclusive() as connection:
        like = (await connection.execute(sa.select(tables.crawl_runs))).one()._asdict()
        await connection.execute(sa.delete(tables.crawl_runs))
        for number, outcome in enumerate(outcomes, 1):
            began = NOON + number * HOUR
            row = like | {"id": run_id + number, "public_id": str(number), "number": number, "started_at": began}
            row |= {"outcome": outcome, "finished_at": began + HOUR / 360 if outcome else None}
            row |= {"pages_fetched": 3, "records_inserted": 2, "records_updated": 1, "records_unchanged": 50} | columns
            await connection.execute(sa.insert(tables.crawl_runs), row)


async def test_a_summary_counts_what_was_new_or_changed_and_how_runs_ended(db: Database) -> None:
    await _runs(db, "ok", "warn", "fail", "cancelled", None)

    everything = await write(db, run_lists.summary)
    lately = await write(db, run_lists.summary, source_id=1, since=NOON + 3 * HOUR)

    assert (everything.runs, everything.running, everything.ok, everything.failed, everything.cancelled) == (
        *(5, 1, 2, 1, 1),
    )
    assert (everything.pages, everything.articles, everything.average_seconds) == (15, 15, 10.0)
    assert (everything.success_rate, everything.last_started_at) == (2 / 3, NOON + 5 * HOUR)
    assert (lately.runs, lately.failed, lately.success_rate) == (3, 1, 0.0)


async def test_without_runs_there_is_nothing_to_sum_up(db: Database) -> None:
    found = await write(db, run_lists.summary, since=NOON)

    assert (found.runs, found.articles, found.average_seconds, found.success_rate) == (0, 0, None, None)


async def test_records_of_runs_since_a_moment_are_summed_up_by_source(db: Database) -> None:
    await _runs(db, "ok", "warn", None)

    lately = await write(db, run_lists.new_records, [1, 2], since=NOON + 2 * HOUR)

    assert lately == {1: 6}


async def test_the_runs_of_a_day_are_found_by_an_index(db: Database) -> None:
    await _runs(db, *(["ok"] * 200))
    async with db.exclusive() as connection:
        await connection.execute(sa.text("ANALYZE"))
    since = NOON + 195 * HOUR

    everybodys = await plan_of(db, lambda c: run_lists.summary(c, since=since))
    ones = await plan_of(db, lambda c: run_lists.summary(c, source_id=1, since=since))
    history = await plan_of(db, lambda c: run_lists.of_job(c, 1, limit=10))

    assert "ix_crawl_runs_started" in everybodys
    assert "ix_crawl_runs_s" in ones
    assert "uq_crawl_runs_job_id_number" in history or "sqlite_autoindex_crawl_runs" in history
