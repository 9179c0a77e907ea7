"""A worker is cut off from what it needs, without a word to either side, for longer than its leases last."""

import asyncio
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.model.visit import Failed
from tests.fetch.client_stack import a_client
from tests.fleet.lab import POSTGRES, RABBITMQ, REDIS, TOWN, WORKERS, Lab, lab
from tests.fleet.many_sites import Town
from tests.fleet.namespaces import network
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
#: pages that failed for want of a way to their site are asked for again within it
AGAIN_SECONDS = 600
_PAGE = BodyLimits(max_bytes=64 * 1024)
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
        runs = made.fleet.rows("SELECT DISTINCT outcome FROM crawl_runs")

    assert records == [(SITES * POSTINGS, SITES * POSTINGS)]
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
    wait_until(lambda: _is_complete(made, watched), made.fleet.log, patience=AGAIN_SECONDS)

    if server in (POSTGRES, None):
        assert held
        for host, until in held.items():
            taken_at = made.taken(host, name, since=cut_at)
            assert taken_at is not None
            assert taken_at >= until + DELAY_MS / 1000 - _ASKED_SECONDS
            asked = [hit.arrived for hit in made.asked_by(name, since=cut_at) if hit.headers["host"] == host]
            assert all(at < until or at > mended_at for at in asked)
    return Span(cut_at - 1, mended_at + 1)


async def test_i1_a_request_that_was_given_up_does_not_arrive_when_the_way_is_free_again() -> None:
    with network() as net, ExitStack() as stack:
        net.add_host("ann")
        net.add_host("town", also=TOWN)
        with net.inside("town"):
            town = stack.enter_context(Town(1, postings=2, network=TOWN.rpartition(".")[0]))
        (site,) = town.sites
        with net.inside("ann"):
            async with a_client(TOWN, read=1) as client:
                await client.get(f"{site.url}/jobs", wanted=_PAGE)
                net.cut("ann", TOWN)
                given_up = await client.get(f"{site.url}/job/0", wanted=_PAGE)
                await asyncio.sleep(0.3)
                net.mend("ann", TOWN)
                await asyncio.sleep(4)

    assert isinstance(given_up, Failed)
    assert [hit.path for hit in site.log] == ["/jobs"]


def _is_complete(made: Lab, sites: int) -> bool:
    """Whether every posting was read itself; its list alone tells less of it."""
    read = made.fleet.rows("SELECT count(*) FROM records WHERE title LIKE 'Posting %'")
    undone = made.fleet.rows("SELECT count(*) FROM pages WHERE phase <> 'completed'")
    return (read, undone) == ([(sites * POSTINGS,)], [(0,)])
