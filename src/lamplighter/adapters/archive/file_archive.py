"""Captures in large append-only files.

A file for every body costs more CPU than fetching and parsing the page together, and millions of small files are a
burden of their own. So the captures of a commit are appended to the current segment in one write, and a capture's key
says where it is: segment, offset, length. A capture cut short by a crash is never referred to. One that must not be
kept is overwritten in place.
"""

import asyncio
import os
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from lamplighter.adapters.archive import stray_frames
from lamplighter.adapters.archive.archive_frames import (
    MARKS,
    PLAIN,
    SUFFIXES,
    FrameKey,
    Frames,
    frames_of,
    segment_named,
)
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.model.capture import Capture
from lamplighter.ports import ArchivedAt, ArchiveSegment, Clock, StrayCapture

_SEGMENT_BYTES = 64 * 1024 * 1024
#: a sweep may remove what was not written to for an hour; a segment's writer is done with it long before
_SEGMENT_SECONDS = 30 * 60.0


class FileArchive:
    """A folder of segments; every process appends to its own."""

    def __init__(self, folder: Path, frames: Frames = PLAIN, *, clock: Clock | None = None) -> None:
        self._folder = folder
        self._frames = frames
        self._clock = clock or DatabaseClock()
        self._segment: str | None = None
        self._began_at = self._size = 0.0
        self._appending = threading.Lock()

    async def put(self, captures: Sequence[Capture]) -> list[ArchivedAt]:
        """Appends captures, and returns the key of each."""
        if not captures:
            return []
        places = await asyncio.to_thread(self._append, captures)
        return [ArchivedAt(place.key, place.segment, place.length) for place in places]

    async def get(self, key: str) -> bytes | None:
        """The body with this key, or None."""
        return (await self.get_all([key]))[0]

    async def get_all(self, keys: Sequence[str]) -> list[bytes | None]:
        """The bodies with these keys, read in one call to another thread."""
        captures = await asyncio.to_thread(self._read_all, keys)
        return [capture.body if capture is not None else None for capture in captures]

    async def capture(self, key: str) -> Capture | None:
        """All that is kept under this key, or None."""
        return (await asyncio.to_thread(self._read_all, [key]))[0]

    async def discard(self, keys: Sequence[str]) -> None:
        """Overwrites frames with an empty frame of the same length."""
        await asyncio.to_thread(self._overwrite, [FrameKey.of(key) for key in keys])

    async def segments(self) -> list[ArchiveSegment]:
        """The segments in the folder."""
        return await asyncio.to_thread(self._list)

    async def strays(self, segment: ArchiveSegment, known: Collection[str]) -> list[StrayCapture]:
        """The captures of a segment beside those with known keys."""
        return await asyncio.to_thread(self._strays, segment, known)

    async def remove(self, segment: str) -> None:
        """Removes a segment with everything in it."""
        await asyncio.to_thread(self._unlink, segment)

    def _append(self, captures: Sequence[Capture]) -> list[FrameKey]:
        frames = [self._frames.packed(capture) for capture in captures]
        with self._appending:
            segment, offset = self._write(frames)
        places = []
        for frame in frames:
            places.append(FrameKey(segment, offset, len(frame), self._frames.mark))
            offset += len(frame)
        return places

    def _write(self, frames: Sequence[bytes]) -> tuple[str, int]:
        """Writes frames, and returns their segment and offset."""
        now = self._clock.monotonic()
        is_old = now - self._began_at > _SEGMENT_SECONDS
        if self._segment is None or is_old or self._size > _SEGMENT_BYTES:
            for folder in (self._folder.parent, self._folder):  # the mode is that of the last one only
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._segment, self._began_at = uuid4().hex, now
        segment = self._segment
        with open(self._folder / f"{segment}{self._frames.suffix}", "ab", buffering=0) as file:
            start = file.seek(0, os.SEEK_END)
            opening = b"" if start else self._frames.opening(segment)
            try:
                _write_all(file.fileno(), b"".join([opening, *frames]))
            except OSError:
                self._segment = None  # a reader that starts at the beginning would find nothing behind half a frame
                file.truncate(start)
                raise
            self._size = file.tell()
            self._stamp(file.fileno())
        return segment, start + len(opening)

    def _overwrite(self, places: Sequence[FrameKey]) -> None:
        for place in places:
            with suppress(FileNotFoundError), open(self._folder / place.file_name, "r+b", buffering=0) as file:
                os.pwrite(file.fileno(), frames_of(place.mark).blank(place), place.offset)
                self._stamp(file.fileno())

    def _stamp(self, descriptor: int) -> None:
        """Records when a segment was written to, by the service's clock: the disk's may be hours off."""
        seconds = self._clock.now().timestamp()
        with suppress(OSError):  # the file is not ours, or the mount stores no times: then the disk's time is used
            os.utime(descriptor, (seconds, seconds))

    def _read_all(self, keys: Sequence[str]) -> list[Capture | None]:
        return [self._read(FrameKey.of(key)) for key in keys]

    def _read(self, place: FrameKey) -> Capture | None:
        try:
            with open(self._folder / place.file_name, "rb", buffering=0) as file:
                frame = os.pread(file.fileno(), place.length, place.offset)
        except FileNotFoundError:
            return None
        return frames_of(place.mark).unpacked(frame)

    def _strays(self, segment: ArchiveSegment, known: Collection[str]) -> list[StrayCapture]:
        found: list[StrayCapture] = []
        for mark in MARKS:
            for gap in stray_frames.gaps(segment.name, segment.size, known, mark=mark):
                with suppress(FileNotFoundError), open(self._folder / gap.file_name, "rb", buffering=0) as file:
                    found += stray_frames.strays_in(gap, os.pread(file.fileno(), gap.length, gap.offset))
        return found

    def _list(self) -> list[ArchiveSegment]:
        found = []
        with suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry in entries:
                if (name := segment_named(entry.name)) is not None:
                    about = entry.stat()
                    changed_at = datetime.fromtimestamp(about.st_mtime, UTC)
                    found.append(ArchiveSegment(name, about.st_size, changed_at))
        return found

    def _unlink(self, segment: str) -> None:
        for suffix in SUFFIXES:
            (self._folder / f"{segment}{suffix}").unlink(missing_ok=True)


def _write_all(descriptor: int, content: bytes) -> None:
    """Writes everything, or raises: a disk that fills up writes a part and fails only the next time."""
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
