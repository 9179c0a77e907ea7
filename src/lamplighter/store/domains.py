"""SQL about domains: hosts for which pages are submitted one by one, and how they fare."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.database import Connection
from lamplighter.store.tables import hosts, pages, proxies, proxy_standings, sources

#: a host becomes a domain by being given the name of a parser
IS_DOMAIN = hosts.c.parser_name.is_not(None)
_COLUMNS = (*hosts.c, sources.c.url.label("task_source_url"))


class TaskCounts(NamedTuple):
    """How the pages of a domain fare."""

    total: int = 0
    completed: int = 0
    failed: int = 0


async def get(db: Connection, host_id: int) -> Any:
    """The domain with this id; None when there is none."""
    return (await db.execute(_select().where(hosts.c.id == host_id))).one_or_none()


async def lock(db: Connection, key: str) -> Any:
    """The host with this key, a domain or not, held until the transaction ends; None when we have not met it."""
    return (await db.execute(sa.select(hosts).where(hosts.c.key == key).with_for_update())).one_or_none()


async def listed(db: Connection, *, is_active: bool | None, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """One page of the domains, by name, and how many there are."""
    which = IS_DOMAIN if is_active is None else sa.and_(IS_DOMAIN, hosts.c.enabled == is_active)
    rows = await db.execute(_select().where(which).order_by(hosts.c.key).limit(limit).offset(offset))
    total = await db.scalar(sa.select(sa.func.count()).select_from(hosts).where(which))
    return rows.all(), int(total)


def _select() -> sa.Select[Any]:
    return sa.select(*_COLUMNS).outerjoin(sources, sources.c.id == hosts.c.task_source_id).where(IS_DOMAIN)


async def change(db: Connection, host_id: int, *, now: datetime, **values: Any) -> None:
    """Changes a domain."""
    await db.execute(sa.update(hosts).where(hosts.c.id == host_id).values(updated_at=now, **values))


async def counts(db: Connection) -> tuple[int, int]:
    """How many domains there are, and how many of them are enabled."""
    active = sa.func.sum(sa.case((hosts.c.enabled, 1), else_=0))
    columns = (sa.func.count().label("known"), active.label("active"))
    row = (await db.execute(sa.select(*columns).select_from(hosts).where(IS_DOMAIN))).one()
    return int(row.known), int(row.active or 0)


async def task_counts(db: Connection, host_ids: Iterable[int]) -> dict[int, TaskCounts]:
    """How the pages of these hosts fare; those of sources that were deleted are left out."""
    deleted = sa.select(sources.c.id).where(sources.c.deleted_at.is_not(None))
    counts = (
        sa.func.count().label("known"),
        _times(Phase.COMPLETED).label("completed"),
        _times(Phase.FAILED).label("failed"),
    )
    query = (
        sa.select(pages.c.host_id, *counts)
        .where(pages.c.host_id.in_(sorted(host_ids)), pages.c.source_id.not_in(deleted))
        .group_by(pages.c.host_id)
    )
    return {
        row.host_id: TaskCounts(int(row.known), int(row.completed), int(row.failed)) for row in await db.execute(query)
    }


async def active_proxies(db: Connection, host_ids: Iterable[int]) -> dict[int, int]:
    """How many proxies each of these hosts may be asked through."""
    active = sa.and_(proxy_standings.c.enabled, proxies.c.enabled)
    query = (
        sa.select(proxy_standings.c.host_id, sa.func.count().label("exits"))
        .join(proxies, proxies.c.id == proxy_standings.c.proxy_id)
        .where(proxy_standings.c.host_id.in_(sorted(host_ids)), active)
        .group_by(proxy_standings.c.host_id)
    )
    return {row.host_id: int(row.exits) for row in await db.execute(query)}


def _times(phase: Phase) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.case((pages.c.phase == phase, 1), else_=0))
