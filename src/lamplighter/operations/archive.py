"""The archive as a whole: what it holds, and what of it is needed."""

from dataclasses import dataclass

from lamplighter.ports import Archive
from lamplighter.store import bodies, page_versions
from lamplighter.store.database import Database


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
