"""Backups of the database: made while the service runs, listed, looked into, deleted; and the way back from one.

Neither the encryption keys nor the archive are in a backup. Without the keys, what is stored encrypted stays
unreadable; a body that the archive has lost is asked for again.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from lamplighter.crawl import after_restore
from lamplighter.errors import BadInput, NotPossible
from lamplighter.ports import Vault
from lamplighter.store import audit_log, backup_files, migrate, postgres_backup, secrets, sqlite_backup
from lamplighter.store.backup_files import Backup
from lamplighter.store.database import Database

#: told how many bytes are written, and how many there will be; None when nobody knows
Progress = Callable[[int, int | None], None]
_STEM = "lamplighter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Where the backups of a database stand, and how many are kept."""

    folder: Path
    #: what their names begin with
    stem: str = _STEM
    keep: int

    def listed(self) -> list[Backup]:
        """All of them, the newest first."""
        return backup_files.listed(self.folder, self.stem)

    def find(self, name: str) -> Backup:
        """The one of this name; NotFound when there is none."""
        return backup_files.find(self.folder, self.stem, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore came to."""

    #: the schema that the backup had
    schema: str
    #: where the replaced database is kept; None when there was none, and on PostgreSQL
    kept: Path | None
    #: what was under way when the backup was made, and is over now
    settled: Mapping[str, int]
    #: what no key opens any more: secrets, passwords of proxies and the like, by kind and name
    unreadable: tuple[str, ...]


def shelf_of(db: Database, *, data_dir: Path, keep: int) -> Shelf:
    """Beside an SQLite database; for PostgreSQL in the data folder."""
    if db.path is not None:
        return Shelf(folder=db.path.with_name("backups"), stem=db.path.stem, keep=keep)
    return Shelf(folder=data_dir / "backups", keep=keep)


async def make(
    db: Database,
    shelf: Shelf,
    *,
    now: datetime,
    target: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Backup:
    """Backs the database up, to the shelf, of which the oldest go, or to a file that must not exist yet."""
    schema = await migrate.current(db)
    if schema is None:
        raise NotPossible("the database is empty; there is nothing to back up")
    suffix = backup_files.SQLITE if db.is_sqlite else backup_files.POSTGRES
    path = target or backup_files.new_path(shelf.folder, shelf.stem, suffix, now=now)
    with backup_files.writing(path, schema=schema, now=now) as part:
        if db.path is not None:
            await _copy(db.path, part, progress)
        else:
            await postgres_backup.dump(db, part, progress=progress)
    if target is None:
        await asyncio.to_thread(backup_files.keep_newest, shelf.folder, shelf.stem, keep=shelf.keep, now=now)
    return backup_files.read(path)


async def _copy(path: Path, target: Path, progress: Progress) -> None:
    """In another thread, which ends when nobody waits for it any more."""
    is_unwanted = threading.Event()

    def told(done: int, total: int) -> None:
        if is_unwanted.is_set():
            raise NotPossible("the backup was stopped")
        progress(done, total)

    try:
        await asyncio.to_thread(sqlite_backup.copy, path, target, progress=told)
    finally:
        is_unwanted.set()


def remove(backup: Backup) -> None:
    """Deletes a backup, with the note beside it."""
    backup_files.remove(backup)


async def check(db: Database, file: Path) -> Backup:
    """Looks whether a file is a whole backup for this kind of database, of a schema that this program knows."""
    if not await asyncio.to_thread(file.is_file):
        raise BadInput(f"there is no file {str(file)!r}; `lamplighter db backup` makes one")
    kind = await asyncio.to_thread(_kind_of, file)
    if kind is not None and kind != db.is_sqlite:
        wanted, given = ("SQLite", "PostgreSQL") if db.is_sqlite else ("PostgreSQL", "SQLite")
        raise BadInput(f"{str(file)!r} is a backup of {given}, and the database is {wanted}; nothing was changed")
    if db.is_sqlite:
        schema = await asyncio.to_thread(sqlite_backup.schema_of, file)
    else:
        schema = await postgres_backup.schema_of(file)
    migrate.refuse_unknown(schema, of=repr(str(file)))
    return replace(await asyncio.to_thread(backup_files.read, file), schema=schema)


def _kind_of(file: Path) -> bool | None:
    """Whether it is SQLite's; None when it is neither's."""
    with file.open("rb") as opened:
        start = opened.read(len(sqlite_backup.MAGIC))
    return True if start == sqlite_backup.MAGIC else False if start.startswith(postgres_backup.MAGIC) else None


async def refuse_to_replace(db: Database, *, may_replace: bool) -> None:
    """Raises NotPossible while the database is in use, or holds something that nobody said may go."""
    if db.path is not None:
        await asyncio.to_thread(sqlite_backup.refuse_while_used, db.path)
        return
    async with db:
        await postgres_backup.refuse_while_used(db)
        if not await postgres_backup.is_empty(db) and not may_replace:
            raise NotPossible(
                "the PostgreSQL database is not empty; --replace lets the backup take the place of what is in it, "
                "nothing was changed"
            )


async def restore(db: Database, backup: Backup, *, vault: Vault, actor: str, now: datetime) -> Restored:
    """Puts a backup that was checked in the place of the database, which is not open yet."""
    if db.path is None:
        async with db:
            await postgres_backup.put_back(db, backup.path)
        return await _settled(db, backup, vault=vault, actor=actor, now=now)
    # Made ready first: had the program stopped half-way, the database would be as it was.
    with sqlite_backup.draft(backup.path, db.path) as draft:
        restored = await _settled(Database(f"sqlite:///{draft}"), backup, vault=vault, actor=actor, now=now)
        return replace(restored, kept=sqlite_backup.swap(draft, db.path))


async def _settled(db: Database, backup: Backup, *, vault: Vault, actor: str, now: datetime) -> Restored:
    """Brings what was restored to this program's schema, and ends what was under way."""
    async with db:
        await migrate.apply(db)
        settled = await db.write(lambda writing: after_restore.settle(writing, backup=backup.name, now=now))
        after = {"backup": backup.name, "schema": backup.schema, "made_at": backup.made_at.isoformat(), **settled}
        await db.write(
            lambda writing: audit_log.write(
                writing, actor=actor, action="database.restore", subject="database", now=now, after=after
            )
        )
        async with db.read() as reading:
            sealed = await secrets.everything_sealed(reading)
    unreadable = tuple(f"{each.kind} {each.key}" for each in sealed if not _opens(vault, each.value))
    return Restored(schema=backup.schema or "", kept=None, settled=settled, unreadable=unreadable)


def _opens(vault: Vault, value: bytes) -> bool:
    try:
        vault.decrypt(value)
    except (NotPossible, BadInput, OSError):
        return False
    return True
