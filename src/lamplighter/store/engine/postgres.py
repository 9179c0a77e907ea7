"""PostgreSQL: a connection pool; every write is a transaction, retried after a conflict with another."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_dbapi
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from lamplighter.store.engine import postgres_sessions

T = TypeVar("T")
_Write = Callable[[Any], Coroutine[Any, Any, T]]
#: serialization failure, deadlock: the whole transaction can be retried
_REPEATABLE = {"40001", "40P01"}
#: a cached plan is older than a schema change by a newer program; the next try plans again
_OUTDATED = AsyncAdapt_asyncpg_dbapi.InvalidCachedStatementError
_WRITE_TRIES = 5
#: a server that does not answer: connecting to it, and for each statement, longer than the server itself allows one
_CONNECT_SECONDS, ANSWER_SECONDS = 10.0, 20.0
#: per process, for work and for heartbeats; ten processes fit into a server's default limit of 100
_CONNECTIONS, _KEEPERS = 8, 2


class PostgresServer:
    """One database of a server: a connection pool; every write is a transaction."""

    def __init__(self, url: sa.URL) -> None:
        self._engine = open_pool(url, connections=_CONNECTIONS, answers_within=ANSWER_SECONDS)
        self._keeper = open_pool(url, connections=_KEEPERS, answers_within=ANSWER_SECONDS)
        # A migration takes as long as it takes.
        self._patient = open_pool(url, connections=1)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        # A transaction, although that doubles the round trips: some reads set planner options.
        async with self._engine.connect() as connection:
            yield connection

    async def look(self, work: _Write[T]) -> T:
        async with self.read() as connection:
            return await work(connection)

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[AsyncConnection]:
        async with self._patient.begin() as connection:
            # A migration has no time limit, and may have to wait for the CPU between two statements.
            await connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
            await connection.execute(sa.text("SET LOCAL idle_in_transaction_session_timeout = '5min'"))
            yield connection

    async def write(self, work: _Write[T]) -> T:
        return await self._write(self._engine, work)

    async def keep(self, work: _Write[T]) -> T:
        return await self._write(self._keeper, work)

    async def _write(self, engine: AsyncEngine, work: _Write[T]) -> T:
        for attempt in range(1, _WRITE_TRIES + 1):
            try:
                async with engine.begin() as connection:
                    return await work(connection)
            except DBAPIError as error:
                if attempt == _WRITE_TRIES or not _is_repeatable(error):
                    raise
                await asyncio.sleep(0.02 * 2**attempt)
        raise AssertionError("unreachable")

    async def close(self) -> None:
        await self._engine.dispose()
        await self._keeper.dispose()
        await self._patient.dispose()


def _is_repeatable(error: DBAPIError) -> bool:
    return isinstance(error.orig, _OUTDATED) or getattr(error.orig, "sqlstate", None) in _REPEATABLE


#: prepared statements cached per connection: more than the loops use, or each would be parsed again every time
_STATEMENTS = 500
#: a connection that was idle for this long is pinged before use: the network between us and the server may
#: have dropped it silently
IDLE_SECONDS = 5.0


def open_pool(url: sa.URL, *, connections: int, answers_within: float | None = None) -> AsyncEngine:
    """An engine with at most this many connections, each opened when needed.

    A connection on which a statement is not answered in time is given up: its peer may have gone without a word.
    """
    engine = create_async_engine(
        url,
        pool_size=connections,
        # A connection beyond the pool would be closed after use, and opening one costs more than most statements.
        max_overflow=0,
        json_serializer=_dumps,
        json_deserializer=orjson.loads,
        connect_args={
            "server_settings": postgres_sessions.SETTINGS,
            "prepared_statement_cache_size": _STATEMENTS,
            "timeout": _CONNECT_SECONDS,
            "command_timeout": answers_within,
        },
    )
    # Not SQLAlchemy's pre-ping, which takes three round trips before each use.
    sa.event.listen(engine.sync_engine, "checkin", _note_use)
    sa.event.listen(engine.sync_engine, "checkout", _look)
    sa.event.listen(engine.sync_engine, "handle_error", _give_up_silent)
    return engine


def _give_up_silent(context: sa.engine.ExceptionContext) -> None:
    """A statement that was not answered in time leaves a connection to nobody: no other one is tried on it."""
    if isinstance(context.original_exception, TimeoutError):
        context.is_disconnect = True


def _note_use(_connection: Any, record: Any) -> None:
    record.info["used_at"] = time.monotonic()


def _look(connection: Any, record: Any, _proxy: Any) -> None:
    """Raises DisconnectionError for a broken connection, so that SQLAlchemy opens another."""
    if record.driver_connection.is_closed():
        raise DisconnectionError("the server has closed the connection")
    if time.monotonic() - record.info.get("used_at", time.monotonic()) < IDLE_SECONDS:
        return
    try:
        connection.ping()
    except Exception as error:
        raise DisconnectionError("the connection does not answer") from error


def _dumps(value: object) -> str:
    return orjson.dumps(value).decode()
