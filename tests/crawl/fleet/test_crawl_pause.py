"""All crawling stands still and goes on: what the sites see of it, judged by their logs."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from lamplighter.app import Service, open_service
from lamplighter.errors import NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlRun
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.runs import runs
from lamplighter.store.engine.database import Database
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema import tables
from tests.origin import Origin
from tests.service.in_process import all_pages, all_rows, asked, first_run, going, quick_settings, watch
from tests.service.sites import job_board
from tests.service.waiting import A_WHILE_SECONDS, all_read, asked_for, until

POSTINGS = 12


async def pause(service: Service, reason: str = "the proxies move") -> None:
    """As another process does it: nobody here is told."""
    now = service.clock.now()
    await service.db.write(lambda db: crawl_pause.pause(db, reason=reason, stamp=Stamp("test", now)))


async def resume(service: Service) -> None:
    now = service.clock.now()
    await service.db.write(lambda db: crawl_pause.resume(db, stamp=Stamp("test", now)))


async def stands_still(service: Service) -> bool:
    return service.crawl_pause.current is not None and not service.door.turns.held


async def test_a_run_that_is_paused_asks_for_nothing_and_goes_on_with_nothing_lost(
    origin: Origin, tmp_path: Path, migrated_url: str
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)

    async with going(quick_settings(tmp_path, origin, database_url=migrated_url, min_delay_ms=150)) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        await pause(service)
        await until(lambda: stands_still(service))
        by_then = len(origin.log)
        await asyncio.sleep(A_WHILE_SECONDS)
        meanwhile = len(origin.log)
        await until(lambda: all_read(service))
        phases = {page.phase for page in (await all_pages(service)).values()}
        await resume(service)
        run = await first_run(service, source_id)

    assert by_then == meanwhile < POSTINGS
    assert phases == {"pending", "completed"}
    assert (run.outcome, run.tally.pages_fetched, run.tally.pages_failed) == ("ok", POSTINGS + 1, 0)
    assert len(asked(origin)) == len(set(asked(origin))) == POSTINGS + 1


async def test_a_request_that_waits_for_its_turn_when_the_pause_comes_is_not_sent(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=3, per_page=3)

    async with going(quick_settings(tmp_path, origin, min_delay_ms=2500, lease_seconds=20)) as service:
        await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=1))
        await pause(service)
        await until(lambda: stands_still(service))

    assert asked(origin) == ["/jobs"]


async def test_a_process_that_starts_while_all_stands_still_asks_nobody(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=3, per_page=3)
    chosen = quick_settings(tmp_path, origin)
    async with open_service(chosen) as service:
        await watch(service, origin.url + "/jobs")
        await pause(service)

    async with going(chosen) as service:
        await asyncio.sleep(A_WHILE_SECONDS)
        opened = await all_rows(service, tables.crawl_runs)
        asked_while_paused = list(origin.log)
        source_id = (await all_rows(service, tables.sources))[0].id
        await resume(service)
        run = await first_run(service, source_id)

    assert (opened, asked_while_paused) == ([], [])
    assert (run.outcome, run.tally.pages_fetched) == ("ok", 4)


async def test_what_a_person_tries_out_is_asked_for_all_the_same(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", "<p>jobs</p>")

    async with going(quick_settings(tmp_path, origin)) as service:
        await pause(service)
        await until(lambda: stands_still(service))
        visit = (await service.door.fetcher.fetch_once(origin.url + "/jobs")).visit

    assert getattr(visit, "status", None) == 200
    assert asked(origin) == ["/jobs"]


async def test_no_run_is_opened_by_hand_and_it_is_said_why(origin: Origin, tmp_path: Path) -> None:
    async with open_service(quick_settings(tmp_path, origin)) as service:
        source_id, now = await watch(service, origin.url + "/jobs"), service.clock.now()
        await pause(service)

        with pytest.raises(NotPossible, match="by test: the proxies move"):
            await service.db.write(
                lambda db: runs.run_now(
                    db, source_id, now=now, deadline=timedelta(minutes=5), source_defaults=service.source_defaults
                )
            )

        assert await service.leading.scheduler.open_due() == 0


async def test_the_time_of_a_standstill_is_not_held_against_a_run(tmp_path: Path, migrated_url: str) -> None:
    async with open_service(quick_settings(tmp_path, database_url=migrated_url)) as service:
        source_id, now = await watch(service, "https://a.example/"), service.clock.now()
        run_id = await service.db.write(
            lambda db: runs.run_now(
                db, source_id, now=now, deadline=timedelta(minutes=5), source_defaults=service.source_defaults
            )
        )
        began, ended = now + timedelta(minutes=1), now + timedelta(minutes=61)
        await service.db.write(lambda db: crawl_pause.pause(db, reason="", stamp=Stamp("test", began)))
        await service.db.write(lambda db: crawl_pause.resume(db, stamp=Stamp("test", ended)))

        run = await _run(service.db, run_id)

    assert run.deadline_at == now + timedelta(minutes=65)
    assert run.heartbeat_at == ended


async def test_the_janitor_ends_no_run_while_all_stands_still(tmp_path: Path) -> None:
    async with open_service(quick_settings(tmp_path)) as service:
        source_id = await watch(service, "https://a.example/")
        long_ago = service.clock.now() - timedelta(hours=5)
        run_id = await service.db.write(
            lambda db: runs.run_now(
                db, source_id, now=long_ago, deadline=timedelta(minutes=5), source_defaults=service.source_defaults
            )
        )
        await pause(service)

        await service.leading.janitor.sweep()

        assert (await _run(service.db, run_id)).finished_at is None


async def test_both_turns_of_the_switch_are_in_the_audit_log(tmp_path: Path) -> None:
    async with open_service(quick_settings(tmp_path)) as service:
        await pause(service)
        await resume(service)

        entries = await all_rows(service, tables.audit_log)

    assert [(entry.action, entry.actor) for entry in entries] == [("crawl.pause", "test"), ("crawl.resume", "test")]
    assert entries[0].after == {"reason": "the proxies move"}


async def _run(db: Database, run_id: int) -> CrawlRun:
    async with db.read() as connection:
        run = await crawl_runs.get(connection, run_id)
    assert run is not None
    return run
