"""Copper Kettle: a product catalogue in categories, two pages each. About once an hour one price changes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from html import escape

from lamplighter.demo import markup
from lamplighter.demo.page import DemoPage, DemoRequest, Site
from lamplighter.demo.timeline import EPOCH, draw, lives_at

_CATEGORIES = {
    "kettles": ("Stovetop Kettle", "Gooseneck Kettle", "Whistling Kettle", "Camping Kettle"),
    "pans": ("Sauté Pan", "Crêpe Pan", "Milk Pan", "Sugar Pan"),
    "pots": ("Stock Pot", "Jam Pot", "Fondue Pot", "Tea Pot"),
    "tools": ("Ladle", "Whisk", "Skimmer", "Measuring Cup"),
}
_SIZES = ("small", "medium", "large")
_PRODUCTS = sum(map(len, _CATEGORIES.values())) * len(_SIZES)
_PER_PAGE = 6
_STRIDE = 13
#: every product has another price after this; with 48 of them one changes each hour
_PRICE_LASTS = timedelta(hours=_PRODUCTS)
#: neighbours in the cycle differ, so every step is a real change
_PRICE_CYCLE = (Decimal("1.00"), Decimal("0.90"), Decimal("1.05"), Decimal("0.80"), Decimal("0.95"))
_OUT_OF_STOCK_SHARE = 0.15
_LOOK = markup.SiteStyle(
    name="Copper Kettle",
    motto="Kitchenware that outlives its owner",
    accent="#a4551e",
    footer='<a href="/basket/">Basket</a>',
)
_ROBOTS = """User-agent: *
Crawl-delay: 0.5
Disallow: /basket/
Disallow: /*?sort=
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoProduct:
    """One product as it is offered now."""

    sku: str
    name: str
    category: str
    price: Decimal
    in_stock: bool
    changed_at: datetime

    @property
    def path(self) -> str:
        """Its path in the shop."""
        return f"/products/{self.sku.lower()}"


def content_at(now: datetime) -> tuple[DemoProduct, ...]:
    """The whole catalogue with the prices of this moment."""
    names = [
        (category, f"{name}, {size}") for category, kinds in _CATEGORIES.items() for name in kinds for size in _SIZES
    ]
    offers = lives_at(now, "copper kettle", slots=_PRODUCTS, lasts=_PRICE_LASTS)
    # Neighbouring slots change one after the other; the stride spreads them over the categories.
    offers = tuple(offers[number * _STRIDE % _PRODUCTS] for number in range(_PRODUCTS))
    return tuple(
        DemoProduct(
            sku=f"CK-{offer.slot + 101}",
            name=name,
            category=category,
            price=_price(offer.slot, offer.generation),
            in_stock=draw("copper kettle", "stock", offer.slot, offer.generation) >= _OUT_OF_STOCK_SHARE,
            changed_at=offer.born,
        )
        for (category, name), offer in zip(names, offers, strict=True)
    )


def _price(slot: int, generation: int) -> Decimal:
    usual = 12 + int(draw("copper kettle", "price", slot) * 140)
    return (usual * _PRICE_CYCLE[(slot + generation) % len(_PRICE_CYCLE)]).quantize(Decimal("0.01"))


def _page(ask: DemoRequest) -> DemoPage | None:
    products = content_at(ask.now)
    if ask.path == "/":
        return DemoPage(body=_home(), changed_at=EPOCH)
    category = ask.path.removeprefix("/category/")
    if category in _CATEGORIES:
        return _listing(ask, category, [p for p in products if p.category == category])
    for product in products:
        if ask.path == product.path:
            return DemoPage(body=_product_page(ask, product), changed_at=product.changed_at)
    return None


def _home() -> str:
    items = (
        (f"/category/{category}", category.capitalize(), f"{len(kinds) * len(_SIZES)} products")
        for category, kinds in _CATEGORIES.items()
    )
    return markup.document(_LOOK, "Our copper", "<h1>Our copper</h1>\n" + markup.cards(items))


def _listing(ask: DemoRequest, category: str, products: list[DemoProduct]) -> DemoPage | None:
    last = -(-len(products) // _PER_PAGE)
    number = ask.page_number
    if not 1 <= number <= last:
        return None
    shown = products[(number - 1) * _PER_PAGE : number * _PER_PAGE]
    items = ((p.path, p.name, f"€ {p.price} · {_stock(p)}") for p in shown)
    title = category.capitalize()
    body = f"<h1>{title}</h1>\n" + markup.cards(items) + markup.page_links(f"/category/{category}", number, last)
    return DemoPage(body=markup.document(_LOOK, title, body), changed_at=max(p.changed_at for p in shown))


def _product_page(ask: DemoRequest, product: DemoProduct) -> str:
    availability = "InStock" if product.in_stock else "OutOfStock"
    block = markup.json_ld(
        {
            "@type": "Product",
            "url": ask.base + product.path,
            "sku": product.sku,
            "name": product.name,
            "brand": {"@type": "Brand", "name": "Copper Kettle"},
            "category": product.category,
            "description": f"{product.name}: hand-hammered copper, tinned inside.",
            "offers": {
                "@type": "Offer",
                "price": str(product.price),
                "priceCurrency": "EUR",
                "availability": f"https://schema.org/{availability}",
            },
        }
    )
    body = (
        f'<article><h1>{escape(product.name)}</h1>\n<p class="price">€ {product.price}</p>\n'
        f'<p class="meta">{product.sku} · {_stock(product)}</p>\n'
        "<p>Hand-hammered copper, tinned inside.</p></article>\n"
        f"<p>{markup.link(f'/category/{product.category}', 'More ' + product.category)}</p>\n"
    )
    return markup.document(_LOOK, product.name, body, head=block)


def _stock(product: DemoProduct) -> str:
    return "in stock" if product.in_stock else "out of stock"


SITE = Site(name="Copper Kettle", robots=_ROBOTS, page=_page)
