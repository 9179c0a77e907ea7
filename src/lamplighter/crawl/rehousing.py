"""Moves bodies to other places in the archive, while everybody goes on reading them.

A copy is made and the rows say where it is, in one transaction; only then may the old place go. A death in between
leaves a copy that nobody refers to, which is swept up like any other.
"""

from collections.abc import Sequence

from lamplighter import crash_points
from lamplighter.ports import Archive, Kept
from lamplighter.store import bodies
from lamplighter.store.bodies import Living
from lamplighter.store.database import Connection, Database


async def rehouse(db: Database, archive: Archive, living: Sequence[Living]) -> None:
    """Gives bodies a new place; one that is not in the archive any more stays as it is, for its reader to find out."""
    found = [(body, capture) for body in living if (capture := await archive.capture(body.key)) is not None]
    if not found:
        return
    # Whoever sent the same bytes first may be forgotten by now: the copy is of those who need it.
    copies = [capture.as_had(body.url, fetched_at=body.fetched_at, status=body.status) for body, capture in found]
    kept = await archive.put(copies)
    crash_points.reached("archive.after_copy")
    pairs = [(body, where) for (body, _), where in zip(found, kept, strict=True)]
    # A body that was forgotten while we copied it must not live on in the copy.
    await archive.discard(await db.write(lambda connection: _move(connection, pairs)))
    crash_points.reached("archive.after_move")


async def _move(db: Connection, pairs: Sequence[tuple[Living, Kept]]) -> list[str]:
    """Notes the new places; the keys of those that are not needed after all."""
    needless = []
    for body, where in pairs:
        to = {"key": where.key, "segment": where.segment, "stored_bytes": where.size}
        if not await bodies.move(db, body, to=to):
            needless.append(where.key)
    return needless
