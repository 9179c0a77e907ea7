"""Products: records of that kind, each with the host that it was found at."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from lamplighter.errors import NotFound
from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import RecordFilter, RecordOrder
from lamplighter.operations.records.record_finder import RecordFinder
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import record_search as stored


class ShopProduct(NamedTuple):
    """A product and where it was found."""

    #: a row of the records
    record: Any
    #: None when its source's host is not known yet
    host_id: int | None
    host: str | None


class ProductPage(NamedTuple):
    """A page of products, how many there are in all, and who found them."""

    products: list[ShopProduct]
    total: int
    engine: str


async def search(db: Database, finder: RecordFinder, wanted: RecordFilter, order: RecordOrder) -> ProductPage:
    """A page of the products that a filter wants."""
    hits, engine = await finder.find(wanted, order)
    async with db.read() as connection:
        return ProductPage(await _with_hosts(connection, [hit.id for hit in hits.page]), hits.total, engine)


async def show(db: Connection, product_id: int) -> ShopProduct:
    """One product, present or gone."""
    products = [product for product in await _with_hosts(db, [product_id]) if product.record.kind == RecordKind.PRODUCT]
    if not products:
        raise NotFound(f"there is no product {product_id}; GET /api/products lists them", code="product_not_found")
    return products[0]


async def _with_hosts(db: Connection, ids: Sequence[int]) -> list[ShopProduct]:
    rows = await stored.rows(db, ids)
    hosts = await stored.hosts_of(db, sorted({row.source_id for row in rows}))
    return [ShopProduct(row, *hosts.get(row.source_id, (None, None))) for row in rows]
