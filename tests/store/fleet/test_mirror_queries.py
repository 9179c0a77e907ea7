"""What is read of crawls for outside readers."""

from datetime import timedelta

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import mirror_queries
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, pages, sources
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write


async def test_a_run_is_known_by_the_public_id_of_its_job(db: Database) -> None:
    source_id, run_id = await write(db, a_run)

    async with db.read() as reading:
        (run,) = await mirror_queries.runs(reading, {run_id, 999})
        job = await reading.scalar(sa.select(crawl_jobs.c.public_id))

    assert run == (run_id, source_id, None, job)


async def test_waiting_pages_come_in_their_order_and_not_all_of_them(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/late", rank=2)
    await write(db, some_pages, source_id, run_id, "/soon", "/next", rank=1)
    await write(db, some_pages, source_id, run_id, "/done", rank=0, phase=Phase.COMPLETED)

    async with db.read() as reading:
        waiting = await mirror_queries.waiting(reading, run_id, limit=2)

    assert waiting == ("https://a.example/soon", "https://a.example/next")


async def test_the_hash_of_a_source_changes_with_any_of_its_start_pages(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", role=PageRole.SEED, content_hash="a" * 64)
    await write(db, some_pages, source_id, run_id, "/linked", content_hash="c" * 64)
    async with db.read() as reading:
        (before,) = await mirror_queries.paces(reading, {source_id})
    await write(db, some_pages, source_id, run_id, "/2", role=PageRole.SEED, content_hash="b" * 64)

    async with db.read() as reading:
        (after,) = await mirror_queries.paces(reading, {source_id})
        found = await mirror_queries.start_pages(reading, {source_id})

    assert before.last_hash is not None
    assert before.last_hash != after.last_hash
    assert sorted(page.content_hash[0] for page in found) == ["a", "b"]


async def test_the_pace_of_a_source_is_that_of_its_job(db: Database) -> None:
    source_id, _ = await write(db, a_run)
    values = {"pace_seconds": 7200, "unchanged_count": 3}
    await db.write(lambda writing: writing.execute(sa.update(crawl_jobs).values(values)))

    async with db.read() as reading:
        (pace,) = await mirror_queries.paces(reading, {source_id})
        source = await reading.scalar(sa.select(sources.c.public_id))

    assert (pace.source, pace.last_hash, pace.last_change_at) == (source, None, None)
    assert (pace.unchanged_count, pace.interval) == (3, timedelta(hours=2))


async def test_only_what_a_later_visit_found_changed_is_a_change(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    # What the estimator assumes of the time before the first visit is no fact.
    assumed = sa.update(crawl_jobs).values(changed_at=NOON - timedelta(days=10))
    await db.write(lambda writing: writing.execute(assumed))
    await write(db, some_pages, source_id, run_id, "/1", role=PageRole.SEED, content_hash="a" * 64, changed_at=NOON)
    ended = sa.update(crawl_runs).values(finished_at=NOON, outcome=RunOutcome.OK)
    await db.write(lambda writing: writing.execute(ended))
    async with db.read() as reading:
        (first,) = await mirror_queries.paces(reading, {source_id})
    later = NOON + timedelta(hours=1)
    await db.write(lambda writing: writing.execute(sa.update(pages).values(changed_at=later)))

    async with db.read() as reading:
        (second,) = await mirror_queries.paces(reading, {source_id})

    assert (first.last_change_at, second.last_change_at) == (None, later)
