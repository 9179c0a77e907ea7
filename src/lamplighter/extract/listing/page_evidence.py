"""What speaks for a page having no listing: it is about one thing, a form, or its site. Numbers from 0 to about 2."""

import re
from math import log
from typing import NamedTuple

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.listing.evidence import Evidence
from lamplighter.extract.listing.ground import Ground
from lamplighter.extract.listing.regions import is_item
from lamplighter.extract.listing.rows import HEADINGS, text_of
from lamplighter.extract.listing.tree import self_and_above
from lamplighter.extract.listing.words import JOB_WORDS, NEWS_WORDS, OTHER_WORDS, SHOP_WORDS
from lamplighter.extract.single.headings import meta_texts
from lamplighter.extract.single.offer import has_buy_button
from lamplighter.extract.structured.page_meta import ARTICLE_TYPES
from lamplighter.extract.walls.empty_list import EMPTY
from lamplighter.extract.walls.obstacle import LOGIN
from lamplighter.extract.words.field_words import bare
from lamplighter.model.record import RecordKind

_ANNOUNCING = (JOB_WORDS, NEWS_WORDS, SHOP_WORDS, OTHER_WORDS)
_TYPED_INTO = "input[type=text], input[type=email], input:not([type]), textarea, input[type=password], input[type=tel]"
_LONG_NAME = 3
#: the address of search results, in its path or as the name of a parameter
_SEARCH = re.compile(
    r"[/_.-](?:search|find|results?|suche|suchen|recherche|buscar|busca|busqueda|cerca|ricerca|zoeken|szukaj|hledat"
    r"|haku|sok)(?:$|[/_.?-])|[?&](?:q|query|search\w*|keywords?|term|find_\w+)=",
    re.IGNORECASE,
)
_SPOKEN = HEADINGS | {"p"}
_LONGEST_LINE = 100


class Declared(NamedTuple):
    """What the structured data of a page say."""

    #: the kind of the one thing that the page is about, or None
    own: RecordKind | None = None
    #: how many things they name
    things: int = 0


NOTHING_DECLARED = Declared()


def page_evidence(ground: Ground, declared: Declared) -> Evidence:
    """All that is measured on the page as a whole."""
    page, h1 = ground.page, ground.heading
    title = bare(page.title or "")
    inputs = [node.attr("type") for node in page.tree.select(_TYPED_INTO)]
    return {
        "any page": 1.0,
        "text of the page": log(1 + ground.size) / 8,
        "links of the page": log(1 + len(page.anchors)) / 4,
        "has a heading": float(ground.h1 is not None),
        "words of the heading": min(len(h1.split()), 12) / 6,
        "heading is the name": float(bool(h1) and h1 in title),
        "heading announces a list": float(_announces(h1)),
        "name announces a list": float(_announces(title)),
        "says that it is empty": float(_says_that_it_is_empty(ground)),
        "name is of a login": float(LOGIN.search(title) is not None or LOGIN.search(h1) is not None),
        "asks for a password": float("password" in inputs),
        "fields to fill in": log(1 + len(inputs)) / 2,
        "one thing can be bought": float(has_buy_button(page)),
        "data: an article": float(declared.own is RecordKind.ARTICLE),
        "data: one other thing": float(declared.own not in (None, RecordKind.ARTICLE)),
        "data: a single entry": float(declared.things == 1),
    } | _head_and_address(page)


def _head_and_address(page: HtmlPage) -> Evidence:
    kind = meta_texts(page, "og:type").get("og:type", "").lower()
    path = page.url.partition("?")[0]
    parts = [part for part in path.split("/")[3:] if part]
    return {
        "head: an article": float(kind in ARTICLE_TYPES),
        "head: a product": float("product" in kind),
        "address of an item": float(bool(parts) and is_item(path)),
        "address with a long name": float(bool(parts) and parts[-1].count("-") + parts[-1].count("_") >= _LONG_NAME),
        "address of the front page": float(not parts),
        "depth of the address": min(len(parts), 5) / 3,
        "address of a search": float(_SEARCH.search(page.url, max(page.url.find("/", 8), 0)) is not None),
    }


def _says_that_it_is_empty(ground: Ground) -> bool:
    """Does a heading or a short paragraph in the body of the page say that nothing is listed?"""
    spots = (box for box in ground.boxes if box.tag in _SPOKEN and box.worth == 1 and box.size <= _LONGEST_LINE)
    texts = (text_of(box) for box in spots if not any(above.unseen for above in self_and_above(box)))
    return any(EMPTY.search(bare(text)) is not None and not text[0].isdigit() for text in texts)


def _announces(words: str) -> bool:
    return any(pattern.search(words) for pattern in _ANNOUNCING)
