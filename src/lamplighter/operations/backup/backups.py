"""Backups of the database: make, list, check, restore.

Neither the encryption keys nor the archive are in a backup. Without the keys, what is stored encrypted stays
unreadable; a body that the archive has lost is fetched again.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from lamplighter import crash_points
from lamplighter.crawl.fleet import restore_reset
from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.operations.backup import restore_carryover
from lamplighter.ports import Vault
from lamplighter.store.access import audit_log, secrets
from lamplighter.store.backup import backup_files, postgres_backup, restore_marker, sqlite_backup
from lamplighter.store.backup.backup_files import Backup
from lamplighter.store.backup.restore_carryover import CarriedOver, RestoreCarryover
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import migrate

#: called with the bytes written, and the bytes in total; None if that is not known
Progress = Callable[[int, int | None], None]
_STEM = "lamplighter"
_NOTHING = CarriedOver()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupFolder:
    """The folder of a database's backups, and how many are kept."""

    folder: Path
    #: what their names begin with
    stem: str = _STEM
    keep: int

    def listed(self) -> list[Backup]:
        """All of them, the newest first."""
        return backup_files.listed(self.folder, self.stem)

    def remove_leftovers(self, *, now: datetime) -> None:
        """Deletes what backups left that were killed."""
        backup_files.remove_leftovers(self.folder, self.stem, now=now)

    def find(self, name: str) -> Backup:
        """The one of this name; NotFound when there is none."""
        return backup_files.find(self.folder, self.stem, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """What a restore came to."""

    #: the schema that the backup had
    schema: str
    #: where the replaced database is kept; None when there was none, and on PostgreSQL
    kept: Path | None
    #: what was under way when the backup was made, and is over now
    settled: Mapping[str, int]
    #: what was forbidden or ended since the backup and stays so, how much of each; None when nobody could tell, for the
    #: replaced database cannot be read
    carried_over: Mapping[str, int] | None
    #: what no key opens any more: secrets, passwords of proxies and the like, by kind and name
    unreadable: tuple[str, ...]


def backup_folder_of(db: Database, *, data_dir: Path, keep: int) -> BackupFolder:
    """Beside an SQLite database; for PostgreSQL in the data folder."""
    if db.path is not None:
        return BackupFolder(folder=db.path.with_name("backups"), stem=db.path.stem, keep=keep)
    return BackupFolder(folder=data_dir / "backups", keep=keep)


async def make(
    db: Database,
    backup_folder: BackupFolder,
    *,
    now: datetime,
    target: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Backup:
    """Backs the database up, to the backup folder, whose oldest files go, or to a file that must not exist yet."""
    schema = await migrate.current(db)
    if schema is None:
        raise NotPossible("the database is empty; there is nothing to back up")
    suffix = backup_files.SQLITE if db.is_sqlite else backup_files.POSTGRES
    path = target or backup_files.new_path(backup_folder.folder, backup_folder.stem, suffix, now=now)
    with backup_files.writing(path, schema=schema, now=now) as part:
        if db.path is not None:
            await _copy(db.path, part, progress)
        else:
            await postgres_backup.dump(db, part, progress=progress)
    crash_points.reached("backup.after_name")
    if target is None:
        await asyncio.to_thread(
            backup_files.keep_newest, backup_folder.folder, backup_folder.stem, keep=backup_folder.keep, now=now
        )
    return backup_files.read(path)


async def _copy(path: Path, target: Path, progress: Progress) -> None:
    """Copies in another thread, which ends when the caller no longer waits for it."""
    is_unwanted = threading.Event()

    def on_progress(done: int, total: int) -> None:
        if is_unwanted.is_set():
            raise NotPossible("the backup was stopped")
        progress(done, total)

    try:
        await asyncio.to_thread(sqlite_backup.copy, path, target, progress=on_progress)
    finally:
        is_unwanted.set()


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
    """Raises NotPossible while the database is in use, or holds data that may not be replaced."""
    if db.path is not None:
        await asyncio.to_thread(sqlite_backup.refuse_while_used, db.path)
        return
    async with db:
        await postgres_backup.refuse_while_used(db)
        if not await postgres_backup.is_empty(db) and not may_replace:
            raise NotPossible(
                "the PostgreSQL database is not empty; use --replace to replace its contents; nothing was changed"
            )


async def restore(db: Database, backup: Backup, *, vault: Vault, stamp: Stamp) -> RestoreResult:
    """Puts a backup that was checked in the place of the database, which is not open yet."""
    if db.path is None:
        async with db:
            known = await restore_carryover.known_to(db)
            brought = await postgres_backup.put_back(db, backup.path, lasts=known is not None)
        crash_points.reached("restore.after_commit")
        return await _settled(db, backup, known, vault=vault, stamp=stamp, brought=brought)
    known = await _known_to_file(db, db.path)
    # Made ready first: had the program stopped half-way, the database would be as it was.
    with sqlite_backup.draft(backup.path, db.path) as draft:
        ready = Database(f"sqlite:///{draft}")
        restored = await _settled(ready, backup, known, vault=vault, stamp=stamp)
        kept = sqlite_backup.swap(draft, db.path)
    crash_points.reached("restore.after_commit")
    return replace(restored, kept=kept)


async def _known_to_file(db: Database, path: Path) -> RestoreCarryover | None:
    if not await asyncio.to_thread(path.exists):
        return RestoreCarryover()
    async with db:
        return await restore_carryover.known_to(db)


async def _settled(
    db: Database,
    backup: Backup,
    known: RestoreCarryover | None,
    *,
    vault: Vault,
    stamp: Stamp,
    brought: CarriedOver = _NOTHING,
) -> RestoreResult:
    """Brings what was restored to this program's schema, ends what was under way, and carries over what lasts."""
    async with db:
        await migrate.apply(db)
        settled = await db.write(lambda writing: _settle(writing, backup.name, now=stamp.now))
        carried = None
        if known is not None:
            carried = await _carried_over(db, known, brought, stamp=stamp)
        made = {"backup": backup.name, "schema": backup.schema, "made_at": backup.made_at.isoformat()}
        after = {**made, **settled, "carried_over": carried}
        await db.write(lambda writing: audit_log.write(writing, stamp, "database.restore", "database", after=after))
        async with db.read() as reading:
            sealed = await secrets.everything_sealed(reading)
    unreadable = tuple(f"{each.kind} {each.key}" for each in sealed if not _opens(vault, each.value))
    return RestoreResult(
        schema=backup.schema or "", kept=None, settled=settled, carried_over=carried, unreadable=unreadable
    )


async def settle_if_cut_short(db: Database, *, now: datetime) -> str | None:
    """Settles a restore whose process died right after its commit; returns the backup's name, if nobody else did."""

    async def work(writing: Connection) -> str | None:
        backup = await restore_marker.take(writing)
        if backup is not None:
            await restore_reset.settle(writing, backup=backup, now=now)
        return backup

    return await db.write(work)


async def _settle(db: Connection, backup: str, *, now: datetime) -> Mapping[str, int]:
    await restore_marker.take(db)
    return await restore_reset.settle(db, backup=backup, now=now)


async def _carried_over(
    db: Database, known: RestoreCarryover, brought: CarriedOver, *, stamp: Stamp
) -> Mapping[str, int]:
    everything, purged = await restore_carryover.carry_over(db, known, brought=brought, stamp=stamp)
    return {
        "takedowns": len(everything.takedowns),
        "sites_purged": len(purged),
        "records_removed": len(everything.tombstones),
        "tokens_revoked": len(everything.revoked),
    }


def _opens(vault: Vault, value: bytes) -> bool:
    try:
        vault.decrypt(value)
    except (NotPossible, BadInput, OSError):
        return False
    return True
