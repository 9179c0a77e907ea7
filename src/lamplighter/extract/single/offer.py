"""The price of a product on its own page, without struck-out prices, and whether it is in stock."""

import re
from collections.abc import Sequence

from lamplighter.extract.html_page import HtmlPage, folded
from lamplighter.extract.single.byline import name_in
from lamplighter.extract.single.byline_words import BY
from lamplighter.extract.single.page_words import availability_in, means_buy
from lamplighter.extract.single.text_lines import TextLine
from lamplighter.extract.words.value_types import PRICE

_MOST_LINES = 1_500
_MOST_BUTTONS = 300
#: lines under the heading in which the brand is named
_MOST_UNDER = 3
#: a product page may repeat its button, but a page with more of them sells many things
_MOST_OWN = 3
#: a price is on a line of its own, or nearly so; in a sentence it may be anything
_LONGEST_LINE = 80
_DIGIT = re.compile(r"\d")
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


def brand_of(lines: Sequence[TextLine]) -> str | None:
    """The brand, by a link under the title: "by Fellmark". `lines` are those below the heading."""
    for line in lines[:_MOST_UNDER]:
        by = BY.match(line.text)
        if by is not None and line.linked and line.text[by.end() :] == line.parts[-1]:
            return name_in(line.parts[-1])
    return None


def availability_of(lines: Sequence[TextLine]) -> str | None:
    """The availability that the page shows, as a schema.org value."""
    return next((said for line in lines[:_MOST_LINES] if (said := availability_in(line.text))), None)


def has_buy_button(page: HtmlPage) -> bool:
    """Does the page have a buy button for the one thing it is about?"""
    nodes = page.tree.select(_BUTTONS)[:_MOST_BUTTONS]
    names = (folded(node.text) or node.attr("value") or "" for node in nodes)
    return 1 <= sum(means_buy(name) for name in names) <= _MOST_OWN
