"""Several workers, clocks and deaths: one run per job, leases that end, writes that are fenced."""

import asyncio
import os
import signal
import time
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from lamplighter.model.crawl import Outcome
from lamplighter.store import tables
from tests.crawl.processes import Fleet, wait_until
from tests.crawl.rounds import all_records, all_rows, asked, first_run, going, quick_settings, watch
from tests.crawl.sites import job_board
from tests.origin import Origin, ThreadedOrigin

POSTINGS = 12


def _fleet_outcome(fleet: Fleet) -> tuple[int, list[tuple[object, ...]]]:
    titles = fleet.rows("SELECT title FROM records")
    runs = fleet.rows("SELECT outcome, pages_fetched, records_inserted FROM crawl_runs")
    return len(titles), [tuple(run) for run in runs]


def test_h2_a_worker_that_slept_beyond_its_lease_doubles_nothing(tmp_path: Path, database_url: str) -> None:
    with ThreadedOrigin() as origin:
        job_board(origin, postings=POSTINGS, per_page=POSTINGS)
        with Fleet(tmp_path, origin, database_url=database_url, min_delay_ms=100) as fleet:
            fleet.watch(origin.url + "/jobs")
            sleeper = fleet.start()
            wait_until(lambda: len(origin.log) >= 5, fleet.log)
            _put_to_sleep(sleeper.pid, fleet)
            fleet.start()
            fleet.wait_for_runs(1)
            os.kill(sleeper.pid, signal.SIGCONT)
            time.sleep(1.5)

            outcome = _fleet_outcome(fleet)
            gaps = origin.gaps()

    assert outcome == (POSTINGS, [("ok", POSTINGS + 1, POSTINGS)])
    assert min(gaps) >= 0.099
    assert len(origin.log) <= POSTINGS + 2 + 2


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
    assert took < fleet.settings.grace_seconds + 1
    assert (leases, reads) == ([], [])
    assert stored == answered


async def test_h4_two_schedulers_open_one_run_per_job(origin: Origin, tmp_path: Path, database_url: str) -> None:
    for number in range(10):
        origin.page(f"/board/{number}", f"<h1>Board {number}</h1>")
    settings = quick_settings(tmp_path, origin, database_url=database_url, min_delay_ms=5)

    async with going(settings) as first, going(settings) as second:
        watched = [await watch(first, f"{origin.url}/board/{number}") for number in range(10)]
        second.bells.jobs.ring()
        await asyncio.gather(*(first_run(first, source_id) for source_id in watched))
        runs = await all_rows(second, tables.crawl_runs)

    assert sorted(run.source_id for run in runs) == sorted(watched)
    assert len(asked(origin)) == 10
    assert origin.max_in_flight == 1


async def test_h4_two_that_both_believe_to_lead_open_one_run_per_job(
    origin: Origin, tmp_path: Path, database_url: str
) -> None:
    for number in range(10):
        origin.page(f"/board/{number}", f"<h1>Board {number}</h1>")
    settings = quick_settings(tmp_path, origin, database_url=database_url, min_delay_ms=5, runs_per_host=20)

    async with going(settings, schedule=False) as first, going(settings, schedule=False) as second:
        watched = [await watch(first, f"{origin.url}/board/{number}") for number in range(10)]
        await first.deliver.deliver_all()
        opened = await asyncio.gather(*(each.scheduler.open_due() for each in (first, second, first, second)))
        await asyncio.gather(*(first_run(first, source_id) for source_id in watched))
        runs = await all_rows(second, tables.crawl_runs)

    assert sum(opened) == 10
    assert sorted(run.source_id for run in runs) == sorted(watched)


async def test_h4_two_workers_share_a_crawl_without_doubling_it(
    origin: Origin, tmp_path: Path, database_url: str
) -> None:
    job_board(origin, postings=20, per_page=10)
    settings = quick_settings(tmp_path, origin, database_url=database_url)

    async with going(settings) as first, going(settings):
        run = await first_run(first, await watch(first, origin.url + "/jobs"))
        found = await all_records(first)

    assert run.outcome is Outcome.OK, run.message
    assert (len(found), run.tally.records_inserted, run.tally.pages_fetched) == (20, 20, 22)
    assert sorted(asked(origin)) == sorted(set(asked(origin)))


async def test_h7_a_job_overdue_by_three_days_runs_once(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", "<h1>Quiet</h1>")

    async with going(quick_settings(tmp_path, origin), schedule=False) as service:
        source_id = await watch(service, origin.url + "/jobs", interval=timedelta(minutes=10))
        await asyncio.sleep(0.3)
        late = sa.update(tables.crawl_jobs).values(next_run_at=service.clock.now() - timedelta(days=3))
        await service.db.write(lambda db: db.execute(late))
        opened = await service.scheduler.open_due()
        run = await first_run(service, source_id)
        opened_after = await service.scheduler.open_due()
        job = (await all_rows(service, tables.crawl_jobs))[0]

    assert (opened, opened_after) == (1, 0)
    assert run.finished_at is not None
    assert job.next_run_at - run.finished_at >= timedelta(minutes=8)
