"""Opens the database, and reads and writes it alike on SQLite and PostgreSQL.

SQLite has one writer: writes that arrive during a commit share the next commit (group commit), each in a savepoint
of its own, so that a failing write never undoes the others. On PostgreSQL every write is a transaction, which is
retried as a whole after a serialization failure or deadlock.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from lamplighter.errors import BadSetting
from lamplighter.store.engine.after_commit import Signal, TransactionWork
from lamplighter.store.engine.sqlite import SqliteFile

T = TypeVar("T")

#: PostgreSQL's error classes that say nothing about the data written: connection, rollback, resources, operator,
#: failed login (a password is being changed) and unknown database (it is being restored)
_AWAY = {"08", "40", "53", "55", "57", "58", "28", "3D"}
_READ_ONLY = "25006"
#: a database that accepts no write at all, by PostgreSQL's state and by SQLite's code: its disk is full or read-only
_REFUSING_STATES = {_READ_ONLY, "53100"}
_REFUSING_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR}
#: so long after a refused write the database is said to accept none: smaller ones may succeed in between
REFUSES_SECONDS = 10.0


class Connection(Protocol):
    """A connection as the store's functions use it, on either database."""

    @property
    def dialect(self) -> sa.Dialect:
        """The SQL dialect."""

    async def execute(self, statement: Any, parameters: Any = None) -> sa.CursorResult[Any]:
        """Runs a statement, once or for each of a list of parameters."""

    async def scalar(self, statement: Any, parameters: Any = None) -> Any:
        """The first column of the first row, or None."""

    async def scalars(self, statement: Any, parameters: Any = None) -> sa.ScalarResult[Any]:
        """The first column of every row."""

    async def run_sync(self, fn: Callable[..., T], *arguments: Any) -> T:
        """Hands a synchronous connection to `fn`: for migrations."""


Write = Callable[[Connection], Coroutine[Any, Any, T]]


class _Engine(Protocol):
    """What differs by database."""

    def read(self) -> AbstractAsyncContextManager[Any]: ...
    async def look(self, work: Write[T]) -> T: ...
    def exclusive(self) -> AbstractAsyncContextManager[Any]: ...
    async def write(self, work: Write[T]) -> T: ...
    async def keep(self, work: Write[T]) -> T: ...
    async def close(self) -> None: ...


class Database:
    """One open database; use as an async context manager."""

    def __init__(self, url: str) -> None:
        parsed = _parse(url)
        self.is_sqlite = parsed.get_backend_name() == "sqlite"
        #: the database file; None on PostgreSQL
        self.path = Path(parsed.database) if self.is_sqlite and parsed.database else None
        #: its URL; printed without the password
        self.url = parsed
        self._engine: _Engine
        self._subscribers: list[Callable[[Signal], None]] = []
        #: when a write was last refused (monotonic)
        self._refused_at = float("-inf")

    @property
    def refuses_writes(self) -> bool:
        """Whether a write was refused just now because the disk is full or read-only."""
        return time.monotonic() - self._refused_at < REFUSES_SECONDS

    async def __aenter__(self) -> Self:
        if self.path is not None:
            await asyncio.to_thread(_make_private, self.path)
            self._engine = SqliteFile(self.path)
        else:
            # Imported only where needed: on SQLite it would cost every process 8 MB, and every command time.
            from lamplighter.store.engine.postgres import PostgresServer

            self._engine = PostgresServer(self.url)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._engine.close()

    def read(self) -> AbstractAsyncContextManager[Connection]:
        """A connection to read from."""
        return self._engine.read()

    async def look(self, work: Write[T]) -> T:
        """Runs `work` as one read, which on SQLite saves a thread hop for every statement.

        `work` may run in another thread, and awaits nothing but its connection.
        """
        return await self._engine.look(work)

    def exclusive(self) -> AbstractAsyncContextManager[Connection]:
        """Opens a transaction outside the group commit: for migrations."""
        return self._engine.exclusive()

    async def write(self, work: Write[T]) -> T:
        """Runs `work` in a transaction; its result is durable when this returns.

        `work` may run more than once, may run in another thread, and awaits nothing but its connection.
        """
        return await self._told(self._engine.write, work)

    async def keep(self, work: Write[T]) -> T:
        """Like `write`, for heartbeats and leases: their renewal does not queue behind ordinary writes."""
        return await self._told(self._engine.keep, work)

    def subscribe(self, hear: Callable[[Signal], None]) -> None:
        """Calls `hear` with each signal of the transactions that this object commits."""
        self._subscribers.append(hear)

    async def _told(self, write: Callable[[Write[T]], Coroutine[Any, Any, T]], work: Write[T]) -> T:
        """Writes, and then runs the steps and sends the signals that `work` left for after the commit."""
        remembered = TransactionWork(work)
        try:
            result = await write(remembered)
        except DBAPIError as error:
            if _is_refusal(error):
                self._refused_at = time.monotonic()
            raise
        for signal in remembered.tell():
            for hear in self._subscribers:
                hear(signal)
        return result


def _make_private(path: Path) -> None:
    """Creates the file and its folder for the owner only, as it holds password hashes; keeps existing ones."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # SQLite reports other errors better than we do; the files that it creates beside this one get the same mode.
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _parse(url: str) -> sa.URL:
    remedy = "use sqlite:///file or postgresql+asyncpg://user@host/name"
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise BadSetting(f"LAMPLIGHTER_DATABASE_URL is not a database URL; {remedy}") from None
    if parsed.drivername not in ("sqlite", "postgresql+asyncpg"):
        raise BadSetting(f"LAMPLIGHTER_DATABASE_URL uses {parsed.drivername!r}; {remedy}")
    return parsed


def _is_refusal(error: DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    # The lowest byte is the kind; the others say more of it.
    return (code is not None and code & 0xFF in _REFUSING_CODES) or (
        getattr(error.orig, "sqlstate", None) in _REFUSING_STATES
    )


def is_away(error: Exception) -> bool:
    """Whether a write failed because the database was unavailable: then the same write may succeed later."""
    if isinstance(error, DBAPIError):
        state = getattr(error.orig, "sqlstate", None) or ""
        is_connection = error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)
        return is_connection or state[:2] in _AWAY or state == _READ_ONLY
    return isinstance(error, OSError | sa.exc.TimeoutError)


async def takes_writes(db: Connection) -> bool:
    """Whether the database accepts writes: a PostgreSQL replica, or one with a full disk, may not."""
    writable = "1" if db.dialect.name == "sqlite" else "current_setting('transaction_read_only') = 'off'"
    return bool(await db.scalar(sa.text(f"SELECT {writable}")))


def rows_written(result: sa.CursorResult[Any]) -> int:
    """How many rows a write touched."""
    return result.rowcount
