"""Reads and writes, alike on both databases."""

import asyncio
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.errors import BadSetting
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema.tables import takedowns
from lamplighter.store.schema.types import UtcTime
from tests.moments import NOON


async def _insert(db: Connection, name: str) -> str:
    await db.execute(sa.insert(takedowns).values(domain_or_url=name, created_at=NOON))
    return name


async def _names(db: Database) -> set[str]:
    async with db.read() as connection:
        return set(await connection.scalars(sa.select(takedowns.c.domain_or_url)))


async def test_a_write_is_visible_when_it_returns(db: Database) -> None:
    await db.write(lambda connection: _insert(connection, "a.example"))

    assert await _names(db) == {"a.example"}


async def test_what_is_looked_at_in_one_go_is_what_was_written(db: Database) -> None:
    await db.write(lambda connection: _insert(connection, "a.example"))

    found = await db.look(lambda connection: connection.scalar(sa.select(takedowns.c.domain_or_url)))

    assert found == "a.example"


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
async def test_a_look_that_waits_for_something_else_is_refused(db: Database) -> None:
    async def wait(_: Connection) -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="may await nothing but its connection"):
        await db.look(wait)


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
async def test_a_read_may_say_how_it_is_to_be_planned(db: Database) -> None:
    async with db.read() as connection:
        await connection.execute(sa.text("SET LOCAL enable_seqscan = off"))
        during = await connection.scalar(sa.text("SHOW enable_seqscan"))
    async with db.read() as connection:
        after = await connection.scalar(sa.text("SHOW enable_seqscan"))

    assert (during, after) == ("off", "on")


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
async def test_a_migration_may_pause_for_longer_than_other_transactions(db: Database) -> None:
    asked = sa.text("SHOW idle_in_transaction_session_timeout")
    async with db.read() as connection:
        others = await connection.scalar(asked)
    async with db.exclusive() as connection:
        migrations = await connection.scalar(asked)

    assert (others, migrations) == ("10s", "5min")


async def test_one_failing_write_never_undoes_its_neighbours(db: Database) -> None:
    async def fail(connection: Connection) -> None:
        await _insert(connection, "half.example")
        raise ValueError("half done")

    results = await asyncio.gather(
        db.write(lambda connection: _insert(connection, "a.example")),
        db.write(fail),
        db.write(lambda connection: _insert(connection, "b.example")),
        return_exceptions=True,
    )

    assert [type(result) for result in results] == [str, ValueError, str]
    assert await _names(db) == {"a.example", "b.example"}


@contextmanager
def _heard(of: type, event: str) -> Iterator[list[object]]:
    """What this event, of SQLAlchemy's engines or pools, was about each time it happened meanwhile."""
    heard: list[object] = []

    def listen(*about: object) -> None:
        heard.append(about[0])

    sa.event.listen(of, event, listen)
    try:
        yield heard
    finally:
        sa.event.remove(of, event, listen)


async def test_writes_that_arrive_together_share_one_commit(tmp_path: object) -> None:
    async with Database(f"sqlite:///{tmp_path}/x.db") as db:
        async with db.exclusive() as connection:
            await connection.run_sync(takedowns.create)

        with _heard(sa.Engine, "commit") as commits:
            await asyncio.gather(*(db.write(lambda c, i=i: _insert(c, f"{i}.example")) for i in range(50)))  # type: ignore[misc]

        assert 1 <= len(commits) <= 3
        assert len(await _names(db)) == 50


async def test_times_come_back_as_they_went_in(db: Database) -> None:
    await db.write(lambda connection: _insert(connection, "a.example"))

    async with db.read() as connection:
        assert await connection.scalar(sa.select(takedowns.c.created_at)) == NOON
        assert await connection.scalar(sa.select(sa.literal(NOON, UtcTime))) == NOON


@pytest.mark.parametrize("url", ["mysql://x/y", "postgresql://x/y", "not a url"])
def test_a_database_we_do_not_speak_is_refused_with_the_remedy(url: str) -> None:
    with pytest.raises(BadSetting, match="postgresql\\+asyncpg"):
        Database(url)


async def test_a_new_sqlite_file_and_its_folder_are_their_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "data" / "new.db"

    async with Database(f"sqlite:///{file}") as database:
        await database.write(lambda db: db.execute(sa.text("CREATE TABLE one (two INTEGER)")))
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (file.parent, *file.parent.iterdir())}

    assert modes == {"data": 0o700, "new.db": 0o600, "new.db-wal": 0o600, "new.db-shm": 0o600}


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_who_has_closed_an_sqlite_file_holds_it_open_no_more(tmp_path: Path) -> None:
    file = tmp_path / "closed.db"

    async def one(db: Connection) -> Any:
        return await db.scalar(sa.text("SELECT 1"))

    async with Database(f"sqlite:///{file}") as database:
        await asyncio.gather(*(database.look(one) for _ in range(8)))
        during = _open_files(file)

    assert (during > 0, _open_files(file)) == (True, 0)


def _open_files(file: Path) -> int:
    found = 0
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that with which the folder was read
            found += os.readlink(f"/proc/self/fd/{number}").startswith(str(file))
    return found


def test_whoever_has_no_server_loads_nothing_of_it() -> None:
    loaded = "import sys, lamplighter.app; print({'sqlalchemy.orm', 'asyncpg'} & set(sys.modules))"

    said = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout

    assert said.strip() == "set()"


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
async def test_whoever_is_cancelled_while_reading_leaves_no_connection_behind(db: Database) -> None:
    is_open, go_on = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        is_open.set()
        go_on.wait(60)

    async def read() -> None:
        async with db.read() as connection:
            await connection.run_sync(hold)

    left = []
    with _heard(sa.pool.Pool, "checkout") as taken, _heard(sa.pool.Pool, "checkin") as given_back:
        for moment in ("as it opens", "as it is read"):
            is_open.clear()
            go_on.clear()
            reading = asyncio.create_task(read())
            await asyncio.sleep(0)
            if moment == "as it is read":
                await asyncio.to_thread(is_open.wait, 60)
            reading.cancel()
            go_on.set()
            await asyncio.wait([reading])
            left.append((reading.cancelled(), len(taken) - len(given_back)))

    assert left == [(True, 0), (True, 0)]
    assert taken
    assert await _names(db) == set()
