"""SQL about the way of events from the outbox to the stream."""

from collections.abc import Iterable, Sequence
from datetime import datetime

import sqlalchemy as sa

from lamplighter.store.database import Connection, rows_written
from lamplighter.store.events import OutboxEvent
from lamplighter.store.tables import events

_IS_WAITING = events.c.delivered_at.is_(None)


async def claim(db: Connection, *, now: datetime, limit: int) -> list[OutboxEvent]:
    """The oldest events that nobody has taken to the stream, now ours to take there.

    Who dies before it is done leaves them as if they had been published; nobody handles them, and so they are looked
    for and published again like any that the stream has lost.
    """
    oldest = (
        sa.select(events.c.id)
        .where(_IS_WAITING, events.c.published_at.is_(None))
        .order_by(events.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    claimed = sa.update(events).where(events.c.id.in_(oldest)).values(published_at=now, stream_id=None)
    rows = await db.execute(claimed.returning(*(events.c[name] for name in OutboxEvent._fields)))
    return sorted(OutboxEvent._make(row) for row in rows)


async def note_positions(db: Connection, positions: Sequence[tuple[int, str]]) -> None:
    """Notes where events stand in the stream."""
    if positions:
        statement = sa.update(events).where(events.c.id == sa.bindparam("event"))
        rows = [{"event": event_id, "position": position} for event_id, position in positions]
        await db.execute(statement.values(stream_id=sa.bindparam("position")), rows)


async def unhandled(db: Connection, *, published_before: datetime, limit: int) -> list[tuple[int, str | None]]:
    """Events that went to the stream before then and were not heard of since: their ids, and where they stood."""
    old = sa.and_(_IS_WAITING, events.c.published_at < published_before)
    query = sa.select(events.c.id, events.c.stream_id).where(old).order_by(events.c.published_at).limit(limit)
    return [(row.id, row.stream_id) for row in await db.execute(query)]


async def take_back(db: Connection, ids: Iterable[int]) -> int:
    """Lets events be published once more; returns how many of them were not handled meanwhile."""
    lost = sa.update(events).where(events.c.id.in_(sorted(ids)), _IS_WAITING)
    return rows_written(await db.execute(lost.values(published_at=None, stream_id=None)))
