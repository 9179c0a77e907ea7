"""The archive: its size, and a sweep on request."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass

from lamplighter.crawl.archive.retention import SweepResult
from lamplighter.model.access import Stamp
from lamplighter.ports import Archive, Clock
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import bodies, page_versions


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveStats:
    """What the archive holds."""

    segments: int
    #: that they take up
    bytes: int
    #: of bodies that some version refers to
    living_bytes: int
    #: part of the bytes that nothing needs, from 0 to 1
    dead_share: float
    bodies: int
    versions: int


async def stats(db: Database, archive: Archive) -> ArchiveStats:
    """Counts everything."""
    segments = await archive.segments()
    async with db.read() as connection:
        shares = await bodies.shares(connection)
        versions = await page_versions.count(connection)
    total = sum(segment.size for segment in segments)
    living = sum(share.stored_bytes for share in shares.values())
    return ArchiveStats(
        segments=len(segments),
        bytes=total,
        living_bytes=living,
        dead_share=round(max(0.0, 1 - living / total), 4) if total else 0.0,
        bodies=sum(share.bodies for share in shares.values()),
        versions=versions,
    )


async def sweep(
    db: Database, round_of: Callable[[], Awaitable[SweepResult]], *, actor: str, clock: Clock
) -> SweepResult:
    """Runs one retention sweep at once, on request."""
    done = await round_of()
    after, stamp = asdict(done), Stamp(actor, clock.now())
    await db.write(lambda writing: audit_log.write(writing, stamp, "archive.sweep", "archive", after=after))
    return done
