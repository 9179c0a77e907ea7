"""The latest runs of sources."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.runs import run_strips
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import a_run, write

RUNS = 35


async def _with_runs(db: Database, name: str) -> int:
    """A source with more runs than a strip has."""
    source_id, run_id = await write(db, a_run, name)

    async def step(connection: Connection) -> None:
        runs = tables.crawl_runs
        (first,) = (await connection.execute(sa.select(runs).where(runs.c.id == run_id))).mappings()
        ended: dict[str, Any] = {"finished_at": NOON, "outcome": "ok", "records_shown": 7}
        for number in range(1, RUNS):
            own = {"public_id": f"{name}-{number}", "number": number + 1, "started_at": NOON + timedelta(hours=number)}
            new = {key: value for key, value in first.items() if key != "id"} | ended | own
            await connection.execute(sa.insert(runs).values(**new))

    await write(db, step)
    return source_id


async def test_a_strip_has_the_latest_runs_of_each_source_the_oldest_first(db: Database) -> None:
    ids = [await _with_runs(db, name) for name in ("a", "b")]

    async with db.read() as connection:
        strips = await run_strips.of_sources(connection, ids)

    assert strips.keys() == set(ids)
    for strip in strips.values():
        assert len(strip) == run_strips.RUNS
        assert [bar.started_at for bar in strip] == sorted(bar.started_at for bar in strip)
        assert strip[-1].started_at == NOON + timedelta(hours=RUNS - 1)
        assert (strip[-1].outcome, strip[-1].records) == ("ok", 7)


async def test_a_host_has_the_latest_runs_of_all_its_sources(db: Database) -> None:
    ids = [await _with_runs(db, name) for name in ("a", "b")]

    async def at_one_host(connection: Connection) -> None:
        await connection.execute(sa.update(tables.crawl_jobs).values(host_id=1, last_run_at=NOON))

    await write(db, at_one_host)
    async with db.read() as connection:
        found = await run_strips.of_hosts(connection, [1, 2])

    (strip,) = found.values()
    assert len(ids) == 2
    assert len(strip) == run_strips.RUNS
    assert strip[0].started_at == strip[1].started_at == NOON + timedelta(hours=RUNS - run_strips.RUNS // 2)
