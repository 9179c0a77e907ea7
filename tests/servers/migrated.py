"""Databases that are migrated once and then copied, as migrating takes far longer.

On PostgreSQL even copying does: a database is emptied when its test ends, and used by the next.
"""

import asyncio
import atexit
import functools
import json
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any, TypeVar

from lamplighter import crash_points
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import migrate
from tests.servers import postgres

T = TypeVar("T")
_apply = migrate.apply

#: the server plans by how large a table is and by what it has counted in it, and below this as if it were empty
_LARGE_BYTES = 10 * 8192

_END_OTHERS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
#: changes with every table, index and trigger function that a test makes or removes, and with the schema's number
_SHAPE = """
    SELECT (SELECT count(*) || '/' || max(oid) FROM pg_class WHERE relnamespace = 'public'::regnamespace)
      || ' ' || (SELECT count(*) || '/' || max(oid) FROM pg_trigger WHERE NOT tgisinternal)
      || ' ' || (SELECT count(*) || '/' || max(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace)
      || ' ' || (SELECT version_num FROM alembic_version)"""
#: the tables that ever had rows, and whether the server still plans for each as if it were empty
_USED = f"""
    SELECT relname, reltuples <= 1 AND pg_relation_size(used.oid) <= {_LARGE_BYTES} AND NOT EXISTS (
      SELECT FROM pg_index WHERE indrelid = used.oid AND pg_relation_size(indexrelid) > {_LARGE_BYTES})
    FROM pg_class used
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version'
      AND pg_relation_size(used.oid) > 0"""
_COUNTERS = "SELECT setval(format('%I.%I', schemaname, sequencename), 1, false) FROM pg_sequences WHERE last_value > 0"


async def migrate_to_head(url: str) -> None:
    """Brings a database to the schema of this program."""
    async with Database(url) as opened:
        await _apply(opened)


async def apply(db: Database) -> None:
    """In place of `migrate.apply`: an empty SQLite database becomes a copy of one that was migrated."""
    if db.path is None or await migrate.current(db) is not None:
        return await _apply(db)
    await asyncio.to_thread(_fill, db.path)
    return crash_points.reached("create.midway")


def _fill(path: Path) -> None:
    with (
        closing(sqlite3.connect(migrated_file_of_this_process())) as migrated,
        closing(sqlite3.connect(path, timeout=60)) as empty,
    ):
        migrated.backup(empty)


@functools.cache
def migrated_file_of_this_process() -> Path:
    """An SQLite database with tables and without rows."""
    folder = Path(tempfile.mkdtemp(prefix="lamplighter-migrated-"))
    atexit.register(shutil.rmtree, folder)
    path = folder / "lamplighter.db"
    aside(migrate_to_head(f"sqlite:///{path}"))
    return path


def aside(work: Coroutine[Any, Any, T]) -> T:
    """Does something asynchronous while a loop may be running already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class MigratedDatabases:
    """PostgreSQL's, of one test process."""

    def __init__(self, server: str, *, like: str) -> None:
        self._server = server
        self._like = like
        #: url -> its shape; free to be used
        self._free: dict[str, str] = {}
        #: table -> the rows that a migration put there, as JSON
        self._first_rows: dict[str, str] | None = None

    @asynccontextmanager
    async def one(self) -> AsyncIterator[str]:
        """A database with all tables and only those rows that migrations put there."""
        url, shape = self._free.popitem() if self._free else await self._made()
        try:
            yield url
        finally:
            if await self._emptied(url, shape):
                self._free[url] = shape
            else:
                await postgres.drop_database(url)

    async def close(self) -> None:
        """Drops them."""
        for url in self._free:
            await postgres.drop_database(url)

    async def _made(self) -> tuple[str, str]:
        url = await postgres.create_database(self._server, like=self._like)
        async with _connected(url) as connection:
            if self._first_rows is None:
                self._first_rows = await _rows(connection)
            return url, await connection.fetchval(_SHAPE)

    async def _emptied(self, url: str, shape: str) -> bool:
        """False when a test left more than rows behind."""
        async with _connected(url) as connection:
            await connection.execute(_END_OTHERS)
            if await connection.fetchval(_SHAPE) != shape:
                return False
            used = dict(await connection.fetch(_USED))
            if not all(used.values()):
                return False
            async with connection.transaction():
                # Neither foreign keys nor our own triggers look at what follows.
                await connection.execute("SET LOCAL session_replication_role = replica")
                await connection.execute(";".join(f'DELETE FROM "{table}"' for table in used))
                for table, rows in (self._first_rows or {}).items():
                    again = f'INSERT INTO "{table}" SELECT * FROM json_populate_recordset(NULL::"{table}", $1)'
                    await connection.execute(again, rows)
                await connection.execute(_COUNTERS)
        return True


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[Any]:
    import asyncpg  # not there when the postgres extra is not installed

    connection = await asyncpg.connect(url.replace("+asyncpg", ""), ssl=False)
    try:
        yield connection
    finally:
        with suppress(OSError):
            await connection.close()


async def _rows(connection: Any) -> dict[str, str]:
    found = {}
    for table, _ in await connection.fetch(_USED):
        rows = await connection.fetchval(f'SELECT json_agg(t) FROM "{table}" t')
        if rows is not None:
            assert json.loads(rows)
            found[table] = rows
    return found
