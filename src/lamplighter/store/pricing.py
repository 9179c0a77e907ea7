"""SQL about what a fetch is worth: the installation's one price, those of hosts in greater demand, the budget."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import hosts, pricing
from lamplighter.store.upsert import insert

_ROW = 1
_PRICES = sa.select(pricing).where(pricing.c.id == _ROW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """What was last found out about prices; all unknown in a new installation."""

    price: float | None = None
    #: how far the fetches really made lie from those planned; a factor on the budget
    correction: float = 1.0
    #: figures for people
    figures: Mapping[str, Any] | None = None
    solved_at: datetime | None = None
    #: no further run before this, so that the installation's budget holds
    budget_free_at: datetime | None = None


async def get(db: Connection) -> Pricing:
    """The prices in force."""
    return _pricing((await db.execute(_PRICES)).one_or_none())


async def lock(db: Connection) -> Pricing:
    """The prices in force, held against other writers until the transaction ends."""
    return _pricing((await db.execute(_PRICES.with_for_update())).one_or_none())


async def host_prices(db: Connection) -> dict[int, float]:
    """The prices of those hosts that are in greater demand than they can serve."""
    rows = await db.execute(sa.select(hosts.c.id, hosts.c.price).where(hosts.c.price.is_not(None)))
    return {row.id: row.price for row in rows}


async def save(db: Connection, **values: Any) -> None:
    """Writes what is given: price, correction, figures, solved_at, budget_free_at."""
    statement = insert(db, pricing).values(id=_ROW, **values)
    await db.execute(statement.on_conflict_do_update(index_elements=["id"], set_=values))


async def save_host_prices(db: Connection, prices: Mapping[int, float]) -> None:
    """Puts these prices in the place of all earlier ones."""
    await db.execute(sa.update(hosts).where(hosts.c.price.is_not(None)).values(price=None))
    if prices:
        own = sa.update(hosts).where(hosts.c.id == sa.bindparam("host")).values(price=sa.bindparam("new_price"))
        await db.execute(own, [{"host": host, "new_price": price} for host, price in sorted(prices.items())])


def _pricing(row: Any) -> Pricing:
    if row is None:
        return Pricing()
    return Pricing(
        price=row.price,
        correction=row.correction,
        figures=row.figures,
        solved_at=row.solved_at,
        budget_free_at=row.budget_free_at,
    )
