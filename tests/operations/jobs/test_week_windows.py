"""Who may be crawled when."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from lamplighter.app import default_policy
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.operations.hosts import hosts
from lamplighter.operations.jobs import week_windows
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.settings import load
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.sources import window_lists
from tests.changing import add_job, set_job
from tests.moments import NOON
from tests.store.given_rows import a_job, a_source, write
from tests.store.query_plans import plan_of

SOURCE_DEFAULTS = SourceDefaults(host=default_policy(load({})))


async def _everybody(db: Connection) -> None:
    await hosts.set_times(
        db, "b.example", windows="mon 09:00-10:00", stamp=Stamp("test", NOON), source_defaults=SOURCE_DEFAULTS
    )
    new = NewSource(url="https://c.example/", name="Quay", windows_text="22:00-05:00 Asia/Tokyo", tags=("night",))
    await sources.add(db, new, stamp=Stamp("test", NOON))
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
        add_job,
        source_id=source_id,
        priority=50,
        interval=timedelta(hours=1),
        next_run_at=NOON,
        now=NOON,
    )
    stored = [{"kind": "allow", "days": ["mon"], "start": "01:00", "end": "02:00", "zone": "UTC"}]
    await write(db, set_job, job_id, now=NOON, override={"windows": stored})

    (only,) = await write(db, week_windows.week, zone="own", now=NOON)

    assert (only.by, only.words) == ("override", "allow mon 01:00-02:00 UTC")


async def test_everybody_can_be_shown_on_the_same_clocks(db: Database) -> None:
    await write(db, _everybody)

    week = await write(db, week_windows.week, zone="UTC", now=NOON)

    assert {each.zone for each in week} == {"UTC"}
    assert week[1].stretches[0] == (13.0, 20.0)


async def test_it_is_open_until_it_shuts(db: Database) -> None:
    new = NewSource(url="https://c.example/", windows_text="sat 11:00-13:00")
    await write(db, sources.add, new, stamp=Stamp("test", NOON))

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
        await set_job(connection, job_ids[0], now=NOON, override={"windows": []})
        await _everybody(connection)
        await connection.execute(sa.text("ANALYZE"))

    plan = await plan_of(db, lambda c: window_lists.all_said(c, limit=100), start=start)

    assert index in plan
