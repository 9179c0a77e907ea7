"""Queries for the cookies of sources, each encrypted whole."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import source_cookies, sources


class CookieScope(NamedTuple):
    """The cookies that a source keeps for a site."""

    source_id: int
    site: str


class SealedCookie(NamedTuple):
    """An encrypted cookie."""

    value: bytes
    expires_at: datetime


async def kept(db: Connection, place: CookieScope, *, now: datetime) -> list[SealedCookie]:
    """The cookies of a scope that have not expired, oldest first."""
    query = sa.select(source_cookies.c.encrypted_value, source_cookies.c.expires_at)
    rows = await db.execute(query.where(_in(place), source_cookies.c.expires_at > now).order_by(source_cookies.c.id))
    return [SealedCookie._make(row) for row in rows]


async def put(db: Connection, place: CookieScope, by_key: Mapping[str, SealedCookie]) -> None:
    """Stores cookies; each replaces the one with its key."""
    for key, cookie in by_key.items():
        row = {"encrypted_value": cookie.value, "expires_at": cookie.expires_at}
        statement = insert(db, source_cookies).values(**place._asdict(), key=key, **row)
        await db.execute(statement.on_conflict_do_update(index_elements=["source_id", "site", "key"], set_=row))


async def remove(db: Connection, place: CookieScope, keys: Collection[str]) -> None:
    """Deletes cookies that their site removed."""
    await db.execute(sa.delete(source_cookies).where(_in(place), source_cookies.c.key.in_(sorted(keys))))


async def forget_sites(db: Connection, sites: Collection[str]) -> None:
    """Deletes all cookies of these sites, of any source."""
    await db.execute(sa.delete(source_cookies).where(source_cookies.c.site.in_(sorted(sites))))


async def purge(db: Connection, *, now: datetime) -> int:
    """Deletes expired cookies, and those of sources that are deleted or no longer use cookies."""
    asks = sa.exists().where(
        sources.c.id == source_cookies.c.source_id,
        sources.c.deleted_at.is_(None),
        sources.c.recipe["cookies"].as_boolean().is_(sa.true()),
    )
    over = sa.or_(source_cookies.c.expires_at <= now, sa.not_(asks))
    return rows_written(await db.execute(sa.delete(source_cookies).where(over)))


def _in(place: CookieScope) -> sa.ColumnElement[bool]:
    return sa.and_(source_cookies.c.source_id == place.source_id, source_cookies.c.site == place.site)
