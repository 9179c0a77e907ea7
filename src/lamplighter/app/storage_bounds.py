"""Reads the storage bounds of archive, database and disk from the settings."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from lamplighter.app.engines import archive_folder
from lamplighter.crawl.archive.retention import ArchiveBounds
from lamplighter.crawl.fetching.body_archiving import BodyArchiving
from lamplighter.crawl.fleet.disk_watch import DiskWatch
from lamplighter.crawl.fleet.pruning import RetentionLimits
from lamplighter.crawl.reading.parse_phase import ParsePhase
from lamplighter.settings import Settings

_GIGABYTE = 1024**3


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
