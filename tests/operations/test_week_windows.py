"""Who may be crawled when."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from lamplighter.app import default_policy
from lamplighter.crawl.norms import Norms
from lamplighter.errors import BadInput
from lamplighter.operations import hosts, sources, week_windows
from lamplighter.operations.sources import NewSource
from lamplighter.settings import load
from lamplighter.store import crawl_jobs, window_lists
from lamplighter.store.database import Connection, Database
from tests.moments import NOON
from tests.store.given import a_job, a_source, write
from tests.store.plans import plan_of

NORMS = Norms(host=default_policy(load({})))


async def _everybody(db: Connection) -> None:
    await hosts.set_times(db, "b.example", windows="mon 09:00-10:00", actor="test", now=NOON, norms=NORMS)
    new = NewSource(url="https://c.example/", name="Quay", windows="22:00-05:00 Asia/Tokyo", tags=("night",))
    await sources.add(db, new, actor="test", now=NOON)
    await a_source(db, "free")


async def test_hosts_come_first_and_who_says_nothing_is_left_out(db: Database) -> None:
    await write(db, _everybody)

    week = await write(db, week_windows.week, zone="own", now=NOON)

    assert [(each.by, each.name, each.zone) for each in week] == [
        ("host", "b.example", "UTC"),
        ("source", "Quay", "Asia/Tokyo"),
    ]
    assert week[0].stretches == ((9.0, 10.0),)


async def test_what_a_person_set_for_a_job_is_told_apart(db: Database) -> None:
    source_id = await write(db, a_source)
    job_id = await write(
        db,
        crawl_jobs.add,
        source_id=source_id,
        priority=50,
        interval=timedelta(hours=1),
        next_run_at=NOON,
        now=NOON,
    )
    stored = [{"kind": "allow", "days": ["mon"], "start": "01:00", "end": "02:00", "zone": "UTC"}]
    await write(db, crawl_jobs.change, job_id, now=NOON, override={"windows": stored})

    (only,) = await write(db, week_windows.week, zone="own", now=NOON)

    assert (only.by, only.words) == ("override", "allow mon 01:00-02:00 UTC")


async def test_everybody_can_be_shown_on_the_same_clocks(db: Database) -> None:
    await write(db, _everybody)

    week = await write(db, week_windows.week, zone="UTC", now=NOON)

    assert {each.zone for each in week} == {"UTC"}
    assert week[1].stretches[0] == (13.0, 20.0)


async def test_it_is_open_until_it_shuts(db: Database) -> None:
    new = NewSource(url="https://c.example/", windows="sat 11:00-13:00")
    await write(db, sources.add, new, actor="test", now=NOON)

    (only,) = await write(db, week_windows.week, zone="UTC", now=NOON)

    assert NOON.weekday() == 5
    assert only.is_open
    assert only.turns_at == NOON.replace(hour=13, minute=0, second=0, microsecond=0)


async def test_a_zone_that_there_is_not_is_refused(db: Database) -> None:
    with pytest.raises(BadInput, match="IANA"):
        await write(db, week_windows.week, zone="Mars/Base", now=NOON)


@pytest.mark.parametrize(
    ("start", "index"),
    [
        ("SELECT hosts", "ix_hosts_windows"),
        ("SELECT sources.name, sources.public_id, sources.windows", "ix_sources_windows"),
        ("SELECT sources.name, sources.public_id, crawl_jobs.override", "ix_crawl_jobs_override"),
    ],
)
async def test_the_few_that_have_windows_are_found_by_an_index(db: Database, start: str, index: str) -> None:
    async with db.exclusive() as connection:
        job_ids = [await a_job(connection, f"s{number}") for number in range(200)]
        await crawl_jobs.change(connection, job_ids[0], now=NOON, override={"windows": []})
        await _everybody(connection)
        await connection.execute(sa.text("ANALYZE"))

    plan = await plan_of(db, lambda c: window_lists.all_said(c, limit=100), start=start)

    assert index in plan
