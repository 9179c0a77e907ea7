"""SQL about proxies as operators look at them: how all of them fare, the default pool, and the hosts they are for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.proxies import FAILING_AT
from lamplighter.store.tables import hosts, proxies, proxy_standings


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many proxies there are."""

    known: int
    #: neither off nor resting
    working: int
    resting: int
    #: by hand
    off: int
    #: of the working, those that failed several times in a row
    failing: int


class Allowance(NamedTuple):
    """What a proxy may do, for whatever host."""

    #: nothing until then
    quarantined_until: datetime | None
    max_requests_per_hour: int
    #: those of the last hour (see rules.hourly_use)
    hour_uses: Any


class PooledHost(NamedTuple):
    """A host, and what its operator says of the exits to it."""

    id: int
    key: str
    #: None takes the installation's
    proxy_mode: str | None
    #: None means any
    proxy_country: str | None


async def counts(db: Connection, *, now: datetime) -> Counts:
    """How all of them fare."""
    is_resting = _rests(proxies, now)
    is_working = sa.and_(proxies.c.enabled, ~is_resting)
    columns = {
        "working": is_working,
        "resting": sa.and_(proxies.c.enabled, is_resting),
        "off": ~proxies.c.enabled,
        "failing": sa.and_(is_working, proxies.c.failure_count >= FAILING_AT),
    }
    counted = [sa.func.sum(sa.case((which, 1), else_=0)).label(name) for name, which in columns.items()]
    row = (await db.execute(sa.select(sa.func.count().label("known"), *counted).select_from(proxies))).one()
    return Counts(known=int(row.known), **{name: int(getattr(row, name) or 0) for name in columns})


async def default_pool(db: Connection) -> Sequence[Any]:
    """The proxies of hosts that have none of their own, with all their columns."""
    cost = sa.type_coerce(proxies.c.monthly_cost, sa.Float()).label("monthly_cost")
    columns = (cost if column is proxies.c.monthly_cost else column for column in proxies.c)
    return (await db.execute(sa.select(*columns).where(proxies.c.in_default_pool).order_by(proxies.c.id))).all()


async def allowances(db: Connection, ids: Collection[int]) -> dict[int, Allowance]:
    """What these proxies may do at all, by id."""
    columns = (proxies.c[name] for name in Allowance._fields)
    rows = await db.execute(sa.select(proxies.c.id, *columns).where(proxies.c.id.in_(sorted(ids))))
    return {row.id: Allowance._make(row[1:]) for row in rows}


async def labels(db: Connection, ids: Collection[int]) -> dict[int, str]:
    """How proxies are called, by id; those that are no more are left out."""
    columns = (proxies.c.id, proxies.c.address, proxies.c.port)
    rows = await db.execute(sa.select(*columns).where(proxies.c.id.in_(sorted(ids))))
    return {row.id: f"{row.address}:{row.port}" for row in rows}


async def all_ids(db: Connection, *, limit: int) -> list[int]:
    """The proxies, the oldest first."""
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
    """The ids of these hosts, by name; those that we have not met are left out."""
    rows = await db.execute(sa.select(hosts.c.key, hosts.c.id).where(hosts.c.key.in_(sorted(keys))))
    return {row.key: row.id for row in rows}


async def host_names(db: Connection, *, limit: int) -> list[str]:
    """The first hosts, by name."""
    return list(await db.scalars(sa.select(hosts.c.key).order_by(hosts.c.key).limit(limit)))


async def hosts_without_exit(db: Connection, *, limit: int, now: datetime) -> list[str]:
    """Hosts that have proxies, none of which may be used now; by name."""
    is_on = sa.and_(proxy_standings.c.enabled, proxies.c.enabled)
    is_usable = sa.and_(
        is_on,
        ~_rests(proxy_standings, now),
        ~_rests(proxies, now),
        sa.or_(hosts.c.proxy_country.is_(None), hosts.c.proxy_country == proxies.c.country_code),
    )
    query = (
        sa.select(hosts.c.key)
        .join(proxy_standings, proxy_standings.c.host_id == hosts.c.id)
        .join(proxies, proxies.c.id == proxy_standings.c.proxy_id)
        .where(sa.func.coalesce(hosts.c.proxy_mode, "") != "never")
        .group_by(hosts.c.key)
        .having(sa.func.sum(sa.case((is_usable, 1), else_=0)) == 0)
    )
    return list(await db.scalars(query.order_by(hosts.c.key).limit(limit)))


def _rests(table: sa.Table, now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.quarantined_until.is_not(None), table.c.quarantined_until > now)
