"""Products that shops offer. Nothing here sends requests to a shop."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query, Response
from pydantic import BaseModel, ConfigDict, Field

from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import RecordFilter, RecordOrder, SortKey
from lamplighter.operations.records import products
from lamplighter.operations.records.products import ShopProduct
from lamplighter.rules.formats.typed_text import DEEPEST
from lamplighter.rules.records import search_query
from lamplighter.web.api.envelope import DoneList, DoneOut, done, pagination
from lamplighter.web.problems import Family
from lamplighter.web.routes import Routes
from lamplighter.web.values import BIGGEST, Line, RowId
from lamplighter.web.view import View

ROUTES = Routes("/api/products", tag="products", family=Family.ENVELOPE)
#: a header, because the envelope has no field for it
_ENGINE = "X-Search-Engine"
_Word = Annotated[Line, Field(min_length=1, max_length=300)]
_Amount = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
#: record fields that have a key of their own
_SHOWN = frozenset("price currency availability rating review_count brand category image images sku".split())
_SORT_KEYS: Mapping[str, SortKey] = {
    "created_at": SortKey.FIRST_SEEN,
    "product_name": SortKey.TITLE,
    "price": SortKey.PRICE,
    "rating": SortKey.RATING,
}


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    domain_id: int | None = Field(None, ge=1, le=BIGGEST)
    price_min: _Amount | None = None
    price_max: _Amount | None = None
    availability: _Word | None = None
    brand: _Word | None = None
    page: int = Field(1, ge=1, le=DEEPEST)
    per_page: int = Field(20, ge=1, le=100)

    def _filter(self, **more: Any) -> RecordFilter:
        more |= {name: getattr(self, name) for name in ("price_min", "price_max", "availability", "brand")}
        return RecordFilter(kind=RecordKind.PRODUCT, host_id=self.domain_id, **more)

    def _order(self, by: SortKey, *, descending: bool) -> RecordOrder:
        offset = (self.page - 1) * self.per_page
        return RecordOrder(by=by, descending=descending, limit=self.per_page, offset=offset)


class ProductSearchIn(_Asked):
    """A search; the best match first, or the newest when no words are given."""

    #: any text is accepted: only its words are searched
    q: str = Field("", max_length=500)

    def wanted(self) -> RecordFilter:
        """The record filter."""
        return self._filter(text=search_query.parse(self.q))

    def sorting(self) -> RecordOrder:
        """The order."""
        return self._order(SortKey.RELEVANCE, descending=True)


class ProductListIn(_Asked):
    """A page of products."""

    category: _Word | None = None
    rating_min: float | None = Field(None, ge=0, le=5)
    sort_by: Literal["created_at", "product_name", "price", "rating"] = "created_at"
    sort_order: Literal["asc", "desc"] = "desc"

    def wanted(self) -> RecordFilter:
        """The record filter."""
        return self._filter(category=self.category, rating_min=self.rating_min)

    def sorting(self) -> RecordOrder:
        """The order."""
        return self._order(_SORT_KEYS[self.sort_by], descending=self.sort_order == "desc")


class ImageOut(BaseModel):
    """An image of a product."""

    image_url: str
    image_type: Literal["main", "gallery"]


class ImageDetail(ImageOut):
    """An image with its details."""

    alt_text: str | None
    position: int
    width: int | None
    height: int | None


class ProductLine(BaseModel):
    """A product in a list."""

    id: int
    product_name: str
    price: float | None
    brand: str | None
    rating: float | None
    availability: str | None = Field(examples=["in_stock"])


class ProductFound(ProductLine):
    """A product in search results."""

    domain_name: str | None
    url: str
    description: str | None
    currency: str | None = Field(examples=["EUR"])
    review_count: int | None
    category: str | None
    images: list[ImageOut]
    created_at: datetime
    updated_at: datetime


class ProductDetail(ProductFound):
    """A product with all its fields."""

    domain_id: int | None
    crawl_task_id: int | None
    sku: str | None
    metadata: dict[str, Any]
    images: list[ImageDetail]  # type: ignore[assignment]


def line_of(product: ShopProduct) -> dict[str, Any]:
    """A product in a list."""
    record, fields = product.record, product.record.fields
    return {
        "id": record.id,
        "product_name": record.title,
        "price": record.price,
        "brand": _text(fields.get("brand")),
        "rating": _number(fields.get("rating")),
        "availability": _text(fields.get("availability")),
    }


def found_of(product: ShopProduct) -> dict[str, Any]:
    """A product in search results."""
    record, fields = product.record, product.record.fields
    return line_of(product) | {
        "domain_name": product.host,
        "url": record.url,
        "description": record.description,
        "currency": _text(fields.get("currency")),
        "review_count": fields.get("review_count") if isinstance(fields.get("review_count"), int) else None,
        "category": _text(fields.get("category")),
        "images": list(_images(fields)),
        "created_at": record.first_seen_at,
        "updated_at": record.last_seen_at,
    }


def detail_of(product: ShopProduct) -> dict[str, Any]:
    """A product with all its fields."""
    record, fields = product.record, product.record.fields
    unknown = {"alt_text": None, "width": None, "height": None}
    return found_of(product) | {
        "domain_id": product.host_id,
        "crawl_task_id": record.page_id,
        "sku": _text(fields.get("sku")),
        "metadata": {
            "record_id": record.public_id,
            "state": "present" if record.gone_at is None else "gone",
            "language": record.language,
            "seller": record.organisation,
            "tags": list(record.tags),
            "quality": record.quality,
            **{name: value for name, value in fields.items() if name not in _SHOWN},
        },
        "images": [image | unknown | {"position": place} for place, image in enumerate(_images(fields), start=1)],
    }


def _images(fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    single, several = fields.get("image"), fields.get("images")
    given = [single, *(several if isinstance(several, list) else ())]
    addresses = dict.fromkeys(address for address in given if isinstance(address, str))
    for place, address in enumerate(addresses):
        yield {"image_url": address, "image_type": "gallery" if place else "main"}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


@ROUTES.get("/search", response_model=DoneList[ProductFound])
async def search(view: View, query: Annotated[ProductSearchIn, Query()], response: Response) -> Any:
    """Products with these words, the best match first; `X-Search-Engine` names the index."""
    return await _page(view, query, response, found_of)


@ROUTES.get("", response_model=DoneList[ProductLine])
async def list_products(view: View, query: Annotated[ProductListIn, Query()], response: Response) -> Any:
    """Products, filtered and sorted; `X-Search-Engine` names the index."""
    return await _page(view, query, response, line_of)


@ROUTES.get("/{product_id}", response_model=DoneOut[ProductDetail])
async def show(product_id: RowId, view: View) -> Any:
    """A product with all its fields."""
    return done(detail_of(await view.read(lambda db: products.show(db, product_id))), "Product")


async def _page(
    view: View, query: ProductSearchIn | ProductListIn, response: Response, shape: Callable[[ShopProduct], Any]
) -> dict[str, Any]:
    found, total, engine = await products.search(view.db, view.search.finder, query.wanted(), query.sorting())
    response.headers[_ENGINE] = engine
    where = pagination(page=query.page, per_page=query.per_page, total=total)
    return done([shape(product) for product in found], "Products", pagination=where)
