"""The main heading of a page, distinguished from the site's name and from the headings of other things."""

import re
from itertools import islice
from typing import NamedTuple

from turbohtml import Element

from lamplighter.extract.elements import parent_of, self_and_above, spaced_text
from lamplighter.extract.html_page import HtmlPage, folded, once_a_page
from lamplighter.extract.single.page_words import is_generic_title, is_listing_heading
from lamplighter.extract.words.field_words import bare

_LONGEST = 300
_MOST_HEADINGS = 30
#: separators between a page's own title and its site's name
_BETWEEN = re.compile(r"\s+[|\u2022\u00b7\u00bb\u203a>:/~\-\u2013\u2014]+\s+|\s*\|\s*|\s*::\s*|:\s+|\uff5c|\s*_\s+")
_SITE_NAME = re.compile(r"(?:^|[\s_-])(?:logo|brand|site-?(?:title|name)|masthead)(?:$|[\s_-])", re.IGNORECASE)
_OUTSIDE = frozenset({"nav", "footer", "aside", "dialog", "template", "noscript"})
_FARTHEST_UP = 12
#: share of a heading's words that are in the title, where it is worded otherwise
_MOST_WORDS = 0.6


class Heading(NamedTuple):
    """A page's main heading."""

    text: str
    #: None when only the head of the page has it
    node: Element | None
    #: the title in the page's head says the same
    confirmed: bool


@once_a_page
def main_heading(page: HtmlPage) -> Heading | None:
    """The title of the page; None when it has none."""
    said = _Said(page)
    best: tuple[float, Heading] | None = None
    for place, node in enumerate(page.tree.select("h1, h2")[:_MOST_HEADINGS]):
        text = _text(node)
        if not text or not bare(text):
            continue
        confirmed = said.confirms(text)
        score = _score(page, node, confirmed=confirmed, is_site=said.is_site(text)) - place / 100
        if score > 0 and (best is None or score > best[0]):
            best = score, Heading(text, node, confirmed > 1)
    if (best is None or not best[1].confirmed) and (lower := _lower(page, said)) is not None:
        return lower
    if best is not None:
        return best[1]
    if _says_nothing(page, said.own) and (found := _outranking(page)) is not None:
        return found
    return Heading(said.own, None, True) if said.own else None


def _lower(page: HtmlPage, said: "_Said") -> Heading | None:
    """The first heading of a lower rank that is a part of the title, on pages whose h1 is the name of the site."""
    for node in page.tree.select("h3, h4")[:_MOST_HEADINGS]:
        text = _text(node)
        if " " in text and said.confirms(text) > 1 and _score(page, node, confirmed=2, is_site=said.is_site(text)) > 0:
            return Heading(text, node, True)
    return None


def _says_nothing(page: HtmlPage, title: str) -> bool:
    """Could the title in the head be that of any page of its site: "Vacancy details", "Careers", the site's name?"""
    if not title or is_generic_title(title):
        return True
    links = (node for node in page.anchors[:_MOST_HEADINGS] if bare(title) == bare(folded(node.text)[:_LONGEST]))
    return any(_is_front(page, node) for node in links)


def _outranking(page: HtmlPage) -> Heading | None:
    """The first heading of the content, where every other has a lower rank, on pages without h1."""
    first: Element | None = None
    for node in page.tree.select("h2, h3, h4")[:_MOST_HEADINGS]:
        is_outside = any(above.tag in _OUTSIDE for above in islice(self_and_above(node), _FARTHEST_UP))
        if is_outside or not bare(_text(node)):
            continue
        if first is None:
            first = node
        elif node.tag <= first.tag:
            return None
    if first is None or first.tag == "h4" or first.select_one("a[href]") is not None:
        return None
    return None if is_listing_heading(_text(first)) else Heading(_text(first), first, False)


class _Said:
    """The titles in the head of a page."""

    def __init__(self, page: HtmlPage) -> None:
        metas = meta_texts(page, "og:title", "twitter:title", "og:site_name", "application-name")
        self._site = {bare(metas[name]) for name in ("og:site_name", "application-name") if name in metas}
        shared = metas.get("og:title") or metas.get("twitter:title")
        whole = [text for text in (shared, page.title) if text]
        self._whole = [bare(text) for text in whole]
        parts = [[part for part in _BETWEEN.split(text[:_LONGEST]) if bare(part) not in self._site] for text in whole]
        self._parts = {bare(part) for texts in parts for part in texts}
        #: the page's own name according to the head: what is left without the site's name
        self.own = (shared or next((texts[0] for texts in parts if texts), "")).strip()[:_LONGEST]

    def confirms(self, text: str) -> int:
        """3: the title is this; 2: it begins with it or has it as a part; 1: it mentions it; 0: it does not."""
        words = bare(text)
        if words in self._whole:
            return 3
        if words in self._parts or any(whole.startswith(f"{words} ") for whole in self._whole):
            return 2
        within = any(f" {words} " in f" {whole} " or _share(words, whole) >= _MOST_WORDS for whole in self._whole)
        # Long titles are cut off in the head.
        begun = any(len(part) > 20 and words.startswith(part) for part in self._parts)
        return 2 if begun else int(within)

    def is_site(self, text: str) -> bool:
        return bare(text) in self._site


def _share(words: str, whole: str) -> float:
    """The share of a heading's words that a title has in another order."""
    said = set(words.split())
    return len(said.intersection(whole.split())) / len(said)


def meta_texts(page: HtmlPage, *names: str) -> dict[str, str]:
    """The first content of each named meta element, whether it is named by name, property or itemprop."""
    metas = _meta_texts(page)
    return {name: metas[name] for name in names if name in metas}


@once_a_page
def _meta_texts(page: HtmlPage) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in page.metas:
        name = (node.attr("property") or node.attr("name") or node.attr("itemprop") or "").lower()
        if name and name not in found and (text := folded(node.attr("content"))):
            found[name] = text
    return found


def _text(node: Element) -> str:
    """The heading's text; adjacent elements are separated, but not a comma from the word in front of it."""
    inner = sum(isinstance(child, Element) for child in node)
    return folded(spaced_text(node) if inner > 1 else node.text)[:_LONGEST].rstrip(" \u00b6#")


def _score(page: HtmlPage, node: Element, *, confirmed: int, is_site: bool) -> float:
    """How likely a heading is the page's title: the first h1 is, unless another heading is in the title."""
    if is_site or _leads_home(page, node):
        return 0.0
    score = 1.0 + confirmed if node.tag == "h1" else confirmed - 0.5 if confirmed > 1 else 0.0
    for above in islice(self_and_above(node), _FARTHEST_UP):
        if above.tag in _OUTSIDE:
            return score - 2.5
        if above.attrs and _SITE_NAME.search(f"{above.attr('class') or ''} {above.attr('id') or ''}"[:300]):
            return score - 2
        if above.tag in ("main", "article"):
            return score + 0.5
    return score


def _leads_home(page: HtmlPage, node: Element) -> bool:
    """Is the heading a link to the site's front page?"""
    link = node.select_one("a[href]")
    if link is None and (above := parent_of(node)) is not None and above.tag == "a":
        link = above
    return link is not None and _is_front(page, link)


def _is_front(page: HtmlPage, link: Element) -> bool:
    address = page.resolver.resolve(link.attr("href") or "")
    return address is not None and address != page.url and address.rstrip("/").count("/") == 2
