"""Which currency does a sign mean? A bare dollar or krone sign means several: only the page's country tells."""

import re

from lamplighter.normalise.encounter import PageContext

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
    told = (by_region[region] for region in seen.regions if region in by_region)
    return next(told, None) or _BY_LANGUAGE.get(word, {}).get(seen.main_language)
