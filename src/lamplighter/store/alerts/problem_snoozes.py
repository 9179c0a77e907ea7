"""SQL about problems that somebody hid for a while."""

from datetime import datetime

import sqlalchemy as sa

from lamplighter.model.alert import Snooze
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.schema.tables import problem_snoozes as snoozes

_COLUMNS = tuple(snoozes.c[name] for name in Snooze._fields)


async def put(db: Connection, snooze: Snooze) -> None:
    """Stores a snooze in place of an earlier one of the same problem, and forgets those that have ended."""
    is_over = sa.or_(snoozes.c.key == snooze.key, snoozes.c.until <= snooze.snoozed_at)
    await db.execute(sa.delete(snoozes).where(is_over))
    await db.execute(sa.insert(snoozes).values(snooze._asdict()))


async def remove(db: Connection, key: str) -> bool:
    """Ends a snooze; False if there is none."""
    return rows_written(await db.execute(sa.delete(snoozes).where(snoozes.c.key == key))) > 0


async def lasting(db: Connection, *, now: datetime, limit: int) -> list[Snooze]:
    """The snoozes that have not ended, the latest first."""
    query = sa.select(*_COLUMNS).where(snoozes.c.until > now).order_by(snoozes.c.snoozed_at.desc(), snoozes.c.key)
    return [Snooze._make(row) for row in await db.execute(query.limit(limit))]
