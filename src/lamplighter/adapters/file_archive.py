"""Page bodies in large append-only files.

A file for every body costs more CPU than fetching and parsing the page together, and millions of small files are a
burden of their own. So the bodies of a commit are appended to the current segment in one write, and a body's key says
where it stands: segment, offset, length. A body cut short by a crash is never referred to. A body that must not be kept
is overwritten where it stands.
"""

import asyncio
import os
import sys
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: the newest bodies stay in memory: the parse phase asks for them moments after they were stored
_MEMORY_BYTES = 32 * 1024 * 1024
_SEGMENT_BYTES = 64 * 1024 * 1024
#: 30 KB of HTML to a quarter of its size in a tenth of a millisecond; zlib takes three times as long for the same
_LEVEL = 1


class FileArchive:
    """A folder of segments; every process appends to its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._segment: str | None = None
        self._size = 0
        self._recent: OrderedDict[str, bytes] = OrderedDict()
        self._recent_bytes = 0

    async def put(self, bodies: Sequence[bytes]) -> list[str]:
        """Appends bodies and returns their keys."""
        if not bodies:
            return []
        keys = await asyncio.to_thread(self._append, bodies)
        for key, body in zip(keys, bodies, strict=True):
            self._remember(key, body)
        return keys

    async def get(self, key: str) -> bytes | None:
        """The body with this key, or None."""
        body = self._recent.get(key)
        return body if body is not None else await asyncio.to_thread(self._read, key)

    async def discard(self, keys: Sequence[str]) -> None:
        """Overwrites bodies with zeros, which are no body."""
        for key in keys:
            dropped = self._recent.pop(key, b"")
            self._recent_bytes -= len(dropped)
        await asyncio.to_thread(self._overwrite, keys)

    def _remember(self, key: str, body: bytes) -> None:
        self._recent[key] = body
        self._recent_bytes += len(body)
        while self._recent_bytes > _MEMORY_BYTES:
            _, dropped = self._recent.popitem(last=False)
            self._recent_bytes -= len(dropped)

    def _append(self, bodies: Sequence[bytes]) -> list[str]:
        frames = [zstd.compress(body, _LEVEL) for body in bodies]
        if self._segment is None or self._size > _SEGMENT_BYTES:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._segment, self._size = uuid4().hex, 0
        with open(self._folder / f"{self._segment}.seg", "ab", buffering=0) as file:
            offset = file.seek(0, os.SEEK_END)
            file.write(b"".join(frames))
        keys = []
        for frame in frames:
            keys.append(f"{self._segment}:{offset}:{len(frame)}")
            offset += len(frame)
        self._size = offset
        return keys

    def _overwrite(self, keys: Sequence[str]) -> None:
        for key in keys:
            segment, offset, length = key.split(":")
            with suppress(FileNotFoundError), open(self._folder / f"{segment}.seg", "r+b", buffering=0) as file:
                os.pwrite(file.fileno(), bytes(int(length)), int(offset))

    def _read(self, key: str) -> bytes | None:
        segment, offset, length = key.split(":")
        try:
            with open(self._folder / f"{segment}.seg", "rb", buffering=0) as file:
                return zstd.decompress(os.pread(file.fileno(), int(length), int(offset)))
        except (FileNotFoundError, zstd.ZstdError):
            return None
