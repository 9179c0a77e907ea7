"""SQLite without an async driver: one thread writes, four read.

A group of writes runs as synchronous calls in the writer thread: one thread hop per commit instead of several per
statement, which was half the cost of a crawled page.
"""

import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import orjson
import sqlalchemy as sa

from lamplighter.store.engine import many_rows

T = TypeVar("T")
_Write = Callable[[Any], Coroutine[Any, Any, Any]]
_READERS = 4
#: each connection has its own cache, so that memory does not grow with the database
WRITER_CACHE_KB = 16 * 1024
READER_CACHE_KB = 2 * 1024
#: how long a connection waits for other writers
_BUSY_SECONDS = 15
_LOOK_AGAIN_SECONDS = 0.01
PRAGMAS = (
    f"busy_timeout = {1000 * _BUSY_SECONDS}",
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "journal_size_limit = 67108864",
)


class SqliteFile:
    """One database file."""

    def __init__(self, path: Path) -> None:
        self._writer = _engine(path, begin=_begin_writing, cache_kb=WRITER_CACHE_KB)
        self._reader = _engine(path, begin=_begin_reading, cache_kb=READER_CACHE_KB)
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="sqlite-writer")
        self._reading = ThreadPoolExecutor(_READERS, thread_name_prefix="sqlite-reader")
        self._readers_free = asyncio.Semaphore(_READERS)
        #: the connection that each reader thread keeps, and a list of all of them
        self._kept = threading.local()
        self._looking: list[sa.Connection] = []
        self._waiting: list[tuple[_Write, asyncio.Future[Any]]] = []
        self._committing: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def read(self) -> AsyncIterator["_Reading"]:
        """A read transaction: a consistent view."""
        opened: list[sa.Connection] = []
        async with self._readers_free:
            try:
                await _in_thread(self._reading, lambda: opened.append(self._reader.connect()))
                yield _Reading(opened[0], self._reading)
            finally:
                for connection in opened:
                    await _in_thread(self._reading, connection.close)

    async def look(self, work: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
        """Runs a read of many statements in one thread hop."""
        async with self._readers_free:
            return await asyncio.get_running_loop().run_in_executor(self._reading, self._look, work)

    def _look(self, work: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
        """Runs in a reader thread, on the thread's own connection: opening one costs more than most reads."""
        connection: sa.Connection | None = getattr(self._kept, "connection", None)
        if connection is None:
            connection = self._kept.connection = self._reader.connect()
            self._looking.append(connection)
        try:
            return _run(work(_Bridge(connection)))
        finally:
            connection.rollback()

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator["_Reading"]:
        """A write transaction of its own."""
        begun, opened = self._writer.begin(), list[sa.Connection]()
        try:
            await _in_thread(self._writing, lambda: opened.append(begun.__enter__()))
            yield _Reading(opened[0], self._writing)
        except BaseException as error:
            if opened:
                await _in_thread(self._writing, begun.__exit__, type(error), error, None)
            raise
        await _in_thread(self._writing, begun.__exit__, None, None, None)

    async def write(self, work: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
        """Joins the next commit."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, done))
        if self._committing is None or self._committing.done():
            self._committing = asyncio.create_task(self._commit_in_groups(), name="group-commit")
        return await done

    async def keep(self, work: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
        """The same as `write`: the next commit has all waiting writes."""
        return await self.write(work)

    async def close(self) -> None:
        """Ends after the last commit."""
        if self._committing is not None:
            await self._committing
        for pool in (self._writing, self._reading):
            await asyncio.to_thread(pool.shutdown)
        for connection in self._looking:
            connection.close()
        self._writer.dispose()
        self._reader.dispose()

    async def _commit_in_groups(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            group, self._waiting = self._waiting, []
            try:
                outcomes = await loop.run_in_executor(self._writing, self._commit, [work for work, _ in group])
            except Exception as error:  # the commit itself: no write is durable
                outcomes = [error] * len(group)
            for (_, done), outcome in zip(group, outcomes, strict=True):
                if done.done():  # its caller was cancelled while it waited
                    continue
                if isinstance(outcome, Exception):
                    done.set_exception(outcome)
                else:
                    done.set_result(outcome)

    def _commit(self, group: list[_Write]) -> list[Any]:
        """Runs in the writer thread."""
        with self._writer.begin() as connection:
            bridge = _Bridge(connection)
            if len(group) == 1:
                return [_run(group[0](bridge))]
            outcomes: list[Any] = []
            for work in group:
                try:
                    with connection.begin_nested():
                        outcomes.append(_run(work(bridge)))
                except Exception as error:  # raised to the caller of this write only
                    outcomes.append(error)
            return outcomes


async def _in_thread(threads: ThreadPoolExecutor, work: Callable[..., T], *arguments: Any) -> T:
    """Runs `work` in a thread. A cancelled caller waits for its end: otherwise a connection that was just opened would
    stay open, or two threads would use it."""
    done = asyncio.get_running_loop().run_in_executor(threads, work, *arguments)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        while not done.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([done])
        done.exception()  # marks it as retrieved: its caller is gone
        raise


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that never suspends, because its connection is synchronous."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    work.close()
    raise RuntimeError("what is written or looked at in one go may await nothing but its connection")


class _Bridge:
    """An async view of a synchronous connection."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    @property
    def dialect(self) -> sa.Dialect:
        return self._connection.dialect

    async def execute(self, statement: Any, parameters: Any = None) -> sa.CursorResult[Any]:
        if isinstance(parameters, list) and parameters:
            prepared = many_rows.of(statement, parameters, self.dialect)
            if prepared is not None:
                return self._connection.exec_driver_sql(prepared.sql, prepared.tuples(parameters))
        return self._connection.execute(statement, parameters)

    async def scalar(self, statement: Any, parameters: Any = None) -> Any:
        return self._connection.scalar(statement, parameters)

    async def scalars(self, statement: Any, parameters: Any = None) -> sa.ScalarResult[Any]:
        return self._connection.scalars(statement, parameters)

    async def run_sync(self, work: Callable[..., T], *arguments: Any) -> T:
        return work(self._connection, *arguments)


class _Reading(_Bridge):
    """A connection whose statements run, and fetch all their rows, in another thread."""

    def __init__(self, connection: sa.Connection, threads: ThreadPoolExecutor) -> None:
        super().__init__(connection)
        self._threads = threads

    async def execute(self, statement: Any, parameters: Any = None) -> Any:
        def fetch() -> Any:
            result = self._connection.execute(statement, parameters)
            return result.freeze()() if result.returns_rows else result

        return await _in_thread(self._threads, fetch)

    async def scalar(self, statement: Any, parameters: Any = None) -> Any:
        return (await self.execute(statement, parameters)).scalar()

    async def scalars(self, statement: Any, parameters: Any = None) -> Any:
        return (await self.execute(statement, parameters)).scalars()

    async def run_sync(self, work: Callable[..., T], *arguments: Any) -> T:
        return await _in_thread(self._threads, work, self._connection, *arguments)


def _from_json(value: Any) -> Any:
    """Parses JSON; SQLite stores a bare number as a number, not as text."""
    return value if isinstance(value, int | float) else orjson.loads(value)


def _say(connection: sqlite3.Connection, pragma: str) -> None:
    """Runs a pragma, and waits while other processes open a new database: SQLite itself would not wait."""
    give_up = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            return connection.execute(pragma).close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
        time.sleep(_LOOK_AGAIN_SECONDS)


def _begin_writing(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin_reading(connection: sa.Connection) -> None:
    """Calls the driver directly, as BEGIN never fails: it takes no lock, and is a tenth of a short read's work."""
    driver: Any = connection.connection.driver_connection
    driver.execute("BEGIN")


def _engine(path: Path, *, begin: Callable[[sa.Connection], None], cache_kb: int) -> sa.Engine:
    engine = sa.create_engine(
        f"sqlite:///{path}",
        # A connection is used by one thread at a time, though not always the same one.
        connect_args={"check_same_thread": False},
        json_serializer=lambda value: orjson.dumps(value).decode(),
        json_deserializer=_from_json,
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(dbapi_connection: Any, _: object) -> None:
        # Otherwise the driver would begin transactions by itself, too late and of the wrong kind.
        dbapi_connection.isolation_level = None
        for pragma in (*PRAGMAS, f"cache_size = -{cache_kb}"):
            _say(dbapi_connection, f"PRAGMA {pragma}")

    sa.event.listen(engine, "begin", begin)
    return engine
