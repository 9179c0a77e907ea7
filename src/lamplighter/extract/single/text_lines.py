"""Which lines of text does a reader see on a page, and where does each of them stand?

One walk over the page gives them all; headings aside, everything that is read from a page without its markup's help is
read from these lines: labelled values, bylines, prices, the running text.
"""

import re
from collections.abc import Iterator, Set
from enum import IntEnum
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from turbohtml import Element, Node, Text

from lamplighter.extract.elements import parent_of, self_and_above
from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.words.cents import MAY_BEGIN, with_cents

#: elements and texts that are looked at: only hostile pages have more
_MOST_NODES = 150_000
_MOST_FRAMED = 50
_DEEPEST_INLINE = 20

_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
_UNSEEN_TAGS = frozenset(
    "script style template noscript svg math select option datalist textarea iframe object canvas audio video dialog "
    "nav footer button head title".split()
)
_ALWAYS_CONTENT = frozenset({"main", "article"})
_JUDGED_TAGS = frozenset({"aside", "header", "form"})
_UNSEEN_ROLES = frozenset({"navigation", "contentinfo", "dialog", "alertdialog", "menu", "menubar", "search", "alert"})
_STRUCK_TAGS = frozenset({"del", "s", "strike"})

#: what surrounds the content of a page, by the names that its makers give to it the world over
_AROUND = re.compile(
    r"(?:^|[\s_-])(?:comments?|commentlist|disqus|respond|cookies?|consent|gdpr|newsletter|subscribe|related"
    r"|recommend(?:ed|ations)?|similar|share|sharing|sharedaddy|social|adverts?|advertisement|sponsored|breadcrumbs?"
    r"|pagination|pager|footer|navbar|navigation|menu|skip-?links?|popup|modal|lightbox|read-?next|more-?stories|teasers?"
    r"|outbrain|taboola)(?:$|[\s_-])",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"(?:^|[\s_-])(?:sidebar|rail|widgets?|masthead|site-?header)(?:$|[\s_-])", re.IGNORECASE)
_STRUCK = re.compile(
    r"(?:^|[\s_-])(?:old|was|strike|struck|crossed|original|compare-at|list-price|rrp|msrp|uvp|stara|poprzednia|alt|alter"
    r"|barre|ancien|tachad[oa]|anterior|vecchi[oa]|oude?|gammel|gammalt|eski|stary)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class Place(IntEnum):
    """Where a text stands on its page."""

    UNSEEN = 0  # menus, footers, scripts: no part of the content
    BESIDE = 1  # asides and headers: facts may stand there, but no running text
    CONTENT = 2


class Spot(NamedTuple):
    """An element that is shown, and what is known of it."""

    node: Element
    parent: "Spot | None"
    place: Place
    #: the nearest element that breaks lines
    block: Element
    in_link: bool
    #: an old price and its like
    struck: bool
    depth: int


class Line(NamedTuple):
    """A line of text as it is shown."""

    text: str
    #: the texts it is made of, in order: "Location" and "Nairobi" of <b>Location</b> Nairobi
    parts: tuple[str, ...]
    #: the element that its first text stands in
    spot: Spot
    #: characters that are links
    linked: int
    #: those of its texts that are struck out, such as an old price
    struck: str

    @property
    def in_content(self) -> bool:
        return self.spot.place is Place.CONTENT


def lines_of(page: HtmlPage) -> list[Line]:
    """The lines of the page's body in document order, without what is no part of its content."""
    if page.body is None:
        return []
    lines: list[Line] = []
    texts: list[_Text] = []
    for text, spot in islice(_shown(page.body), _MOST_NODES):
        if text is None or (texts and texts[-1].spot.block is not spot.block):
            _end_line(texts, lines)
        if text and (texts or not text.isspace()):
            texts.append(_Text(text, spot))
    _end_line(texts, lines)
    return lines


class _Said(NamedTuple):
    """What the names of an element say about it."""

    around: bool
    beside: bool
    struck: bool


_SAYS_NOTHING = _Said(around=False, beside=False, struck=False)


class _Text(NamedTuple):
    text: str
    spot: Spot


def _shown(body: Element) -> Iterator[tuple[str | None, Spot]]:
    """Every text and line break (None) that is shown, with the element it stands in."""
    spot = Spot(body, None, Place.CONTENT, body, in_link=False, struck=False, depth=0)
    frames = _frames(body)
    # Not recursive, for pages may nest thousands of elements; and what is not shown is not entered at all.
    around: list[tuple[Spot, Iterator[Node]]] = [(spot, iter(body))]
    while around:
        spot, children = around[-1]
        for node in children:
            if isinstance(node, Text):
                yield node.data, spot
            elif not isinstance(node, Element):
                continue
            elif (tag := node.tag) == "br":
                yield None, spot
            elif (inner := _spot(node, tag, spot, frames)) is not None:
                around.append((inner, iter(node)))
                break
        else:
            around.pop()


def _end_line(texts: list[_Text], lines: list[Line]) -> None:
    """Makes a line of the texts gathered so far."""
    pieces: list[str] = []
    for place, (text, spot) in enumerate(texts):
        if place and text[0] in MAY_BEGIN and (amount := _with_cents(texts[place - 1], texts[place])):
            pieces[-1] = amount
            continue
        # Two elements side by side are two things to a reader, even if nothing but a style sheet parts them.
        if place and spot is not texts[place - 1].spot and not _touch(texts[place - 1].spot, spot):
            pieces.append(" ")
        pieces.append(text)
    if whole := " ".join("".join(pieces).split()):
        parts = tuple([part for text, _ in texts if (part := " ".join(text.split()))])
        linked = sum([len(text) for text, spot in texts if spot.in_link])
        struck = " ".join([text for text, spot in texts if spot.struck])
        lines.append(Line(whole, parts, texts[0].spot, linked, struck))
    texts.clear()


def _with_cents(before: _Text, after: _Text) -> str:
    """The amount that two texts make, where a price has its cents in an element of their own."""
    node = after.spot.node
    if after.spot is before.spot:
        return ""
    return with_cents(before.text.strip(), after.text.strip(), tag=node.tag, names=node.attr("class") or "")


def _spot(node: Element, tag: str, outer: Spot, frames: Set[Element]) -> Spot | None:
    """The element, if it is shown."""
    if tag in _UNSEEN_TAGS:
        return None
    said, place = _SAYS_NOTHING, Place.CONTENT
    if node.attrs or tag in _JUDGED_TAGS:
        said = _said_by(_names(node))
        # Some systems put all of a page into one form.
        is_frame = node in frames or (tag == "form" and outer.depth == 0)
        place = _place(node, said, is_frame=is_frame)
        if place is Place.UNSEEN:
            return None
    struck = outer.struck or tag in _STRUCK_TAGS or said.struck
    return Spot(
        node,
        outer,
        place if place < outer.place else outer.place,
        node if tag in _BLOCKS else outer.block,
        outer.in_link or tag == "a",
        struck,
        outer.depth + 1,
    )


def _place(node: Element, said: _Said, *, is_frame: bool) -> Place:
    """Where an element stands, as far as it says so itself."""
    tag, role = node.tag, (node.attr("role") or "").lower()
    if role in _UNSEEN_ROLES or _is_hidden(node):
        return Place.UNSEEN
    if tag in _ALWAYS_CONTENT:
        return Place.CONTENT
    if (tag == "form" or said.around) and not is_frame:
        return Place.UNSEEN
    if tag == "aside" or role == "complementary":
        return Place.BESIDE
    beside = tag == "header" or role == "banner" or said.beside
    return Place.BESIDE if beside and not is_frame else Place.CONTENT


@lru_cache(maxsize=8192)
def _said_by(names: str) -> _Said:
    return _Said(
        _AROUND.search(names) is not None, _BESIDE.search(names) is not None, _STRUCK.search(names) is not None
    )


def _names(node: Element) -> str:
    return f"{node.attr('class') or ''} {node.attr('id') or ''}"[:300]


def _is_hidden(node: Element) -> bool:
    if node.attr("hidden") is not None or node.attr("aria-hidden") == "true":
        return True
    style = node.attr("style")
    return style is not None and _HIDDEN_STYLE.search(style[:1000]) is not None


def _frames(body: Element) -> Set[Element]:
    """The elements around the content, which are content whatever their names: many a page's frame is "has-sidebar"."""
    frames: set[Element] = set()
    articles = body.find_all("article")
    # Several articles may be teasers, and what is around them may be anything.
    for node in body.select("h1, main")[:_MOST_FRAMED] + (articles if len(articles) == 1 else []):
        for above in self_and_above(parent_of(node)):
            if above in frames:
                break
            frames.add(above)
    return frames


def _touch(a: Spot, b: Spot) -> bool:
    """Is one of two elements inside the other, so that their texts run on?"""
    if abs(a.depth - b.depth) > _DEEPEST_INLINE:
        return False
    while a.depth > b.depth and a.parent is not None:
        a = a.parent
    while b.depth > a.depth and b.parent is not None:
        b = b.parent
    return a is b
