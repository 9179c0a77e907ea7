"""SQL about takedowns: hosts and URL prefixes never to be asked again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import sources, takedowns
from lamplighter.store.upsert import insert


async def all_of_them(db: Connection) -> list[str]:
    """Every domain and URL prefix on the list."""
    return list(await db.scalars(sa.select(takedowns.c.domain_or_url)))


async def add(db: Connection, domain_or_url: str, *, reason: str | None, now: datetime) -> None:
    """Puts a domain or URL prefix on the list; harmless when it is there."""
    values = {"domain_or_url": domain_or_url, "reason": reason, "created_at": now}
    await db.execute(insert(db, takedowns).values(**values).on_conflict_do_nothing())


async def get(db: Connection, domain_or_url: str) -> Any:
    """The entry; None when it is not on the list."""
    return (await db.execute(sa.select(takedowns).where(takedowns.c.domain_or_url == domain_or_url))).one_or_none()


async def listed(db: Connection, *, search: str | None, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """Entries that contain `search`, one page of them, the newest first, and how many there are."""
    matching = takedowns.c.domain_or_url.icontains(search, autoescape=True) if search else sa.true()
    order = (takedowns.c.created_at.desc(), takedowns.c.domain_or_url)
    rows = await db.execute(sa.select(takedowns).where(matching).order_by(*order).limit(limit).offset(offset))
    total = await db.scalar(sa.select(sa.func.count()).select_from(takedowns).where(matching))
    return rows.all(), int(total)


async def remove(db: Connection, domain_or_url: str) -> None:
    """Takes an entry off the list."""
    await db.execute(sa.delete(takedowns).where(takedowns.c.domain_or_url == domain_or_url))


async def sources_near(db: Connection, hostname: str) -> list[tuple[int, str]]:
    """Sources whose URL contains this name anywhere, id and URL: those that an entry may cover, and some more."""
    query = sa.select(sources.c.id, sources.c.url).where(sources.c.url.contains(hostname, autoescape=True))
    return [(row.id, row.url) for row in await db.execute(query.order_by(sources.c.id))]
