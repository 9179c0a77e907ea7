"""SQL about proxies, and their health with each host."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.proxy import ProxyChange, ProxyPairChange
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import hosts, proxies, proxy_standings

#: a proxy counts as failing from this many failures in a row
FAILING_AT = 5
#: the cost as a plain number: SQLite knows no decimals
_COST = sa.type_coerce(proxies.c.monthly_cost, sa.Float()).label("monthly_cost")
COLUMNS = tuple(_COST if column is proxies.c.monthly_cost else column for column in proxies.c)
_RATE = sa.cast(proxy_standings.c.success_total, sa.Float) / sa.func.nullif(
    proxy_standings.c.success_total + proxy_standings.c.failure_total, 0
)
#: what the proxies of a host may be sorted by
SORTABLE = {
    "success_rate": sa.func.coalesce(_RATE, 0.0),
    "priority": proxy_standings.c.priority,
    "success_count": proxy_standings.c.success_total,
    "failure_count": proxy_standings.c.failure_count,
    "avg_response_time_ms": sa.func.coalesce(proxy_standings.c.average_took_ms, 0.0),
    "last_used_at": proxy_standings.c.last_used_at,
}
_PAIRS = sa.select(
    *proxy_standings.c,
    *(proxies.c.address, proxies.c.port, proxies.c.country_code, proxies.c.enabled.label("is_enabled_anywhere")),
).join(proxies, proxies.c.id == proxy_standings.c.proxy_id)


async def add(db: Connection, new: ProxyChange, *, now: datetime) -> int:
    """Stores a proxy, given at least protocol, address and port, and returns its id."""
    times = {"created_at": now, "updated_at": now}
    stored = sa.insert(proxies).values({"enabled": True, **new.columns(), **times})
    return int((await db.execute(stored.returning(proxies.c.id))).scalar_one())


async def get(db: Connection, proxy_id: int) -> Any:
    """The proxy with this id; None when there is none."""
    return (await db.execute(sa.select(*COLUMNS).where(proxies.c.id == proxy_id))).one_or_none()


async def same(db: Connection, *, protocol: str, address: str, port: int, username: str | None) -> int | None:
    """The id of the proxy with this very address; None when there is none."""
    is_it = sa.and_(
        proxies.c.address == address,
        proxies.c.port == port,
        proxies.c.protocol == protocol,
        proxies.c.username.is_not_distinct_from(username),
    )
    found: int | None = await db.scalar(sa.select(proxies.c.id).where(is_it).limit(1))
    return found


async def listed(
    db: Connection, *, is_active: bool | None, country_code: str | None, provider: str | None, limit: int, offset: int
) -> tuple[Sequence[Any], int]:
    """One page of the proxies, the oldest first, and how many there are."""
    wanted = {"enabled": is_active, "country_code": country_code, "provider": provider}
    which = [proxies.c[name] == value for name, value in wanted.items() if value is not None]
    query = sa.select(*COLUMNS).where(*which).order_by(proxies.c.id)
    return await queries.page(db, query, limit=limit, offset=offset)


async def change(db: Connection, proxy_id: int, change: ProxyChange, *, now: datetime) -> None:
    """Changes a proxy."""
    changed = sa.update(proxies).where(proxies.c.id == proxy_id)
    await db.execute(changed.values({**change.columns(), "updated_at": now}))


async def remove(db: Connection, proxy_id: int) -> None:
    """Removes a proxy, and its health with every host."""
    await db.execute(sa.delete(proxies).where(proxies.c.id == proxy_id))


async def hosts_using(db: Connection, proxy_id: int) -> int:
    """How many hosts may be fetched through this proxy."""
    return await queries.count(db, proxy_standings, proxy_standings.c.proxy_id == proxy_id)


async def counts(db: Connection) -> tuple[int, int, int]:
    """How many proxies there are, how many of them are enabled, and how many failing."""
    conditions = (proxies.c.enabled, proxies.c.failure_count >= FAILING_AT)
    counted = sa.select(sa.func.count(), *map(queries.count_if, conditions)).select_from(proxies)
    row: Sequence[Any] = (await db.execute(counted)).one()
    known, active, failing = (int(number or 0) for number in row)
    return known, active, failing


async def among(db: Connection, ids: Collection[int]) -> set[int]:
    """Those of these ids that are proxies."""
    return set(await db.scalars(sa.select(proxies.c.id).where(proxies.c.id.in_(sorted(ids)))))


async def assign(db: Connection, host_id: int, proxy_ids: Iterable[int], *, priority: int) -> None:
    """Assigns these proxies to a host; a proxy that it has keeps its health and takes the priority."""
    same = {"host_id": host_id, "enabled": True, "priority": priority}
    if rows := [{"proxy_id": proxy_id, **same} for proxy_id in sorted(proxy_ids)]:
        keys = ["host_id", "proxy_id"]
        statement = insert(db, proxy_standings)
        await db.execute(statement.on_conflict_do_update(index_elements=keys, set_={"priority": priority}), rows)


async def of_host(db: Connection, host_id: int, *, sort: str = "priority", descending: bool = True) -> Sequence[Any]:
    """The proxies assigned to a host, with their health there."""
    column = SORTABLE[sort]
    query = _PAIRS.where(proxy_standings.c.host_id == host_id)
    order = column.desc() if descending else column
    return (await db.execute(query.order_by(sa.nulls_last(order), proxies.c.id))).all()


async def of_hosts(db: Connection, host_ids: Collection[int]) -> Sequence[Any]:
    """The health of all proxies with these hosts, those of one host by priority."""
    query = _PAIRS.where(proxy_standings.c.host_id.in_(sorted(host_ids)))
    order = (proxy_standings.c.host_id, proxy_standings.c.priority.desc(), proxies.c.id)
    return (await db.execute(query.order_by(*order))).all()


async def of_proxy(db: Connection, proxy_id: int) -> Sequence[Any]:
    """The hosts (host_id, host) that a proxy is assigned to, with its health there."""
    query = _PAIRS.add_columns(hosts.c.key.label("host")).join(hosts, hosts.c.id == proxy_standings.c.host_id)
    return (await db.execute(query.where(proxy_standings.c.proxy_id == proxy_id).order_by(hosts.c.key))).all()


async def hosts_with_any(db: Connection, *, limit: int, offset: int) -> tuple[list[tuple[int, str]], int]:
    """One page of the hosts that have proxies, by name, and how many there are."""
    have = hosts.c.id.in_(sa.select(proxy_standings.c.host_id))
    query = sa.select(hosts.c.id, hosts.c.key).where(have).order_by(hosts.c.key)
    rows, total = await queries.page(db, query, limit=limit, offset=offset)
    return [(row.id, row.key) for row in rows], total


async def change_pair(db: Connection, host_id: int, proxy_id: int, change: ProxyPairChange) -> bool:
    """Changes how a proxy is used for a host; False when the host has no such proxy."""
    is_it = sa.and_(proxy_standings.c.host_id == host_id, proxy_standings.c.proxy_id == proxy_id)
    return rows_written(await db.execute(sa.update(proxy_standings).where(is_it).values(change.columns()))) > 0


async def unassign(db: Connection, host_id: int, proxy_id: int) -> bool:
    """Takes a proxy from a host; False when the host has no such proxy."""
    is_it = sa.and_(proxy_standings.c.host_id == host_id, proxy_standings.c.proxy_id == proxy_id)
    return rows_written(await db.execute(sa.delete(proxy_standings).where(is_it))) > 0
