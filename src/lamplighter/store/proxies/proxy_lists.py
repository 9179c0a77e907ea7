"""SQL about lists of proxies for operators: counts, the default pool, and the hosts with proxies."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.proxies.proxies import COLUMNS, FAILING_AT
from lamplighter.store.schema.tables import hosts, proxies, proxy_standings


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyTally:
    """Proxy counts by state."""

    known: int
    #: neither disabled nor quarantined
    working: int
    resting: int
    #: disabled by an operator
    off: int
    #: of the working, those that failed several times in a row
    failing: int


class ProxyAllowance(NamedTuple):
    """The limits of a proxy, for all hosts."""

    #: not used until then
    quarantined_until: datetime | None
    max_requests_per_hour: int
    #: the requests of the last hour (see rules.hourly_use)
    hour_uses: Any


class PooledHost(NamedTuple):
    """A host, with its proxy settings."""

    id: int
    key: str
    #: None means the installation's default
    proxy_mode: str | None
    #: None means any
    proxy_country: str | None


async def counts(db: Connection, *, now: datetime) -> ProxyTally:
    """Counts all proxies by state."""
    is_cooling_down = _is_quarantined(proxies, now)
    is_working = sa.and_(proxies.c.enabled, ~is_cooling_down)
    states = {
        "working": is_working,
        "resting": sa.and_(proxies.c.enabled, is_cooling_down),
        "off": ~proxies.c.enabled,
        "failing": sa.and_(is_working, proxies.c.failure_count >= FAILING_AT),
    }
    counted = sa.select(sa.func.count(), *map(queries.count_if, states.values())).select_from(proxies)
    known, *numbers = (int(number or 0) for number in (await db.execute(counted)).one())
    return ProxyTally(known=known, **dict(zip(states, numbers, strict=True)))


async def default_pool(db: Connection) -> Sequence[Any]:
    """The proxies of hosts that have none of their own, with all their columns."""
    return (await db.execute(sa.select(*COLUMNS).where(proxies.c.in_default_pool).order_by(proxies.c.id))).all()


async def allowances(db: Connection, ids: Collection[int]) -> dict[int, ProxyAllowance]:
    """The limits of these proxies, by id."""
    columns = (proxies.c[name] for name in ProxyAllowance._fields)
    rows = await db.execute(sa.select(proxies.c.id, *columns).where(proxies.c.id.in_(sorted(ids))))
    return {row.id: ProxyAllowance._make(row[1:]) for row in rows}


async def labels(db: Connection, ids: Collection[int]) -> dict[int, str]:
    """The addresses of these proxies, by id; without deleted ones."""
    columns = (proxies.c.id, proxies.c.address, proxies.c.port)
    rows = await db.execute(sa.select(*columns).where(proxies.c.id.in_(sorted(ids))))
    return {row.id: f"{row.address}:{row.port}" for row in rows}


async def all_ids(db: Connection, *, limit: int) -> list[int]:
    """Proxy ids, the oldest first."""
    return list(await db.scalars(sa.select(proxies.c.id).order_by(proxies.c.id).limit(limit)))


async def host(db: Connection, host_id: int) -> PooledHost | None:
    """The host with this id; None when there is none."""
    return (await hosts_of(db, [host_id])).get(host_id)


async def hosts_of(db: Connection, ids: Collection[int]) -> dict[int, PooledHost]:
    """These hosts."""
    columns = (hosts.c[name] for name in PooledHost._fields)
    rows = await db.execute(sa.select(*columns).where(hosts.c.id.in_(sorted(ids))))
    return {row.id: PooledHost._make(row) for row in rows}


async def host_ids(db: Connection, keys: Collection[str]) -> dict[str, int]:
    """The ids of these hosts, by name; without unknown ones."""
    rows = await db.execute(sa.select(hosts.c.key, hosts.c.id).where(hosts.c.key.in_(sorted(keys))))
    return {row.key: row.id for row in rows}


async def host_names(db: Connection, *, limit: int) -> list[str]:
    """The first hosts, by name."""
    return list(await db.scalars(sa.select(hosts.c.key).order_by(hosts.c.key).limit(limit)))


async def hosts_without_proxy(db: Connection, *, limit: int, now: datetime) -> list[str]:
    """The names of hosts whose proxies are all unusable now."""
    is_on = sa.and_(proxy_standings.c.enabled, proxies.c.enabled)
    is_usable = sa.and_(
        is_on,
        ~_is_quarantined(proxy_standings, now),
        ~_is_quarantined(proxies, now),
        sa.or_(hosts.c.proxy_country.is_(None), hosts.c.proxy_country == proxies.c.country_code),
    )
    query = (
        sa.select(hosts.c.key)
        .join(proxy_standings, proxy_standings.c.host_id == hosts.c.id)
        .join(proxies, proxies.c.id == proxy_standings.c.proxy_id)
        .where(sa.func.coalesce(hosts.c.proxy_mode, "") != "never")
        .group_by(hosts.c.key)
        .having(queries.count_if(is_usable) == 0)
    )
    return list(await db.scalars(query.order_by(hosts.c.key).limit(limit)))


def _is_quarantined(table: sa.Table, now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.quarantined_until.is_not(None), table.c.quarantined_until > now)
