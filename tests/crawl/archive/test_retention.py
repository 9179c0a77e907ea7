"""What the archive forgets, and that it forgets nothing else, whenever it is killed."""

import asyncio
import os
import random
import signal
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.adapters.archive.archive_frames import frames_of
from lamplighter.adapters.archive.file_archive import FileArchive
from lamplighter.adapters.archive.s3_archive import S3Archive
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.app import archive_bounds
from lamplighter.crawl.archive import retention
from lamplighter.crawl.archive.retention import ArchiveBounds, Retention, SweepResult
from lamplighter.ports import Archive, ArchiveSegment
from lamplighter.rules.fleet import segments
from lamplighter.settings import load
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import bodies, page_versions
from lamplighter.store.pages.bodies import NewBody
from lamplighter.store.pages.page_versions import NewVersion
from lamplighter.store.schema import tables
from tests.captures import capture
from tests.moments import NOON
from tests.servers.s3 import S3Server
from tests.service.processes import Fleet, wait_until
from tests.store.given_rows import a_run, some_pages, write

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NO_TIME = timedelta()


class Later:
    """A clock that runs so far ahead of the disk's."""

    def __init__(self, ahead: timedelta = 2 * HOUR) -> None:
        self.ahead = ahead

    def now(self) -> datetime:
        """The time."""
        return datetime.now(NOON.tzinfo) + self.ahead

    def monotonic(self) -> float:
        """Nobody asks."""
        raise NotImplementedError


async def have(db: Database, archive: Archive, page_id: int, *contents: bytes, start: datetime = NOON) -> None:
    """The page has these contents one after the other, a day each."""
    for number, content in enumerate(contents):
        (kept,) = await archive.put([capture(content, url=f"https://a.example/{page_id}")])
        content_hash = sha256(content).hexdigest()
        new = NewBody(content_hash, kept.key, kept.segment, kept.size, len(content))
        version_at = start + number * DAY

        async def work(db: Connection, new: NewBody = new, at: datetime = version_at) -> None:
            held = (await bodies.hold(db, [new], hashes=[new.hash]))[new.hash]
            mine = sa.update(tables.pages).where(tables.pages.c.id == page_id)
            await db.execute(mine.values(body_hash=new.hash, body_key=held.key))
            await page_versions.add(db, [NewVersion(page_id, held.id, 200, at)])

        await db.write(work)


async def some(db: Database, count: int) -> list[int]:
    """So many pages."""
    source_id, run_id = await write(db, a_run)
    return await write(db, some_pages, source_id, run_id, *(f"/{number}" for number in range(count)))


async def numbers(db: Database, page_id: int) -> list[int]:
    """The versions of a page."""
    async with db.read() as connection:
        versions, _ = await page_versions.of_page(connection, page_id, limit=99, offset=0)
    return [version.number for version in versions]


async def contents(db: Database, archive: Archive) -> dict[int, bytes | None]:
    """What every page has now, from where its row says that it is."""
    async with db.read() as connection:
        rows = (await connection.execute(sa.select(tables.pages.c.id, tables.pages.c.body_key))).all()
    return {row.id: await archive.get(row.body_key) for row in rows}


async def in_each_segment(db: Database) -> list[int]:
    """How many bodies each segment has that somebody needs."""
    async with db.read() as connection:
        return [share.bodies for share in (await bodies.shares(connection)).values()]


def s3_archive(server: S3Server, url: str, monkeypatch: pytest.MonkeyPatch) -> S3Archive:
    """The archive there, as one more process opens it."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    _, _, bucket, prefix = url.split("/", 3)
    return S3Archive(bucket, frames_of("w"), clock=DatabaseClock(), prefix=prefix, endpoint=server.endpoint)


class Counted(FileArchive):
    """An archive that says to have many segments, and counts how often it was asked."""

    listings = 0
    pretended = 0

    async def segments(self) -> list[ArchiveSegment]:
        """Empty ones, just written."""
        self.listings += 1
        return [ArchiveSegment(f"s{number}", 0, datetime.now(NOON.tzinfo) + DAY) for number in range(self.pretended)]


async def sweep(db: Database, archive: Archive, bounds: ArchiveBounds, **more: Any) -> SweepResult:
    """Sweeps once, two hours from now, as another process would."""
    return await Retention(db, archive=archive, clock=Later(), bounds=bounds, **more).sweep()


def test_the_bounds_are_those_of_the_settings() -> None:
    chosen = archive_bounds(load({}, archive_keep_days=1.5, archive_keep_versions=3, archive_max_gb=0.5))

    assert chosen == ArchiveBounds(age=timedelta(hours=36), versions=3, stored_bytes=512 * 1024**2)
    assert archive_bounds(load({})) == ArchiveBounds()


async def test_without_bounds_nothing_is_forgotten(db: Database, tmp_path: Path) -> None:
    (page_id,) = await some(db, 1)
    archive = FileArchive(tmp_path)
    await have(db, archive, page_id, b"one", b"two", b"three")

    done = await sweep(db, archive, ArchiveBounds())

    assert done == SweepResult()
    assert await numbers(db, page_id) == [3, 2, 1]


@pytest.mark.parametrize(
    ("bounds", "left"),
    [
        pytest.param(ArchiveBounds(versions=2), [3, 2], id="by count"),
        pytest.param(ArchiveBounds(versions=1), [3], id="only the latest"),
        pytest.param(ArchiveBounds(age=timedelta(days=36500)), [3, 2, 1], id="none is as old"),
        pytest.param(ArchiveBounds(age=timedelta(seconds=1)), [3], id="the latest stays however old it is"),
        pytest.param(ArchiveBounds(stored_bytes=1), [3], id="the latest stays however large it is"),
        pytest.param(ArchiveBounds(stored_bytes=10_000), [3, 2, 1], id="there is room"),
    ],
)
async def test_old_versions_go_and_the_latest_stays(
    db: Database, tmp_path: Path, bounds: ArchiveBounds, left: list[int]
) -> None:
    (page_id,) = await some(db, 1)
    await have(db, FileArchive(tmp_path), page_id, b"one", b"two", b"three")

    done = await sweep(db, FileArchive(tmp_path), bounds)

    assert await numbers(db, page_id) == left
    assert (done.versions_forgotten, done.bodies_forgotten) == (3 - len(left), 3 - len(left))
    assert await contents(db, FileArchive(tmp_path)) == {page_id: b"three"}


async def test_beyond_the_most_bytes_the_oldest_go_first_and_no_more_than_needed(db: Database, tmp_path: Path) -> None:
    first, second = await some(db, 2)
    archive = FileArchive(tmp_path)
    await have(db, archive, first, b"1" * 9, b"2" * 9, b"3" * 9)
    await have(db, archive, second, b"4" * 9, b"5" * 9, start=NOON + HOUR)
    async with db.read() as connection:
        total = sum(share.stored_bytes for share in (await bodies.shares(connection)).values())

    await sweep(db, archive, ArchiveBounds(stored_bytes=total - 1))

    assert (await numbers(db, first), await numbers(db, second)) == ([3, 2], [2, 1])


async def test_what_another_page_has_stays(db: Database, tmp_path: Path) -> None:
    first, second = await some(db, 2)
    archive = FileArchive(tmp_path)
    await have(db, archive, first, b"shared", b"new")
    await have(db, archive, second, b"shared")

    await sweep(db, archive, ArchiveBounds(versions=1))

    assert await contents(db, FileArchive(tmp_path)) == {first: b"new", second: b"shared"}


async def test_bodies_of_pages_that_are_gone_are_forgotten(db: Database, tmp_path: Path) -> None:
    first, second = await some(db, 2)
    archive = FileArchive(tmp_path)
    await have(db, archive, first, b"one")
    await have(db, archive, second, b"two")
    await db.write(lambda c: c.execute(sa.delete(tables.pages).where(tables.pages.c.id == first)))

    done = await sweep(db, archive, ArchiveBounds())

    assert done.bodies_forgotten == 1
    assert await contents(db, FileArchive(tmp_path)) == {second: b"two"}


async def test_a_segment_that_is_mostly_needless_is_moved_and_goes_after_the_grace(
    db: Database, tmp_path: Path
) -> None:
    (page_id,) = await some(db, 1)
    await have(db, FileArchive(tmp_path), page_id, *(os.urandom(300) for _ in range(5)), b"latest")
    archive, clock = FileArchive(tmp_path), Later()
    retention = Retention(db, archive=archive, clock=clock, bounds=ArchiveBounds(versions=1), grace=HOUR)
    before = await contents(db, FileArchive(tmp_path))
    (segment,) = await archive.segments()

    first = await retention.sweep()
    second = await retention.sweep()
    in_the_grace = {one.name for one in await archive.segments()}
    clock.ahead += 2 * HOUR
    third = await retention.sweep()

    assert (first.segments_moved, second.segments_removed) == (1, 0)
    assert segment.name in in_the_grace
    assert (third.segments_removed, third.bytes_freed) == (1, segment.size)
    assert segment.name not in {one.name for one in await archive.segments()}
    assert await contents(db, FileArchive(tmp_path)) == before


async def test_small_objects_are_gathered_into_one_once_and_then_go(
    db: Database, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lamplighter.crawl.archive.retention.WHOLE_BODIES", 8)
    url, clock = s3_server.new_url(), Later()
    archive = s3_archive(s3_server, url, monkeypatch)
    for page_id in await some(db, 11):
        await have(db, archive, page_id, b"page %d" % page_id)
    before = await contents(db, archive)
    retention = Retention(db, archive=archive, clock=clock, bounds=ArchiveBounds(), grace=HOUR)

    done = []
    for _ in range(3):
        done.append(await retention.sweep())
        clock.ahead += 2 * HOUR

    assert [(each.segments_gathered, each.segments_removed) for each in done] == [(8, 0), (0, 0), (0, 8)]
    assert not any(each.segments_moved for each in done)
    sizes = sorted(await in_each_segment(db))
    assert sizes == [1, 1, 1, 8], "what does not make a whole one waits for more"
    assert len(await archive.segments()) == len(sizes)
    assert await contents(db, s3_archive(s3_server, url, monkeypatch)) == before


async def test_the_more_there_is_to_list_the_more_seldom_it_is_listed(db: Database, tmp_path: Path) -> None:
    archive, clock = Counted(tmp_path), Hours(NO_TIME)
    retention = Retention(db, archive=archive, clock=clock, bounds=ArchiveBounds(stored_bytes=1))
    listings = []

    async def sweep_after(wait: timedelta, *, by_order: bool = False) -> None:
        clock.ahead += wait
        await retention.sweep(by_order=by_order)
        listings.append(archive.listings)

    archive.pretended = 1_000
    await sweep_after(NO_TIME)
    await sweep_after(NO_TIME)
    await sweep_after(NO_TIME, by_order=True)
    await sweep_after(timedelta(seconds=1.9))
    archive.pretended = 2_000
    await sweep_after(timedelta(seconds=0.2))
    await sweep_after(timedelta(seconds=3.8))
    await sweep_after(timedelta(seconds=0.4))

    assert listings == [1, 1, 2, 2, 3, 3, 4]


async def test_a_segment_with_more_to_move_than_a_sweep_may_does_not_keep_the_others_from_being_moved(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MOST_MOVED_BYTES", 1)
    for page_id in await some(db, 2):
        await have(db, FileArchive(tmp_path), page_id, *(os.urandom(300) for _ in range(5)), b"%d" % page_id)
    before = await contents(db, FileArchive(tmp_path))

    moved = [(await sweep(db, FileArchive(tmp_path), ArchiveBounds(versions=1))).segments_moved for _ in range(3)]

    assert moved == [1, 1, 0]
    assert await contents(db, FileArchive(tmp_path)) == before


class Hours(Later):
    """A clock that is moved by hand, for the archive and for those who sweep it."""

    def now(self) -> datetime:
        """So long after noon."""
        return NOON + self.ahead

    def monotonic(self) -> float:
        """Since noon."""
        return self.ahead.total_seconds()


async def test_pages_that_change_for_days_take_no_more_than_twice_the_room_that_is_needed(
    db: Database, tmp_path: Path
) -> None:
    clock, draw = Hours(timedelta()), random.Random(5)
    archive = FileArchive(tmp_path, clock=clock)
    retention = Retention(db, archive=archive, clock=clock, bounds=ArchiveBounds(versions=2))
    pages = await some(db, 12)
    taken: list[float] = []

    for hour in range(72):
        clock.ahead = hour * HOUR
        for page_id in pages if hour == 0 else draw.choices(pages, k=2):
            await have(db, archive, page_id, draw.randbytes(draw.randint(500, 2_000)), start=clock.now())
        for quarter in range(4):
            clock.ahead = hour * HOUR + quarter * timedelta(minutes=15)
            await retention.sweep()
        async with db.read() as connection:
            needed = sum(share.stored_bytes for share in (await bodies.shares(connection)).values())
        on_disk = sum(segment.size for segment in await archive.segments())
        taken.append(on_disk / needed)

    assert max(taken[24:]) < 2
    assert len(await contents(db, FileArchive(tmp_path))) == len(pages)
    assert None not in (await contents(db, FileArchive(tmp_path))).values()


async def test_what_was_just_put_is_not_swept_up_though_nobody_refers_to_it_yet(db: Database, tmp_path: Path) -> None:
    archive = FileArchive(tmp_path)
    await archive.put([capture(b"about to be committed")])

    young = await Retention(
        db, archive=archive, clock=Later(timedelta(minutes=50)), bounds=ArchiveBounds(), grace=timedelta(0)
    ).sweep()
    old = await sweep(db, archive, ArchiveBounds(), grace=timedelta(0))

    assert (young.segments_removed, old.segments_removed) == (0, 1)


async def test_a_body_that_is_forgotten_while_it_is_copied_does_not_live_on_in_the_copy(
    db: Database, tmp_path: Path
) -> None:
    (page_id,) = await some(db, 1)
    await have(db, FileArchive(tmp_path), page_id, *(os.urandom(300) for _ in range(5)), b"must be forgotten")
    archive = FileArchive(tmp_path)
    put = archive.put

    async def put_and_be_overtaken(captures: Any) -> Any:
        kept = await put(captures)
        await db.write(lambda c: c.execute(sa.delete(tables.pages)))
        await db.write(lambda c: c.execute(sa.delete(tables.bodies)))
        return kept

    archive.put = put_and_be_overtaken  # type: ignore[method-assign]

    await sweep(db, archive, ArchiveBounds(versions=1))

    original, copy = sorted(await archive.segments(), key=lambda one: -one.size)
    assert original.size > 1500 > copy.size
    assert set(await _bytes(tmp_path, copy.name)) == {0}


async def _bytes(folder: Path, segment: str) -> bytes:
    return await asyncio.to_thread((folder / f"{segment}.seg").read_bytes)


def test_deaths_while_sweeping_lose_nothing_that_is_needed(tmp_path: Path) -> None:
    with Fleet(tmp_path, archive_keep_versions=1) as fleet:
        fleet.watch()
        before = asyncio.run(_fill(fleet))
        for point in ("archive.after_forgetting", "archive.after_copy", "archive.after_move"):
            died = fleet.start(crash_at=point)
            assert died.wait(60) == -signal.SIGKILL, f"never reached {point}\n{fleet.log()[-3000:]}"
            assert asyncio.run(_look(fleet)) == before, point
        fleet.start()

        wait_until(lambda: asyncio.run(_is_swept(fleet)), lambda: f"the sweep\n{fleet.log()[-3000:]}")

        assert asyncio.run(_look(fleet)) == before


async def _fill(fleet: Fleet) -> dict[int, bytes | None]:
    folder = fleet.settings.data_dir / "archive"
    async with Database(fleet.settings.resolved_database_url) as db:
        first, second = await some(db, 2)
        await have(db, FileArchive(folder), first, *(os.urandom(300) for _ in range(5)), b"first")
        await have(db, FileArchive(folder), second, *(os.urandom(300) for _ in range(5)), b"second")
    for file in await asyncio.to_thread(lambda: list(folder.iterdir())):
        os.utime(file, (0, 0))
    return await _look(fleet)


async def _look(fleet: Fleet) -> dict[int, bytes | None]:
    async with Database(fleet.settings.resolved_database_url) as db:
        return await contents(db, FileArchive(fleet.settings.data_dir / "archive"))


async def _is_swept(fleet: Fleet) -> bool:
    async with Database(fleet.settings.resolved_database_url) as db, db.read() as connection:
        shares = await bodies.shares(connection)
    segments = await FileArchive(fleet.settings.data_dir / "archive").segments()
    old = {segment.name for segment in segments if segment.changed_at.year == 1970}
    return not old & shares.keys()


async def test_much_that_the_database_does_not_know_is_removed_only_when_a_person_asks(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MUCH_BYTES", 10)
    archive = FileArchive(tmp_path)
    await archive.put([capture(b"of another database")])
    sweeper = Retention(db, archive=archive, clock=Later(), bounds=ArchiveBounds(), grace=timedelta(0))

    by_itself, asked_for = await sweeper.sweep(), await sweeper.sweep(by_order=True)

    assert (by_itself.segments_removed, asked_for.segments_removed) == (0, 1)


@pytest.mark.parametrize("mark", ["p", "w"])
def test_what_a_segment_says_of_itself_is_not_taken_for_something_needless(mark: str) -> None:
    assert len(frames_of(mark).opening("0" * 32)) < segments.OPENING_BYTES
