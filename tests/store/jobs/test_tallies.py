"""Tallies say what a fresh count says, whichever way rows come, change and go, and whoever writes at the same time."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.crawl import JobFacts, JobState, PauseReason, RunOutcome
from lamplighter.operations.jobs import job_health
from lamplighter.operations.sources import source_list
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import tallies
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema import postgres_script, tables
from lamplighter.store.sources import source_lists, sources
from lamplighter.store.sources.source_lists import SourceFilter, SourceSort
from tests.changing import add_job, set_job
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, a_run, a_source, write
from tests.store.query_plans import heard

Change = Callable[[Connection], Awaitable[object]]
EVER = NOON - timedelta(days=30)
on_postgresql = pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)


async def _are_right(db: Database) -> bool:
    async with db.read() as connection:
        return await tallies.are_right(connection, since=EVER)


async def _all(db: Database, table: sa.Table) -> list[tuple[Any, ...]]:
    """The tallies of a table, each the sum of its parts."""
    keys = [column for column in table.primary_key if column.name != "part"]
    sums = [column for column in table.c if not column.primary_key]
    query = sa.select(*keys, *(sa.func.sum(column) for column in sums)).group_by(*keys).order_by(*keys)
    async with db.read() as connection:
        return [tuple(row) for row in await connection.execute(query) if any(row[len(keys) :])]


def _of(table: sa.Table, number: int | None = None, **values: Any) -> Change:
    which = table.c.id == number if number is not None else sa.true()
    return lambda db: db.execute(sa.update(table).where(which).values(**values))


def _of_source(**values: Any) -> Change:
    return _of(tables.sources, 1, **values)


def _of_job(**values: Any) -> Change:
    return _of(tables.crawl_jobs, 1, **values)


async def _closed(db: Connection) -> None:
    await crawl_runs.close(db, 1, now=NOON + HOUR, outcome=RunOutcome.WARN, message="", records_shown=0)


async def _reopened(db: Connection) -> None:
    await _closed(db)
    await _of(tables.crawl_runs, 1, finished_at=None, outcome=None)(db)


async def _of_hidden(db: Connection) -> None:
    source_id = await a_source(db, "hidden")
    await _of(tables.sources, source_id, deleted_at=NOON)(db)
    await add_job(db, source_id=source_id, priority=50, interval=HOUR, next_run_at=NOON, now=NOON)


SOURCES, JOBS, RUNS = _TALLIES = (tables.source_tallies, tables.job_tallies, tables.run_tallies)
_ENDED: dict[str, Any] = {"finished_at": NOON + HOUR, "outcome": RunOutcome.OK, "pages_fetched": 3}


@pytest.mark.parametrize(
    ("change", "counted"),
    [
        pytest.param(lambda db: a_run(db, "c"), {SOURCES, JOBS}, id="another source, job and run"),
        pytest.param(_of_hidden, {SOURCES, JOBS}, id="a job of a deleted source"),
        pytest.param(_of_source(enabled=False), {SOURCES}, id="source disabled"),
        pytest.param(_of_source(deleted_at=NOON), {SOURCES, JOBS}, id="source deleted"),
        pytest.param(_of_source(is_implicit=True), {SOURCES, JOBS}, id="source for submitted pages only"),
        pytest.param(lambda db: sources.remove(db, 1), {SOURCES, JOBS}, id="source removed with all that is its"),
        pytest.param(lambda db: sources.remove(db, 2), {*_TALLIES}, id="source removed with an ended run"),
        pytest.param(_of_job(state=JobState.PAUSED, pause_reason=PauseReason.BREAKER), {JOBS}, id="job paused"),
        pytest.param(_of_job(failure_count=1), {JOBS}, id="job failing"),
        pytest.param(_of_job(last_outcome=RunOutcome.WARN), {JOBS}, id="job warned of"),
        pytest.param(_of_job(retry_count=2), {JOBS}, id="job tried again"),
        pytest.param(_of_job(deleted_at=NOON, state=JobState.CANCELLED), {JOBS}, id="job deleted"),
        pytest.param(lambda db: db.execute(sa.delete(tables.crawl_jobs)), {JOBS, RUNS}, id="all jobs removed"),
        pytest.param(_of(tables.crawl_jobs, state=JobState.RUNNING), {JOBS}, id="all jobs claimed at once"),
        pytest.param(_closed, {RUNS}, id="run ended"),
        pytest.param(_reopened, set(), id="run ended and opened again"),
        pytest.param(_of(tables.crawl_runs, **_ENDED), {RUNS}, id="all runs ended"),
        pytest.param(_of(tables.crawl_runs, records_updated=4), {RUNS}, id="an ended run changed"),
        pytest.param(lambda db: db.execute(sa.delete(tables.crawl_runs)), {RUNS}, id="runs removed"),
    ],
)
async def test_whatever_changes_is_counted_again(db: Database, change: Change, counted: set[sa.Table]) -> None:
    for name in ("a", "b"):
        await write(db, a_run, name)
    await db.write(_of(tables.crawl_runs, 2, **_ENDED))
    before = {table: await _all(db, table) for table in _TALLIES}

    await db.write(change)

    assert {table for table in _TALLIES if await _all(db, table) != before[table]} == counted
    assert await _are_right(db)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_of_source(priority=7, updated_at=NOON + HOUR), id="source edited"),
        pytest.param(_of_source(enabled=True), id="source written as it was"),
        pytest.param(_of_job(next_run_at=NOON, urgency=3, updated_at=NOON + HOUR), id="job planned"),
        pytest.param(_of_job(failure_count=0, state=JobState.PENDING), id="job written as it was"),
        pytest.param(_of(tables.crawl_runs, pages_fetched=5, heartbeat_at=NOON), id="run goes on"),
    ],
)
async def test_what_changes_no_count_writes_no_tally(db: Database, change: Change) -> None:
    await write(db, a_run)

    async def rows(connection: Connection) -> list[Any]:
        return [(await connection.execute(sa.select(table).order_by(*table.c))).all() for table in _TALLIES]

    before = await db.write(rows)
    await db.write(change)

    assert await db.write(rows) == before


async def test_jobs_are_counted_by_how_they_stand_and_sources_by_what_is_asked(db: Database) -> None:
    for name in ("well", "failing", "gone"):
        await write(db, a_job, name)
    await db.write(_of(tables.crawl_jobs, 2, failure_count=3, last_outcome=RunOutcome.FAIL))
    await db.write(_of(tables.sources, 3, deleted_at=NOON, enabled=False))

    async with db.read() as connection:
        standings = await tallies.jobs(connection)
        asked = [(None, None), (False, None), (True, None), (False, True), (None, False)]
        numbers = [await tallies.sources(connection, deleted=gone, enabled=on) for gone, on in asked]

    well = JobFacts(
        state="pending",
        pause_reason="",
        is_shown=True,
        is_deleted=False,
        has_failed=False,
        is_retrying=False,
        is_held=False,
        last_outcome="",
    )
    failing = well._replace(has_failed=True, last_outcome="fail")
    assert standings == {well: 1, failing: 1, well._replace(is_shown=False): 1}
    assert numbers == [3, 2, 1, 2, 1]


async def test_what_is_rolled_back_was_never_counted(db: Database) -> None:
    await write(db, a_run)
    before = await _all(db, tables.job_tallies)

    async def change_and_fail(connection: Connection) -> None:
        await a_run(connection, "b")
        await _of_job(state=JobState.PAUSED)(connection)
        raise LookupError

    with pytest.raises(LookupError):
        await db.write(change_and_fail)

    assert await _all(db, tables.job_tallies) == before
    assert await _are_right(db)


def _anything(draw: random.Random) -> Change:
    """Some change to some of ten sources, their jobs or their runs; which may be gone."""
    number, another = draw.randint(1, 10), str(draw.random())
    moment = NOON + draw.randint(0, 20) * timedelta(minutes=4)
    changes: list[Change] = [
        _of(tables.sources, number, deleted_at=draw.choice([None, NOON])),
        _of(tables.sources, number, enabled=draw.choice([True, False])),
        _of(tables.crawl_jobs, number, state=draw.choice(list(JobState))),
        _of(tables.crawl_jobs, number, failure_count=draw.randint(0, 2), retry_count=draw.randint(0, 1)),
        _of(tables.crawl_jobs, number, last_outcome=draw.choice([None, *RunOutcome])),
        _of(
            tables.crawl_runs,
            number,
            started_at=moment,
            finished_at=moment + HOUR,
            outcome=draw.choice(list(RunOutcome)),
        ),
        _of(tables.crawl_runs, number, pages_fetched=draw.randint(0, 9), records_inserted=draw.randint(0, 9)),
        lambda db: sources.remove(db, number if number > 7 else 0),
        lambda db: a_run(db, another),
    ]

    some, fails = draw.sample(changes, 2), draw.random() < 0.2

    async def change(db: Connection) -> None:
        for each in some:
            await each(db)
        if fails:
            raise LookupError

    return change


async def _some(db: Database, draw: random.Random, changes: int) -> None:
    for _ in range(changes):
        try:
            await db.write(_anything(draw))
        except LookupError:
            continue


async def test_a_mixture_of_changes_by_several_writers_at_once_is_counted_right(db: Database) -> None:
    for number in range(10):
        await write(db, a_run, f"s{number}")

    async def folding() -> None:
        for _ in range(10):
            await write(db, tallies.fold)
            await asyncio.sleep(0.01)

    await asyncio.gather(*(_some(db, random.Random(seed), 30) for seed in range(5)), folding())

    assert await _are_right(db)
    before = await _all(db, tables.job_tallies)
    await write(db, tallies.fold)
    assert await _all(db, tables.job_tallies) == before
    assert await _are_right(db)


@on_postgresql
async def test_nobody_waits_for_another_who_is_counted_too(db: Database) -> None:
    jobs = [await write(db, a_job, name) for name in ("a", "b")]
    changed, may_commit = asyncio.Event(), asyncio.Event()

    async def slow(connection: Connection) -> None:
        await set_job(connection, jobs[0], now=NOON, state=JobState.RUNNING)
        changed.set()
        await may_commit.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(db.write(slow))
        await changed.wait()
        async with asyncio.timeout(60):
            await write(db, set_job, jobs[1], now=NOON, state=JobState.RUNNING)
            await write(db, tallies.fold)
        async with db.read() as connection:
            meanwhile = {facts.state: number for facts, number in (await tallies.jobs(connection)).items()}
        may_commit.set()

    assert {state: jobs for state, jobs in meanwhile.items() if jobs} == {"pending": 1, "running": 1}
    assert await _are_right(db)


@on_postgresql
async def test_a_job_that_changes_while_its_source_is_deleted_is_counted_once(db: Database) -> None:
    job_id = await write(db, a_job)
    changed = asyncio.Event()

    async def slow(connection: Connection) -> None:
        await set_job(connection, job_id, now=NOON, state=JobState.PAUSED)
        changed.set()
        await asyncio.sleep(0.2)

    async with asyncio.TaskGroup() as group:
        group.create_task(db.write(slow))
        await changed.wait()
        group.create_task(db.write(_of(tables.sources, deleted_at=NOON)))

    async with db.read() as connection:
        standings = await tallies.jobs(connection)
    assert [(each.state, each.is_shown, number) for each, number in standings.items()] == [("paused", False, 1)]
    assert await _are_right(db)


@on_postgresql
async def test_parts_are_folded_into_one(db: Database) -> None:
    for name in ("a", "b", "c"):
        await write(db, a_run, name)
    await db.write(_of(tables.crawl_runs, finished_at=NOON, outcome=RunOutcome.OK))

    await write(db, tallies.fold)

    for table in _TALLIES:
        async with db.read() as connection:
            assert set(await connection.scalars(sa.select(table.c.part))) == {0}
    assert await _are_right(db)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param("DELETE FROM source_tallies", id="lost"),
        pytest.param("UPDATE job_tallies SET jobs = jobs + 5", id="too many"),
        pytest.param("UPDATE run_tallies SET pages = pages - 1", id="too few pages"),
        pytest.param("UPDATE crawl_jobs SET source_is_shown = NOT source_is_shown", id="jobs about their sources"),
    ],
)
async def test_whatever_made_them_wrong_they_can_be_repaired(db: Database, damage: str) -> None:
    await write(db, a_run)
    await db.write(_closed)
    async with db.exclusive() as connection:
        await connection.execute(sa.text(damage))
    assert not await _are_right(db)

    await write(db, tallies.repair, since=EVER)

    assert await _are_right(db)
    assert await write(db, tallies.repair, since=EVER) == 0


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda db: job_health.overview(db, now=NOON), id="health of all"),
        pytest.param(tallies.jobs, id="jobs by state"),
        pytest.param(lambda db: source_lists.count(db, SourceFilter()), id="how many sources"),
        pytest.param(
            lambda db: source_lists.count(db, SourceFilter(enabled=True, deleted=None)), id="how many enabled"
        ),
        pytest.param(
            lambda db: source_list.page(
                db, SourceFilter(), sort=SourceSort.NEXT_RUN_AT, descending=False, limit=1, offset=0
            ),
            id="a page of sources",
        ),
    ],
)
async def test_who_asks_how_many_there_are_lets_nobody_count_them(db: Database, ask: Change) -> None:
    await write(db, a_run)

    with heard("SELECT") as said:
        async with db.read() as connection:
            await ask(connection)

    counted = [statement for statement, _ in said if "count(" in statement.lower()]
    assert [statement for statement in counted if "FROM crawl_runs" not in statement] == []


_OBJECTS = """
    SELECT proname, prosrc FROM pg_proc WHERE proname ~ '(_tallies_|source_is_shown)'
    UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname ~ '(_tallies_|source_is_shown)'
    ORDER BY 1, 2"""


async def test_the_script_for_postgresql_makes_the_same_triggers_as_the_migrations(
    postgres_db: str, migrated_postgres: str
) -> None:
    script = postgres_script.text().replace("BEGIN;", "").replace("COMMIT;", "")
    async with Database(postgres_db) as scripted, Database(migrated_postgres) as migrated:
        for name in ("a", "b"):
            async with scripted.exclusive() as connection:
                driver = (await connection.get_raw_connection()).driver_connection  # type: ignore[attr-defined]
                await driver.execute(script)
            # What was counted before is not counted again when the script is applied again.
            await write(scripted, a_run, name)

        found = []
        for db in (scripted, migrated):
            async with db.read() as connection:
                found.append([tuple(row) for row in await connection.execute(sa.text(_OBJECTS))])
        assert await _are_right(scripted)

    assert found[0] == found[1]
    assert len(found[0]) == 22
