"""SQL about proxy trials: the result of the last trial of a proxy with a host."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import crawl_jobs, hosts, proxy_trials, sources

_KEYS = ["proxy_id", "host_id"]


class TriedProxy(NamedTuple):
    """A trial result."""

    proxy_id: int
    host_id: int
    at: datetime
    ok: bool
    #: None without a response
    status: int | None
    #: None when no request was sent
    took_ms: float | None
    #: why it failed, or where it redirected to
    detail: str | None


async def keep(db: Connection, tried: TriedProxy) -> None:
    """Stores a trial's result, replacing the last one."""
    values = tried._asdict()
    statement = insert(db, proxy_trials).values(**values)
    rest = {name: value for name, value in values.items() if name not in _KEYS}
    await db.execute(statement.on_conflict_do_update(index_elements=_KEYS, set_=rest))


async def among(db: Connection, *, proxy_ids: Collection[int], host_ids: Collection[int]) -> list[TriedProxy]:
    """The trials of these proxies with these hosts."""
    which = sa.and_(proxy_trials.c.proxy_id.in_(sorted(proxy_ids)), proxy_trials.c.host_id.in_(sorted(host_ids)))
    columns = (proxy_trials.c[name] for name in TriedProxy._fields)
    return [TriedProxy._make(row) for row in await db.execute(sa.select(*columns).where(which))]


async def latest_hosts(db: Connection, *, limit: int) -> list[tuple[int, str]]:
    """The hosts (id and name) that proxies were tried with, the latest first."""
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
    """Host -> the URL of its oldest source; without hosts that have none."""
    whose = sa.or_(crawl_jobs.c.host_id == hosts.c.id, crawl_jobs.c.source_id == hosts.c.task_source_id)
    query = (
        sa.select(hosts.c.id, sources.c.url)
        .select_from(hosts.join(crawl_jobs, whose).join(sources, sources.c.id == crawl_jobs.c.source_id))
        .where(hosts.c.id.in_(sorted(host_ids)), sources.c.deleted_at.is_(None))
        # A source that an operator added takes precedence over the implicit source.
        .order_by(sources.c.is_implicit.desc(), sources.c.id.desc())
    )
    return {row.id: row.url for row in await db.execute(query)}
