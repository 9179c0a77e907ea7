"""SQL about publishing events from the outbox to the stream."""

from collections.abc import Iterable, Sequence
from datetime import datetime

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.events.events import OutboxEvent
from lamplighter.store.schema.tables import events

_IS_WAITING = events.c.delivered_at.is_(None)


async def claim(db: Connection, *, now: datetime, limit: int) -> list[OutboxEvent]:
    """Claims the oldest events that are not published yet, and returns them.

    If the process dies before it publishes them, they count as published but stay unhandled; so they are published
    again, like events that the stream lost.
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
    """Stores the stream positions of events."""
    if positions:
        statement = sa.update(events).where(events.c.id == sa.bindparam("event"))
        rows = [{"event": event_id, "position": position} for event_id, position in positions]
        await db.execute(statement.values(stream_id=sa.bindparam("position")), rows)


async def unhandled(db: Connection, *, published_before: datetime, limit: int) -> list[tuple[int, str | None]]:
    """Events that were published before then and are not handled: their ids and stream positions."""
    old = sa.and_(_IS_WAITING, events.c.published_at < published_before)
    query = sa.select(events.c.id, events.c.stream_id).where(old).order_by(events.c.published_at).limit(limit)
    return [(row.id, row.stream_id) for row in await db.execute(query)]


async def take_back(db: Connection, ids: Iterable[int]) -> int:
    """Makes unhandled events wait to be published again; returns how many."""
    lost = sa.update(events).where(events.c.id.in_(sorted(ids)), _IS_WAITING)
    return rows_written(await db.execute(lost.values(published_at=None, stream_id=None)))
