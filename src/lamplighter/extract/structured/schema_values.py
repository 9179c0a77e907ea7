"""Reads the values of a schema.org item: each may be a text, an object, a reference or a list; and its best offer."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from lamplighter.extract.html_page import plain

#: as JSON gives it: a plain dict, which is recognised much faster than any other mapping
Node = dict[str, Any]
#: items of the same page by their @id, for references
Index = Mapping[str, Node]

_MOST_VALUES = 200
_LONGEST_ADDRESS = 4096
#: what templates write instead of a missing address
_NO_ADDRESS = frozenset({"null", "undefined", "none", "true", "false", "n/a", "#"})

_PLAIN_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
#: an amount with the currency before or behind it: "€ 19,90", "19.90 EUR", "1 299 Kč"
_NUMBER = r"[0-9](?:[0-9.,'\u2019\s]{0,18}[0-9])?"
_CURRENCY = r"[^\W\d_]{0,3}[$€£¥₹₽₺₴₩₪₫฿₦]|[^\W\d_]{1,4}\.?"
_WITH_CURRENCY = re.compile(rf"({_CURRENCY})?\s?({_NUMBER})(?:,[-\u2013\u2014])?\s?({_CURRENCY})?")
_LONGEST_PRICE = 40


class SchemaPlace(NamedTuple):
    """The place of something: in words, and the country when the page names it as such."""

    words: str
    country: str | None


def add_value(node: Node, key: str, value: str | Node) -> None:
    """Adds one more value to a property, as JSON-LD would write it; an empty one is ignored."""
    if not value:
        return
    if key not in node:
        node[key] = value
    elif isinstance(node[key], list):
        node[key].append(value)
    else:
        node[key] = [node[key], value]


def each(value: Any) -> list[Any]:
    """The values as a list: every schema.org property may have one or many."""
    if value is None:
        return []
    if isinstance(value, dict) and ("@list" in value or "@set" in value):
        value = value.get("@list") or value.get("@set")
    return value[:_MOST_VALUES] if isinstance(value, list) else [value]


def text(value: Any) -> str | None:
    """A value as plain text: the first of several, the @value or name of an object."""
    if value is None or isinstance(value, str):
        return (plain(value) or None) if value else None
    if isinstance(value, dict):
        return next((found for key in ("@value", "value", "name") if (found := _scalar(value.get(key)))), None)
    if isinstance(value, list):
        # A list in a list has no meaning, and the page decides how deep such lists go.
        inner = (item for item in value[:_MOST_VALUES] if not isinstance(item, list))
        return next((found for item in inner if (found := text(item))), None)
    return _scalar(value)


def texts(value: Any) -> list[str]:
    """Every one of the values as plain text."""
    return [found for item in each(value) if (found := text(item))]


def words(value: Any) -> list[str]:
    """The values; a text with commas is split."""
    return [word.strip() for found in texts(value) for word in found.split(",") if word.strip()]


def dicts(value: Any, index: Index) -> list[Node]:
    """Those of the values that are objects, references resolved."""
    return [resolved(item, index) for item in each(value) if isinstance(item, dict)]


def resolved(node: Node, index: Index) -> Node:
    """All that the page says about an item in its several places; the item itself when it has no @id."""
    return index.get(str(node["@id"]), node) if "@id" in node else node


def name(value: Any, index: Index) -> str | None:
    """The name of the first person, organisation or brand; an address is not a name."""
    return next(iter(names(value, index)), None)


def names(value: Any, index: Index) -> list[str]:
    """The names of people or organisations, written out or referred to by their @id."""
    found = (_name(resolved(item, index) if isinstance(item, dict) else item) for item in each(value))
    return list(dict.fromkeys(said for said in found if said and not said.startswith(("http://", "https://", "@"))))


def address(value: Any) -> str | None:
    """A web address as written, not unescaped like a text: in one, "&copy=" means just that."""
    for item in each(value):
        if isinstance(item, dict):
            item = next((item[key] for key in ("@id", "url", "contentUrl", "@value") if item.get(key)), None)
        if isinstance(item, str) and len(item) <= _LONGEST_ADDRESS:
            found = item.strip().replace("&amp;", "&")
            if found and found.casefold() not in _NO_ADDRESS:
                return found
    return None


def own_page(value: Any) -> str | None:
    """The address in mainEntityOfPage or @id, which may also be true, an id or a fragment."""
    found = address(value)
    return found if found and found.startswith(("http://", "https://", "/")) and "#" not in found else None


def image(value: Any, index: Index) -> str | None:
    """The address of the first picture."""
    return next(iter(images(value, index)), None)


def images(value: Any, index: Index) -> list[str]:
    """The addresses of the pictures."""
    pictures = (resolved(item, index) if isinstance(item, dict) else item for item in each(value))
    found = (
        address(picture.get("url") or picture.get("contentUrl")) if isinstance(picture, dict) else address(picture)
        for picture in pictures
    )
    return [said for said in found if said]


def places(value: Any, index: Index) -> list[SchemaPlace]:
    """The places as town, region and country, as far as they are named."""
    found = (_place(resolved(item, index) if isinstance(item, dict) else item, index) for item in each(value))
    return [place for place in dict.fromkeys(found) if place.words]


def _place(value: Any, index: Index) -> SchemaPlace:
    if not isinstance(value, dict):
        return SchemaPlace(text(value) or "", None)
    given = next(iter(each(value.get("address"))), value)
    if not isinstance(given, dict):
        return SchemaPlace(text(given) or "", None)
    given = resolved(given, index)
    country = text(given.get("addressCountry"))
    named = [text(given.get(key)) for key in ("addressLocality", "addressRegion")] + [country]
    parts = list(dict.fromkeys(part for part in named if part))
    if len(parts) == (country is not None):
        # No town and no region: the name or the street is better than nothing.
        spare = text(value.get("name")) or text(given.get("streetAddress"))
        parts = list(dict.fromkeys(part for part in (spare, *parts) if part))
    return SchemaPlace(", ".join(parts), country)


def _name(value: Any) -> str | None:
    if not isinstance(value, dict):
        return text(value)
    whole = text(value.get("name")) or text(value.get("legalName"))
    parts = (text(value.get(key)) for key in ("givenName", "familyName"))
    return whole or " ".join(part for part in parts if part) or _scalar(value.get("@value"))


def _scalar(value: Any) -> str | None:
    if isinstance(value, str):
        return plain(value) or None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def offer_of(product: Node, index: Index) -> dict[str, Any]:
    """A product's cheapest offer: price, currency, availability, seller and address; {} when it has none."""
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
