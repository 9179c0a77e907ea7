"""Keeps the archive within bounds: deletes old versions, then frees the space that nothing needs.

The latest version of a page is never deleted. Versions are first deleted only in the database; their bytes are removed
when their segment holds nothing else, or so little that it is worth moving.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter import crash_points, telemetry
from lamplighter.crawl.archive.body_moves import rehouse
from lamplighter.crawl.archive.unread_bodies import UnreadBodies
from lamplighter.ports import Archive, ArchiveSegment, Clock
from lamplighter.rules.fleet.segments import worth_moving
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import bodies, page_versions
from lamplighter.store.pages.bodies import SegmentUse
from lamplighter.store.pages.page_versions import OldVersion
from lamplighter.store.schema import tables

log = telemetry.logger("archive")
#: versions deleted in one transaction
_AT_ONCE = 500
#: bodies copied together; of small segments all, because they are small
_COPIED_AT_ONCE = 64
#: so that one sweep takes seconds, not minutes, however much there is to do: the next one continues
_MOST_BATCHES = 20
_MOST_RANGES = 20
MOST_MOVED_BYTES = 64 * 1024 * 1024
#: how long an unneeded segment stays for processes that are about to read from it
GRACE = timedelta(minutes=10)
#: a new segment may get its first reference later, but always within this time
_UNTOUCHED = timedelta(hours=1)
_MOST_REMOVED = 4_000
_REMOVED_AT_ONCE = 16
#: More unknown bytes than this, and more than the known ones, may belong to another database: an operator must confirm
#: their removal.
MUCH_BYTES = 1024**3
#: the delay until the next listing, for each listed segment: S3 needs a request for every thousand of them
_PAUSE_PER_SEGMENT = timedelta(milliseconds=2)
#: with so many bodies or bytes a segment is full; with less than half of both it is small
WHOLE_BODIES = 256
WHOLE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveBounds:
    """What the archive may keep besides the latest version of each page; None means no limit."""

    #: since a newer version replaced it
    age: timedelta | None = None
    #: versions of one page, the latest included
    versions: int | None = None
    #: of all bodies, as they are stored
    stored_bytes: int | None = None


@dataclass(slots=True, kw_only=True)
class SweepResult:
    """What a sweep did."""

    versions_forgotten: int = 0
    bodies_forgotten: int = 0
    segments_moved: int = 0
    #: small ones, into full ones
    segments_gathered: int = 0
    segments_removed: int = 0
    bytes_freed: int = 0


class Retention:
    """Sweeps the archive."""

    def __init__(
        self,
        db: Database,
        *,
        archive: Archive,
        clock: Clock,
        bounds: ArchiveBounds,
        grace: timedelta | None = None,
    ) -> None:
        self._db = db
        self._archive = archive
        self._clock = clock
        self.bounds = bounds
        self._grace = GRACE if grace is None else grace
        self._unread = UnreadBodies(db, archive)
        self._empty_since: dict[str, datetime] = {}
        self._last_version = self._last_body = 0
        self._list_again_at: datetime | None = None

    async def sweep(self, *, by_order: bool = False) -> SweepResult:
        """Runs one sweep, limited to some seconds; `is_asked_for`: an operator wants it."""
        now, done = self._clock.now(), SweepResult()
        if self.bounds.age is not None:
            await self._forget_old(now - self.bounds.age, done)
        if self.bounds.versions is not None:
            await self._forget_surplus(self.bounds.versions, done)
        await self._forget_unneeded(done)
        done.bodies_forgotten += await self._unread.forget()
        if self.bounds.stored_bytes is not None:
            async with self._db.read() as db:
                over = await bodies.stored_bytes(db) - self.bounds.stored_bytes
            await self._forget_oldest(over, done)
        if by_order or self._list_again_at is None or now >= self._list_again_at:
            await self._free(now, done, by_order=by_order)
        if done != SweepResult():
            log.info("archive.swept", **{name: getattr(done, name) for name in SweepResult.__dataclass_fields__})
        return done

    async def _forget_old(self, before: datetime, done: SweepResult) -> None:
        for _ in range(_MOST_BATCHES):
            async with self._db.read() as db:
                old = await page_versions.superseded(db, before=before, limit=_AT_ONCE)
            if not old:
                return
            await self._forget(old, done)

    async def _forget_surplus(self, keep: int, done: SweepResult) -> None:
        """Checks the next ranges of versions."""
        for _ in range(_MOST_RANGES):
            async with self._db.read() as db:
                old = await page_versions.surplus(db, keep=keep, after=self._last_version)
                last = await queries.greatest_id(db, tables.page_versions)
            await self._forget(old, done)
            self._last_version += page_versions.RANGE
            if self._last_version >= last:
                self._last_version = 0
                return

    async def _forget_unneeded(self, done: SweepResult) -> None:
        """Checks the next ranges of bodies: their pages and sources may be deleted."""
        for _ in range(_MOST_RANGES):
            async with self._db.read() as db:
                unneeded = await bodies.unneeded(db, after=self._last_body)
                last = await queries.greatest_id(db, tables.bodies)
            if unneeded:
                gone = await self._db.write(lambda db, ids=unneeded: bodies.forget_unneeded(db, ids))  # type: ignore[misc]
                done.bodies_forgotten += len(gone)
            self._last_body += bodies.RANGE
            if self._last_body >= last:
                self._last_body = 0
                return

    async def _forget_oldest(self, over: int, done: SweepResult) -> None:
        for _ in range(_MOST_BATCHES):
            if over <= 0:
                return
            async with self._db.read() as db:
                old = await page_versions.superseded(db, limit=_AT_ONCE)
                old = old[: await page_versions.how_many_make_up(db, old, stored_bytes=over)]
            if not old:
                log.warning("archive.over_limit", bytes_over=over)
                return
            over -= await self._forget(old, done)

    async def _forget(self, old: list[OldVersion], done: SweepResult) -> int:
        """Deletes versions and the bodies only they had; returns the bytes to be freed."""
        if not old:
            return 0

        async def work(db: Connection) -> list[tuple[str, int]]:
            await page_versions.remove(db, old)
            return await bodies.forget_unneeded(db, {version.body_id for version in old})

        gone = await self._db.write(work)
        crash_points.reached("archive.after_forgetting")
        done.versions_forgotten += len(old)
        done.bodies_forgotten += len(gone)
        return sum(size for _, size in gone)

    async def _free(self, now: datetime, done: SweepResult, *, by_order: bool) -> None:
        """Removes unneeded segments, and moves the bodies of segments that are mostly unneeded or small."""
        segments = await self._archive.segments()
        self._list_again_at = now + len(segments) * _PAUSE_PER_SEGMENT
        async with self._db.read() as db:
            shares = await bodies.shares(db)
        unknown = sum(segment.size for segment in segments if segment.name not in shares)
        known = sum(segment.size for segment in segments if segment.name in shares)
        if unknown > max(MUCH_BYTES, known) and not by_order:
            remedy = "if no other database uses this archive, `lamplighter archive sweep` removes it"
            log.warning("archive.not_ours", bytes_unknown=unknown, bytes_known=known, remedy=remedy)
            return
        rested = [segment for segment in segments if segment.changed_at < now - _UNTOUCHED]
        await self._remove_empty({each.name: each for each in rested if each.name not in shares}, now, done)
        left = MOST_MOVED_BYTES
        sizes = {segment.name: segment.size for segment in rested if segment.name in shares}
        moved: set[str] = set()
        for name in worth_moving(sizes, needed={name: shares[name].stored_bytes for name in sizes}):
            # A segment too large for any sweep is moved too, or it would block the others for ever.
            if left <= 0:
                return
            left -= shares[name].stored_bytes
            await self._empty([name])
            moved.add(name)
            done.segments_moved += 1
        for group in groups(sizes.keys() - moved, shares):
            if left <= 0 or done.segments_gathered >= _MOST_REMOVED:
                return
            left -= sum(shares[name].stored_bytes for name in group)
            await self._empty(group, at_once=2 * WHOLE_BODIES)
            done.segments_gathered += len(group)

    async def _remove_empty(self, empty: dict[str, ArchiveSegment], now: datetime, done: SweepResult) -> None:
        self._empty_since = {name: self._empty_since.get(name, now) for name in empty}
        gone = [name for name, since in self._empty_since.items() if now - since >= self._grace][:_MOST_REMOVED]
        for start in range(0, len(gone), _REMOVED_AT_ONCE):
            some = gone[start : start + _REMOVED_AT_ONCE]
            await asyncio.gather(*(self._archive.remove(name) for name in some))
            crash_points.reached("archive.after_removal")
            done.segments_removed += len(some)
            done.bytes_freed += sum(empty[name].size for name in some)

    async def _empty(self, names: Sequence[str], *, at_once: int = _COPIED_AT_ONCE) -> None:
        async with self._db.read() as db:
            ids = await bodies.in_segments(db, names)
        for start in range(0, len(ids), at_once):
            async with self._db.read() as db:
                living = await bodies.living(db, ids[start : start + at_once])
            await rehouse(self._db, self._archive, living)


def groups(rested: Iterable[str], shares: Mapping[str, SegmentUse]) -> Iterator[list[str]]:
    """Groups of small segments that together make a full one; what does not fill one waits for more."""
    group: list[str] = []
    bodies = stored_bytes = 0
    for name in sorted(rested):
        share = shares.get(name)
        if share is None or not _is_small(share):
            continue
        group.append(name)
        bodies, stored_bytes = bodies + share.bodies, stored_bytes + share.stored_bytes
        if bodies >= WHOLE_BODIES or stored_bytes >= WHOLE_BYTES:
            yield group
            group, bodies, stored_bytes = [], 0, 0


def _is_small(share: SegmentUse) -> bool:
    return 2 * share.bodies < WHOLE_BODIES and 2 * share.stored_bytes < WHOLE_BYTES
