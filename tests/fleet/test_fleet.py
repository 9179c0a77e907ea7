"""A fleet on PostgreSQL, RabbitMQ and Redis, while everything that can be taken from it is taken."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis.asyncio

from tests.fleet.many_sites import Town
from tests.servers import rabbitmq
from tests.servers.sharing import State
from tests.service.processes import Fleet, wait_until
from tests.witness import ANY_HOST, Policy, report, violations

SITES, POSTINGS = 200, 3
PAGES = SITES * (POSTINGS + 1)
DELAY_MS, SLOTS = 500, 16
#: long enough for a process that gets little of a busy machine to keep its leases
LEASE_SECONDS = 10
#: of the sites, the last are watched only when the broker is back
FIRST_WAVE = 150
AGENT = "LamplighterBot/1.0 (+http://127.0.0.1/bot; {name})"
#: on a machine that does nothing else it takes a minute
PATIENCE_SECONDS = 300


@pytest.fixture
def broker() -> Iterator[State]:
    """A RabbitMQ of this test's own, because it will be killed."""
    state = rabbitmq.start()
    try:
        yield state
    finally:
        rabbitmq.stop(state)


def empty(redis_url: str) -> None:
    """Takes everything from Redis."""

    async def flush() -> None:
        async with redis.asyncio.from_url(redis_url) as client:
            await client.flushdb()

    asyncio.run(flush())


def restart(broker: State) -> threading.Thread:
    """Kills the broker at once, and starts it again meanwhile."""
    rabbitmq.kill(broker)

    def start_again() -> None:
        broker.update(rabbitmq.start_again(broker))

    thread = threading.Thread(target=start_again)
    thread.start()
    return thread


@pytest.mark.minutes
@pytest.mark.timeout(2 * PATIENCE_SECONDS)
def test_nothing_is_lost_and_nothing_doubled(
    tmp_path: Path, migrated_postgres_db: str, redis_url: str, broker: State
) -> None:
    settings = {
        "database_url": migrated_postgres_db,
        "queue_url": rabbitmq.url_of(broker),
        "events_url": redis_url,
        "redis_storage_enabled": True,
        "allow_hosts": "127.0.0.0/8",
        "min_delay_ms": DELAY_MS,
        "lease_seconds": LEASE_SECONDS,
        "fetch_slots": SLOTS,
        "log_level": "info",
    }
    with Town(SITES, postings=POSTINGS) as town, Fleet(tmp_path, **settings) as fleet:
        fleet.watch(*town.starts[:FIRST_WAVE])
        fleet.start(duties="schedule")
        killed, frozen, _ = [
            fleet.start("--only", "fetch", user_agent=AGENT.format(name=f"fetch-{number}")) for number in range(3)
        ]
        for _ in range(2):
            fleet.start("--only", "parse")

        wait_until(lambda: town.asked > 0.1 * PAGES, fleet.log, patience=PATIENCE_SECONDS)
        killed_at = time.monotonic()
        os.kill(killed.pid, signal.SIGKILL)
        wait_until(lambda: town.asked > 0.2 * PAGES, fleet.log, patience=PATIENCE_SECONDS)
        os.kill(frozen.pid, signal.SIGSTOP)
        restarting = restart(broker)
        empty(redis_url)
        time.sleep(1.5 * LEASE_SECONDS)
        os.kill(frozen.pid, signal.SIGCONT)
        restarting.join()
        wait_until(lambda: fleet.log().count("queue.back") >= 5, fleet.log)
        fleet.watch(*town.starts[FIRST_WAVE:])
        fleet.wait_for_runs(SITES, patience=PATIENCE_SECONDS)

        totals = "SELECT outcome, count(*), sum(pages_fetched), sum(records_inserted) FROM crawl_runs GROUP BY outcome"
        runs = fleet.rows(totals)
        records = fleet.rows("SELECT count(*), count(DISTINCT title) FROM records")
        undone = fleet.rows("SELECT count(*) FROM pages WHERE phase <> 'completed'")
        stopped = [fleet.stop(worker) for worker in fleet.workers if worker is not killed]
        held = fleet.rows("SELECT lease_owner FROM hosts WHERE lease_owner IS NOT NULL")

    assert runs == [("ok", SITES, PAGES, SITES * POSTINGS)]
    assert records == [(SITES * POSTINGS, SITES * POSTINGS)]
    assert undone == [(0,)]
    assert town.missing(postings=POSTINGS) == 0
    # Pages that came twice are judged below, by whose answer was in vain.
    found = violations(town.log, {ANY_HOST: Policy(delay=DELAY_MS / 1000, revisit=0)})
    assert found == [], report(found)
    for site, first, *again in town.repeated():
        # What was in flight when its worker was killed, or was answered after its worker had lost the host (because it
        # was frozen, or got too little of the machine), is asked for once more, and nothing else.
        was_cut = first.headers["user-agent"] == AGENT.format(name="fetch-0") and first.arrived > killed_at - 5
        assert was_cut or f'"{site.url}{first.path}"' in _fenced(fleet), first
        assert len(again) == 1
    assert stopped == [0] * 5
    assert held == []


def _fenced(fleet: Fleet) -> str:
    """Answers that came too late: another worker had the host by then, and they were refused."""
    return "\n".join(line for line in fleet.log().splitlines() if "fetch.fenced" in line)
