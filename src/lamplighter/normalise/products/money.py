"""Parses amounts as the world writes them: 1.299,00 €, $1,299.00, CHF 1'299.-, 1 299 kr, €45k-€60k."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from lamplighter.normalise.encounter import PageContext
from lamplighter.normalise.products.currencies import CODE, SIGN

_LONGEST = 200
_MOST_AMOUNTS = 8
_LONGEST_INTEGER = 15
#: a lower price beside a higher one is the price now; one far lower is something else, such as the price of 100 g
_LEAST_SHARE = 0.2

_GAP = r"['’٬ \u00a0\u2009\u202f]"
_NUMBER = (
    r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d{1,2})?|\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?"
    rf"|\d{{1,3}}(?:{_GAP}\d{{3}})+(?:[.,]\d{{1,2}})?|\d{{1,12}}(?:[.,٫]\d{{1,6}})?)(?![\d])"
)
#: what follows an amount and belongs to it: thousands, or the dash of a round price
_TAIL = r"(?P<{0}>\s?[kK](?![^\W_]))?(?:[.,][-–—]{{1,2}})?"
_AMOUNT = re.compile(
    rf"(?:(?P<ahead>{CODE})\s?)?(?P<before>{SIGN})\s{{0,2}}(?P<first>{_NUMBER}){_TAIL.format('k1')}"
    rf"(?:\s?(?P<behind>{CODE})(?!\s?\d))?"
    rf"|(?<![\w.,/])(?P<second>{_NUMBER}){_TAIL.format('k2')}(?:\s{{0,2}}(?P<after>{SIGN}))?"
)
#: 12€90, as France writes it
_CENTS_BEHIND = re.compile(r"(?<![\d.,])(\d{1,4})€(\d\d)(?![\d.,])")
_RANGE_MARK = re.compile(
    r"\s*(?:-|–|—|−|~|〜|～|to|bis|à|a|al|hasta|até|do|til|till|tot|and|und|et|y|до)\s*", re.IGNORECASE
)
#: what shows that a number is in other units: 2 for 3, 20 %, 100 g
_OTHER_UNIT = re.compile(
    r"\s*(?:%|¢|x\b|cents?\b|(?:kg|g|mg|l|ml|cl|cm|mm|m|st|pcs?|stk|szt|pack|hours?|h|days?|st[uü]nden)\b)",
    re.IGNORECASE,
)
_UNIT_PRICE = re.compile(
    r"\s*(?:/|per|pro|je|par|por|za)\s*(?:\d+\s*)?(?:kg|g|mg|l|ml|cl|m|m2|m²|st|stk|stück)\b", re.IGNORECASE
)
_IN_BRACKETS = re.compile(r"\([^()]{0,100}\)|\[[^\[\]]{0,100}\]")
_MACHINE_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,6})?")
_DOT_AND_THREE = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
#: languages that write a decimal comma, and so may separate thousands by a dot
_DECIMAL_COMMA = frozenset(
    "de fr es pt it nl pl sv nb nn no da fi cs sk hu ro ru uk tr el hr sl sr bg id vi is et".split()
)


class Amount(NamedTuple):
    """One amount in a text."""

    value: float
    #: the currency sign as written; None when there is none
    sign: str | None
    start: int
    end: int


class Price(NamedTuple):
    """The price in a text."""

    lowest: float
    #: None when the text has no range
    highest: float | None
    sign: str | None


def amounts_in(text: str) -> list[Amount]:
    """The amounts of a text in their order; numbers that count something else are left out."""
    found = []
    for match in _AMOUNT.finditer(_CENTS_BEHIND.sub(r"\1,\2€", text[:_LONGEST])):
        sign = match["ahead"] or match["behind"] or match["before"] or match["after"]
        if sign is None and _OTHER_UNIT.match(text, match.end()):
            continue
        value = number_of(match["first"] or match["second"]) * (1000 if match["k1"] or match["k2"] else 1)
        found.append(Amount(value, sign, match.start(), match.end()))
        if len(found) == _MOST_AMOUNTS:
            break
    return found


def ranges_in(text: str, amounts: list[Amount]) -> Iterator[tuple[Amount, Amount]]:
    """The neighbouring pairs that a dash or a word joins to a range."""
    for low, high in pairwise(amounts):
        if _RANGE_MARK.fullmatch(text, low.end, high.start):
            yield low, high


def surest_sign(amounts: Sequence[Amount]) -> str | None:
    """The most reliable currency sign of the amounts: of "$45 - $60 USD" the code; None when there is none."""
    return max((amount.sign for amount in amounts if amount.sign), key=_is_code, default=None)


def read_price(value: object, seen: PageContext) -> Price | None:
    """The price of a number or text; None when it has none, or it is unclear which one."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Price(float(value), None, None) if 0 <= value < 1e15 else None
    if not isinstance(value, str) or not (text := value.strip()[:_LONGEST]):
        return None
    if len(text) <= _LONGEST_INTEGER and text.isascii() and text.isdecimal():
        return Price(float(text), None, None)
    if _MACHINE_NUMBER.fullmatch(text):
        by_dots = "." in text and _DOT_AND_THREE.fullmatch(text) and seen.main_language in _DECIMAL_COMMA
        return Price(float(text.replace(".", "") if by_dots else text), None, None)
    text = _IN_BRACKETS.sub(" ", text)
    amounts = [amount for amount in amounts_in(text) if not _UNIT_PRICE.match(text, amount.end)]
    if pair := next(ranges_in(text, amounts), None):
        low, high = sorted((pair[0].value, pair[1].value))
        return Price(low, high if high > low else None, surest_sign(pair))
    return _single([amount for amount in amounts if amount.sign] or amounts)


def number_of(digits: str) -> float:
    """The value of digits with separators: the last mark is the decimal one unless three digits follow it."""
    plain = re.sub(_GAP, "", digits).replace("٫", ".")
    whole, mark, rest = plain.rpartition("." if plain.rfind(".") > plain.rfind(",") else ",")
    if not mark:
        return float(plain)
    is_thousands = len(rest) == 3 and whole.strip("0") != ""
    other = "," if mark == "." else "."
    if is_thousands and other not in whole:
        return float(plain.replace(mark, ""))
    return float(f"{whole.replace(other, '').replace(mark, '')}.{rest}")


def _is_code(sign: str) -> bool:
    return sign.isascii() and sign.isupper() and sign.isalpha()


def _single(amounts: list[Amount]) -> Price | None:
    if not amounts:
        return None
    lowest = min(amounts, key=lambda amount: amount.value)
    if lowest.value < _LEAST_SHARE * max(amount.value for amount in amounts):
        return None
    return Price(lowest.value, None, lowest.sign)
