"""Hosts as operators look at them, in the database."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import host_lists, hosts, robots_files
from lamplighter.store.hosts.host_lists import MOST_WAITING, HostState, LastResponse
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.schema import tables
from tests.changing import set_job
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of

HOUR = timedelta(hours=1)


async def _a_host(db: Connection, **values: Any) -> int:
    (host_id,) = (await hosts.ensure(db, ["a.example"], now=NOON)).values()
    if values:
        await db.execute(sa.update(tables.hosts).where(tables.hosts.c.id == host_id).values(values))
    return host_id


async def _keys(db: Database, state: HostState) -> list[str]:
    async with db.read() as connection:
        rows, _ = await host_lists.listed(
            connection, search=None, sort="host", descending=False, limit=9, offset=0, state=state, now=NOON
        )
    return [row.key for row in rows]


@pytest.mark.parametrize(
    ("state", "values"),
    [
        (HostState.BLOCKED, {"blocked_until": NOON + HOUR}),
        (HostState.FAILING, {"failure_count": 1}),
        (HostState.SLOWED, {"learnt_delay_ms": 500}),
        (HostState.DISABLED, {"enabled": False}),
        (HostState.OWN, {"budget_per_hour": 2.0}),
        (HostState.OWN, {"max_pages": 3}),
        (HostState.OWN, {"windows": [{"days": [0]}]}),
    ],
)
async def test_hosts_are_found_by_how_it_stands_with_them(
    db: Database, state: HostState, values: dict[str, Any]
) -> None:
    await write(db, _a_host)
    before = await _keys(db, state)

    await write(db, _a_host, **values)

    assert (before, await _keys(db, state)) == ([], ["a.example"])


@pytest.mark.parametrize("taken_back", [None, []])
async def test_a_host_has_nothing_of_its_own_once_its_windows_are_taken_back(db: Database, taken_back: Any) -> None:
    await write(db, _a_host, windows=[{"days": [0]}])

    await write(db, _a_host, windows=taken_back)

    assert await _keys(db, HostState.OWN) == []


async def _waiting(db: Connection, count: int) -> int:
    source_id, run_id = await a_run(db)
    await some_pages(db, source_id, run_id, *(f"/{number}" for number in range(count)))
    return await _a_host(db)


async def test_waiting_pages_are_counted_up_to_a_bound(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_lists, "MOST_WAITING", 2)
    host_id = await write(db, _waiting, 5)

    async with db.read() as connection:
        assert await host_lists.waiting(connection, [host_id]) == {host_id: 3}
    assert MOST_WAITING > 2


async def test_waiting_pages_are_counted_in_the_frontier_s_index(db: Database) -> None:
    host_id = await write(db, _waiting, 1)

    assert "ix_pages_in_turn" in await plan_of(db, partial(host_lists.waiting, host_ids=[host_id]))


async def _answered(db: Connection) -> int:
    source_id, run_id = await a_run(db)
    host_id = await _a_host(db)
    seed = {"role": PageRole.SEED, "phase": Phase.COMPLETED, "status": 200, "took_ms": 12}
    await some_pages(db, source_id, run_id, "/", **seed, fetched_at=NOON)
    await some_pages(db, source_id, run_id, "/later", role=PageRole.LINK, phase=Phase.COMPLETED, fetched_at=NOON + HOUR)
    job = await crawl_jobs.of_source(db, source_id)
    assert job is not None
    await set_job(db, job.id, now=NOON, host_id=host_id)
    return host_id


async def test_the_last_answer_is_that_of_a_start_page(db: Database) -> None:
    host_id = await write(db, _answered)

    async with db.read() as connection:
        answers = await host_lists.last_responses(connection, [host_id])
        counts = await host_lists.source_counts(connection, [host_id])
        watched = await host_lists.start_pages(connection, host_id, limit=5)

    assert answers == {host_id: LastResponse("https://a.example/", NOON, 200, 12, None)}
    assert counts == {host_id: 1}
    assert [each.url for each in watched] == ["https://a.example/"]


async def test_of_a_robots_txt_it_is_known_how_it_turned_out(db: Database) -> None:
    file = RobotsFile(
        origin="https://a.example",
        state=RobotsState.UNREACHABLE,
        body=b"",
        fetched_at=NOON,
        expires_at=NOON + HOUR,
        detail="HTTP 503",
    )
    await write(db, robots_files.save, file)

    async with db.read() as connection:
        known = await robots_files.known(connection, ["https://a.example", "http://a.example"])

    assert {origin: (each.state, each.detail) for origin, each in known.items()} == {
        "https://a.example": (RobotsState.UNREACHABLE, "HTTP 503")
    }
