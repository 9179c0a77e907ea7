"""The clock of PostgreSQL, by which all workers go, is set back, set forward or stopped while they are at work."""

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fleet.many_sites import Town
from tests.servers import postgres
from tests.servers.faketime import FakeTime, faketime
from tests.servers.migrated import aside, migrate_to_head
from tests.service.processes import Fleet, wait_until
from tests.witness import ANY_HOST, Policy, report, violations

SITES, POSTINGS, DELAY_MS = 12, 12, 400
PAGES = SITES * (POSTINGS + 1)
#: workers ask the database for its time every minute, and hosts may have to wait for that once more
PATIENCE_SECONDS = 300
_ALL_DUE = "UPDATE crawl_jobs SET next_run_at = clock_timestamp() WHERE state = 'scheduled' OR state = 'pending'"


def set_back(clock: FakeTime) -> None:
    clock.set_by(timedelta(hours=-1))


def set_forward(clock: FakeTime) -> None:
    clock.set_by(timedelta(days=1))


def stop_for_a_minute(clock: FakeTime) -> None:
    clock.stop()
    time.sleep(60)
    clock.set_by(timedelta(0))


@pytest.mark.minutes
@pytest.mark.timeout(4 * PATIENCE_SECONDS)
@pytest.mark.parametrize("wrongly", [set_back, set_forward, stop_for_a_minute])
def test_h6_a_clock_that_goes_wrong_makes_no_burst_doubles_no_run_and_loses_no_host(
    tmp_path: Path, wrongly: Callable[[FakeTime], None]
) -> None:
    with faketime() as clock, postgres.own_server(env=clock.env) as server:
        url = aside(postgres.create_database(server.url))
        aside(migrate_to_head(url))
        settings = {"allow_hosts": "127.0.0.0/8", "min_delay_ms": DELAY_MS, "lease_seconds": 10, "log_level": "info"}
        with Town(SITES, postings=POSTINGS) as town, Fleet(tmp_path, database_url=url, **settings) as fleet:
            for _ in range(2):
                fleet.start()
            fleet.watch(*town.starts)
            wait_until(lambda: town.asked > PAGES / 3, fleet.log)

            wrongly(clock)
            fleet.wait_for_runs(SITES, patience=PATIENCE_SECONDS)
            by_then = _runs(fleet)
            # What is due by the clock as it is now gets its turn: no host waits for what the clock once said.
            aside(postgres.command(url, _ALL_DUE))
            wait_until(lambda: min(_runs(fleet).values()) >= 2, fleet.log, patience=PATIENCE_SECONDS)
            runs = _runs(fleet)
            records = fleet.rows("SELECT count(*), count(DISTINCT title) FROM records")
            outcomes = fleet.rows("SELECT DISTINCT outcome FROM crawl_runs WHERE finished_at IS NOT NULL")
            stopped = [fleet.stop(worker) for worker in fleet.workers]

    # A day later everything is due once, and only once.
    assert max(by_then.values()) <= (2 if wrongly is set_forward else 1)
    assert max(runs.values()) <= max(by_then.values()) + 1
    assert records == [(SITES * POSTINGS, SITES * POSTINGS)]
    assert outcomes == [("ok",)]
    found = violations(town.log, {ANY_HOST: Policy(delay=DELAY_MS / 1000, revisit=0)})
    assert found == [], report(found)
    assert stopped == [0, 0]


def _runs(fleet: Fleet) -> dict[int, int]:
    """How many runs of each source have ended."""
    query = (
        "SELECT s.id, count(r.finished_at) FROM sources s LEFT JOIN crawl_runs r ON r.source_id = s.id GROUP BY s.id"
    )
    return dict(tuple(row) for row in fleet.rows(query))
