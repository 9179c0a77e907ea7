"""SQL about trials: what came of trying a proxy with a host, the last time that somebody did."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_jobs, hosts, proxy_trials, sources
from lamplighter.store.upsert import insert

_KEYS = ["proxy_id", "host_id"]


class Tried(NamedTuple):
    """What came of it."""

    proxy_id: int
    host_id: int
    at: datetime
    ok: bool
    #: None when there was no answer
    status: int | None
    #: None when nothing was asked
    took_ms: float | None
    #: why it failed, or where it led
    detail: str | None


async def keep(db: Connection, tried: Tried) -> None:
    """Keeps what came of a trial, in place of the one before."""
    values = tried._asdict()
    statement = insert(db, proxy_trials).values(**values)
    rest = {name: value for name, value in values.items() if name not in _KEYS}
    await db.execute(statement.on_conflict_do_update(index_elements=_KEYS, set_=rest))


async def among(db: Connection, *, proxy_ids: Collection[int], host_ids: Collection[int]) -> list[Tried]:
    """What came of trying these proxies with these hosts."""
    which = sa.and_(proxy_trials.c.proxy_id.in_(sorted(proxy_ids)), proxy_trials.c.host_id.in_(sorted(host_ids)))
    columns = (proxy_trials.c[name] for name in Tried._fields)
    return [Tried._make(row) for row in await db.execute(sa.select(*columns).where(which))]


async def latest_hosts(db: Connection, *, limit: int) -> list[tuple[int, str]]:
    """The hosts that proxies were tried with, by id and name, those tried latest first."""
    latest = sa.func.max(proxy_trials.c.at)
    query = (
        sa.select(hosts.c.id, hosts.c.key)
        .join(proxy_trials, proxy_trials.c.host_id == hosts.c.id)
        .group_by(hosts.c.id, hosts.c.key)
    )
    return [(row.id, row.key) for row in await db.execute(query.order_by(latest.desc(), hosts.c.id).limit(limit))]


async def proxies_tried(db: Connection, host_ids: Collection[int], *, limit: int) -> list[int]:
    """The proxies that were tried with any of these hosts, the oldest first."""
    mine = proxy_trials.c.host_id.in_(sorted(host_ids))
    query = sa.select(proxy_trials.c.proxy_id).where(mine).distinct().order_by(proxy_trials.c.proxy_id).limit(limit)
    return list(await db.scalars(query))


async def start_urls(db: Connection, host_ids: Collection[int]) -> dict[int, str]:
    """For each of these hosts, where its oldest source starts; those without one are left out."""
    whose = sa.or_(crawl_jobs.c.host_id == hosts.c.id, crawl_jobs.c.source_id == hosts.c.task_source_id)
    query = (
        sa.select(hosts.c.id, sources.c.url)
        .select_from(hosts.join(crawl_jobs, whose).join(sources, sources.c.id == crawl_jobs.c.source_id))
        .where(hosts.c.id.in_(sorted(host_ids)), sources.c.deleted_at.is_(None))
        # What somebody watches comes before the source of pages that are submitted one by one.
        .order_by(sources.c.is_implicit.desc(), sources.c.id.desc())
    )
    return {row.id: row.url for row in await db.execute(query)}
