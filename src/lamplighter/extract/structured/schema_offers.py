"""The price of a product, from its schema.org offers."""

import re
from typing import Any

from lamplighter.extract.structured.schema_values import Index, Node, address, dicts, name, text

_PLAIN_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
#: an amount with the currency before or behind it: "€ 19,90", "19.90 EUR", "1 299 Kč"
_NUMBER = r"[0-9](?:[0-9.,'\u2019\s]{0,18}[0-9])?"
_CURRENCY = r"[^\W\d_]{0,3}[$€£¥₹₽₺₴₩₪₫฿₦]|[^\W\d_]{1,4}\.?"
_WITH_CURRENCY = re.compile(rf"({_CURRENCY})?\s?({_NUMBER})(?:,[-\u2013\u2014])?\s?({_CURRENCY})?")
_LONGEST_PRICE = 40


def offer_of(product: Node, index: Index) -> dict[str, Any]:
    """Price, currency, availability, seller and address of a product's best offer; {} when it has none.

    Of several, the cheapest: the order in which a shop lists them says nothing and changes from day to day.
    """
    offers = [_told(offer, index) for offer in _offers(product, index)]
    priced = [offer for offer in offers if offer["price"]]
    if not priced:
        return offers[0] if offers else {}
    first = priced[0]
    comparable = [offer for offer in priced if offer["currency"] == first["currency"] and _amount(offer["price"])]
    return min(comparable, key=lambda offer: _amount(offer["price"]), default=first)


def _offers(product: Node, index: Index) -> list[Node]:
    """The offers of a product, or of its variants when it has none of its own."""
    own = dicts(product.get("offers"), index)
    if not own:
        own = [
            offer
            for variant in dicts(product.get("hasVariant"), index)
            for offer in dicts(variant.get("offers"), index)
        ]
    flat: list[Node] = []
    for offer in own:
        inner = [] if offer.get("lowPrice") or offer.get("price") else dicts(offer.get("offers"), index)
        flat += inner or [offer]
    return flat


def _told(offer: Node, index: Index) -> dict[str, Any]:
    priced = [offer, *dicts(offer.get("priceSpecification"), index)]
    prices = (text(part.get(key)) for part in priced for key in ("price", "lowPrice", "minPrice"))
    price, symbol = _split(next((found for found in prices if found), None))
    currencies = (text(part.get("priceCurrency")) for part in priced)
    return {
        "price": price,
        "currency": next((found for found in currencies if found), symbol),
        "availability": _availability(offer, index),
        "organisation": name(offer.get("seller") or offer.get("offeredBy"), index),
        "url": address(offer.get("url")),
    }


def _availability(offer: Node, index: Index) -> str | None:
    inner = (text(part.get("availability")) for part in (offer, *dicts(offer.get("offers"), index)))
    return next((found for found in inner if found), None)


def _split(price: str | None) -> tuple[str | None, str | None]:
    """The amount, and the currency when it is beside it."""
    if price is None or len(price) > _LONGEST_PRICE or _PLAIN_NUMBER.fullmatch(price):
        return price, None
    found = _WITH_CURRENCY.fullmatch(price)
    return (found[2], found[1] or found[3]) if found else (price, None)


def _amount(price: str) -> float:
    """The price as a number; 0 when it is not clearly one, and for free products."""
    return float(price) if _PLAIN_NUMBER.fullmatch(price) else 0.0
