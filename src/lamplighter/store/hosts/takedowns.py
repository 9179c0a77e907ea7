"""SQL about takedowns: hosts and URL prefixes that are never requested again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import sources, takedowns


async def all_of_them(db: Connection) -> list[str]:
    """Every domain and URL prefix on the list."""
    return list(await db.scalars(sa.select(takedowns.c.domain_or_url)))


async def add(db: Connection, domain_or_url: str, *, reason: str | None, now: datetime) -> None:
    """Adds a domain or URL prefix, unless it is on the list."""
    values = {"domain_or_url": domain_or_url, "reason": reason, "created_at": now}
    await db.execute(insert(db, takedowns).values(**values).on_conflict_do_nothing())


async def get(db: Connection, domain_or_url: str) -> Any:
    """The entry; None when it is not on the list."""
    return (await db.execute(sa.select(takedowns).where(takedowns.c.domain_or_url == domain_or_url))).one_or_none()


async def listed(db: Connection, *, search: str | None, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """One page of the entries that contain `search`, the newest first, and how many there are."""
    query = sa.select(takedowns).order_by(takedowns.c.created_at.desc(), takedowns.c.domain_or_url)
    if search:
        query = query.where(takedowns.c.domain_or_url.icontains(search, autoescape=True))
    return await queries.page(db, query, limit=limit, offset=offset)


async def remove(db: Connection, domain_or_url: str) -> None:
    """Removes an entry."""
    await db.execute(sa.delete(takedowns).where(takedowns.c.domain_or_url == domain_or_url))


async def sources_near(db: Connection, hostname: str) -> list[tuple[int, str]]:
    """Sources (id and URL) whose URL contains this name: all that an entry may cover, and some more."""
    query = sa.select(sources.c.id, sources.c.url).where(sources.c.url.contains(hostname, autoescape=True))
    return [(row.id, row.url) for row in await db.execute(query.order_by(sources.c.id))]
