"""The visible lines of text of a page, each with its place; labels, bylines, prices and prose are found in them."""

import re
from collections.abc import Iterator, Set
from enum import IntEnum
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from turbohtml import Element, Node, Text

from lamplighter.extract.elements import parent_of, self_and_above
from lamplighter.extract.html_page import HtmlPage, once_a_page
from lamplighter.extract.words.cents import MAY_BEGIN, with_cents

#: elements and texts that are visited: only hostile pages have more
_MOST_NODES = 150_000
_MOST_FRAMED = 50
#: a form with more links than this, and with most of the page's, is the page
_FEWEST_LINKS = 10
_DEEPEST_INLINE = 20

_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
_UNSEEN_TAGS = frozenset(
    "script style template noscript svg math select option datalist textarea iframe object canvas audio video dialog "
    "nav footer button head title".split()
)
#: attributes that say what an element is; most have none of them, or only a class
_NAMES = frozenset({"class", "id"})
_TELLING = _NAMES | {"role", "hidden", "aria-hidden", "style"}
_ALWAYS_CONTENT = frozenset({"main", "article"})
_JUDGED_TAGS = frozenset({"aside", "header", "form"})
_UNSEEN_ROLES = frozenset({"navigation", "contentinfo", "dialog", "alertdialog", "menu", "menubar", "search", "alert"})
_STRUCK_TAGS = frozenset({"del", "s", "strike"})

#: class names of what surrounds the content of a page, in lower case
_AROUND = re.compile(
    r"(?:^|[\s_-])(?:comments?|commentlist|disqus|respond|cookies?|consent|gdpr|newsletter|subscribe|related"
    r"|recommend(?:ed|ations)?|similar|share|sharing|sharedaddy|social|adverts?|advertisement|sponsored|breadcrumbs?"
    r"|pagination|pager|footer|navbar|navigation|menu|skip-?links?|popup|modal|lightbox|read-?next|more-?stories|teasers?"
    r"|outbrain|taboola)(?:$|[\s_-])"
)
_BESIDE = re.compile(r"(?:^|[\s_-])(?:sidebar|rail|widgets?|masthead|site-?header)(?:$|[\s_-])")
_STRUCK = re.compile(
    r"(?:^|[\s_-])(?:old|was|strike|struck|crossed|original|compare-at|list-price|rrp|msrp|uvp|stara|poprzednia|alt|alter"
    r"|barre|ancien|tachad[oa]|anterior|vecchi[oa]|oude?|gammel|gammalt|eski|stary)(?:$|[\s_-])"
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class TextPosition(IntEnum):
    """The place of a text on its page."""

    UNSEEN = 0  # menus, footers, scripts: not part of the content
    BESIDE = 1  # asides and headers: there may be facts, but no running text
    CONTENT = 2


class ShownElement(NamedTuple):
    """A visible element, and what is known about it."""

    node: Element
    parent: "ShownElement | None"
    place: TextPosition
    #: the nearest element that breaks lines
    block: Element
    in_link: bool
    #: struck out, such as an old price
    struck: bool
    depth: int


class TextLine(NamedTuple):
    """A visible line of text."""

    text: str
    #: the texts it is made of, in order: "Location" and "Nairobi" of <b>Location</b> Nairobi
    parts: tuple[str, ...]
    #: the element of its first text
    spot: ShownElement
    #: characters that are links
    linked: int
    #: those of its texts that are struck out, such as an old price
    struck: str

    @property
    def in_content(self) -> bool:
        return self.spot.place is TextPosition.CONTENT


def self_and_around(spot: ShownElement | None) -> Iterator[ShownElement]:
    """The element and those around it, the nearest first."""
    while spot is not None:
        yield spot
        spot = spot.parent


@once_a_page
def lines_of(page: HtmlPage) -> list[TextLine]:
    """The lines of the page's body in document order, without what is not part of its content."""
    if page.body is None:
        return []
    lines: list[TextLine] = []
    texts: list[_Text] = []
    for text, spot in islice(_shown(page.body), _MOST_NODES):
        if text is None or (texts and texts[-1].spot.block is not spot.block):
            _end_line(texts, lines)
        if text and (texts or not text.isspace()):
            texts.append(_Text(text, spot))
    _end_line(texts, lines)
    return lines


class _Said(NamedTuple):
    """What the class names of an element say about it."""

    around: bool
    beside: bool
    struck: bool


_SAYS_NOTHING = _Said(around=False, beside=False, struck=False)


class _Text(NamedTuple):
    text: str
    spot: ShownElement


def _shown(body: Element) -> Iterator[tuple[str | None, ShownElement]]:
    """Every visible text and line break (None), with its element."""
    spot = ShownElement(body, None, TextPosition.CONTENT, body, in_link=False, struck=False, depth=0)
    frames = _frames(body)
    # A dialog that was open has hidden all the rest from screen readers, the content too.
    is_covered = any(frame.attr("aria-hidden") == "true" for frame in frames)
    # Not recursive, for pages may nest thousands of elements; and hidden elements are not entered at all.
    around: list[tuple[ShownElement, Iterator[Node]]] = [(spot, iter(body))]
    while around:
        spot, children = around[-1]
        for node in children:
            if isinstance(node, Text):
                yield node.data, spot
            elif not isinstance(node, Element):
                continue
            elif (tag := node.tag) == "br":
                yield None, spot
            elif (inner := _spot(node, tag, spot, frames, is_covered=is_covered)) is not None:
                around.append((inner, iter(node)))
                break
        else:
            around.pop()


def _end_line(texts: list[_Text], lines: list[TextLine]) -> None:
    """Makes a line of the texts collected so far."""
    pieces: list[str] = []
    for place, (text, spot) in enumerate(texts):
        if place and text[0] in MAY_BEGIN and (amount := _with_cents(texts[place - 1], texts[place])):
            pieces[-1] = amount
            continue
        # Two adjacent elements are separate to a reader, even if nothing but a style sheet separates them.
        if place and spot is not texts[place - 1].spot and not _touch(texts[place - 1].spot, spot):
            pieces.append(" ")
        pieces.append(text)
    if whole := " ".join("".join(pieces).split()):
        parts = tuple([part for text, _ in texts if (part := " ".join(text.split()))])
        linked = sum([len(text) for text, spot in texts if spot.in_link])
        struck = " ".join([text for text, spot in texts if spot.struck])
        lines.append(TextLine(whole, parts, texts[0].spot, linked, struck))
    texts.clear()


def _with_cents(before: _Text, after: _Text) -> str:
    """The amount that two texts make, where a price has its cents in an element of their own."""
    node = after.spot.node
    if after.spot is before.spot:
        return ""
    return with_cents(before.text.strip(), after.text.strip(), tag=node.tag, names=node.attr("class") or "")


def _spot(
    node: Element, tag: str, outer: ShownElement, frames: Set[Element], *, is_covered: bool
) -> ShownElement | None:
    """The element, if it is visible."""
    if tag in _UNSEEN_TAGS:
        return None
    said, place = _SAYS_NOTHING, TextPosition.CONTENT
    told = _TELLING.intersection(node.attrs)
    if told or tag in _JUDGED_TAGS:
        if not told.isdisjoint(_NAMES):
            said = _said_by(f"{node.attr('class') or ''} {node.attr('id') or ''}"[:300])
        if _is_hidden(node, told, is_covered=is_covered):
            return None
        role = (node.attr("role") or "").lower() if "role" in told else ""
        is_frame = node in frames or (tag == "form" and outer.depth == 0)
        place = _place(tag, role, said, is_frame=is_frame)
        if place is TextPosition.UNSEEN:
            return None
    struck = outer.struck or tag in _STRUCK_TAGS or said.struck
    return ShownElement(
        node,
        outer,
        place if place < outer.place else outer.place,
        node if tag in _BLOCKS else outer.block,
        outer.in_link or tag == "a",
        struck,
        outer.depth + 1,
    )


def _place(tag: str, role: str, said: _Said, *, is_frame: bool) -> TextPosition:
    """The place of an element, as far as it says so itself."""
    if role in _UNSEEN_ROLES:
        return TextPosition.UNSEEN
    if tag in _ALWAYS_CONTENT:
        return TextPosition.CONTENT
    if (tag == "form" or said.around) and not is_frame:
        return TextPosition.UNSEEN
    if tag == "aside" or role == "complementary":
        return TextPosition.BESIDE
    beside = tag == "header" or role == "banner" or said.beside
    return TextPosition.BESIDE if beside and not is_frame else TextPosition.CONTENT


@lru_cache(maxsize=8192)
def _said_by(names: str) -> _Said:
    names = names.lower()  # a pattern that ignores case takes six times as long
    return _Said(
        _AROUND.search(names) is not None, _BESIDE.search(names) is not None, _STRUCK.search(names) is not None
    )


def _is_hidden(node: Element, told: Set[str], *, is_covered: bool) -> bool:
    if "hidden" in told or ("aria-hidden" in told and node.attr("aria-hidden") == "true" and not is_covered):
        return True
    style = node.attr("style") if "style" in told else None
    return style is not None and _HIDDEN_STYLE.search(style[:1000]) is not None


def _frames(body: Element) -> Set[Element]:
    """The elements around the content, which count as content whatever their names: many a frame is "has-sidebar"."""
    frames: set[Element] = set()
    articles = body.find_all("article")
    forms = body.find_all("form")[:_MOST_FRAMED]
    enough = max(_FEWEST_LINKS, len(body.find_all("a")) / 2) if forms else 0
    # Several articles may be teasers, and what is around them may be anything.
    for node in body.select("h1, main")[:_MOST_FRAMED] + (articles if len(articles) == 1 else []):
        for above in self_and_above(parent_of(node)):
            if above in frames:
                break
            frames.add(above)
    # Some systems put all of a page into one form.
    frames.update(form for form in forms if len(form.find_all("a")) > enough)
    return frames


def _touch(a: ShownElement, b: ShownElement) -> bool:
    """Is one of two elements inside the other, so that their texts are continuous?"""
    if abs(a.depth - b.depth) > _DEEPEST_INLINE:
        return False
    while a.depth > b.depth and a.parent is not None:
        a = a.parent
    while b.depth > a.depth and b.parent is not None:
        b = b.parent
    return a is b
