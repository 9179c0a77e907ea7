"""SQL that counts failed events, parked records and dead notifications."""

from datetime import datetime

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.events.events import EventResult
from lamplighter.store.schema.tables import events, index_outbox, notifications
from lamplighter.store.schema.types import UtcTime, literal

#: only this many of the latest failed events are read
_LATEST = 1000
#: the condition of ix_events_in_vain, word for word
_IN_VAIN = events.c.result.in_(literal(EventResult.ERROR))


async def event_errors(db: Connection, *, since: datetime) -> int:
    """Counts events given up since then, or created since then and failing."""
    at = sa.func.coalesce(events.c.delivered_at, events.c.created_at, type_=UtcTime).label("at")
    latest = sa.select(at).where(_IN_VAIN).order_by(events.c.id.desc()).limit(_LATEST).subquery()
    return await queries.count(db, latest, latest.c.at >= since)


async def dead_events(db: Connection) -> int:
    """Counts events that were given up."""
    return await queries.count(db, events, _IN_VAIN, events.c.delivered_at.is_not(None))


async def parked_records(db: Connection) -> int:
    """Counts parked records."""
    return await queries.count(db, index_outbox, index_outbox.c.parked_at.is_not(None))


async def dead_notifications(db: Connection) -> int:
    """Counts dead notifications."""
    return await queries.count(db, notifications, notifications.c.state == "dead")
