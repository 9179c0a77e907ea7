"""Which of the prices of a row is the current one, and which an old one?"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from lamplighter.extract.listing.rows import RowText
from lamplighter.extract.listing.tree import Box, self_and_above
from lamplighter.extract.words.field_words import bare, word_pattern
from lamplighter.extract.words.value_types import PRICE

#: levels above a price whose class names are read
_LEVELS = 3
_LONGEST_NAMES = 200
#: a price below this share of another is for something else: postage, a monthly rate
_LEAST_SHARE = 0.2
_OLD_CLASS = re.compile(
    r"(?:^|[\s_-])(?:old|was|strike\w*|struck|crossed|line-?through|original|regular|before|compare(?:-at)?|list-?price"
    r"|base-?price|full-?price|rrp|msrp|uvp|previous|instead|former)(?:$|[\s_-])",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"text-decoration[^;]{0,20}:[^;]{0,30}line-through", re.IGNORECASE)
_OLD_WORDS = word_pattern(
    r"\b(?:was|rrp|msrp|regular(?: price)?|list price|original(?: price)?|old price|instead of|before|reg price|retail"
    r"|statt|uvp|bisher|vorher|unverb\w*|ursprunglich|au lieu de|prix (?:de base|public|conseille|barre|initial)|avant"
    r"|antes|precio (?:anterior|original|normal|regular|base)|pvp recomendado|preco (?:original|anterior|normal)|de por"
    r"|prima|prezzo (?:base|di listino|originale|precedente|pieno)|anziche|listino|adviesprijs|normale prijs|van"
    r"|voorheen|oude prijs|cena (?:regularna|katalogowa|podstawowa)|najnizsza cena|poprzednia|tidigare"
    r"|ord(?:inarie)?(?: pris)?|lagsta pris|for pris|forpris|veil pris|normalpris|norm hinta|ovh|puvodni(?: cena)?"
    r"|bezna cena|старая цена|было|стара ціна|було|eski fiyat|liste fiyati|بدلا من|السعر القديم)\b"
    r"|原价|市场价|划线价|通常価格|定価|希望小売価格|정가|정상가"
)
_PERCENT_OFF = re.compile(
    r"[-\u2013\u2212]\s?\d{1,2}\s?%|\b\d{1,2}\s?%\s?(?:off|rabatt|de descuento|de desconto|sconto)\b", re.IGNORECASE
)
_FIGURES = re.compile(r"\d[\d\s.,'\u00a0\u202f]*")


class RowPrice(NamedTuple):
    """A price of a row."""

    #: its index among the texts of the row
    at: int
    value: str
    confidence: float


def price_of_today(prices: Sequence[RowPrice], texts: Sequence[RowText]) -> RowPrice:
    """The first price, unless it is marked as old and a lower one follows; with a discount beside them the lower."""
    first, *others = prices
    lower = [price for price in others if _LEAST_SHARE * _number(first) <= _number(price) < _number(first)]
    if not lower or _is_old(lower[0], texts):
        return first
    is_reduced = len(prices) == 2 and any(_PERCENT_OFF.search(part.text) for part in texts)
    return lower[0] if is_reduced or _is_old(first, texts) else first


def _is_old(price: RowPrice, texts: Sequence[RowText]) -> bool:
    part = texts[price.at]
    found = PRICE.search(part.text)
    before = part.text[: found.start()] if found else ""
    if not before and price.at and not PRICE.search(texts[price.at - 1].text):
        before = texts[price.at - 1].text
    return (len(before) < 40 and _OLD_WORDS.search(bare(before)) is not None) or _is_in_old(part.box)


def _is_in_old(box: Box) -> bool:
    """Do the names of the elements around a price mark it as old, or strike it out?"""
    for level in islice(self_and_above(box), _LEVELS):
        names = level.names[:_LONGEST_NAMES]
        said = level.attribute("aria-label") or level.attribute("title")
        if (
            (names and _OLD_CLASS.search(names))
            or (said and _OLD_WORDS.search(bare(said[:_LONGEST_NAMES])))
            or _STRUCK.search(level.attribute("style")[:_LONGEST_NAMES])
        ):
            return True
    return False


def _number(price: RowPrice) -> float:
    """The size of an amount, good enough to compare it with another in the same notation."""
    found = _FIGURES.search(price.value)
    digits = re.sub(r"[\s'\u00a0\u202f]", "", found[0]).rstrip(".,") if found else ""
    whole, mark, rest = digits.rpartition("," if digits.rfind(",") > digits.rfind(".") else ".")
    if mark and len(rest) != 3:
        return float(f"{re.sub('[.,]', '', whole) or 0}.{rest}")
    return float(re.sub("[.,]", "", digits) or 0)
