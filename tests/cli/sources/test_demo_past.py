"""The past of the demo: a few days of it, made once for all tests."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter.app import Store, archive_of, open_store
from lamplighter.cli.sources import demo, demo_past
from lamplighter.crawl.archive.retention import ArchiveBounds, Retention
from lamplighter.demo.registration import demo_sources as planned_for
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.alerts import problems
from lamplighter.operations.sources import demo_sources, sources
from lamplighter.operations.sources.demo_sources import DemoPast
from lamplighter.settings import Settings, load
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from tests.clocks import At

#: enough for the recipe of Meridian Labs to have found everything first
DAYS = 5
#: what tells of the demo's past after it was removed, and what is nobody's in particular
_KEPT = {"audit_log", "events", "receipts", "index_state", "pricing", "upkeep", "cohorts"}
_KEPT |= {"job_tallies", "run_tallies", "source_tallies"}


def settings_in(folder: Path, *, days: float = DAYS) -> Settings:
    return load({"LAMPLIGHTER_DEMO_PAST_DAYS": str(days)}, data_dir=folder, port=8060)


async def begun(settings: Settings) -> DemoPast | None:
    """The past that is to be made, of sources that were just registered."""
    async with open_store(settings) as store:
        await demo.register(store.db, settings, now=store.clock.now())
        return await past_in(store)


async def past_in(store: Store) -> DemoPast | None:
    async with store.db.read() as db:
        return await demo_sources.past_of(db, await demo_sources.registered(db))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a demo with a past."""
    folder = tmp_path_factory.mktemp("past")
    settings = settings_in(folder)
    past = asyncio.run(begun(settings))
    assert past is not None
    demo_past.make(settings, past)
    return folder


@pytest.fixture
async def store(made: Path, tmp_path: Path) -> AsyncIterator[Store]:
    """The database of a copy of it."""
    shutil.copytree(made, tmp_path / "data")
    async with open_store(settings_in(tmp_path / "data")) as opened:
        yield opened


async def test_every_source_ran_again_and_again_and_goes_on_as_its_schedule_says(store: Store) -> None:
    past = await past_in(store)
    runs, jobs = tables.crawl_runs, tables.crawl_jobs

    async with store.db.read() as db:
        started = list(await db.execute(sa.select(runs.c.source_id, runs.c.started_at, runs.c.outcome)))
        next_runs = list((await db.execute(sa.select(jobs.c.next_run_at))).scalars())

    assert past is not None
    assert past.is_made
    assert len(next_runs) == len(planned_for(8061))
    assert all(at > past.until for at in next_runs)
    assert all(past.since <= run.started_at <= past.until for run in started)
    for source_id in {run.source_id for run in started}:
        times = [past.since, *sorted(run.started_at for run in started if run.source_id == source_id), past.until]
        assert all(later - earlier < timedelta(days=2.5) for earlier, later in pairwise(times))
    assert {run.outcome for run in started} == {RunOutcome.OK, RunOutcome.WARN}


async def test_changes_were_found_and_only_the_extractor_that_no_longer_fits_needs_attention(store: Store) -> None:
    async with store.db.read() as db:
        changed = set((await db.execute(sa.select(tables.change_sets.c.source_id))).scalars())
        firing = list(
            await db.execute(
                sa.select(tables.alerts.c.rule, tables.alerts.c.detail).where(tables.alerts.c.cleared_at.is_(None))
            )
        )

        inbox = await problems.inbox(db, limit=10, offset=0, now=store.clock.now())

    assert len(changed) >= 4
    assert [alert.rule for alert in firing] == ["SourceDrifting"]
    assert firing[0].detail.startswith("Meridian Labs: ")
    assert [each.problem.title.partition(":")[0] for each in inbox.problems] == ["Meridian Labs"]
    assert not inbox.more


@pytest.mark.minutes
async def test_an_alert_fired_and_ended(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, days=21)
    past = await begun(settings)
    assert past is not None
    await asyncio.to_thread(demo_past.make, settings, past)

    async with open_store(settings) as store, store.db.read() as db:
        rules = tables.alerts.c
        ended = sa.select(rules.rule, rules.detail).where(rules.fired_at.is_not(None), rules.cleared_at.is_not(None))
        over = list(await db.execute(ended))

    assert ("BreakerOpen", "Open Posts") in {(alert.rule, alert.detail[:10]) for alert in over}


async def test_it_is_made_once(store: Store, tmp_path: Path) -> None:
    settings = settings_in(tmp_path / "data")

    is_to_be_made = await demo.register(store.db, settings, now=store.clock.now())

    assert not is_to_be_made
    assert await past_in(store) is not None


async def test_one_that_was_not_finished_is_removed_and_begun_anew(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    killed = await begun(settings)

    async with open_store(settings) as store:
        is_to_be_made = await demo.register(store.db, settings, now=datetime.now(UTC))
        again = await past_in(store)
        async with store.db.read() as db:
            watched = await demo_sources.registered(db)

    assert is_to_be_made
    assert killed is not None
    assert again is not None
    assert again.since > killed.since
    assert {source.created_at for source in watched} == {again.since}
    assert len(watched) == len(planned_for(8061))


async def test_without_days_there_is_none(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, days=0)

    assert await begun(settings) is None


async def test_it_ends_where_somebody_adds_a_source_of_their_own(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)

    async with open_store(settings) as store:
        await demo.register(store.db, settings, now=store.clock.now())
        past = await past_in(store)
        mine = sources.NewSource(url="https://mine.example/")
        await store.db.write(lambda db: sources.add(db, mine, stamp=Stamp("test", store.clock.now())))
        assert past is not None
        await asyncio.to_thread(demo_past.make, settings, past)
        ended = await past_in(store)
        async with store.db.read() as db:
            runs = await db.scalar(sa.select(sa.func.count()).select_from(tables.crawl_runs))
            reach = set((await db.execute(sa.select(tables.hosts.c.max_pages))).scalars())

    assert ended is not None
    assert ended.is_made
    assert runs == 0
    assert reach == {planned.max_pages for planned in planned_for(8061)}, "as in a demo without a past"


async def test_with_the_demo_all_of_it_is_removed(store: Store, tmp_path: Path) -> None:
    clock = At(store.clock.now())
    archive = archive_of(settings_in(tmp_path / "data"), clock)
    retention = Retention(store.db, archive=archive, clock=clock, bounds=ArchiveBounds(), grace=timedelta(0))

    await store.db.write(lambda db: demo_sources.remove(db, stamp=Stamp("test", clock.now())))
    for _ in range(3):
        clock.move(hours=2)
        await retention.sweep(by_order=True)

    async with store.db.read() as db:
        left = {table.name: await _count(db, table) for table in tables.metadata.sorted_tables}
        runs = await db.scalar(sa.select(sa.func.sum(tables.run_tallies.c.runs)))
    assert {name: count for name, count in left.items() if count and name not in _KEPT} == {}
    assert not runs
    assert [file for file in (tmp_path / "data" / "archive").rglob("*") if file.is_file()] == []


async def _count(db: Connection, table: sa.Table) -> int:
    return await db.scalar(sa.select(sa.func.count()).select_from(table)) or 0
