"""The price of a product and its currency, with the shop's own text beside them."""

from collections.abc import Mapping
from typing import Any

from lamplighter.normalise.encounter import PageContext
from lamplighter.normalise.fields import clean_text
from lamplighter.normalise.products.currencies import currency_of
from lamplighter.normalise.products.money import read_price

_LONGEST = 200


def price_fields(given: Mapping[str, Any], seen: PageContext) -> dict[str, Any]:
    """price, price_max, currency, and the original texts where they differ."""
    found: dict[str, Any] = {}
    value = given.get("price")
    price = read_price(value, seen)
    if price is not None:
        found |= {"price": price.lowest, "price_max": price.highest}
    if isinstance(value, str) and not (price is not None and _is_plain(value, price.lowest)):
        found["price_raw"] = clean_text(value, longest=_LONGEST)
    said = clean_text(given.get("currency"), longest=_LONGEST)
    found["currency"] = currency_of(said, seen) or (currency_of(price.sign, seen) if price else None)
    if said and said.upper() != found["currency"]:
        found["currency_raw"] = said
    return {name: value for name, value in found.items() if value is not None}


def _is_plain(text: str, price: float) -> bool:
    """Whether the text is the number itself, as machines write it."""
    try:
        return float(text) == price
    except ValueError:
        return False
