"""SQL about the use of proxies: which a host may use, and health after each use."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.proxy import ProxyUse
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import proxies, proxy_standings

#: a proxy's health with one host
_HEALTH = (
    *("host_id", "enabled", "priority", "last_used_at", "average_took_ms", "quarantined_until", "quarantine_count"),
    *("failure_count", "failure_total", "success_total"),
)
_PAIR = tuple(proxy_standings.c[name].label(f"pair_{name}") for name in _HEALTH)


async def of_host(db: Connection, host_id: int, *, is_locked: bool = True) -> Sequence[Any]:
    """A host's own proxies with their health there (pair_…), locked until the transaction ends."""
    # The proxies come first in FROM and so are locked first, as wherever both are written.
    mine = sa.select(proxies, *_PAIR).join(proxy_standings, proxy_standings.c.proxy_id == proxies.c.id)
    query = mine.where(proxy_standings.c.host_id == host_id).order_by(proxies.c.id)
    return (await db.execute(query.with_for_update() if is_locked else query)).all()


async def of_pool(db: Connection, *, is_locked: bool = True) -> Sequence[Any]:
    """The default pool, locked until the transaction ends."""
    query = sa.select(proxies).where(proxies.c.in_default_pool).order_by(proxies.c.id)
    return (await db.execute(query.with_for_update() if is_locked else query)).all()


async def locked(db: Connection, proxy_id: int, host_id: int | None) -> Any:
    """Locks a proxy, with its health for this host (pair_…); None if deleted."""
    is_pair = sa.and_(proxy_standings.c.proxy_id == proxies.c.id, proxy_standings.c.host_id == host_id)
    one = sa.select(proxies.c.id).where(proxies.c.id == proxy_id).with_for_update()
    if (await db.execute(one)).one_or_none() is None:
        return None
    query = sa.select(proxies, *_PAIR).select_from(proxies.outerjoin(proxy_standings, is_pair))
    return (await db.execute(query.where(proxies.c.id == proxy_id))).one()


async def write(db: Connection, proxy_id: int, use: ProxyUse) -> None:
    """Stores the health of a proxy."""
    await db.execute(sa.update(proxies).where(proxies.c.id == proxy_id).values(use.columns()))


async def write_pair(db: Connection, proxy_id: int, host_id: int, use: ProxyUse) -> None:
    """Stores its health with one host."""
    pair = sa.and_(proxy_standings.c.proxy_id == proxy_id, proxy_standings.c.host_id == host_id)
    await db.execute(sa.update(proxy_standings).where(pair).values(use.columns()))


async def pool(db: Connection) -> Sequence[Any]:
    """All proxies, in the default pool or not, locked until the transaction ends."""
    return (await db.execute(sa.select(proxies).order_by(proxies.c.id).with_for_update())).all()


async def leave_pool(db: Connection, *, but: Sequence[int], now: datetime) -> None:
    """Removes all others from the default pool."""
    gone = sa.and_(proxies.c.in_default_pool, proxies.c.id.not_in(sorted(but)))
    await db.execute(sa.update(proxies).where(gone).values(in_default_pool=False, updated_at=now))
