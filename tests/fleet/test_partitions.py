"""A worker is cut off from what it needs, without a word to either side, for longer than its leases last."""

import time
from pathlib import Path

import pytest

from tests.fleet.lab import POSTGRES, RABBITMQ, REDIS, TOWN, WORKERS, Lab, lab
from tests.service.processes import wait_until
from tests.witness import ANY_HOST, Policy, report, violations
from tests.witness.policy import Span

SITES_AT_ONCE, POSTINGS = 12, 30
SITES = SITES_AT_ONCE * len(WORKERS)
DELAY_MS, LEASE_SECONDS = 700, 10
#: longer than the lease, the wait of whoever takes over, and its first requests
CUT_SECONDS = 25
#: healing is promised within it, on a machine that has nothing else to do
MINUTE = 60
#: how far the clocks of database and sites are apart here: by what it took to ask
_ASKED_SECONDS = 0.05


@pytest.mark.minutes
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "server",
    [
        pytest.param(POSTGRES, id="from PostgreSQL"),
        pytest.param(REDIS, id="from Redis"),
        pytest.param(RABBITMQ, id="from RabbitMQ"),
        pytest.param(TOWN, id="from the sites"),
        pytest.param(None, id="from everything"),
    ],
)
def test_i1_each_worker_in_turn_is_cut_off_and_no_host_is_bothered_and_nothing_lost(
    tmp_path: Path, server: str | None
) -> None:
    settings = {"min_delay_ms": DELAY_MS, "lease_seconds": LEASE_SECONDS, "log_level": "info"}
    lost: list[Span] = []
    with lab(tmp_path, sites=SITES, postings=POSTINGS, sites_at_once=SITES_AT_ONCE, **settings) as made:
        for name in WORKERS:
            lost.append(_cut_off(made, name, server))
        records = made.fleet.rows("SELECT count(*), count(DISTINCT title) FROM records")
        undone = made.fleet.rows("SELECT count(*) FROM pages WHERE phase <> 'completed'")
        runs = made.fleet.rows("SELECT DISTINCT outcome FROM crawl_runs")

    assert records == [(SITES * POSTINGS, SITES * POSTINGS)]
    assert undone == [(0,)]
    # A worker that reaches no site tells nobody that the sites are there.
    assert server == TOWN or server is None or runs == [("ok",)]
    found = violations(made.town.log, {ANY_HOST: Policy(delay=DELAY_MS / 1000, revisit=0, lost=lost)})
    assert found == [], report(found)


def _cut_off(made: Lab, name: str, server: str | None) -> Span:
    """Cuts a worker off and mends it, and waits until all is done as if nothing had been."""
    began = time.monotonic()
    watched = made.watch_more()
    wait_until(lambda: len(made.asked_by(name, since=began)) > 1, made.fleet.log, patience=MINUTE)

    made.net.cut(name, server)
    cut_at = time.monotonic()
    held = made.held_by(name)
    time.sleep(CUT_SECONDS)
    made.net.mend(name, server)
    mended_at = time.monotonic()
    wait_until(lambda: made.are_well(since=mended_at), made.fleet.log, patience=MINUTE)
    made.fleet.wait_for_runs(watched)
    wait_until(lambda: _is_complete(made, watched), made.fleet.log)

    if server in (POSTGRES, None):
        assert held
        for host, until in held.items():
            taken_at = made.taken(host, name, since=cut_at)
            assert taken_at is not None
            assert taken_at >= until + DELAY_MS / 1000 - _ASKED_SECONDS
            asked = [hit.arrived for hit in made.asked_by(name, since=cut_at) if hit.headers["host"] == host]
            assert all(at < until or at > mended_at for at in asked)
    return Span(cut_at - 1, mended_at + 1)


def _is_complete(made: Lab, sites: int) -> bool:
    return made.fleet.rows("SELECT count(*) FROM records") == [(sites * POSTINGS,)]
