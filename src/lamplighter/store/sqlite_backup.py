"""Copies an SQLite database while others write to it, looks into such a copy, and puts one in the database's place."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from lamplighter.errors import BadInput, NotPossible

MAGIC = b"SQLite format 3\0"
#: copied at a time, between two words about how far it is
_PAGES = 4096
_LOCK_PATIENCE_SECONDS = 2
_FILES = ("", "-wal", "-shm")


def copy(path: Path, target: Path, *, progress: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Copies the database as it is at this moment; `progress` is told bytes done and in all, and may stop it."""
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as made:
            _copy(source, made, progress)
    except sqlite3.Error as error:  # the disk is full, for one
        raise NotPossible(f"{str(path)!r} could not be copied: {error}") from None


def _copy(source: sqlite3.Connection, made: sqlite3.Connection, progress: Callable[[int, int], None]) -> None:
    # Within a transaction it stays the same database to the end; otherwise every write would begin it anew.
    source.execute("BEGIN")
    (size,) = source.execute("PRAGMA page_size").fetchone()
    source.execute("SELECT count(*) FROM sqlite_master").fetchone()

    def told(_status: int, remaining: int, total: int) -> None:
        progress((total - remaining) * size, total * size)

    source.backup(made, pages=_PAGES, progress=told)
    # One file, with nothing beside it.
    made.execute("PRAGMA journal_mode = DELETE")


def schema_of(file: Path) -> str:
    """The schema of a whole and readable backup; BadInput when it is none."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as db:
            (found,) = db.execute("SELECT version_num FROM alembic_version").fetchone() or (None,)
            (health,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise BadInput(f"{str(file)!r} is no backup of Lamplighter ({error}); nothing was changed") from None
    if found is None or health != "ok":
        raise BadInput(f"{str(file)!r} is damaged ({health if found else 'it has no schema'}); nothing was changed")
    return str(found)


def refuse_while_used(path: Path) -> None:
    """Makes sure that no service has the database open, and that all of it stands in the one file."""
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=_LOCK_PATIENCE_SECONDS)) as db:
            # In exclusive mode the lock is refused as long as anybody else has the file open, even when idle.
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("BEGIN EXCLUSIVE")
            db.execute("COMMIT")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError:
        raise NotPossible(f"{str(path)!r} is in use; stop the service first, nothing was changed") from None
    except sqlite3.DatabaseError:
        return  # it is damaged: most likely that is why a backup is restored


@contextmanager
def draft(backup: Path, path: Path) -> Iterator[Path]:
    """A copy of a backup beside the database, to be made ready before it takes its place; gone after the block."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = path.with_name(path.name + ".restoring")
    _remove(made)
    try:
        os.close(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        shutil.copyfile(backup, made)
        yield made
    finally:
        _remove(made)


def swap(made: Path, path: Path) -> Path | None:
    """Puts a ready copy in the place of the database; returns where the replaced one is kept, if there was one."""
    refuse_while_used(made)
    kept = _free(path.with_name(path.name + ".before-restore"))
    was_there = path.exists()
    for suffix in _FILES:
        replaced = path.with_name(path.name + suffix)
        if replaced.exists():
            replaced.replace(kept.with_name(kept.name + suffix))
    os.replace(made, path)
    return kept if was_there else None


def _free(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def _remove(path: Path) -> None:
    for suffix in _FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
