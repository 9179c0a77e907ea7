"""The price of a product on its own page, without struck-out prices, and whether it is in stock."""

import re
from collections.abc import Sequence

from lamplighter.extract.html_page import HtmlPage, folded, once_a_page
from lamplighter.extract.single.byline import name_in
from lamplighter.extract.single.byline_words import BY
from lamplighter.extract.single.page_words import availability_in, means_buy
from lamplighter.extract.single.text_lines import TextLine
from lamplighter.extract.words.value_types import PRICE
from lamplighter.rules.formats.numbers import GAP, number_of

_MOST_LINES = 1_500
_MOST_BUTTONS = 300
#: lines under the heading in which the brand is named
_MOST_UNDER = 3
#: a product page may repeat its button, but a page with more of them sells many things
_MOST_OWN = 3
#: a price is on a line of its own, or nearly so; in a sentence it may be anything
_LONGEST_LINE = 80
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(rf"\d(?:(?:[.,]|{GAP})?\d)*")
_AND = re.compile(r"\s*(?:[,;&/+]|\b(?:and|und|et|y|e|og|och|en|i|и)\b)\s*")
_BUTTONS = "button, input[type=submit], a[role=button], a[class*=btn i], a[class*=button i], a[class*=cart i]"

#: an amount that is not the price
_NOT_THE_PRICE = re.compile(
    r"shipping|delivery|\bsave\b|saving|discount|per month|/mo\b|monthly|\bwas\b|\brrp\b|\bmsrp\b|old price"
    r"|regular price|versand|lieferung|sparen|rabatt|\bstatt\b|\buvp\b|livraison|economi|envío|ahorr|frete|spedizione"
    r"|risparmi|verzend|bespaar|dostaw|frakt|doprava|доставк|скидк",
    re.IGNORECASE,
)


def price_of(lines: Sequence[TextLine]) -> str | None:
    """The first price of the lines, with its currency, as written."""
    for line in lines[:_MOST_LINES]:
        if len(line.text) > _LONGEST_LINE or not _DIGIT.search(line.text):
            continue
        # The line may show the old price, struck out, beside the new one.
        text = line.text.replace(folded(line.struck), " ") if line.struck else line.text
        prices = (price[0].strip() for price in PRICE.finditer(text))
        shown = next((price for price in prices if price not in line.struck), None)
        if shown and not _NOT_THE_PRICE.search(text):
            return shown
    return None


def amount_of(price: str) -> tuple[str, str | None]:
    """The amount of a price as a plain number, and its currency as written; the price itself when that is unclear."""
    found = PRICE.search(price)
    digits = _NUMBER.search(found[0]) if found is not None else None
    if found is None or digits is None or PRICE.search(price, found.end()):
        return price, None
    currency = found[0].replace(digits[0], " ").strip(" -\u2013,.")
    if _DIGIT.search(currency):  # 12\u20ac90
        return price, None
    return f"{number_of(digits[0]):.2f}".removesuffix(".00"), currency or None


def maker_of(lines: Sequence[TextLine]) -> str | None:
    """The brand or the author, by links under the title: "by Fellmark". `lines` are those below the heading."""
    for line in lines[:_MOST_UNDER]:
        by = BY.match(line.text)
        named = line.text[by.end() :] if by is not None else ""
        # Nothing but links: "by Friday it will be with you" may have one, too.
        if named and sum(map(len, _AND.split(named))) <= line.linked:
            return name_in(named)
    return None


def availability_of(lines: Sequence[TextLine]) -> str | None:
    """The availability that the page shows, as a schema.org value."""
    return next((said for line in lines[:_MOST_LINES] if (said := availability_in(line.text))), None)


@once_a_page
def has_buy_button(page: HtmlPage) -> bool:
    """Does the page have a buy button for the one thing it is about?"""
    nodes = page.tree.select(_BUTTONS)[:_MOST_BUTTONS]
    names = (folded(node.text) or node.attr("value") or "" for node in nodes)
    return 1 <= sum(means_buy(name) for name in names) <= _MOST_OWN
