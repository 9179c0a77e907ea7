"""Builds the storage: the archive and its limits, the disk watch, and the backups."""

from dataclasses import dataclass
from typing import Self

from lamplighter.app.engines import archive_of
from lamplighter.app.foundation import Foundation
from lamplighter.app.storage_bounds import archive_bounds, growing_folders, kept
from lamplighter.crawl.archive.retention import Retention
from lamplighter.crawl.fetching.body_archiving import BodyArchiving
from lamplighter.crawl.fleet.disk_watch import DiskWatch, FreeBytes
from lamplighter.crawl.fleet.pruning import Pruning
from lamplighter.operations.backup.backup_maker import BackupMaker
from lamplighter.operations.backup.backups import shelf_of
from lamplighter.operations.backup.restore_orders import RestoreOrders
from lamplighter.ports import Archive


@dataclass(frozen=True, slots=True, kw_only=True)
class Storing:
    """Archive, retention, disk watch and backups."""

    archive: Archive
    archiving: BodyArchiving
    disk: DiskWatch
    #: sweeps the archive
    retention: Retention
    #: sweeps the database
    pruning: Pruning
    backup_maker: BackupMaker
    restore_desk: RestoreOrders

    @classmethod
    def of(cls, base: Foundation, *, free_bytes: FreeBytes) -> Self:
        """Builds the storage from the settings; `free_bytes` returns the free disk space."""
        settings, db, clock = base.settings, base.db, base.clock
        archive = archive_of(settings, clock)
        shelf = shelf_of(db, data_dir=settings.data_dir, keep=settings.keep_backups)
        maker = BackupMaker(db, clock=clock, shelf=shelf)
        return cls(
            archive=archive,
            archiving=BodyArchiving(db, archive),
            disk=DiskWatch(growing_folders(settings), least_bytes=settings.least_free_mb << 20, free_bytes=free_bytes),
            retention=Retention(db, archive=archive, clock=clock, bounds=archive_bounds(settings)),
            pruning=Pruning(db, clock=clock, kept=kept(settings)),
            backup_maker=maker,
            restore_desk=RestoreOrders(db, maker=maker, me=base.owner, stop=base.stopping.set),
        )

    @property
    def has_room(self) -> bool:
        """Whether what is fetched can be stored."""
        return not self.disk.state.is_low and self.archiving.trouble is None
