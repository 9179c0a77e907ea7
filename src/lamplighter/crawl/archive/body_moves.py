"""Moves bodies within the archive while other processes read them.

First a copy is made, then one transaction updates the rows; only then may the old place be removed. A crash in between
leaves a copy that no row refers to; a sweep removes it like any other.
"""

import asyncio
from collections.abc import Sequence

from lamplighter import crash_points
from lamplighter.model.capture import Capture
from lamplighter.ports import Archive, ArchivedAt
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import bodies
from lamplighter.store.pages.bodies import NeededBody

#: bodies moved in one transaction, and read at the same time
_MOVED_AT_ONCE = 64
_READ_AT_ONCE = 16


async def rehouse(db: Database, archive: Archive, living: Sequence[NeededBody]) -> None:
    """Moves bodies to a new segment; one that is missing from the archive stays as it is."""
    found = [(body, capture) for body, capture in await _captures(archive, living) if capture is not None]
    if not found:
        return
    # The page that first had these bytes may be deleted: the copy names a page that needs them.
    copies = [capture.as_had(body.url, fetched_at=body.fetched_at, status=body.status) for body, capture in found]
    kept = await archive.put(copies)
    crash_points.reached("archive.after_copy")
    pairs = [(body, where) for (body, _), where in zip(found, kept, strict=True)]
    for start in range(0, len(pairs), _MOVED_AT_ONCE):
        some = pairs[start : start + _MOVED_AT_ONCE]
        # A body that was deleted while we copied it must not stay in the copy.
        await archive.discard(await db.write(lambda connection, some=some: _move(connection, some)))  # type: ignore[misc]
        crash_points.reached("archive.after_move")


async def _captures(archive: Archive, living: Sequence[NeededBody]) -> list[tuple[NeededBody, Capture | None]]:
    found: list[tuple[NeededBody, Capture | None]] = []
    for start in range(0, len(living), _READ_AT_ONCE):
        some = living[start : start + _READ_AT_ONCE]
        found += zip(some, await asyncio.gather(*(archive.capture(body.key) for body in some)), strict=True)
    return found


async def _move(db: Connection, pairs: Sequence[tuple[NeededBody, ArchivedAt]]) -> list[str]:
    """Stores the new places; returns the keys of copies not needed."""
    needless = []
    for body, where in pairs:
        to = {"key": where.key, "segment": where.segment, "stored_bytes": where.size}
        if not await bodies.move(db, body, to=to):
            needless.append(where.key)
    return needless
