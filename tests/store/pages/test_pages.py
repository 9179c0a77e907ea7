"""Pages in the database: the frontier, the two phases, redirects, leases."""

import asyncio
from datetime import timedelta

import pytest

from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import downloads, pages, waiting_pages
from lamplighter.store.runs import run_pages
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of

MINUTE = timedelta(minutes=1)
HOST = 1


async def _due(db: Database, *, limit: int = 10) -> list[str]:
    async with db.read() as connection:
        return [page.url.rpartition("/")[2] for page in await pages.due(connection, HOST, now=NOON, limit=limit)]


async def test_pages_come_by_rank_and_then_by_age(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/late", "/later", rank=50_002)
    await write(db, some_pages, source_id, run_id, "/first", rank=10_000)

    assert await _due(db) == ["first", "late", "later"]
    assert await _due(db, limit=2) == ["first", "late"]


async def test_of_pages_of_equal_rank_those_of_the_run_that_began_first_come_first(db: Database) -> None:
    patient, earlier_run = await write(db, a_run, "patient")
    known_longer, later_run = await write(db, a_run, "longer")
    await write(db, some_pages, known_longer, later_run, "/known-longer")
    await write(db, some_pages, patient, earlier_run, "/waiting")

    assert await _due(db) == ["waiting", "known-longer"]


async def test_a_page_is_not_due_before_its_time(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/now", due_at=NOON)
    await write(db, some_pages, source_id, run_id, "/soon", due_at=NOON + MINUTE)

    assert await _due(db) == ["now"]


async def test_a_page_is_added_once_per_source(db: Database) -> None:
    source_id, run_id = await write(db, a_run)

    (first,) = await write(db, some_pages, source_id, run_id, "/1")
    (second,) = await write(db, some_pages, source_id, run_id, "/1", rank=1)

    assert first == second
    assert await _due(db) == ["1"]


async def test_two_sources_may_know_the_same_url(db: Database) -> None:
    for name in ("a", "b"):
        source_id, run_id = await write(db, a_run, name)
        await write(db, some_pages, source_id, run_id, "/1")

    key = urls.url_key("https://a.example/1")
    async with db.read() as connection:
        known = await pages.known(connection, [key])
    assert len(known[key]) == 2


async def test_more_keys_than_a_statement_takes_are_looked_up(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1")

    async with db.read() as connection:
        known = await pages.known(connection, [f"{number:064}" for number in range(40_000)])

    assert known == {}


async def test_a_downloaded_page_is_read_by_one_worker_at_a_time(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, *(f"/{n}" for n in range(20)), phase=Phase.DOWNLOADED, body_key="x")

    async def claim(connection: Connection, owner: str) -> list[int]:
        found = await downloads.claim(connection, owner=owner, now=NOON, until=NOON + MINUTE, limit=6)
        return [page.id for page in found]

    batches = await asyncio.gather(*(write(db, claim, f"worker-{number}") for number in range(6)))

    claimed = [page_id for batch in batches for page_id in batch]
    assert sorted(claimed) == sorted(set(claimed))


async def test_h2_a_page_whose_reader_sleeps_goes_to_another(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", phase=Phase.DOWNLOADED, body_key="x")
    claim = {"until": NOON + MINUTE, "limit": 5}
    await write(db, downloads.claim, owner="one", now=NOON, **claim)

    before = await write(db, downloads.claim, owner="two", now=NOON, **claim)
    after = await write(db, downloads.claim, owner="two", now=NOON + MINUTE, **claim)

    assert (len(before), len(after)) == (0, 1)


async def test_only_the_holder_lengthens_or_gives_back_a_page(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1", phase=Phase.DOWNLOADED, body_key="x")
    await write(db, downloads.claim, owner="one", now=NOON, until=NOON + MINUTE, limit=1)

    await write(db, downloads.keep, [page_id], owner="two", until=NOON + 9 * MINUTE)
    await write(db, downloads.give_back, [page_id], owner="two")
    taken = await write(db, downloads.claim, owner="two", now=NOON + MINUTE, until=NOON + 2 * MINUTE, limit=1)

    assert [page.id for page in taken] == [page_id]


async def test_an_unchanged_listing_brings_its_next_page_into_the_run_and_no_links(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    _, later_run = await write(db, a_run, "b")
    (listing,) = await write(db, some_pages, source_id, later_run, "/list", phase=Phase.COMPLETED)
    done = {"found_on": listing, "phase": Phase.COMPLETED}
    await write(db, some_pages, source_id, run_id, "/next", role=PageRole.LISTING, **done)
    await write(db, some_pages, source_id, run_id, "/link", **done)
    await write(db, some_pages, source_id, later_run, "/fetched", role=PageRole.LISTING, **done)

    runs = await write(db, waiting_pages.hold_listings, [listing])
    waiting = (await write(db, waiting_pages.of_runs, [later_run]))[later_run]
    await write(db, waiting_pages.start, [page.id for page in waiting])

    assert runs == {later_run}
    assert await _due(db) == ["next"]


async def test_the_end_of_a_run_closes_what_is_open_and_nothing_else(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", "/2")
    await write(db, some_pages, source_id, run_id, "/3", phase=Phase.DOWNLOADED)
    await write(db, some_pages, source_id, run_id, "/4", phase=Phase.COMPLETED)

    closed = await write(db, run_pages.close_open, run_id, phase=Phase.FAILED, reason="run_deadline", detail="late")

    assert closed == 3
    assert await _due(db) == []


@pytest.mark.parametrize("phase", [Phase.PENDING, Phase.DOWNLOADED])
async def test_pages_are_told_by_the_phase_they_are_in(db: Database, phase: Phase) -> None:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1", phase=phase)

    found = {wanted: await write(db, pages.still_in, [page_id], wanted) for wanted in Phase}

    assert [wanted for wanted, rows in found.items() if rows] == [phase]


async def test_the_frontier_is_read_in_the_order_of_its_index(db: Database) -> None:
    plan = await plan_of(db, lambda connection: pages.due(connection, HOST, now=NOON, limit=64))

    assert "ix_pages_in_turn" in plan
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan


async def test_downloaded_pages_are_found_by_their_index(db: Database) -> None:
    plan = await plan_of(
        db, lambda connection: downloads.claim(connection, owner="one", now=NOON, until=NOON + MINUTE, limit=64)
    )

    assert "ix_pages_downloaded" in plan
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan
