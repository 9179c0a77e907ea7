"""Page bodies as compressed files, named after the hash of their content."""

import asyncio
import os
import sys
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: the newest bodies stay in memory: the parse phase asks for them moments after they were stored
_MEMORY_BYTES = 32 * 1024 * 1024
#: 30 KB of HTML to a quarter of its size in a tenth of a millisecond; zlib takes three times as long for the same
_LEVEL = 1


class FileArchive:
    """A folder of bodies, spread over 256 folders: deeper would mean a new folder for nearly every body."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._recent: OrderedDict[str, bytes] = OrderedDict()
        self._recent_bytes = 0

    async def put(self, bodies: Sequence[tuple[str, bytes]]) -> None:
        """Stores bodies; a reader finds either the whole file or none."""
        if not bodies:
            return
        await asyncio.to_thread(self._write, bodies)
        for key, body in bodies:
            self._remember(key, body)

    async def get(self, key: str) -> bytes | None:
        """The body with this hash, or None."""
        body = self._recent.get(key)
        return body if body is not None else await asyncio.to_thread(self._read, key)

    def _remember(self, key: str, body: bytes) -> None:
        if key in self._recent:
            return
        self._recent[key] = body
        self._recent_bytes += len(body)
        while self._recent_bytes > _MEMORY_BYTES:
            _, dropped = self._recent.popitem(last=False)
            self._recent_bytes -= len(dropped)

    # Plain strings below: pathlib would cost as much as the file itself.

    def _path(self, key: str) -> str:
        return f"{self._folder}/{key[:2]}/{key}.zst"

    def _write(self, bodies: Sequence[tuple[str, bytes]]) -> None:
        for key, body in bodies:
            path = self._path(key)
            if os.path.exists(path):
                continue
            unfinished = f"{path}.{os.getpid()}"
            self._write_file(unfinished, zstd.compress(body, _LEVEL))
            os.replace(unfinished, path)

    def _write_file(self, path: str, content: bytes) -> None:
        try:
            with open(path, "wb", buffering=0) as file:
                file.write(content)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self._write_file(path, content)

    def _read(self, key: str) -> bytes | None:
        try:
            with open(self._path(key), "rb") as file:
                return zstd.decompress(file.read())
        except (FileNotFoundError, zstd.ZstdError):
            return None
