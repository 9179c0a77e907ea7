"""SQL about hosts as operators look at them: one by one, in lists, switched on and off."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.database import Connection
from lamplighter.store.pages import OPEN_PHASES
from lamplighter.store.tables import crawl_jobs, crawl_runs, hosts, pages, sources

#: what lists may be sorted by
SORTABLE = {"host": hosts.c.key, "updated_at": hosts.c.updated_at, "min_request_interval_ms": hosts.c.min_delay_ms}


async def by_key(db: Connection, key: str) -> Any:
    """The host's row; None when we have not met it."""
    return (await db.execute(sa.select(hosts).where(hosts.c.key == key))).one_or_none()


async def listed(
    db: Connection, *, search: str | None, sort: str, descending: bool, limit: int, offset: int
) -> tuple[Sequence[Any], int]:
    """Hosts whose names contain `search`, one page of them, and how many there are."""
    matching = hosts.c.key.contains(search.lower(), autoescape=True) if search else sa.true()
    column = SORTABLE[sort]
    order = (column.desc() if descending else column, hosts.c.id)
    rows = await db.execute(sa.select(hosts).where(matching).order_by(*order).limit(limit).offset(offset))
    total = await db.scalar(sa.select(sa.func.count()).select_from(hosts).where(matching))
    return rows.all(), int(total)


async def change(db: Connection, host_id: int, *, now: datetime, **values: Any) -> None:
    """Changes what the operator says of a host."""
    await db.execute(sa.update(hosts).where(hosts.c.id == host_id).values(updated_at=now, **values))


async def give_time(db: Connection, host_id: int, *, deadline_at: datetime) -> None:
    """Lets runs that have pages to ask of this host go on until then at least."""
    waiting = sa.and_(pages.c.host_id == host_id, pages.c.phase == Phase.PENDING, pages.c.phase.in_(OPEN_PHASES))
    sooner = sa.and_(crawl_runs.c.finished_at.is_(None), crawl_runs.c.deadline_at < deadline_at)
    waits = sa.exists().where(pages.c.run_id == crawl_runs.c.id, waiting)
    await db.execute(sa.update(crawl_runs).where(sooner, waits).values(deadline_at=deadline_at))


async def start_url(db: Connection, host_id: int) -> str | None:
    """A URL on this host from which somebody has us start; None when there is none."""
    query = sa.select(sources.c.url).join(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
    found: str | None = await db.scalar(query.where(crawl_jobs.c.host_id == host_id).order_by(sources.c.id).limit(1))
    return found
