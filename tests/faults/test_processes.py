"""Rows H of the fault matrix: processes that die, sleep and are asked to go, and clocks that nobody can rely on."""

import asyncio
import os
import random
import shutil
import signal
import time
from collections import Counter
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from lamplighter import crash_points, metrics
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.app import database
from lamplighter.model.crawl import RunOutcome
from lamplighter.rules.schedule.catch_up import FEW
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import HOUR, Queues
from tests.origin import Origin, ThreadedOrigin
from tests.service.in_process import (
    all_pages,
    all_records,
    all_rows,
    asked,
    crawl,
    crawl_again,
    first_run,
    going,
    quick_settings,
    watch,
)
from tests.service.processes import Fleet, wait_until
from tests.service.sites import job_board, links_html, posting_html
from tests.service.waiting import asked_for, until

POSTINGS = 12
#: seconds
LEASE = 1.5
#: those that every crawl reaches; `tests/crawl/process/test_crashes.py` dies at each of them and at all others
ON_THE_WAY = [
    point
    for point in crash_points.POINTS
    if point.startswith(("deliver.", "open.", "host.", "robots.", "fetch.", "parse.", "finish."))
    and point != "parse.after_claim"
]


def test_h1_after_a_death_at_any_point_all_is_as_if_nobody_had_died(tmp_path: Path) -> None:
    point = random.choice(ON_THE_WAY)
    with ThreadedOrigin() as origin:
        job_board(origin, postings=POSTINGS, per_page=POSTINGS)
        with Fleet(tmp_path, origin) as fleet:
            fleet.watch(origin.url + "/jobs")
            died = fleet.start(crash_at=point).wait(60)
            if not fleet.runs_ended():
                fleet.start()
            fleet.wait_for_runs(1)

            titles = sorted(row.title for row in fleet.rows("SELECT title FROM records"))
            phases = [tuple(row) for row in fleet.rows("SELECT phase, count(*) FROM pages GROUP BY phase")]
            runs = [tuple(row) for row in fleet.rows("SELECT outcome, pages_fetched, records_inserted FROM crawl_runs")]

    assert died == -signal.SIGKILL, point
    assert titles == [f"Posting {number:02}" for number in range(POSTINGS)], point
    assert phases == [("completed", POSTINGS + 1)], point
    assert runs == [("ok", POSTINGS + 1, POSTINGS)], point
    assert max(Counter(asked(origin)).values()) <= 2, point
    assert min(origin.gaps()) >= fleet.settings.min_delay_ms / 1000, point


def test_h2_a_worker_that_slept_beyond_its_lease_doubles_nothing(tmp_path: Path, migrated_url: str) -> None:
    with ThreadedOrigin() as origin:
        job_board(origin, postings=POSTINGS, per_page=POSTINGS)
        with Fleet(tmp_path, origin, database_url=migrated_url, min_delay_ms=100) as fleet:
            fleet.watch(origin.url + "/jobs")
            sleeper = fleet.start()
            wait_until(lambda: len(origin.log) >= 5, fleet.log)
            _put_to_sleep(sleeper.pid, fleet)
            (stored,) = fleet.rows("SELECT count(*) FROM pages WHERE fetched_at IS NOT NULL")
            unstored = len(origin.log) - stored[0]
            fleet.start()
            fleet.wait_for_runs(1)
            os.kill(sleeper.pid, signal.SIGCONT)
            # It finds out that its host is another's: before it asks again, or when it wants to write what it got.
            wait_until(lambda: any(word in fleet.log() for word in ("fetch.lease_lost", "fetch.fenced")), fleet.log)

            titles = fleet.rows("SELECT title FROM records")
            runs = [tuple(row) for row in fleet.rows("SELECT outcome, pages_fetched, records_inserted FROM crawl_runs")]
            gaps = origin.gaps()

    assert (len(titles), runs) == (POSTINGS, [("ok", POSTINGS + 1, POSTINGS)])
    assert min(gaps) >= 0.099
    assert len(origin.log) <= POSTINGS + 2 + max(2, unstored), "nothing that was stored is asked for again"


def _put_to_sleep(pid: int, fleet: Fleet) -> None:
    """Stops a worker between two writes: SQLite has no way to take its lock from a process that sleeps within one."""
    for _ in range(50):
        os.kill(pid, signal.SIGSTOP)
        # The signal is on its way when the call returns: a thread may still take the lock.
        wait_until(lambda: _is_stopped(pid), fleet.log)
        if fleet.can_write():
            return
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.02)
    raise AssertionError("the worker never stopped writing")


def _is_stopped(pid: int) -> bool:
    """Whether no thread of a process goes on."""
    threads = Path(f"/proc/{pid}/task").glob("*/stat")
    return all(stat.read_text().rpartition(") ")[2].startswith("T") for stat in threads)


def test_h3_a_worker_asked_to_stop_gives_everything_back_in_time(tmp_path: Path) -> None:
    with ThreadedOrigin() as origin:
        job_board(origin, postings=100, per_page=100)
        with Fleet(tmp_path, origin) as fleet:
            fleet.watch(origin.url + "/jobs")
            worker = fleet.start()
            wait_until(lambda: len(origin.log) >= 10, fleet.log)

            asked_at = time.monotonic()
            code = fleet.stop(worker)
            took = time.monotonic() - asked_at

            leases = fleet.rows("SELECT lease_owner FROM hosts WHERE lease_owner IS NOT NULL")
            reads = fleet.rows("SELECT lease_owner FROM pages WHERE lease_owner IS NOT NULL")
            stored = fleet.rows("SELECT count(*) FROM pages WHERE phase <> 'pending'")[0][0]
            answered = len([hit for hit in origin.log if hit.path != "/robots.txt"])
    assert code == 0, fleet.log()[-2000:]
    assert took < 10 * fleet.settings.grace_seconds
    assert "stop.grace_over" not in fleet.log()
    assert (leases, reads) == ([], [])
    assert stored == answered


async def test_h4_two_schedulers_open_one_run_per_job(origin: Origin, tmp_path: Path, migrated_url: str) -> None:
    for number in range(10):
        origin.page(f"/board/{number}", f"<h1>Board {number}</h1>")
    settings = quick_settings(tmp_path, origin, database_url=migrated_url, min_delay_ms=5)

    async with going(settings) as first, going(settings) as second:
        watched = [await watch(first, f"{origin.url}/board/{number}") for number in range(10)]
        second.bells.jobs.ring()
        await asyncio.gather(*(first_run(first, source_id) for source_id in watched))
        runs = await all_rows(second, tables.crawl_runs)

    assert sorted(run.source_id for run in runs) == sorted(watched)
    assert len(asked(origin)) == 10
    assert origin.max_in_flight == 1


#: what the kernel does to a reader whose page wants more memory than there is; loaded by every new Python process
KILLED_BY_ONE_PAGE = """
import os, signal
from lamplighter.extract import ladder
read = ladder.read
def deadly(body, **given):
    if b"more memory than there is" in body:
        os.kill(os.getpid(), signal.SIGKILL)
    return read(body, **given)
ladder.read = deadly
"""


@pytest.mark.fresh_readers
async def test_h5_a_page_that_kills_its_reader_is_set_aside_and_the_others_are_read(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "readers").mkdir()
    (tmp_path / "readers" / "sitecustomize.py").write_text(KILLED_BY_ONE_PAGE)
    monkeypatch.syspath_prepend(tmp_path / "readers")  # from where a reader gets its own path
    origin.page("/", links_html("/poison", "/job/1", "/job/2"))
    origin.page("/poison", "<p>takes more memory than there is</p>")
    for number in (1, 2):
        origin.page(f"/job/{number}", posting_html(number))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/", max_depth=1)
        pages = await all_pages(service)
        titles = [record.title for record in await all_records(service)]
        again = await crawl_again(service, run.source_id, number=2)

    poison = pages["/poison"]
    assert (poison.phase, poison.reason, poison.crash_count) == ("failed", "unreadable", 2)
    assert "the parser process died (exit code" in poison.detail
    assert titles == ["Posting 01", "Posting 02"]
    assert (run.outcome, run.tally.pages_failed) == (RunOutcome.WARN, 1)
    assert again.outcome is not RunOutcome.FAIL
    assert len(origin.hits("/poison")) == 1


async def test_h6_a_clock_that_steps_causes_neither_a_burst_nor_a_stall(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, migrated_file: Path
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    settings = quick_settings(tmp_path, origin, min_delay_ms=80)

    async with going(settings) as service:  # steps while a crawl goes on
        source_id = await watch(service, origin.url + "/jobs", interval=HOUR)
        for pages, step in ((3, HOUR), (6, -2 * HOUR), (9, HOUR)):
            await until(lambda pages=pages: asked_for(origin, pages=pages))  # type: ignore[misc]
            service.clock.set(service.clock.now() + step)
        runs = [await first_run(service, source_id)]
    for number, step in ((2, -HOUR), (3, HOUR)):  # steps while nobody looked
        monkeypatch.setattr(database, "DatabaseClock", lambda _, step=step: DatabaseClock(datetime.now(UTC) + step))
        async with going(settings) as service:
            runs.append(await crawl_again(service, source_id, number=number))

    assert [run.outcome for run in runs] == [RunOutcome.OK] * 3
    assert sorted(set(Counter(asked(origin)).values())) == [1, 3], "every page once, the board in each run"
    assert min(origin.gaps()) >= 0.08
    assert await _nights(migrated_file, tmp_path) == {"autumn": [1, 1, 1, 1], "spring": [1, 1, 1, 1]}


async def test_a_clock_that_stands_still_or_jumps_a_day_loses_no_host_and_doubles_no_run(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)

    async with going(quick_settings(tmp_path, origin, min_delay_ms=80)) as service:
        source_id = await watch(service, origin.url + "/jobs", interval=HOUR)
        await until(lambda: asked_for(origin, pages=3))
        with monkeypatch.context() as frozen:
            moment = service.clock.now()
            frozen.setattr(service.clock, "now", lambda: moment)
            await asyncio.sleep(0.3)
            while_frozen = len(asked(origin))
        await until(lambda: asked_for(origin, pages=min(POSTINGS + 1, while_frozen + 2)))
        service.clock.set(service.clock.now() + 24 * HOUR)
        await first_run(service, source_id)
        again = await crawl_again(service, source_id, number=2)
        runs = await all_rows(service, tables.crawl_runs)

    assert again.outcome is RunOutcome.OK
    assert len(runs) == 2
    assert set(Counter(asked(origin)).values()) <= {1, 2}
    assert min(origin.gaps()) >= 0.08


@pytest.mark.parametrize("services", [1, 2])
async def test_a_clock_that_stands_still_for_longer_than_a_lease_doubles_nothing_and_loses_nothing(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, migrated_url: str, services: int
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    settings = quick_settings(tmp_path, origin, database_url=migrated_url, min_delay_ms=150, lease_seconds=LEASE)
    before = metrics.leases_taken_over()

    async with AsyncExitStack() as stack:
        going_on = [await stack.enter_async_context(going(settings)) for _ in range(services)]
        source_id = await watch(going_on[0], origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        stopped = next((each for each in going_on if each.door.turns.held), going_on[0])
        with monkeypatch.context() as frozen:
            moment = stopped.clock.now()
            frozen.setattr(stopped.clock, "now", lambda: moment)
            await asyncio.sleep(1.5 * LEASE)
        run = await first_run(going_on[0], source_id)
        runs = await all_rows(going_on[0], tables.crawl_runs)

    assert (run.outcome, len(runs)) == (RunOutcome.OK, 1)
    times = Counter(asked(origin))
    assert len(times) == POSTINGS + 1
    # To another process its lease is over: what it had begun is asked for again, and in the host's next turn. A machine
    # that is too busy to renew a lease of this length has it taken over more often.
    assert max(times.values()) <= (1 if services == 1 else max(2, 1 + metrics.leases_taken_over() - before))
    assert run.tally.records_inserted == POSTINGS
    assert min(origin.gaps()) >= 0.15


async def _nights(migrated: Path, folder: Path) -> dict[str, list[int]]:
    """Runs in each of four nights about a change of the clocks, of a source that may be asked for an hour at night."""
    berlin, runs = ZoneInfo("Europe/Berlin"), dict[str, list[int]]()
    for season, first in (
        ("autumn", datetime(2026, 10, 23, tzinfo=berlin)),
        ("spring", datetime(2027, 3, 26, tzinfo=berlin)),
    ):
        path = folder / f"{season}.db"
        shutil.copyfile(migrated, path)
        async with Database(f"sqlite:///{path}") as db:
            queues = Queues(db)
            queues.clock.at = first.astimezone(UTC)
            await queues.job("night", windows_text="02:30-03:30 Europe/Berlin", interval=12 * HOUR)
            nights = Counter[int]()
            for _ in range(4 * 24 * 2):
                opened = await queues.poll(HOUR / 2)
                nights[(queues.clock.at.astimezone(berlin).date() - first.date()).days] += len(opened)
                await queues.end_all()
        runs[season] = [nights[night] for night in range(4)]
    return runs


async def test_h7_after_three_days_asleep_every_source_is_asked_once_and_not_all_at_the_same_moment(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = [f"/board/{number}" for number in range(FEW + 4)]
    for board in boards:
        origin.page(board, "<h1>Quiet</h1>", etag='"1"')
    settings = quick_settings(tmp_path, origin, min_delay_ms=20, runs_per_host=len(boards))
    async with going(settings) as service:
        watched = [await watch(service, origin.url + board, interval=HOUR) for board in boards]
        await asyncio.gather(*(first_run(service, source_id) for source_id in watched))
    before, already = len(origin.log), len(asked(origin))

    asleep = timedelta(days=3)
    monkeypatch.setattr(database, "DatabaseClock", lambda _: DatabaseClock(datetime.now(UTC) + asleep))
    async with going(settings) as service:
        await until(lambda: asked_for(origin, pages=already + FEW))
        jobs = await all_rows(service, tables.crawl_jobs)
        waiting = [job for job in jobs if job.state != "running" and job.run_count == 1]
        at_once = len(asked(origin)) - already
        service.clock.set(service.clock.now() + HOUR / 10)  # all have had their turn, none is due again
        await asyncio.gather(*(first_run(service, source_id, number=2) for source_id in watched))
        runs = await all_rows(service, tables.crawl_runs)

    later = [hit.path for hit in origin.log[before:] if hit.path != "/robots.txt"]
    assert (at_once, len(waiting)) == (FEW, 4)
    assert all(job.next_run_reason["steps"][-1]["step"] == "catch_up" for job in waiting)
    assert sorted(later) == sorted(boards)
    assert len(runs) == 2 * len(boards)
    assert min(origin.gaps()) >= 0.02
