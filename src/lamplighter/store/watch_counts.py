"""SQL that counts what waits and what was given up."""

from datetime import datetime

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.events import Result
from lamplighter.store.tables import events, index_outbox, notifications
from lamplighter.store.types import UtcTime, literal

#: of the events that could not be settled, the latest so many are looked at
_LATEST = 1000
#: in the words of ix_events_in_vain
_IN_VAIN = events.c.result.in_(literal(Result.ERROR))


async def event_errors(db: Connection, *, since: datetime) -> int:
    """Events that were given up since then, or came since then and are still tried in vain."""
    at = sa.func.coalesce(events.c.delivered_at, events.c.created_at, type_=UtcTime).label("at")
    latest = sa.select(at).where(_IN_VAIN).order_by(events.c.id.desc()).limit(_LATEST).subquery()
    return await _count(db, sa.select(sa.func.count()).select_from(latest).where(latest.c.at >= since))


async def dead_events(db: Connection) -> int:
    """Events that were given up and wait for somebody to look at them."""
    given_up = sa.and_(_IN_VAIN, events.c.delivered_at.is_not(None))
    return await _count(db, sa.select(sa.func.count()).select_from(events).where(given_up))


async def parked_records(db: Connection) -> int:
    """Records that the search server refused too often."""
    parked = index_outbox.c.parked_at.is_not(None)
    return await _count(db, sa.select(sa.func.count()).select_from(index_outbox).where(parked))


async def dead_notifications(db: Connection) -> int:
    """Notifications that were given up."""
    return await _count(
        db, sa.select(sa.func.count()).select_from(notifications).where(notifications.c.state == "dead")
    )


async def _count(db: Connection, query: sa.Select[int]) -> int:
    return int(await db.scalar(query) or 0)
