"""Products that shops offer. Nothing here sends requests to a shop."""

from typing import Annotated, Any

from fastapi import Query, Response

from lamplighter.operations.records import products
from lamplighter.web.api.envelope import DoneList, DoneOut, done, pagination
from lamplighter.web.api.tasks import shapes_products as shapes
from lamplighter.web.problems import Family
from lamplighter.web.routes import Routes
from lamplighter.web.values import RowId
from lamplighter.web.view import View

ROUTES = Routes("/api/products", tag="products", family=Family.ENVELOPE)
#: a header, because the envelope has no field for it
_ENGINE = "X-Search-Engine"


@ROUTES.get("/search", response_model=DoneList[shapes.ProductFound])
async def search(view: View, asked: Annotated[shapes.ProductSearchIn, Query()], response: Response) -> Any:
    """Products with these words, the best match first; `X-Search-Engine` names the index."""
    found, total, engine = await products.search(view.db, view.search.finder, asked.wanted(), asked.sorting())
    response.headers[_ENGINE] = engine
    where = pagination(page=asked.page, per_page=asked.per_page, total=total)
    return done([shapes.found_of(product) for product in found], "Products", pagination=where)


@ROUTES.get("", response_model=DoneList[shapes.ProductLine])
async def list_products(view: View, asked: Annotated[shapes.ProductListIn, Query()], response: Response) -> Any:
    """Products, filtered and sorted; `X-Search-Engine` names the index."""
    found, total, engine = await products.search(view.db, view.search.finder, asked.wanted(), asked.sorting())
    response.headers[_ENGINE] = engine
    where = pagination(page=asked.page, per_page=asked.per_page, total=total)
    return done([shapes.line_of(product) for product in found], "Products", pagination=where)


@ROUTES.get("/{product_id}", response_model=DoneOut[shapes.ProductDetail])
async def show(product_id: RowId, view: View) -> Any:
    """A product with all its fields."""
    async with view.db.read() as db:
        return done(shapes.detail_of(await products.show(db, product_id)), "Product")
