"""Products: what shops offer. Nothing here ever asks a shop for anything."""

from typing import Annotated, Any

from fastapi import Query, Response

from lamplighter.operations import products
from lamplighter.web.api.envelope import Done, DoneList, done
from lamplighter.web.api.paging import pagination
from lamplighter.web.api.problems import Family
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.tasks import shapes_products as shapes
from lamplighter.web.api.values import RowId
from lamplighter.web.view import View

ROUTES = Routes("/api/products", tag="products", family=Family.ENVELOPE)
#: the envelope has no place for it
_ENGINE = "X-Search-Engine"
_LINE = {"id": 7, "product_name": "Lamp", "price": 19.9, "brand": "Lux", "rating": 4.5, "availability": "in_stock"}
_IMAGE = {"image_url": "https://shop.example/lamp.jpg", "image_type": "main"}
_FOUND = _LINE | {
    "domain_name": "shop.example",
    "url": "https://shop.example/lamp",
    "description": "Burns all night.",
    "currency": "EUR",
    "review_count": 127,
    "category": "Lamps",
    "images": [_IMAGE],
    "created_at": "2026-05-01T06:12:00Z",
    "updated_at": "2026-05-04T06:12:00Z",
}
_DETAIL = _FOUND | {
    "domain_id": 3,
    "crawl_task_id": 41,
    "sku": "L-1",
    "metadata": {"state": "present", "tags": ["Lamps"]},
    "images": [_IMAGE | {"alt_text": None, "position": 1, "width": None, "height": None}],
}


def _example(data: Any, *, is_list: bool) -> dict[str, Any]:
    where = pagination(page=1, per_page=20, total=1) if is_list else None
    return done([data] if is_list else data, "Products" if is_list else "Product", pagination=where)


@ROUTES.get("/search", response_model=DoneList[shapes.ProductFound], example=_example(_FOUND, is_list=True))
async def search(view: View, asked: Annotated[shapes.ProductSearchIn, Query()], response: Response) -> Any:
    """Products with these words, the best match first; `X-Search-Engine` tells who found them."""
    found, total, engine = await products.search(view.db, view.finder, asked.wanted(), asked.sorting())
    response.headers[_ENGINE] = engine
    where = pagination(page=asked.page, per_page=asked.per_page, total=total)
    return done([shapes.found_of(product) for product in found], "Products", pagination=where)


@ROUTES.get("", response_model=DoneList[shapes.ProductLine], example=_example(_LINE, is_list=True))
async def list_products(view: View, asked: Annotated[shapes.ProductListIn, Query()], response: Response) -> Any:
    """Products, filtered and sorted; `X-Search-Engine` tells who found them."""
    found, total, engine = await products.search(view.db, view.finder, asked.wanted(), asked.sorting())
    response.headers[_ENGINE] = engine
    where = pagination(page=asked.page, per_page=asked.per_page, total=total)
    return done([shapes.line_of(product) for product in found], "Products", pagination=where)


@ROUTES.get("/{product_id}", response_model=Done[shapes.ProductDetail], example=_example(_DETAIL, is_list=False))
async def show(product_id: RowId, view: View) -> Any:
    """A product with all that is known of it."""
    async with view.db.read() as db:
        return done(shapes.detail_of(await products.show(db, product_id)), "Product")
