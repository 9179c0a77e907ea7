"""Databases to measure: an empty one of each kind, put in order after it was filled, and the CPU time that it takes."""

import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database
from tests.servers import postgres


@asynccontextmanager
async def empty(kind: str, *, url: str | None) -> AsyncIterator[str]:
    """The address of an empty database: an SQLite file, or on the PostgreSQL at `url`, or on one of our own."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            yield f"sqlite:///{folder}/measured.db"
        elif url is not None:
            async with postgres.fresh_database(url) as address:
                yield address
        else:
            with postgres.cluster(Path(folder)) as server:
                async with postgres.fresh_database(server) as address:
                    yield address


async def tidy(db: Database, address: str, table: str = "") -> None:
    """What databases do by themselves after rows were changed in great number; of one table, or of all."""
    if db.is_sqlite:
        await db.write(lambda connection: connection.execute(sa.text("ANALYZE")))
    else:
        await postgres.command(address, f"VACUUM ANALYZE {table}")


async def server_process(db: Database, connection: Connection) -> int | None:
    """The process that answers a connection; None when it is our own."""
    return None if db.is_sqlite else int(await connection.scalar(sa.text("SELECT pg_backend_pid()")))


def cpu_seconds(pid: int | None, *, own: Callable[[], float] = time.process_time) -> float:
    """CPU seconds of another process, or by our own clock."""
    if pid is None:
        return own()
    # The schedstat's first number counts nanoseconds; /proc/PID/stat only hundredths of a second.
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
