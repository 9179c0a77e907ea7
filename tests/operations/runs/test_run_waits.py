"""What a run is said to wait for."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from lamplighter.model.host import HostPolicy
from lamplighter.operations.runs import activity
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write

MINUTE = timedelta(minutes=1)
UNREACHABLE = {"due_at": NOON + 2 * MINUTE, "reason": "robots_unreachable", "detail": "robots.txt could not be fetched"}


async def _waits(db: Database, *, page: dict[str, object], **host: object) -> Wait | None:
    """What a run with one page waits for, whose host stands so."""
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", **page)

    async def work(connection: Connection) -> Wait | None:
        if host:
            await connection.execute(sa.update(tables.hosts).values(**host))
        return await activity.wait_of_run(connection, run_id, defaults=HostPolicy(), now=NOON)

    return await write(db, work)


async def test_c2_a_run_says_that_it_waits_for_robots_txt_and_until_when(db: Database) -> None:
    wait = await _waits(db, page=UNREACHABLE)

    assert wait == Wait(
        word="retrying",
        why="its pages are retried later: robots.txt could not be fetched",
        until=NOON + 2 * MINUTE,
    )


async def test_c10_a_run_says_that_it_waits_for_the_turn_of_a_slow_host(db: Database) -> None:
    wait = await _waits(db, page={}, crawl_delay_ms=86_400_000, free_at=NOON + 600 * MINUTE)

    assert wait is not None
    assert (wait.word, wait.until) == ("delay", NOON + 600 * MINUTE)
    assert wait.why == "one request every 1 d, as its robots.txt asks"


@pytest.mark.parametrize(
    ("page", "host"),
    [
        pytest.param({}, {}, id="a process with a free slot"),
        pytest.param({}, {"free_at": NOON + timedelta(seconds=3)}, id="it comes in a moment"),
        pytest.param({}, {"lease_until": NOON + MINUTE, "lease_owner": "worker-1"}, id="it is being asked"),
    ],
)
async def test_a_run_that_goes_on_waits_for_nothing(
    db: Database, page: dict[str, object], host: dict[str, object]
) -> None:
    assert await _waits(db, page=page, **host) is None


async def test_a_run_whose_host_waits_for_a_proxy_waits_for_it_whatever_its_pages_wait_for(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1")
    await write(db, some_pages, source_id, run_id, "/2", **UNREACHABLE)
    rests = {"proxy_wait_until": NOON + 60 * MINUTE, "proxy_wait_reason": "all proxies rest"}
    await db.write(lambda connection: connection.execute(sa.update(tables.hosts).values(rests)))

    wait = await write(db, activity.wait_of_run, run_id, defaults=HostPolicy(), now=NOON)

    assert wait == Wait(word="no proxy", why="all proxies rest", until=NOON + 60 * MINUTE)
