"""Several processes that start at the same moment on an empty database."""

import asyncio
import os
import sqlite3
import sys
from pathlib import Path

from lamplighter.store.engine.database import Database
from lamplighter.store.schema import migrate


async def test_five_processes_open_an_empty_database_at_once_and_all_of_them_find_its_schema(database_url: str) -> None:
    started = await _starting(database_url)
    # All of them see the empty database before any of them changes it.
    assert started.stdout is not None
    async with asyncio.timeout(60):  # for a line that never comes, because one of them did not get so far
        assert [await started.stdout.readline() for _ in range(5)] == [b"None\n"] * 5
        said = await started.communicate(b"go\n" * 5)

    assert started.returncode == 0, said
    async with Database(database_url) as db:
        assert await migrate.current(db) == migrate.head()


async def test_whoever_opens_a_new_sqlite_file_waits_for_another_that_does(tmp_path: Path) -> None:
    path = tmp_path / "lamplighter.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # as whoever gives the file its form holds it: SQLite itself does not wait then
    other.execute("CREATE TABLE lamps (id)")

    async with Database(f"sqlite:///{path}") as db:
        opening = asyncio.create_task(migrate.current(db))
        await asyncio.sleep(0.2)
        is_waiting = not opening.done()
        other.execute("COMMIT")
        found = await opening

    other.close()
    assert is_waiting
    assert found is None


# The program is loaded once, which takes longer than all the rest; then there are five of it.
_OPEN = """
import asyncio, os, sys, lamplighter.store.schema.migrate as migrate, lamplighter.store.engine.database as database

async def main():
    async with database.Database(sys.argv[1]) as db:
        os.write(1, f"{await migrate.current(db)}\\n".encode())  # whole lines, whoever else writes
        assert os.read(0, 3) == b"go\\n"
        await migrate.upgrade(db)

def begun():
    if child := os.fork():
        return child
    asyncio.run(main())
    sys.exit()

ended = [os.waitpid(child, 0)[1] for child in [begun() for _ in range(5)]]
sys.exit(f"ended with {ended}" if any(ended) else 0)
"""


async def _starting(url: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _OPEN,
        url,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
