"""Several processes that start at the same moment on an empty database."""

import asyncio
import os
import sys

from lamplighter.store import migrate
from lamplighter.store.database import Database


async def test_five_processes_open_an_empty_database_at_once_and_all_of_them_find_its_schema(database_url: str) -> None:
    # All of them see the empty database before any of them changes it.
    began = [await _starting(database_url) for _ in range(5)]
    for process in began:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"None\n"
    said = await asyncio.gather(*(process.communicate(b"go\n") for process in began))

    assert [process.returncode for process in began] == [0] * 5, said
    async with Database(database_url) as db:
        assert await migrate.current(db) == migrate.head()


_OPEN = """
import asyncio, sys
from lamplighter.store import migrate
from lamplighter.store.database import Database

async def main():
    async with Database(sys.argv[1]) as db:
        print(await migrate.current(db), flush=True)
        sys.stdin.readline()
        await migrate.upgrade(db)

asyncio.run(main())
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
