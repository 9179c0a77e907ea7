"""Changes that tests make behind the service's back."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.proxy import ProxyChange
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.proxies import proxies
from lamplighter.store.schema import tables
from lamplighter.store.sources import sources


async def set_source(db: Connection, source_id: int, *, now: datetime, **fields: Any) -> None:
    """Stores other values of a source, and tells nobody."""
    source = await sources.get(db, source_id)
    assert source is not None
    await sources.save(db, source, replace(source, **fields), now=now)


async def set_job(db: Connection, job_id: int, *, now: datetime, **columns: Any) -> None:
    """Writes other values into the columns of a crawl job, and tells nobody."""
    await crawl_jobs.write_columns(db, [job_id], columns, now=now)


async def add_job(db: Connection, *, now: datetime, **columns: Any) -> int:
    """Stores a crawl job, and returns its id."""
    return await crawl_jobs.add(db, crawl_jobs.NewJob(**columns), now=now)


async def set_host(db: Connection, key: str, *, now: datetime, **columns: Any) -> None:
    """Writes other values into the columns of a host, met before or not."""
    await hosts.ensure(db, [key], now=now)
    await db.execute(sa.update(tables.hosts).where(tables.hosts.c.key == key).values(updated_at=now, **columns))


async def add_proxy(db: Connection, *, now: datetime, **columns: Any) -> int:
    """Stores a proxy, and returns its id."""
    return await proxies.add(db, ProxyChange(**columns), now=now)


async def set_proxy(db: Connection, proxy_id: int, *, now: datetime, **columns: Any) -> None:
    """Writes other values into the columns of a proxy."""
    table = tables.proxies
    await db.execute(sa.update(table).where(table.c.id == proxy_id).values(updated_at=now, **columns))


async def set_pair(db: Connection, host_id: int, proxy_id: int, **columns: Any) -> None:
    """Writes other values into the columns of a proxy's standing with a host."""
    pair = tables.proxy_standings
    is_it = sa.and_(pair.c.host_id == host_id, pair.c.proxy_id == proxy_id)
    await db.execute(sa.update(pair).where(is_it).values(**columns))
