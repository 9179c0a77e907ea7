"""SQL about domains: hosts for which tasks are submitted, and the results of those tasks."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.host import HostChange
from lamplighter.model.page import Phase
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import hosts, pages, proxies, proxy_standings, sources

#: a host becomes a domain by being given the name of a parser
IS_DOMAIN = hosts.c.parser_name.is_not(None)
_COLUMNS = (*hosts.c, sources.c.url.label("task_source_url"))


class TaskCounts(NamedTuple):
    """The pages of a domain, counted by result."""

    total: int = 0
    completed: int = 0
    failed: int = 0


async def get(db: Connection, host_id: int) -> Any:
    """The domain with this id; None when there is none."""
    return (await db.execute(_select().where(hosts.c.id == host_id))).one_or_none()


async def lock(db: Connection, key: str) -> Any:
    """The host with this key, a domain or not, locked until the transaction ends; None if unknown."""
    return (await db.execute(sa.select(hosts).where(hosts.c.key == key).with_for_update())).one_or_none()


async def listed(db: Connection, *, is_active: bool | None, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """One page of the domains, by name, and how many there are."""
    query = _select() if is_active is None else _select().where(hosts.c.enabled == is_active)
    return await queries.page(db, query.order_by(hosts.c.key), limit=limit, offset=offset)


def _select() -> sa.Select[Any]:
    return sa.select(*_COLUMNS).outerjoin(sources, sources.c.id == hosts.c.task_source_id).where(IS_DOMAIN)


async def change(db: Connection, host_id: int, change: HostChange, *, now: datetime) -> None:
    """Changes a domain."""
    await db.execute(sa.update(hosts).where(hosts.c.id == host_id).values({**change.columns(), "updated_at": now}))


async def counts(db: Connection) -> tuple[int, int]:
    """How many domains there are, and how many of them are enabled."""
    columns = (sa.func.count(), queries.count_if(hosts.c.enabled))
    row: Sequence[Any] = (await db.execute(sa.select(*columns).select_from(hosts).where(IS_DOMAIN))).one()
    known, active = row
    return int(known), int(active or 0)


async def task_counts(db: Connection, host_ids: Iterable[int]) -> dict[int, TaskCounts]:
    """Counts the pages of these hosts, without those of deleted sources."""
    deleted = sa.select(sources.c.id).where(sources.c.deleted_at.is_not(None))
    counts = (queries.count_if(pages.c.phase == phase) for phase in (Phase.COMPLETED, Phase.FAILED))
    query = (
        sa.select(pages.c.host_id, sa.func.count(), *counts)
        .where(pages.c.host_id.in_(sorted(host_ids)), pages.c.source_id.not_in(deleted))
        .group_by(pages.c.host_id)
    )
    rows: Iterable[Sequence[Any]] = await db.execute(query)
    return {host_id: TaskCounts._make(map(int, numbers)) for host_id, *numbers in rows}


async def active_proxies(db: Connection, host_ids: Iterable[int]) -> dict[int, int]:
    """How many enabled proxies each of these hosts has."""
    active = sa.and_(proxy_standings.c.enabled, proxies.c.enabled)
    query = (
        sa.select(proxy_standings.c.host_id, sa.func.count().label("proxies"))
        .join(proxies, proxies.c.id == proxy_standings.c.proxy_id)
        .where(proxy_standings.c.host_id.in_(sorted(host_ids)), active)
        .group_by(proxy_standings.c.host_id)
    )
    return {row.host_id: int(row.proxies) for row in await db.execute(query)}
