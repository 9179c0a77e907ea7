"""SQL about events: the outbox, and receipts of what was handled."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import events, receipts
from lamplighter.store.upsert import insert


class OutboxEvent(NamedTuple):
    """A fact that waits to be passed on."""

    id: int
    event_id: str
    type: str
    source_id: int | None
    payload: Mapping[str, Any]


async def publish(
    db: Connection, kind: str, *, source_id: int | None, payload: Mapping[str, Any], now: datetime
) -> str:
    """Writes an event into the outbox, in the transaction of the change it tells of."""
    event_id = str(uuid4())
    row = {"event_id": event_id, "type": kind, "source_id": source_id, "payload": dict(payload), "created_at": now}
    await db.execute(sa.insert(events).values(**row))
    return event_id


async def undelivered(db: Connection, *, limit: int) -> list[OutboxEvent]:
    """The oldest events that still wait."""
    query = sa.select(*(events.c[name] for name in OutboxEvent._fields)).where(events.c.delivered_at.is_(None))
    return [OutboxEvent._make(row) for row in await db.execute(query.order_by(events.c.id).limit(limit))]


async def mark_delivered(db: Connection, ids: list[int], *, now: datetime) -> None:
    """Notes that these events were passed on."""
    await db.execute(sa.update(events).where(events.c.id.in_(ids)).values(delivered_at=now))


async def take_receipt(db: Connection, event_id: str, *, now: datetime) -> bool:
    """Notes that an event was handled; False when it already was, and nothing more is to be done."""
    statement = insert(db, receipts).values(event_id=event_id, processed_at=now).on_conflict_do_nothing()
    return rows_written(await db.execute(statement)) > 0


async def purge(db: Connection, *, before: datetime) -> None:
    """Forgets delivered events and receipts older than this."""
    await db.execute(sa.delete(receipts).where(receipts.c.processed_at < before))
    await db.execute(sa.delete(events).where(events.c.delivered_at < before))
