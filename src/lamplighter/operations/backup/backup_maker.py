"""Makes the backups that operators order, in the background and one at a time."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from lamplighter import telemetry
from lamplighter.crawl.process.bells import Bell
from lamplighter.errors import LamplighterError, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.operations.backup import backups
from lamplighter.operations.backup.backups import BackupFolder
from lamplighter.ports import Clock
from lamplighter.store.access import audit_log
from lamplighter.store.backup import backup_files
from lamplighter.store.backup.backup_files import Backup
from lamplighter.store.engine.database import Database

log = telemetry.logger("backups")


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupOrder:
    """An ordered backup and its progress."""

    ordered_by: str
    since: datetime
    done_bytes: int = 0
    #: None while it is not known
    total_bytes: int | None = None


class BackupMaker:
    """The backups of this process's database: what there is, and what is being made."""

    def __init__(self, db: Database, *, clock: Clock, backup_folder: BackupFolder) -> None:
        self._db = db
        self._clock = clock
        self.backup_folder = backup_folder
        self.bell = Bell()
        #: what is being made, or will be in a moment; None when nothing is
        self.order: BackupOrder | None = None
        #: why the last one failed; None when it did not
        self.trouble: str | None = None
        backup_folder.remove_leftovers(now=clock.now())

    def take_order(self, *, stamp: Stamp) -> BackupOrder:
        """Has a backup made; NotPossible while another one is."""
        if self.order is not None:
            raise NotPossible(
                f"a backup is already running, started by {self.order.ordered_by}; wait for it to end",
                code="backup_under_way",
            )
        self.order, self.trouble = BackupOrder(ordered_by=stamp.actor, since=stamp.now), None
        self.bell.ring()
        return self.order

    async def work(self) -> None:
        """Makes the backup that was ordered, if one was."""
        order = self.order
        if order is None:
            return
        try:
            made = await backups.make(self._db, self.backup_folder, now=self._clock.now(), progress=self._progress)
            await self._note("backup.make", made.name, order.ordered_by, {"size_bytes": made.size_bytes})
            log.info("backup.made", file=made.name, size_bytes=made.size_bytes)
        except (LamplighterError, OSError) as error:
            self.trouble = str(error)
            log.error("backup.failed", reason=str(error))
        finally:
            self.order = None

    async def remove(self, name: str, *, actor: str) -> Backup:
        """Deletes a backup; NotFound when there is none of this name."""
        found = self.backup_folder.find(name)
        backup_files.remove(found)
        await self._note("backup.remove", found.name, actor, {"size_bytes": found.size_bytes})
        return found

    async def hand_out(self, name: str, *, actor: str) -> Backup:
        """A backup to download, which is noted; NotFound when there is none of this name."""
        found = self.backup_folder.find(name)
        await self._note("backup.download", found.name, actor, {"size_bytes": found.size_bytes})
        return found

    def _progress(self, done: int, total: int | None) -> None:
        """May be called from another thread."""
        if self.order is not None:
            self.order = replace(self.order, done_bytes=done, total_bytes=total)

    async def _note(self, action: str, name: str, actor: str, after: Mapping[str, Any]) -> None:
        stamp = Stamp(actor, self._clock.now())
        await self._db.write(lambda db: audit_log.write(db, stamp, action, f"backup:{name}", after=after))
