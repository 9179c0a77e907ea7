"""Parses amounts as the world writes them: 1.299,00 €, $1,299.00, CHF 1'299.-, 1 299 kr, €45k-€60k."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from lamplighter.normalise.fields import PageContext
from lamplighter.rules.formats.numbers import GAP, number_of

_CODES = frozenset(
    "AED AFN ALL AMD ANG AOA ARS AUD AZN BAM BBD BDT BGN BHD BIF BND BOB BRL BWP BYN BZD CAD CDF CHF CLP CNY COP CRC "
    "CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD GBP GEL GHS GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR "
    "ISK JMD JOD JPY KES KGS KHR KMF KRW KWD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK "
    "MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SCR SDG SEK SGD SLE "
    "SOS SRD SSP SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER "
    "ZAR ZMW".split()
)
#: signs and words that mean one currency, longest first where one begins another
_SIGNS = {
    "US$": "USD", "USD$": "USD", "U$S": "USD", "CA$": "CAD", "C$": "CAD", "AU$": "AUD", "A$": "AUD", "NZ$": "NZD",
    "HK$": "HKD", "NT$": "TWD", "S$": "SGD", "R$": "BRL", "MX$": "MXN", "CN¥": "CNY", "JP¥": "JPY",
    "€": "EUR", "£": "GBP",
    "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "₴": "UAH", "₪": "ILS", "฿": "THB", "₫": "VND", "₦": "NGN",
    "₱": "PHP", "₸": "KZT", "₾": "GEL", "₡": "CRC", "₵": "GHS", "円": "JPY", "元": "CNY", "원": "KRW",
}  # fmt: skip
_WORDS = {
    "euros": "EUR", "euro": "EUR", "eur": "EUR", "evro": "EUR", "евро": "EUR", "zł": "PLN", "zl": "PLN",
    "kč": "CZK", "kc": "CZK",
    "ft": "HUF", "forint": "HUF", "lei": "RON", "ron": "RON", "лв": "BGN", "рублей": "RUB", "руб": "RUB", "грн": "UAH",
    "sfr": "CHF", "chf": "CHF", "usd": "USD", "gbp": "GBP", "rmb": "CNY", "tl": "TRY", "kzt": "KZT",
    "ksh": "KES", "tsh": "TZS", "ush": "UGX", "rp": "IDR", "s/": "PEN",
    "ر.س": "SAR", "د.إ": "AED", "ج.م": "EGP", "د.ك": "KWD", "ر.ق": "QAR", "د.م": "MAD",
}  # fmt: skip
#: signs that several countries share: the currency by the page's country
_SHARED = {
    "$": {
        "us": "USD", "ca": "CAD", "au": "AUD", "nz": "NZD", "mx": "MXN", "ar": "ARS", "cl": "CLP", "co": "COP",
        "sg": "SGD", "hk": "HKD", "tw": "TWD", "uy": "UYU",
    },
    "¥": {"jp": "JPY", "cn": "CNY"},
    "kr": {"se": "SEK", "no": "NOK", "dk": "DKK", "is": "ISK"},
    "rs": {"in": "INR", "pk": "PKR", "lk": "LKR", "np": "NPR", "mu": "MUR"},
}  # fmt: skip
#: languages that are spoken where one of the currencies is used, and nowhere else
_BY_LANGUAGE = {
    "kr": {"sv": "SEK", "nb": "NOK", "nn": "NOK", "no": "NOK", "da": "DKK", "is": "ISK"},
    "¥": {"ja": "JPY", "zh": "CNY"},
    "rs": {"hi": "INR", "si": "LKR", "ne": "NPR", "ur": "PKR"},
}
_SPELLINGS = {"￥": "¥", "＄": "$", "￡": "£"}


def _alternatives() -> str:
    """A pattern of what may be before or after an amount."""
    signs = sorted([*_SIGNS, "$", "¥", "￥", "＄", "￡"], key=len, reverse=True)
    words = sorted(map(re.escape, [*_WORDS, "kr", "rs"]), key=len, reverse=True)
    # A word ends where its letters end: no "lei" in "Leidenschaft"; its dot belongs to it.
    letter = r"[^\W\d_]"
    by_code = rf"(?<!{letter})(?:{'|'.join(sorted(_CODES))})(?!{letter})"
    by_word = rf"(?<!{letter})(?i:{'|'.join(words)})(?!{letter})\.?"
    return rf"(?:{by_code}|{'|'.join(map(re.escape, signs))}|{by_word})"


#: a currency sign, word or code
SIGN = _alternatives()
#: a code alone, which clarifies a sign beside it: "$145 USD", "US $145"
CODE = rf"(?<![^\W\d_])(?:{'|'.join(sorted(_CODES))}|US(?=\s?\$))(?![^\W\d_])"
_SIGN = re.compile(SIGN)


def currency_of(text: str | None, seen: PageContext) -> str | None:
    """The ISO 4217 code that a sign, word or code means on this page; None when it could mean several."""
    if text in _CODES:
        return text
    if text == "US":
        return "USD"
    found = _SIGN.search(text) if text else None
    if found is None:
        return text.upper() if text and text.upper() in _CODES else None
    sign = _SPELLINGS.get(found[0], found[0])
    if sign in _CODES or sign in _SIGNS:
        return _SIGNS.get(sign, sign)
    word = sign.lower().rstrip(".")
    if word in _WORDS:
        return _WORDS[word]
    by_region = _SHARED[word]
    by_place = (by_region[region] for region in seen.regions if region in by_region)
    return next(by_place, None) or _BY_LANGUAGE.get(word, {}).get(seen.main_language)


_LONGEST = 200
_MOST_AMOUNTS = 8
_LONGEST_INTEGER = 15
#: a lower price beside a higher one is the price now; one far lower is something else, such as the price of 100 g
_LEAST_SHARE = 0.2

_NUMBER = (
    r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d{1,2})?|\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?"
    rf"|\d{{1,3}}(?:{GAP}\d{{3}})+(?:[.,]\d{{1,2}})?|\d{{1,12}}(?:[.,٫]\d{{1,6}})?)(?![\d])"
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
    signs = (amount.sign for amount in amounts if amount.sign)
    return max(signs, key=lambda sign: sign.isascii() and sign.isupper() and sign.isalpha(), default=None)


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


def _single(amounts: list[Amount]) -> Price | None:
    if not amounts:
        return None
    lowest = min(amounts, key=lambda amount: amount.value)
    if lowest.value < _LEAST_SHARE * max(amount.value for amount in amounts):
        return None
    return Price(lowest.value, None, lowest.sign)
