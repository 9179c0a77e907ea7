"""What happens to a run whose source, host or database goes away beneath it (K2, K3, I1)."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lamplighter.app import Service
from lamplighter.crawl.jobs import job_keeper
from lamplighter.errors import NotPossible
from lamplighter.fetch import barrier
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.jobs import jobs
from lamplighter.operations.sources import source_bulk, source_states, sources
from lamplighter.operations.sources.source_bulk import BulkAction, BulkOrder
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from tests.changing import set_source
from tests.origin import Origin
from tests.service.in_process import (
    all_rows,
    asked,
    crawl,
    crawl_again,
    first_run,
    going,
    host_of,
    job_of,
    quick_settings,
    watch,
)
from tests.service.sites import job_board, posting_html
from tests.service.waiting import asked_for, until


async def test_k3_a_source_removed_during_its_run_ends_it_and_harms_nobody(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=60, per_page=60)
    origin.page("/other", posting_html(99))

    async with going(quick_settings(tmp_path, origin)) as service:
        await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=5))
        now = service.clock.now()
        await service.db.write(lambda db: sources.remove(db, origin.url + "/jobs", stamp=Stamp("test", now)))
        run = await crawl(service, origin.url + "/other", max_depth=0)
        left = [await all_rows(service, table) for table in (tables.pages, tables.records, tables.crawl_runs)]

    assert run.outcome is RunOutcome.OK, run.message
    assert [len(rows) for rows in left] == [1, 1, 1]


@pytest.mark.parametrize("many", [False, True], ids=["one source", "many at once"])
async def test_k3_what_a_paused_job_was_made_to_run_ends_when_its_source_is_disabled(
    origin: Origin, tmp_path: Path, many: bool
) -> None:
    origin.page("/jobs", "<p>nothing yet</p>")

    async with going(quick_settings(tmp_path, origin, min_delay_ms=100)) as service:
        source_id = (await crawl(service, origin.url + "/jobs")).source_id
        await _pause_job(service, origin.url + "/jobs")
        job_board(origin, postings=80, per_page=80)
        again = asyncio.create_task(crawl_again(service, source_id, number=2))
        await until(lambda: asked_for(origin, pages=4))
        toggle = SourceChangeContext(stamp=Stamp("test", service.clock.now()), source_defaults=service.source_defaults)
        (source,) = await all_rows(service, tables.sources)
        if many:
            await source_bulk.bulk(service.db, BulkOrder(action=BulkAction.DISABLE, ids=[source.public_id]), toggle)
            service.bells.events.ring()
        else:
            await service.db.write(lambda db: source_states.disable(db, source, toggle))
        run = await again
        job = await job_of(service, source_id)

    assert (run.outcome, run.message) == (RunOutcome.CANCELLED, "its source was disabled")
    assert len(asked(origin)) < 80
    assert (job.state, job.pause_reason) == ("paused", "user")


async def _pause_job(service: Service, url: str) -> None:
    async def work(db: Connection) -> None:
        await jobs.pause(db, await jobs.find(db, url), stamp=Stamp("test", service.clock.now()))

    await service.db.write(work)


async def test_k3_a_takedown_stops_the_run_within_seconds(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(barrier, "TAKEDOWNS_KEPT_SECONDS", 1.0)
    job_board(origin, postings=80, per_page=80)

    async with going(quick_settings(tmp_path, origin, min_delay_ms=150)) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        now = service.clock.now()
        await service.db.write(lambda db: takedowns.add(db, origin.host, stamp=Stamp("test", now)))
        run = await first_run(service, source_id)
        with pytest.raises(NotPossible, match=r"127\.0\.0\.1 is on the takedown list"):
            await crawl_again(service, source_id, number=2)
        job = await job_of(service, source_id)

    assert (run.outcome, run.message) == (RunOutcome.CANCELLED, "127.0.0.1 was added to the takedown list")
    assert len(asked(origin)) < 50
    assert (job.state, job.pause_reason, job.resume_at, job.run_count) == ("paused", "takedown", None, 1)


async def test_h4_a_source_disabled_and_enabled_again_during_its_run_begins_anew_with_one_run_at_a_time(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=20, per_page=20)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        for enabled in (False, True):
            now = service.clock.now()
            await service.db.write(
                lambda db, enabled=enabled, now=now: set_source(db, source_id, now=now, enabled=enabled)  # type: ignore[misc]
            )
            await service.db.write(
                lambda db, now=now: job_keeper.match(db, source_id, source_defaults=service.source_defaults, now=now)  # type: ignore[misc]
            )
        service.bells.jobs.ring()
        first, second = [await first_run(service, source_id, number=number) for number in (1, 2)]
        found = await all_rows(service, tables.records)

    assert len(found) == 20
    assert (first.outcome, second.outcome) == (RunOutcome.CANCELLED, RunOutcome.OK)
    assert first.finished_at is not None
    assert second.started_at >= first.finished_at


async def test_a_restart_in_the_middle_of_a_run_asks_for_no_page_twice_and_forgets_none(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=20, per_page=10)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=6))
    before = len(asked(origin))
    async with going(quick_settings(tmp_path, origin)) as service:
        run = await first_run(service, source_id)

    board = ["/jobs", "/jobs?page=2", *(f"/job/{number}" for number in range(20))]
    assert 6 <= before < len(board)
    assert sorted(asked(origin)) == sorted(board)
    assert (run.number, run.tally.pages_fetched) == (1, len(board))


async def test_what_a_run_has_visited_does_not_keep_the_next_run_from_its_start_page(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/jobs", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=0)
        await crawl_again(service, run.source_id, number=2)

    assert asked(origin) == ["/jobs", "/jobs"]


async def _host_at_rest(service: Service, origin: Origin) -> Any | None:
    """The host, once nobody has it or is to take it."""
    host = await host_of(service, origin)
    return host if (host.lease_owner, host.due_at) == (None, None) else None


async def _ring(service: Service) -> None:
    """What a worker with many hosts hears all day."""
    while True:
        service.bells.hosts.ring()
        await asyncio.sleep(0.01)


async def test_i1_a_database_locked_for_longer_than_a_lease_leaves_nothing_stuck(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=30, per_page=30)

    async with going(quick_settings(tmp_path, origin, lease_seconds=1)) as service:
        ringing = asyncio.create_task(_ring(service))
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=8))
        with closing(sqlite3.connect(tmp_path / "lamplighter.db", isolation_level=None)) as rival:
            rival.execute("BEGIN IMMEDIATE")
            await asyncio.sleep(2.5)
        run = await first_run(service, source_id)
        host = await until(lambda: _host_at_rest(service, origin))
        ringing.cancel()

    assert run.outcome is RunOutcome.OK, run.message
    assert (run.tally.records_inserted, run.tally.pages_fetched) == (30, 31)
    assert host.lease_owner is None
