"""Builds the storage: the archive, the disk watch and the backups, with their bounds from the settings."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from lamplighter.app.engines import archive_folder, archive_of
from lamplighter.app.foundation import Foundation
from lamplighter.crawl.archive.retention import ArchiveBounds, Retention
from lamplighter.crawl.fetching.body_archiving import BodyArchiving
from lamplighter.crawl.fleet.disk_watch import DiskWatch, FreeBytes
from lamplighter.crawl.fleet.pruning import Pruning, RetentionLimits
from lamplighter.crawl.reading.parse_phase import ParsePhase
from lamplighter.operations.backup.backup_maker import BackupMaker
from lamplighter.operations.backup.backups import backup_folder_of
from lamplighter.operations.backup.restore_orders import RestoreOrders
from lamplighter.ports import Archive
from lamplighter.settings import Settings

_GIGABYTE = 1024**3


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
    restore_orders: RestoreOrders

    @classmethod
    def of(cls, base: Foundation, *, free_bytes: FreeBytes) -> Self:
        """Builds the storage from the settings; `free_bytes` returns the free disk space."""
        settings, db, clock = base.settings, base.db, base.clock
        archive = archive_of(settings, clock)
        backup_folder = backup_folder_of(db, data_dir=settings.data_dir, keep=settings.keep_backups)
        maker = BackupMaker(db, clock=clock, backup_folder=backup_folder)
        return cls(
            archive=archive,
            archiving=BodyArchiving(db, archive),
            disk=DiskWatch(growing_folders(settings), least_bytes=settings.least_free_mb << 20, free_bytes=free_bytes),
            retention=Retention(db, archive=archive, clock=clock, bounds=archive_bounds(settings)),
            pruning=Pruning(db, clock=clock, kept=kept(settings)),
            backup_maker=maker,
            restore_orders=RestoreOrders(db, maker=maker, me=base.owner, stop=base.stopping.set),
        )

    @property
    def has_room(self) -> bool:
        """Whether what is fetched can be stored."""
        return not self.disk.state.is_low and self.archiving.trouble is None


def archive_bounds(settings: Settings) -> ArchiveBounds:
    """What the archive may keep besides the latest version of each page."""
    days, gigabytes = settings.archive_keep_days, settings.archive_max_gb
    return ArchiveBounds(
        age=timedelta(days=days) if days is not None else None,
        versions=settings.archive_keep_versions,
        stored_bytes=round(gigabytes * _GIGABYTE) if gigabytes is not None else None,
    )


def kept(settings: Settings) -> RetentionLimits:
    """How long the database keeps old rows."""
    changes = settings.keep_change_days
    return RetentionLimits(
        runs=settings.keep_runs,
        run_age=timedelta(days=settings.keep_run_days),
        log_age=timedelta(days=settings.run_log_days),
        change_age=timedelta(days=changes) if changes is not None else None,
    )


def growing_folders(settings: Settings) -> list[Path]:
    """The folders of this machine that grow while pages are fetched."""
    folder = archive_folder(settings)
    return [settings.data_dir] if folder is None else [settings.data_dir, folder]


def room_of(disk: DiskWatch, archiving: BodyArchiving, parse_phase: ParsePhase) -> dict[str, Any]:
    """Whether pages can be stored and read, for monitors; while they cannot be stored, nothing is fetched."""
    state, trouble = disk.state, archiving.trouble or parse_phase.trouble
    return {
        "disk": {
            "state": "low" if state.is_low else "ok",
            "free_mb": state.free_bytes >> 20,
            "least_free_mb": state.least_bytes >> 20,
        },
        # The reason may name folders and buckets; it is only for the log.
        "archive": {"state": "ok" if trouble is None else "away"},
    }
