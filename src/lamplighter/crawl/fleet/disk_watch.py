"""Checks the free disk space every few seconds, so that fetching stops before the disk is full."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage

from lamplighter import metrics, telemetry

log = telemetry.logger("disk")
#: fetching continues when this many times the minimum is free, so that it does not stop and start with every file
_ENOUGH = 1.25

#: the bytes that are free where these folders are
FreeBytes = Callable[[Sequence[Path]], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskState:
    """The free disk space."""

    free_bytes: int
    least_bytes: int
    #: nothing more is fetched
    is_low: bool


class DiskWatch:
    """Watches growing folders."""

    def __init__(self, folders: Sequence[Path], *, least_bytes: int, free_bytes: FreeBytes) -> None:
        self._folders = folders
        self._free_bytes = free_bytes
        free = free_bytes(folders)
        self.state = DiskState(free_bytes=free, least_bytes=least_bytes, is_low=free < least_bytes)
        self._was_low = False

    async def look(self) -> None:
        """Checks again, and logs when the state changed."""
        least, is_low = self.state.least_bytes, self.state.is_low
        free = await asyncio.to_thread(self._free_bytes, self._folders)
        metrics.DISK_FREE.set(free)
        is_low = free < least * (_ENOUGH if is_low else 1)
        self.state = DiskState(free_bytes=free, least_bytes=least, is_low=is_low)
        if is_low and not self._was_low:
            log.error("disk.low", free_mb=free >> 20, least_mb=least >> 20)
        elif self._was_low and not is_low:
            log.info("disk.enough", free_mb=free >> 20)
        self._was_low = is_low


def free_bytes(folders: Sequence[Path]) -> int:
    """The free bytes of the fullest of their disks; a folder that does not exist counts as its parent."""
    return min(disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free for folder in folders)
