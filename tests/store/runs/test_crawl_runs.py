"""Crawl runs in the database: open, counted, closed."""

import asyncio

import pytest
import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome
from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import pages
from lamplighter.store.runs import crawl_runs
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_run, some_pages, write
from tests.store.query_plans import plan_of


async def test_counts_add_up_exactly_when_many_count_at_once(db: Database) -> None:
    _, run_id = await write(db, a_run)

    async def count(connection: Connection) -> None:
        await crawl_runs.lock_open(connection, [run_id])
        await crawl_runs.add_up(connection, {run_id: {"pages_fetched": 1, "bytes_fetched": 10}}, now=NOON)

    await asyncio.gather(*(db.write(count) for _ in range(20)))

    async with db.read() as connection:
        run = await crawl_runs.get(connection, run_id)
    assert run is not None
    assert (run.tally.pages_fetched, run.tally.bytes_fetched, run.tally.pages_failed) == (20, 200, 0)


async def test_a_closed_run_is_no_longer_open(db: Database) -> None:
    _, run_id = await write(db, a_run)

    await write(db, crawl_runs.close, run_id, now=NOON, outcome=RunOutcome.OK, message="done", records_shown=3)

    assert await write(db, crawl_runs.lock_open, [run_id]) == {}
    async with db.read() as connection:
        run = await crawl_runs.get(connection, run_id)
    assert run is not None
    assert (run.outcome, run.finished_at, run.message) == (RunOutcome.OK, NOON, "done")
    assert (run.records_shown, run.has_drifted) == (3, False)


async def test_a_run_is_done_when_no_page_of_it_is_pending_or_downloaded(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    first, second = await write(db, some_pages, source_id, run_id, "/1", "/2")
    done = []

    for page, phase in ((first, Phase.COMPLETED), (second, Phase.DOWNLOADED), (second, Phase.FAILED)):
        await write(db, pages.save, [{"page": page, "phase": phase}])
        async with db.read() as connection:
            done.append(await crawl_runs.without_open_pages(connection, [run_id]))

    assert done == [[], [], [run_id]]


async def test_a_job_cannot_have_two_runs_of_one_number(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    async with db.read() as connection:
        run = await crawl_runs.get(connection, run_id)
    assert run is not None

    async def once_more(connection: Connection) -> int:
        return await crawl_runs.add(
            connection,
            job_id=run.job_id,
            source_id=source_id,
            number=run.number,
            trigger=run.trigger,
            now=NOON,
            deadline_at=NOON,
            page_budget=1,
        )

    with pytest.raises(sa.exc.IntegrityError):
        await db.write(once_more)


async def test_runs_past_their_deadline_are_found_the_most_overdue_first(db: Database) -> None:
    _, run_id = await write(db, a_run)

    async with db.read() as connection:
        before = await crawl_runs.overdue(connection, now=NOON, limit=10)
        after = await crawl_runs.overdue(connection, now=NOON + HOUR, limit=10)

    assert (before, after) == ([], [run_id])


async def test_whether_a_run_is_done_is_asked_of_the_index_of_open_pages(db: Database) -> None:
    plan = await plan_of(db, lambda connection: crawl_runs.without_open_pages(connection, [1, 2, 3]))

    assert "ix_pages_open" in plan
