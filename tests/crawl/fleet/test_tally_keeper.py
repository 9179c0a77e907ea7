"""Tallies are folded and, once a day, compared with a fresh count."""

from datetime import timedelta

import sqlalchemy as sa
import structlog

from lamplighter.crawl.fleet.tally_keeper import KEPT, TallyKeeper
from lamplighter.store.engine.database import Database
from lamplighter.store.jobs import tallies
from lamplighter.store.runs import run_tallies
from lamplighter.store.schema import tables
from tests.clocks import At
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_run, write

DAY = timedelta(days=1)


async def test_wrong_tallies_are_repaired_within_a_day_and_told_of(db: Database) -> None:
    clock = At()
    keeper = TallyKeeper(db, clock=clock)
    await write(db, a_run)
    assert await keeper.check_if_old()
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.job_tallies).values(jobs=7))

    with structlog.testing.capture_logs() as logged:
        checked = [await keeper.check_if_old()]
        clock.at += DAY
        checked.append(await keeper.check_if_old())

    async with db.read() as connection:
        assert sum((await tallies.jobs(connection)).values()) == 1
    assert checked == [False, True]
    assert [(line["event"], line["tallies"]) for line in logged] == [("tallies.repaired", 1)]


async def test_right_tallies_are_left_as_they_are(db: Database) -> None:
    keeper = TallyKeeper(db, clock=At())
    await write(db, a_run)

    with structlog.testing.capture_logs() as logged:
        await keeper.check_if_old()

    assert logged == []


async def test_tallies_of_runs_long_ago_are_forgotten(db: Database) -> None:
    clock = At()
    await write(db, a_run)
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.crawl_runs).values(finished_at=NOON, outcome="ok"))
    clock.at += KEPT + HOUR

    await TallyKeeper(db, clock=clock).check_if_old()

    async with db.read() as connection:
        assert list(await connection.scalars(sa.select(tables.run_tallies.c.step))) == []
        assert await tallies.are_right(connection, since=clock.at - KEPT)
        assert (await run_tallies.summary(connection, since=clock.at - DAY)).runs == 0


async def test_parts_are_gathered(db: Database) -> None:
    for name in ("a", "b"):
        await write(db, a_run, name)

    await TallyKeeper(db, clock=At()).fold()

    async with db.read() as connection:
        assert set(await connection.scalars(sa.select(tables.source_tallies.c.part))) == {0}
        assert await tallies.sources(connection) == 2
