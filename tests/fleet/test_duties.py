"""Processes with different duties on one database, woken through RabbitMQ, or without it."""

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lamplighter.store.engine.database import Database
from tests.origin import ThreadedOrigin
from tests.servers.sharing import free_port
from tests.service.forked import Forked
from tests.service.processes import Fleet, wait_until
from tests.service.sites import job_board

POSTINGS = 12
OUTCOME = "SELECT outcome, pages_fetched, records_inserted FROM crawl_runs"
INSTANCES = "SELECT pid, duties FROM instances"
LEADERS = "SELECT pid FROM leads JOIN instances ON instances.id = leads.owner WHERE name = 'schedule'"


@pytest.fixture
def board() -> Iterator[ThreadedOrigin]:
    """A site with a dozen postings."""
    with ThreadedOrigin() as origin:
        job_board(origin, postings=POSTINGS, per_page=POSTINGS)
        yield origin


def paths(board: ThreadedOrigin) -> list[str]:
    return sorted(hit.path for hit in board.log if hit.path != "/robots.txt")


def children_of(worker: Forked) -> list[str]:
    return Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()


def test_one_schedules_one_asks_and_one_reads(
    board: ThreadedOrigin, tmp_path: Path, migrated_postgres_db: str, rabbitmq_url: str
) -> None:
    with Fleet(tmp_path, board, database_url=migrated_postgres_db, queue_url=rabbitmq_url) as fleet:
        fleet.watch()  # nobody yet, but the database has its tables
        fetching, parsing = fleet.start("--only", "fetch"), fleet.start("--only", "parse")
        scheduling = fleet.start(duties="schedule")
        wait_until(lambda: len(fleet.rows(INSTANCES)) == 3, fleet.log)
        duties = {row.pid: row.duties for row in fleet.rows(INSTANCES)}
        fleet.watch(board.url + "/jobs")
        fleet.wait_for_runs(1)
        readers = [len(children_of(each)) for each in (fetching, parsing, scheduling)]
        outcome = fleet.rows(OUTCOME)

    assert duties == {fetching.pid: ["fetch"], parsing.pid: ["parse"], scheduling.pid: ["schedule"]}
    assert readers == [0, 1, 0]
    assert outcome == [("ok", POSTINGS + 1, POSTINGS)]
    assert len(paths(board)) == len(set(paths(board))) == POSTINGS + 1


def test_i4_without_the_broker_the_sweeps_find_everything(
    board: ThreadedOrigin, tmp_path: Path, migrated_postgres_db: str
) -> None:
    away = f"amqp://guest:secret-word@127.0.0.1:{free_port()}/"
    with Fleet(tmp_path, board, database_url=migrated_postgres_db, queue_url=away) as fleet:
        fleet.watch(board.url + "/jobs")
        for duty in ("schedule", "fetch", "parse"):
            fleet.start(duties=duty)
        fleet.wait_for_runs(1)
        outcome, said = fleet.rows(OUTCOME), fleet.log()

    assert outcome == [("ok", POSTINGS + 1, POSTINGS)]
    assert len(paths(board)) == len(set(paths(board)))
    assert said.count("queue.lost") == 3
    assert "secret-word" not in said


@pytest.mark.parametrize("duty", ["fetch", "parse"])
def test_h3_a_worker_of_either_kind_gives_everything_back_when_asked_to_stop(
    tmp_path: Path, migrated_postgres_db: str, rabbitmq_url: str, duty: str
) -> None:
    with ThreadedOrigin() as origin:
        job_board(origin, postings=100, per_page=100)
        with Fleet(tmp_path, origin, database_url=migrated_postgres_db, queue_url=rabbitmq_url) as fleet:
            fleet.watch(origin.url + "/jobs")
            others = [fleet.start(duties=each) for each in ("schedule", "fetch", "parse") if each != duty]
            worker = fleet.start("--only", duty)
            wait_until(lambda: len(origin.log) >= 15, fleet.log)

            asked_at = time.monotonic()
            code = fleet.stop(worker)
            took = time.monotonic() - asked_at

            for other in others:
                assert fleet.stop(other) == 0
            leases = fleet.rows("SELECT lease_owner FROM hosts WHERE lease_owner IS NOT NULL")
            reads = fleet.rows("SELECT lease_owner FROM pages WHERE lease_owner IS NOT NULL")
            left = fleet.rows(INSTANCES)

    assert code == 0, fleet.log()[-2000:]
    assert took < 10 * fleet.settings.grace_seconds
    assert (leases, reads, left) == ([], [], [])


@pytest.mark.minutes
def test_h4_another_scheduler_leads_within_half_a_minute_of_the_leaders_death(
    board: ThreadedOrigin, tmp_path: Path, migrated_postgres_db: str
) -> None:
    with Fleet(tmp_path, board, database_url=migrated_postgres_db) as fleet:
        fleet.watch()  # nobody yet, but the database has its tables
        one = fleet.start(duties="schedule")
        wait_until(lambda: bool(fleet.rows(LEADERS)), fleet.log)
        two = fleet.start(duties="schedule,fetch,parse")
        wait_until(lambda: len(fleet.rows(INSTANCES)) == 2, fleet.log)
        first = [row.pid for row in fleet.rows(LEADERS)]

        os.kill(one.pid, signal.SIGKILL)
        died_at = time.monotonic()
        fleet.watch(board.url + "/jobs")
        wait_until(lambda: [row.pid for row in fleet.rows(LEADERS)] == [two.pid], fleet.log)
        took = time.monotonic() - died_at
        fleet.wait_for_runs(1)
        outcome = fleet.rows(OUTCOME)

    assert first == [one.pid]
    assert took < 30
    assert outcome == [("ok", POSTINGS + 1, POSTINGS)]


def test_p5_after_a_crash_a_laptop_schedules_again_without_waiting_for_a_lease(
    board: ThreadedOrigin, tmp_path: Path
) -> None:
    with Fleet(tmp_path, board) as fleet:
        fleet.watch()  # nobody yet, but the database has its tables
        killed = fleet.start()
        wait_until(lambda: bool(fleet.rows(LEADERS)), fleet.log)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        _lead_for_an_hour(fleet)
        fleet.watch(board.url + "/jobs")
        fleet.start()
        fleet.wait_for_runs(1)
        outcome = fleet.rows(OUTCOME)

    assert outcome == [("ok", POSTINGS + 1, POSTINGS)]


def _lead_for_an_hour(fleet: Fleet) -> None:
    """Whoever waited for this lease to run out would wait too long."""
    path = Database(fleet.settings.resolved_database_url).path
    assert path is not None
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE leads SET until = until + 3600000000")
