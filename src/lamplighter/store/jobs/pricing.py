"""Queries for the price of a fetch: the installation's, those of overloaded hosts, and the budget."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import hosts, pricing

_ROW = 1
_PRICES = sa.select(*(column for column in pricing.c if column.name != "id")).where(pricing.c.id == _ROW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """The latest prices; all unknown in a new installation."""

    price: float | None = None
    #: fetches that the budget paid for and that were not made; below zero: made in advance
    owed: float = 0.0
    #: figures for display
    figures: Mapping[str, Any] | None = None
    solved_at: datetime | None = None
    #: no run starts before this, to keep to the installation's budget
    budget_free_at: datetime | None = None


async def get(db: Connection) -> Pricing:
    """The current prices."""
    return await queries.one(db, _PRICES, _pricing) or Pricing()


async def lock(db: Connection) -> Pricing:
    """The current prices, locked until the transaction ends."""
    return await queries.one(db, _PRICES.with_for_update(), _pricing) or Pricing()


def _pricing(row: Any) -> Pricing:
    return Pricing(**row._mapping)


async def host_prices(db: Connection) -> dict[int, float]:
    """Host -> price, for hosts whose demand exceeds their capacity."""
    rows = await db.execute(sa.select(hosts.c.id, hosts.c.price).where(hosts.c.price.is_not(None)))
    return {row.id: row.price for row in rows}


async def save(
    db: Connection, *, price: float | None, owed: float, figures: Mapping[str, Any], solved_at: datetime
) -> None:
    """Saves the price of a fetch."""
    await _save(db, {"price": price, "owed": owed, "figures": dict(figures), "solved_at": solved_at})


async def save_budget_free_at(db: Connection, moment: datetime) -> None:
    """Saves when the installation's budget allows the next run."""
    await _save(db, {"budget_free_at": moment})


async def _save(db: Connection, values: Mapping[str, Any]) -> None:
    statement = insert(db, pricing).values(id=_ROW, **values)
    await db.execute(statement.on_conflict_do_update(index_elements=["id"], set_=values))


async def save_host_prices(db: Connection, prices: Mapping[int, float]) -> None:
    """Replaces all hosts' prices by these."""
    await db.execute(sa.update(hosts).where(hosts.c.price.is_not(None)).values(price=None))
    if prices:
        own = sa.update(hosts).where(hosts.c.id == sa.bindparam("host")).values(price=sa.bindparam("new_price"))
        await db.execute(own, [{"host": host, "new_price": price} for host, price in sorted(prices.items())])
