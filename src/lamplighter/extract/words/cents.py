"""Joins a price and its cents where these are in an element of their own: 12<sup>99</sup> €."""

import re

from lamplighter.extract.words.value_types import CURRENCY

#: characters of the cents, with a mark and a currency
_LONGEST = 8
#: characters of the amount before them that are read
_LONGEST_WHOLE = 40
_LONGEST_NAMES = 200
_MARKS = (".", ",")
#: first characters of cents; most other texts need no further check
MAY_BEGIN = frozenset("0123456789.,-\u2013\u2014€$£")
_RAISED = frozenset({"sup", "small"})
_NAMES = re.compile(
    r"cents(?![a-z])|centimes|centavos|decimal|fraction|kop(?:eck|eyk|ij)|gros[hz]|(?:^|[\s_-])(?:cent|dec)(?:$|[\s_-])",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"(?<![\w.,])(?P<digits>\d{1,3}(?:[\s.,'\u00a0\u202f]\d{3})*|\d{1,6})"
    rf"(?:(?P<mark>[.,])|\s?(?P<currency>{CURRENCY}))?\Z"
)
_CENTS = re.compile(
    rf"(?P<mark>[.,])?(?P<ahead>{CURRENCY})?(?P<cents>\d\d|[-\u2013\u2014]{{1,2}})(?:\s?(?P<behind>{CURRENCY}))?"
)


def with_cents(whole: str, text: str, *, tag: str, names: str) -> str:
    """The text before, with the amount at its end completed by the cents; "" where the text behind it is not cents.

    `tag` and `names` are those of the element around the cents: it is raised, or small, or has a name that says it.
    """
    if len(text) > _LONGEST or not (tag in _RAISED or whole.endswith(_MARKS) or _NAMES.search(names[:_LONGEST_NAMES])):
        return ""
    cents = _CENTS.fullmatch(text)
    start = max(0, len(whole) - _LONGEST_WHOLE)
    amount = _WHOLE.search(whole, start) if cents else None
    if cents is None or amount is None:
        return ""
    mark = amount["mark"] or cents["mark"] or ("." if cents["cents"].isdigit() else ",")
    currency = amount["currency"] or cents["ahead"] or cents["behind"]
    made = f"{whole[: amount.start()]}{amount['digits']}{mark}{cents['cents']}"
    return f"{made} {currency}" if currency else made
