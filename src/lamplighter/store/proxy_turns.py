"""SQL about the use of proxies: whose they are, who takes which, and what came of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import proxies, proxy_standings

#: how a proxy fares, with one host or with all
_HEALTH = (
    "failure_count",
    "failure_total",
    "success_total",
    "average_took_ms",
    "quarantined_until",
    "quarantine_count",
)
_PAIR = tuple(
    proxy_standings.c[name].label(f"pair_{name}")
    for name in ("host_id", "enabled", "priority", "last_used_at", *_HEALTH)
)


class Known(NamedTuple):
    """Whether there are proxies to go through at all."""

    #: hosts that have proxies of their own
    hosts: frozenset[int]
    #: whether there are any for the others
    has_pool: bool


async def known(db: Connection) -> Known:
    """Who goes through proxies."""
    own = frozenset(await db.scalars(sa.select(proxy_standings.c.host_id).distinct()))
    pool = await db.scalar(sa.select(proxies.c.id).where(proxies.c.in_default_pool).limit(1))
    return Known(own, pool is not None)


async def of_host(db: Connection, host_id: int) -> Sequence[Any]:
    """A host's own proxies with their standing there (pair_…); nobody else can take one until the transaction ends."""
    # The proxies come first in FROM and so are locked first, as they are wherever both are written.
    mine = sa.select(proxies, *_PAIR).join(proxy_standings, proxy_standings.c.proxy_id == proxies.c.id)
    query = mine.where(proxy_standings.c.host_id == host_id).order_by(proxies.c.id)
    return (await db.execute(query.with_for_update())).all()


async def of_pool(db: Connection) -> Sequence[Any]:
    """The proxies for hosts without any of their own, likewise."""
    query = sa.select(proxies).where(proxies.c.in_default_pool).order_by(proxies.c.id)
    return (await db.execute(query.with_for_update())).all()


async def locked(db: Connection, proxy_id: int, host_id: int | None) -> Any:
    """One proxy, with its standing (pair_…) where it is a host's; None when it is gone."""
    is_pair = sa.and_(proxy_standings.c.proxy_id == proxies.c.id, proxy_standings.c.host_id == host_id)
    one = sa.select(proxies.c.id).where(proxies.c.id == proxy_id).with_for_update()
    if (await db.execute(one)).one_or_none() is None:
        return None
    query = sa.select(proxies, *_PAIR).select_from(proxies.outerjoin(proxy_standings, is_pair))
    return (await db.execute(query.where(proxies.c.id == proxy_id))).one()


async def write(db: Connection, proxy_id: int, values: Mapping[str, Any]) -> None:
    """Writes down how a proxy stands by now."""
    await db.execute(sa.update(proxies).where(proxies.c.id == proxy_id).values(values))


async def write_pair(db: Connection, proxy_id: int, host_id: int, values: Mapping[str, Any]) -> None:
    """The same of a proxy with one host."""
    pair = sa.and_(proxy_standings.c.proxy_id == proxy_id, proxy_standings.c.host_id == host_id)
    await db.execute(sa.update(proxy_standings).where(pair).values(values))


async def pool(db: Connection) -> Sequence[Any]:
    """Every proxy that is, or was, for hosts without any of their own, and every other: all that there are."""
    return (await db.execute(sa.select(proxies).order_by(proxies.c.id).with_for_update())).all()


async def leave_pool(db: Connection, *, but: Sequence[int], now: datetime) -> None:
    """Takes all others out of the default pool."""
    gone = sa.and_(proxies.c.in_default_pool, proxies.c.id.not_in(sorted(but)))
    await db.execute(sa.update(proxies).where(gone).values(in_default_pool=False, updated_at=now))
