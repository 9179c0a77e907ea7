"""How the coming day fills up: groups count as the jobs one by one would."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.planning.outlook import load_map
from lamplighter.rules.schedule import slots
from lamplighter.rules.schedule.slots import LoadMap
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.jobs import job_load
from lamplighter.store.schema import tables
from tests.changing import set_host, set_job
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, the_job, write

MINUTE = timedelta(minutes=1)
#: (minutes from now, seconds between runs)
PLANNED = [
    (-300, 3600),
    (-1, 60),
    (0, 61),
    (1, 300),
    (14, 899),
    (15, 900),
    (16, 1349),
    (17, 1350),
    (95, 5000),
    (600, 86_399),
    (601, 86_400),
    (900, 30 * 86_400),
    (1439, 86_400),
    (1500, 900),
]


async def _planned(db: Database, *plans: tuple[int, int], **columns: Any) -> None:
    for number, (minutes, pace) in enumerate(plans):
        job_id = await write(db, a_job, f"s{number}", due=NOON + minutes * MINUTE)
        await write(db, set_job, job_id, now=NOON, pace_seconds=pace, **columns)


async def test_groups_of_jobs_fill_the_day_as_the_jobs_one_by_one_do(db: Database) -> None:
    await _planned(db, *PLANNED, *PLANNED)

    async with db.read() as connection:
        grouped = await load_map(connection, now=NOON)

    one_by_one = LoadMap.of((), NOON)
    for minutes, pace in PLANNED * 2:
        one_by_one = one_by_one.with_job(NOON + minutes * MINUTE, timedelta(seconds=pace))
    assert grouped.starts == one_by_one.starts


async def test_jobs_alike_are_one_group(db: Database) -> None:
    await _planned(db, *[(20, 3600)] * 3, (20, 3700), (40, 3600))

    groups = await write(db, job_load.starts, until=NOON + slots.HORIZON, slot=slots.SLOT)

    assert Counter({group.slot: group.jobs for group in groups}) == {
        datetime(2026, 3, 14, 12, 15, tzinfo=NOON.tzinfo): 4,
        datetime(2026, 3, 14, 12, 30, tzinfo=NOON.tzinfo): 1,
    }


async def test_what_runs_only_once_starts_only_once(db: Database) -> None:
    await _planned(db, (20, 900), recurring=False)

    async with db.read() as connection:
        assert sum((await load_map(connection, now=NOON)).starts) == 1


async def _movable(db: Database) -> list[int]:
    return [job.id for job in await write(db, job_load.movable, since=NOON, until=NOON + slots.HORIZON)]


async def _set(connection: Connection, statement: Any) -> None:
    await connection.execute(statement)


WINDOWS = [{"kind": "allow", "days": ["sat"], "start": "10:00", "end": "20:00", "zone": "UTC"}]


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param(sa.update(tables.crawl_jobs).values(backoff_until=NOON + HOUR), id="after a failure"),
        pytest.param(sa.update(tables.sources).values(windows=WINDOWS), id="with windows of its own"),
        pytest.param(sa.update(tables.hosts).values(windows=WINDOWS), id="with windows of its host"),
        pytest.param(sa.update(tables.sources).values(policy="fixed"), id="with an exact interval by name"),
        pytest.param(sa.update(tables.crawl_jobs).values(override={"adaptive": False}), id="that is not adaptive"),
    ],
)
async def test_a_job_is_not_moved(db: Database, kept: Any) -> None:
    (host_id,) = (await write(db, hosts.ensure, ["a.example"], now=NOON)).values()
    await _planned(db, (60, 3600), host_id=host_id)
    await write(db, set_host, "a.example", now=NOON, windows=None)
    before = await _movable(db)

    await write(db, _set, kept)

    assert (before, await _movable(db)) == ([1], [])


async def test_a_job_that_was_planned_anew_meanwhile_stays_where_it_is(db: Database) -> None:
    await _planned(db, (60, 3600), (60, 3600))
    moves = [job_load.Postponed(job_id, NOON + HOUR, NOON + 2 * HOUR, why={"why": "load"}) for job_id in (1, 2)]
    await write(db, set_job, 2, now=NOON, next_run_at=NOON + 5 * HOUR)

    await write(db, job_load.move, moves, now=NOON)

    jobs = [await the_job(db, job_id) for job_id in (1, 2)]
    assert [job.next_run_at for job in jobs] == [NOON + 2 * HOUR, NOON + 5 * HOUR]
    assert [job.moved_at for job in jobs] == [NOON, None]


async def test_a_job_is_moved_whoever_made_it(db: Database) -> None:
    await _planned(db, (60, 3600))

    await write(db, _set, sa.update(tables.crawl_jobs).values(auto_managed=False, override={"interval_seconds": 3600}))

    (row,) = await write(db, job_load.movable, since=NOON, until=NOON + slots.HORIZON)
    assert row.has_set_interval


async def test_what_holds_jobs_where_they_are_is_counted(db: Database) -> None:
    await _planned(db, (10, 3600), (60, 3600), (90, 3600))
    await write(db, set_job, 2, now=NOON, backoff_until=NOON + HOUR)
    await write(db, set_job, 3, now=NOON, override={"adaptive": False}, moved_at=NOON)

    span = {"since": NOON, "until": NOON + slots.HORIZON}
    held = await write(db, job_load.held, **span, imminent_until=NOON + HOUR / 2, moved_since=NOON - HOUR)

    assert held == job_load.HeldJobs(planned=3, backing_off=1, is_exact=1, imminent=1, moved_lately=1)
