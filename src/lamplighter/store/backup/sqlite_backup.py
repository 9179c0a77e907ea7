"""Copies a SQLite database while other processes write to it, checks a copy, and restores one."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from lamplighter import crash_points
from lamplighter.errors import BadInput, NotPossible

MAGIC = b"SQLite format 3\0"
#: copied at a time, between two progress reports
_PAGES = 4096
LOCK_PATIENCE_SECONDS = 2
_FILES = ("", "-wal", "-shm")


def copy(path: Path, target: Path, *, progress: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Copies a snapshot of the database; `progress` gets bytes done and in total, and may raise to stop it."""
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as made:
            _copy(source, made, progress)
    except sqlite3.Error as error:  # for example, the disk is full
        raise NotPossible(f"{str(path)!r} could not be copied: {error}") from None


def _copy(source: sqlite3.Connection, made: sqlite3.Connection, progress: Callable[[int, int], None]) -> None:
    # A transaction keeps the snapshot to the end; otherwise every write would restart the copy.
    source.execute("BEGIN")
    (size,) = source.execute("PRAGMA page_size").fetchone()
    source.execute("SELECT count(*) FROM sqlite_master").fetchone()

    def on_progress(_status: int, remaining: int, total: int) -> None:
        crash_points.reached("backup.midway")
        progress((total - remaining) * size, total * size)

    source.backup(made, pages=_PAGES, progress=on_progress)
    # One file, without a WAL file beside it.
    made.execute("PRAGMA journal_mode = DELETE")


def schema_of(file: Path) -> str:
    """The schema of a backup; BadInput when it is damaged or none."""
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
    """Raises NotPossible while a process has the database open; merges the WAL into the file."""
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=LOCK_PATIENCE_SECONDS)) as db:
            # In exclusive mode the lock is refused while another process has the file open, even when idle.
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("BEGIN EXCLUSIVE")
            db.execute("COMMIT")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError:
        raise NotPossible(f"{str(path)!r} is in use; stop the service first, nothing was changed") from None
    except sqlite3.DatabaseError:
        return  # damaged: most likely the reason for the restore


@contextmanager
def draft(backup: Path, path: Path) -> Iterator[Path]:
    """A copy of a backup beside the database, to prepare before the swap; deleted after the block."""
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
    """Replaces the database by a prepared copy; returns where the old one is kept, if there was one.

    At every moment one of the two is under the database's own name: killed half-way, the service would else begin anew.
    """
    refuse_while_used(made)
    kept = _free(path.with_name(path.name + ".before-restore"))
    was_there = path.exists()
    for suffix in _FILES:
        replaced = path.with_name(path.name + suffix)
        if replaced.exists():
            _keep(replaced, kept.with_name(kept.name + suffix))
    for suffix in _FILES[1:]:
        # What was in them is in the old database, unless that is damaged; beside the new one they would be another's.
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    crash_points.reached("restore.before_commit")
    os.replace(made, path)
    return kept if was_there else None


def _keep(path: Path, kept: Path) -> None:
    """A second name for a file, or a copy where the file system has none."""
    try:
        os.link(path, kept)
    except OSError:
        shutil.copy2(path, kept)


def _free(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def _remove(path: Path) -> None:
    for suffix in _FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
