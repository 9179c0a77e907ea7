"""Opens the database and hands out reads and writes, alike on SQLite and PostgreSQL.

SQLite has one writer: writes that arrive while another commits share the next commit (group commit), each behind a
savepoint of its own, so that one failing write never undoes its neighbours. PostgreSQL gives every write its own
transaction and repeats it whole when the server asks for that.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from lamplighter.errors import BadSetting
from lamplighter.store.after_commit import Remembered
from lamplighter.store.sqlite import SqliteFile

T = TypeVar("T")

#: PostgreSQL's classes of errors that say nothing about what was written: connection, rollback, resources, operator,
#: and that it does not let us in (a password is being changed) or has no such database (it is being put back)
_AWAY = {"08", "40", "53", "55", "57", "58", "28", "3D"}
_READ_ONLY = "25006"


class Connection(Protocol):
    """What the store's functions need of a connection, whichever database is behind it."""

    @property
    def dialect(self) -> sa.Dialect:
        """Which database this is."""

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
    """How the two databases differ."""

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
        #: where it is; whoever prints it sees no password
        self.url = parsed
        self._engine: _Engine

    async def __aenter__(self) -> Self:
        if self.path is not None:
            await asyncio.to_thread(_make_private, self.path)
            self._engine = SqliteFile(self.path)
        else:
            # Only where it is needed: on SQLite it would take 8 MB of every process, and a moment of every command.
            from lamplighter.store.postgres import PostgresServer

            self._engine = PostgresServer(self.url)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._engine.close()

    def read(self) -> AbstractAsyncContextManager[Connection]:
        """A connection to read from."""
        return self._engine.read()

    async def look(self, work: Write[T]) -> T:
        """Reads in one go, which on SQLite spares a hop between threads for every statement.

        `work` may run in another thread, and awaits nothing but its connection.
        """
        return await self._engine.look(work)

    def exclusive(self) -> AbstractAsyncContextManager[Connection]:
        """A transaction of its own, outside the group commit: for migrations."""
        return self._engine.exclusive()

    async def write(self, work: Write[T]) -> T:
        """Runs `work` in a transaction; its result is durable when this returns.

        `work` may run more than once, may run in another thread, and awaits nothing but its connection.
        """
        remembered = Remembered(work)
        result = await self._engine.write(remembered)
        remembered.tell()
        return result

    async def keep(self, work: Write[T]) -> T:
        """The same for signs of life: a lease is not lost because its renewal stood in line behind ordinary work."""
        remembered = Remembered(work)
        result = await self._engine.keep(remembered)
        remembered.tell()
        return result


def _make_private(path: Path) -> None:
    """Makes the file and its folder for their owner alone: hashes of passwords stand there; what is there stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # What else keeps it from being made, SQLite says better; the files that it puts beside this one are like it.
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


def is_away(error: Exception) -> bool:
    """Whether a write failed because the database was not there for it: then the same write may succeed later."""
    if isinstance(error, DBAPIError):
        state = getattr(error.orig, "sqlstate", None) or ""
        is_connection = error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)
        return is_connection or state[:2] in _AWAY or state == _READ_ONLY
    return isinstance(error, OSError | sa.exc.TimeoutError)


async def takes_writes(db: Connection) -> bool:
    """Whether what is read from can be written to: a PostgreSQL that follows another, or has run full, may not be."""
    asked = "1" if db.dialect.name == "sqlite" else "current_setting('transaction_read_only') = 'off'"
    return bool(await db.scalar(sa.text(f"SELECT {asked}")))


def rows_written(result: sa.CursorResult[Any]) -> int:
    """How many rows a write touched."""
    return result.rowcount
