"""PostgreSQL: a pool of connections; every write is a transaction, repeated whole when the server asks for that."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_dbapi
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from lamplighter.store.postgres_pool import open_pool

T = TypeVar("T")
_Write = Callable[[Any], Coroutine[Any, Any, T]]
#: serialization failure, deadlock: the whole transaction may simply be repeated
_REPEATABLE = {"40001", "40P01"}
#: what it had planned is of a schema that a newer program has changed meanwhile; the next try plans anew
_OUTDATED = AsyncAdapt_asyncpg_dbapi.InvalidCachedStatementError
_WRITE_TRIES = 5
#: of one process, for its work and for its signs of life; ten processes fit into a server's usual hundred
_CONNECTIONS, _KEEPERS = 8, 2


class PostgresServer:
    """One database of a server: a pool of connections; every write is a transaction."""

    def __init__(self, url: sa.URL) -> None:
        self._engine = open_pool(url, connections=_CONNECTIONS)
        self._keeper = open_pool(url, connections=_KEEPERS)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        # A transaction, although it takes twice the messages to and fro: some reads set how they are planned.
        async with self._engine.connect() as connection:
            yield connection

    async def look(self, work: _Write[T]) -> T:
        async with self.read() as connection:
            return await work(connection)

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[AsyncConnection]:
        async with self._engine.begin() as connection:
            # A migration may take as long as it takes, and may have to wait for the processor between two statements.
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


def _is_repeatable(error: DBAPIError) -> bool:
    return isinstance(error.orig, _OUTDATED) or getattr(error.orig, "sqlstate", None) in _REPEATABLE
