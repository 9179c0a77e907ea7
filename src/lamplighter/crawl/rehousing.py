"""Moves bodies to other places in the archive, while everybody goes on reading them.

A copy is made and the rows say where it is, in one transaction; only then may the old place go. A death in between
leaves a copy that nobody refers to, which is swept up like any other.
"""

import asyncio
from collections.abc import Sequence

from lamplighter import crash_points
from lamplighter.model.capture import Capture
from lamplighter.ports import Archive, Kept
from lamplighter.store import bodies
from lamplighter.store.bodies import Living
from lamplighter.store.database import Connection, Database

#: bodies moved in one transaction, and read at the same time
_MOVED_AT_ONCE = 64
_READ_AT_ONCE = 16


async def rehouse(db: Database, archive: Archive, living: Sequence[Living]) -> None:
    """Gives bodies a new place; one that is not in the archive any more stays as it is, for its reader to find out."""
    found = [(body, capture) for body, capture in await _captures(archive, living) if capture is not None]
    if not found:
        return
    # Whoever sent the same bytes first may be forgotten by now: the copy is of those who need it.
    copies = [capture.as_had(body.url, fetched_at=body.fetched_at, status=body.status) for body, capture in found]
    kept = await archive.put(copies)
    crash_points.reached("archive.after_copy")
    pairs = [(body, where) for (body, _), where in zip(found, kept, strict=True)]
    for start in range(0, len(pairs), _MOVED_AT_ONCE):
        some = pairs[start : start + _MOVED_AT_ONCE]
        # A body that was forgotten while we copied it must not live on in the copy.
        await archive.discard(await db.write(lambda connection, some=some: _move(connection, some)))  # type: ignore[misc]
        crash_points.reached("archive.after_move")


async def _captures(archive: Archive, living: Sequence[Living]) -> list[tuple[Living, Capture | None]]:
    found: list[tuple[Living, Capture | None]] = []
    for start in range(0, len(living), _READ_AT_ONCE):
        some = living[start : start + _READ_AT_ONCE]
        found += zip(some, await asyncio.gather(*(archive.capture(body.key) for body in some)), strict=True)
    return found


async def _move(db: Connection, pairs: Sequence[tuple[Living, Kept]]) -> list[str]:
    """Notes the new places; the keys of those that are not needed after all."""
    needless = []
    for body, where in pairs:
        to = {"key": where.key, "segment": where.segment, "stored_bytes": where.size}
        if not await bodies.move(db, body, to=to):
            needless.append(where.key)
    return needless
