"""SQL about sessions that ended before their cookies expired."""

from datetime import datetime

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import ended_sessions


async def end(db: Connection, number: str, *, until: datetime, now: datetime) -> None:
    """Ends a session; forgets those whose cookies have expired by now."""
    await db.execute(sa.delete(ended_sessions).where(ended_sessions.c.ends_at < now))
    await db.execute(insert(db, ended_sessions).values(number=number, ends_at=until).on_conflict_do_nothing())


async def is_ended(db: Connection, number: str) -> bool:
    """Whether a session was ended."""
    query = sa.select(ended_sessions.c.number).where(ended_sessions.c.number == number)
    return await db.scalar(query) is not None
