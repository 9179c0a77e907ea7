"""The folder of segments: what is put can be had until it is discarded."""

import asyncio
from pathlib import Path

from lamplighter.adapters.file_archive import FileArchive


async def test_a_body_is_had_by_another_process_too(tmp_path: Path) -> None:
    keys = await FileArchive(tmp_path).put([b"one", b"two" * 1000])

    elsewhere = FileArchive(tmp_path)

    assert [await elsewhere.get(key) for key in keys] == [b"one", b"two" * 1000]


async def test_a_discarded_body_is_on_no_disk_and_in_no_memory(tmp_path: Path) -> None:
    archive = FileArchive(tmp_path)
    secret, other = await archive.put([b"keep me not", b"keep me"])

    await archive.discard([secret, "unknown:0:10"])

    assert await archive.get(secret) is None
    assert await FileArchive(tmp_path).get(secret) is None
    assert await FileArchive(tmp_path).get(other) == b"keep me"
    assert not any(b"keep me not" in body for body in await asyncio.to_thread(_everything_in, tmp_path))


def _everything_in(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in folder.iterdir()]
