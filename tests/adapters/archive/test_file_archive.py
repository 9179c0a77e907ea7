"""The folder of segments: what is on the disk, and what a process makes of what others left there."""

import asyncio
import io
import os
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from backports import zstd
from warcio.archiveiterator import ArchiveIterator

from lamplighter.adapters.archive import file_archive, stray_frames
from lamplighter.adapters.archive.archive_frames import FrameKey, frames_of
from lamplighter.adapters.archive.file_archive import FileArchive
from tests.captures import capture
from tests.clocks import At
from tests.moments import NOON


def _everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


def _types_in(folder: Path) -> list[str]:
    types = []
    for record in ArchiveIterator(io.BytesIO(_everything_in(folder)), check_digests="raise"):
        record.content_stream().read()
        types.append(record.rec_type)
    return types


async def test_its_folder_and_the_one_around_it_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "archive"

    await FileArchive(folder).put([capture(b"one")])

    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder)] == [0o700, 0o700]


async def test_a_discarded_body_is_on_no_disk(tmp_path: Path) -> None:
    body = os.urandom(500)
    kept = await FileArchive(tmp_path).put([capture(body)])

    await FileArchive(tmp_path).discard([kept[0].key])

    content = await asyncio.to_thread(_everything_in, tmp_path)
    assert len(content) == kept[0].size
    assert set(content) == {0}


async def test_a_warc_file_is_read_to_its_end_after_a_discard(tmp_path: Path) -> None:
    archive = FileArchive(tmp_path, frames_of("w"))
    kept = await archive.put([capture(b"one"), capture(b"two" * 50_000), capture(b"three")])

    await archive.discard([kept[1].key])

    types = await asyncio.to_thread(_types_in, tmp_path)
    assert types == ["warcinfo", "response", "metadata", "response"]


async def test_bodies_of_the_time_before_heads_were_kept_are_still_read(tmp_path: Path) -> None:
    frame = zstd.compress(b"of old", 1)
    await asyncio.to_thread((tmp_path / "0123.seg").write_bytes, b"xx" + frame)

    body = await FileArchive(tmp_path).get(f"0123:2:{len(frame)}")

    assert body == b"of old"


async def test_a_body_cut_short_is_none(tmp_path: Path) -> None:
    (kept,) = await FileArchive(tmp_path).put([capture(b"x" * 5000)])
    await asyncio.to_thread(os.truncate, tmp_path / f"{kept.segment}.seg", kept.size // 2)

    assert await FileArchive(tmp_path).get(kept.key) is None


async def test_a_full_disk_is_said_and_leaves_no_half_record_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = FileArchive(tmp_path, frames_of("w"))
    await archive.put([capture(b"before")])
    write = os.write

    def full(descriptor: int, content: bytes) -> int:
        write(descriptor, content[:10])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(file_archive.os, "write", full)
        with pytest.raises(OSError, match="No space left"):
            await archive.put([capture(b"during")])
    (after,) = await archive.put([capture(b"after")])

    assert await FileArchive(tmp_path).get(after.key) == b"after"
    assert sorted(await asyncio.to_thread(_types_in, tmp_path)) == ["response", "response", "warcinfo", "warcinfo"]


async def test_a_segment_is_not_written_to_for_ever(tmp_path: Path) -> None:
    clock = At()
    archive = FileArchive(tmp_path, clock=clock)
    (first,) = await archive.put([capture(b"1")])
    (second,) = await archive.put([capture(b"2")])
    clock.move(seconds=3600)

    (third,) = await archive.put([capture(b"3")])

    assert first.segment == second.segment != third.segment


async def test_a_segment_was_changed_by_the_clock_of_those_who_sweep_and_not_by_the_disks(tmp_path: Path) -> None:
    clock = At()
    archive = FileArchive(tmp_path, clock=clock)

    (kept,) = await archive.put([capture(b"1")])
    (written,) = await archive.segments()
    clock.move(seconds=60)
    await archive.discard([kept.key])
    (overwritten,) = await archive.segments()

    moment = timedelta(milliseconds=1)
    assert abs(written.changed_at - NOON) < moment
    assert abs(overwritten.changed_at - NOON - timedelta(minutes=1)) < moment


async def test_a_file_whose_times_may_not_be_set_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(file_archive.os, "utime", refuse)

    (kept,) = await FileArchive(tmp_path).put([capture(b"1")])

    assert await FileArchive(tmp_path).get(kept.key) == b"1"


@pytest.mark.parametrize("mark", ["p", "w"])
async def test_a_segment_that_ends_in_half_a_frame_is_searched_up_to_there(tmp_path: Path, mark: str) -> None:
    writer = FileArchive(tmp_path, frames_of(mark))
    await writer.put([capture(os.urandom(500), url="http://site.example/whole")])
    (kept,) = await writer.put([capture(os.urandom(500), url="http://site.example/half")])
    (whole,) = await writer.segments()
    os.truncate(tmp_path / f"{whole.name}{frames_of(mark).suffix}", whole.size - kept.size // 2)

    (segment,) = await writer.segments()

    assert [stray.url for stray in await writer.strays(segment, ())] == ["http://site.example/whole"]


async def test_only_so_many_bytes_at_the_end_of_a_segment_are_searched() -> None:
    known = [FrameKey("seg", 100, 50, "p").key, FrameKey("seg", 400, 50, "p").key]

    assert stray_frames.gaps("seg", 500, known, mark="p", most=200) == [
        FrameKey("seg", 450, 50, "p"),
        FrameKey("seg", 150, 150, "p"),
    ]
