"""Opens the database and hands out reads and writes, alike on SQLite and PostgreSQL.

SQLite has one writer: writes that arrive while another commits share the next commit (group commit), each behind a
savepoint of its own, so that one failing write never undoes its neighbours. PostgreSQL gives every write its own
transaction and repeats it whole when the server asks for that.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import orjson
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from lamplighter.errors import BadSetting

T = TypeVar("T")
Write = Callable[[AsyncConnection], Awaitable[T]]

#: PostgreSQL: serialization failure, deadlock — the whole transaction may simply be repeated
_REPEATABLE = {"40001", "40P01"}
_WRITE_TRIES = 5
_READERS = 4


class Database:
    """One open database; use as an async context manager."""

    def __init__(self, url: str) -> None:
        parsed = _parse(url)
        self.is_sqlite = parsed.get_backend_name() == "sqlite"
        #: the database file; None on PostgreSQL
        self.path = Path(parsed.database) if self.is_sqlite and parsed.database else None
        self.url = url
        self._writer = _sqlite_engine(url, begin="BEGIN IMMEDIATE", size=1) if self.is_sqlite else _postgres_engine(url)
        self._reader = _sqlite_engine(url, begin="BEGIN", size=_READERS) if self.is_sqlite else self._writer
        self._waiting: asyncio.Queue[tuple[Write[Any], asyncio.Future[Any]] | None] = asyncio.Queue()
        self._group_commit: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self.path is not None:
            await asyncio.to_thread(self.path.parent.mkdir, parents=True, exist_ok=True)
            self._group_commit = asyncio.create_task(self._commit_in_groups(), name="group-commit")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._group_commit is not None:
            self._waiting.put_nowait(None)
            await self._group_commit
        await self._reader.dispose()
        await self._writer.dispose()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read from, in one consistent view."""
        async with self._reader.connect() as connection:
            yield connection

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[AsyncConnection]:
        """A transaction of its own, outside the group commit: for migrations."""
        async with self._writer.begin() as connection:
            yield connection

    async def write(self, work: Write[T]) -> T:
        """Runs `work` in a transaction; its result is durable when this returns. `work` may run more than once."""
        if not self.is_sqlite:
            return await self._write_alone(work)
        if self._group_commit is None or self._group_commit.done():
            raise RuntimeError("the database is closed")
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((work, done))
        return await done

    async def _write_alone(self, work: Write[T]) -> T:
        for attempt in range(1, _WRITE_TRIES + 1):
            try:
                async with self._writer.begin() as connection:
                    return await work(connection)
            except DBAPIError as error:
                if attempt == _WRITE_TRIES or getattr(error.orig, "sqlstate", None) not in _REPEATABLE:
                    raise
                await asyncio.sleep(0.02 * 2**attempt)
        raise AssertionError("unreachable")

    async def _commit_in_groups(self) -> None:
        closing = False
        while not closing:
            group = [await self._waiting.get()]
            while not self._waiting.empty():
                group.append(self._waiting.get_nowait())
            closing = None in group
            writes = [item for item in group if item is not None]
            if writes:
                await self._commit(writes)

    async def _commit(self, writes: list[tuple[Write[Any], asyncio.Future[Any]]]) -> None:
        results: list[tuple[asyncio.Future[Any], Any]] = []
        try:
            async with self._writer.begin() as connection:
                for work, done in writes:
                    try:
                        async with connection.begin_nested():
                            results.append((done, await work(connection)))
                    except Exception as error:  # belongs to the caller of that one write
                        _settle(done, error=error)
        except Exception as error:  # the commit itself: nobody's write is durable
            for _, done in writes:
                _settle(done, error=error)
            return
        for done, result in results:
            _settle(done, result=result)


def _settle(done: asyncio.Future[Any], *, result: Any = None, error: Exception | None = None) -> None:
    if done.done():  # the caller was cancelled while it waited
        return
    if error is not None:
        done.set_exception(error)
    else:
        done.set_result(result)


def _parse(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise BadSetting(
            "LAMPLIGHTER_DATABASE_URL is not a database URL; use postgresql+asyncpg://user@host/name"
        ) from None
    if parsed.drivername not in ("sqlite+aiosqlite", "postgresql+asyncpg"):
        raise BadSetting(
            f"LAMPLIGHTER_DATABASE_URL uses {parsed.drivername!r}; use sqlite+aiosqlite:///file or postgresql+asyncpg://user@host/name"
        )
    return parsed


def _dumps(value: object) -> str:
    return orjson.dumps(value).decode()


def _postgres_engine(url: str) -> AsyncEngine:
    return create_async_engine(
        url, pool_size=10, max_overflow=10, pool_pre_ping=True, json_serializer=_dumps, json_deserializer=orjson.loads
    )


def _sqlite_engine(url: str, *, begin: str, size: int) -> AsyncEngine:
    engine = create_async_engine(
        url, pool_size=size, max_overflow=0, json_serializer=_dumps, json_deserializer=orjson.loads
    )

    @sa.event.listens_for(engine.sync_engine, "connect")
    def prepare(dbapi_connection: Any, _: object) -> None:
        # The driver would otherwise begin transactions by itself, too late and of the wrong kind.
        dbapi_connection.isolation_level = None
        cursor = dbapi_connection.cursor()
        for pragma in (
            "busy_timeout = 15000",
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "cache_size = -65536",
            "journal_size_limit = 67108864",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine.sync_engine, "begin")
    def start(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def rows_written(result: sa.CursorResult[Any]) -> int:
    """How many rows a write touched."""
    return result.rowcount
