"""What goes on now, as both databases tell it."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from lamplighter.model.host import HostPolicy
from lamplighter.operations.fleet import system
from lamplighter.operations.runs import activity
from lamplighter.operations.runs.activity import CrawlActivity, CrawlLimits
from lamplighter.ports import Depth
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import system_figures
from lamplighter.store.hosts import host_times, hosts
from lamplighter.store.pages import page_waits
from lamplighter.store.runs import activity as stored
from lamplighter.store.runs import run_pages
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, a_run, some_pages, write
from tests.store.query_plans import plan_of

LIMITS = CrawlLimits(runs=10, runs_per_host=4, host=HostPolicy(min_delay=timedelta(seconds=3)))


async def _look(db: Database, *, most: int = 10) -> CrawlActivity:
    async with db.read() as connection:
        return await activity.now_going_on(
            connection, limits=LIMITS, stopped=None, trouble=None, now=NOON + HOUR / 60, most=most
        )


async def test_a_run_that_goes_on_says_what_is_done_and_what_is_left(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", "/2")
    await write(db, some_pages, source_id, run_id, "/3", phase="downloaded")
    await write(db, some_pages, source_id, run_id, "/4", phase="completed")
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.crawl_runs).values(page_count=4))

    found = await _look(db)

    (run,) = found.runs
    assert (run.done, run.left.to_ask, run.left.to_read, run.source_name, found.run_count) == (1, 2, 1, "a.example", 1)


async def test_a_host_with_pages_says_how_many_and_why_it_waits(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", "/2")
    await write(db, some_pages, source_id, run_id, "/3", due_at=NOON + HOUR, detail="timeout")
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.hosts).values(due_at=NOON))

    found = await _look(db)

    (host,) = found.hosts
    assert (host.key, host.pages, host.wait.word, found.host_count) == ("a.example", 3, "ready", 1)


async def test_a_host_whose_pages_are_all_tried_later_says_when_and_why(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/3", due_at=NOON + HOUR, detail="timeout")
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.hosts).values(due_at=NOON + HOUR))

    ((host,)) = (await _look(db)).hosts

    assert (host.wait.word, host.wait.until) == ("retrying", NOON + HOUR)
    assert host.wait.why.endswith("timeout")


async def test_due_jobs_are_counted_in_all_and_some_are_shown_with_their_reason(db: Database) -> None:
    for name in ("a", "b", "c"):
        await write(db, a_job, name)

    found = await _look(db, most=2)

    assert (len(found.due), found.due_count) == (2, 3)
    assert {job.wait.word for job in found.due} == {"no scheduler"}


async def test_pages_are_counted_in_the_indexes_of_those_that_wait(db: Database) -> None:
    of_runs = await plan_of(db, lambda connection: stored.open_pages(connection, [1, 2]))
    of_hosts = await plan_of(db, lambda connection: page_waits.at_hosts(connection, [1, 2], now=NOON))
    of_all = await plan_of(db, lambda connection: system_figures.to_fetch(connection, now=NOON, ranks=(0, 9)))
    to_read = await plan_of(db, lambda connection: system_figures.to_parse(connection, now=NOON))

    runs = await plan_of(db, lambda connection: stored.open_runs(connection, limit=50))
    of_one_run = [
        await plan_of(db, lambda connection: page_waits.of_run(connection, 1, now=NOON)),
        await plan_of(db, lambda connection: run_pages.is_being_read(connection, 1)),
        await plan_of(db, lambda connection: host_times.awaited(connection, 1)),
    ]

    assert "ix_crawl_runs_open" in runs
    assert "ix_crawl_runs_started" not in runs
    assert "ix_pages_open" in of_runs
    assert not any("Seq Scan on pages" in plan or "SCAN pages" in plan for plan in of_one_run)
    assert not any("Seq Scan on pages" in plan or "SCAN pages\n" in plan for plan in (of_hosts, of_all, to_read))
    if db.is_sqlite:
        assert "ix_pages_in_turn" in of_hosts
        assert all("ix_pages_open" in plan for plan in of_one_run), of_one_run


async def test_what_is_shown_every_few_seconds_is_counted_up_to_a_bound(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "MOST_COUNTED", 1)
    monkeypatch.setattr(page_waits, "MOST_WAITING", 2)
    for name in ("b", "c", "d"):
        await write(db, a_job, name)
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, *(f"/{number}" for number in range(5)))
    await write(db, hosts.ensure, ["b.example", "c.example"], now=NOON)
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.hosts).values(due_at=NOON))

    found = await _look(db)

    assert (found.host_count, found.due_count) == (2, 2)
    assert {host.key: host.pages for host in found.hosts} == {"a.example": 3, "b.example": 0, "c.example": 0}


@pytest.mark.parametrize(
    ("most", "ready", "is_exact"), [pytest.param(3, 3, False, id="more"), pytest.param(9, 5, True, id="all")]
)
async def test_what_waits_is_counted_once_and_no_further_than_asked(
    db: Database, most: int, ready: int, is_exact: bool
) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, *(f"/{number}" for number in range(4)))
    await write(db, some_pages, source_id, run_id, "/urgent", rank=1)
    await write(db, some_pages, source_id, run_id, *(f"/d{number}" for number in range(5)), phase="downloaded")

    async with db.read() as connection:
        waits = await system.backlog(connection, depths=None, now=NOON, most=most)

    assert (waits.to_fetch.ready, waits.to_fetch.is_exact) == (ready, is_exact)
    assert (waits.to_parse.ready, waits.to_parse.is_exact) == (ready, is_exact)


async def test_where_a_broker_carries_pages_it_says_how_many_wait(db: Database) -> None:
    names = ("crawl_queue", "priority_queue", "parse_queue", "dead_letter_queue")
    depths = {name: Depth(ready=place, consumers=1) for place, name in enumerate(names, start=1)}

    async with db.read() as connection:
        waits = await system.backlog(connection, depths=depths, now=NOON, most=9)

    assert (waits.to_fetch.ready, waits.to_parse.ready) == (3, 3)
