"""SQL about takedowns: hosts and URL prefixes never to be asked again."""

from datetime import datetime

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import takedowns
from lamplighter.store.upsert import insert


async def all_of_them(db: Connection) -> list[str]:
    """Every domain and URL prefix on the list."""
    return list(await db.scalars(sa.select(takedowns.c.domain_or_url)))


async def add(db: Connection, domain_or_url: str, *, reason: str | None, now: datetime) -> None:
    """Puts a domain or URL prefix on the list; harmless when it is there."""
    values = {"domain_or_url": domain_or_url, "reason": reason, "created_at": now}
    await db.execute(insert(db, takedowns).values(**values).on_conflict_do_nothing())
