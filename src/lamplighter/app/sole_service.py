"""Keeps a second `serve` away from an SQLite database: both would schedule, lease and write against each other."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from lamplighter.errors import NotPossible
from lamplighter.settings import Settings
from lamplighter.store.engine import file_lock
from lamplighter.store.engine.database import Database


@contextmanager
def sole_service(settings: Settings) -> Iterator[None]:
    """Holds the database's lock within the block; NotPossible while another process has it."""
    path = Database(settings.resolved_database_url).path
    if path is None:
        yield  # PostgreSQL is for any number of processes
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    opened = os.open(path.with_name(path.name + ".serving"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            file_lock.take(opened)
        except OSError:
            holder = os.read(opened, 20).decode("ascii", "replace").strip() or "unknown"
            raise NotPossible(
                f"another `lamplighter serve` (process {holder}) works on {str(path)!r}; stop it first, or set "
                "LAMPLIGHTER_DATABASE_URL to a PostgreSQL database, which several processes can share",
                code="already_served",
            ) from None
        os.truncate(opened, 0)
        os.write(opened, str(os.getpid()).encode())
        yield
    finally:
        os.close(opened)
