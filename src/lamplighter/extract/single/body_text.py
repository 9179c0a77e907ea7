"""Which lines of an extracted text are the body of the article, whose paragraphs are side by side in one element?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from turbohtml import Element

from lamplighter.extract.elements import holds
from lamplighter.extract.single.main_text import LONGEST_TEXT, block_of, prose_of
from lamplighter.extract.single.text_lines import ShownElement, TextLine

_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_SUBHEADINGS = frozenset({"h2", "h3", "h4"})
_NAMES = frozenset({"b", "strong", "a"})
#: elements that are part of the body without a frame of their own
_PLAIN = frozenset({"p", "ul", "ol", "dl", "pre", "table", "h1", *_HEADINGS})
#: share of a page's prose that must be side by side to be a body
_MOST_OF_IT = 0.5
#: characters of prose, and their share of the body, that may be left out around a body
_LONGEST_AROUND, _MOST_AROUND = 400, 0.3
#: characters of a box that links elsewhere, beside its links
_LONGEST_BOX = 200
#: characters from which a line can be recognised as a quotation
_SHORTEST_QUOTE = 12
#: share of the text that must be left; if less is, this was no body
_LEFT = 0.6
_MOST_LINES, _DEEPEST = 5_000, 200
_QUOTES = " \t\"'\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u300c\u300d-\u2013\u2014"


def body_of(text: str, lines: Sequence[TextLine], title: str) -> str:
    """The text without what is not part of the body, with the headings between paragraphs; `lines` are the page's."""
    lines = lines[:_MOST_LINES]
    start = _start(lines, title)
    body = _body(lines[start:])
    if body is None:
        return text
    unwanted = {_key(line.text) for line in (*lines[:start], *_unwanted(body))}
    unwanted -= {_key(line.text) for line in body.paragraphs}
    read = text.split("\n")
    left = [line for line in read if _key(line) not in unwanted]
    if sum(map(len, left)) < _LEFT * len(text):
        return text
    return "\n".join(_with_headings(left, body))


def body_lines(lines: Sequence[TextLine], title: str) -> Sequence[TextLine]:
    """The lines side by side below the heading; none when most of the page's prose is elsewhere."""
    lines = lines[:_MOST_LINES]
    body = _body(lines[_start(lines, title) :])
    return body.paragraphs if body is not None else ()


def _start(lines: Sequence[TextLine], title: str) -> int:
    """The index of the first line below the heading; what is above it is not part of the body."""
    found = [place for place, line in enumerate(lines) if line.text == title]
    headings = [place for place in found if block_of(lines[place].spot).node.tag in ("h1", "h2")]
    return next(iter(headings or found), -1) + 1


class _Part(NamedTuple):
    """Lines in one child of the body's element, or outside of that element when there is no such child."""

    spot: ShownElement | None
    lines: Sequence[TextLine]

    @property
    def prose(self) -> int:
        return sum(map(prose_of, self.lines))


class _Body(NamedTuple):
    home: ShownElement
    #: the lines of the page, by children of the body's element
    parts: Sequence[_Part]
    #: those of them without a frame
    paragraphs: Sequence[TextLine]

    @property
    def inside(self) -> range:
        """The indexes from the first part with a paragraph to the last one."""
        places = [place for place, part in enumerate(self.parts) if self._is_paragraph(part)]
        return range(places[0], places[-1] + 1) if places else range(0)

    def _is_paragraph(self, part: _Part) -> bool:
        return any(prose_of(line) and block_of(line.spot).parent is self.home for line in part.lines)


def _body(lines: Sequence[TextLine]) -> _Body | None:
    """The body, where most of the page's prose is side by side."""
    held: Counter[Element] = Counter()
    homes: dict[Element, ShownElement] = {}
    for line in lines:
        home = block_of(line.spot).parent
        if home is not None and line.in_content and (prose := prose_of(line)):
            held[home.node] += prose
            homes[home.node] = home
    if not held or max(held.values()) < _MOST_OF_IT * held.total():
        return None
    home = homes[held.most_common(1)[0][0]]
    children = ((_child(line.spot, home), line) for line in lines)
    grouped = groupby(children, key=lambda pair: pair[0].node if pair[0] is not None else None)
    parts = [_Part(group[0][0], [line for _, line in group]) for _, found in grouped if (group := list(found))]
    paragraphs = [line for part in parts if part.spot and part.spot.node.tag in _PLAIN for line in part.lines]
    return _Body(home, parts, paragraphs)


def _child(spot: ShownElement, home: ShownElement) -> ShownElement | None:
    """The child of the body's element that contains a text; None for a text outside of it."""
    if not 0 < spot.depth - home.depth <= _DEEPEST:
        return None
    while spot.depth > home.depth + 1 and spot.parent is not None:
        spot = spot.parent
    return spot if spot.parent is home else None


def _unwanted(body: _Body) -> Iterator[TextLine]:
    inside = body.inside
    if not inside:
        return
    before, after = body.parts[: inside.start], body.parts[inside.stop :]
    yield from _around(body, [part for part in before if part.spot is None])
    yield from _around(body, [part for part in after if part.spot is None])
    # The body is over: a frame that opens with a heading or a name is about something else.
    framed = [part for part in after if part.spot is not None and _is_headed_frame(part)]
    yield from _around(body, framed)
    text = "\n".join(line.text for line in body.paragraphs)[:LONGEST_TEXT]
    for part in (*body.parts[inside.start : inside.stop], *after):
        if part.spot is not None and part.spot.node.tag not in _PLAIN:
            yield from part.lines if _leads_elsewhere(part) or _is_quoted(part, text) else ()


def _around(body: _Body, parts: Sequence[_Part]) -> Iterator[TextLine]:
    """The lines of these parts, if they are few and none of them is more of the body in a similar element."""
    prose = sum(part.prose for part in parts)
    enough = sum(map(prose_of, body.paragraphs))
    if prose > max(_LONGEST_AROUND, _MOST_AROUND * enough):
        return
    for line in (line for part in parts for line in part.lines):
        if not _is_alike(line.spot, body.home):
            yield line


def _is_alike(spot: ShownElement | None, home: ShownElement) -> bool:
    """Is it in an element beside the body's that has the same class names?"""
    if spot is None or spot.depth - home.depth > _DEEPEST:
        return False
    names = (home.node.tag, home.node.attr("class"))
    while spot is not None and spot.depth > home.depth:
        spot = spot.parent
    return spot is not None and spot is not home and (spot.node.tag, spot.node.attr("class")) == names


def _is_headed_frame(part: _Part) -> bool:
    tag = part.spot.node.tag if part.spot is not None else None
    first = part.lines[0].spot
    return tag not in _PLAIN and (block_of(first).node.tag in _HEADINGS or first.node.tag in _NAMES)


def _leads_elsewhere(part: _Part) -> bool:
    """Is it a box of a few words and a link that has a line of its own?"""
    has_link = any(line.linked and line.linked >= len(line.text) for line in part.lines)
    return has_link and sum(len(line.text) - line.linked for line in part.lines) <= _LONGEST_BOX


def _is_quoted(part: _Part, text: str) -> bool:
    """Does it repeat what the text says, in larger letters?"""
    node = part.spot.node if part.spot is not None else part.lines[0].spot.node
    # A real quotation in its own element may well be repeated.
    if node.tag == "blockquote" and "pull" not in (node.attr("class") or "").lower():
        return False
    said = [line.text.strip(_QUOTES) for line in part.lines]
    return len(said[0]) >= _SHORTEST_QUOTE and said[0] in text and not holds(node, "pre, code, table")


def _with_headings(read: Sequence[str], body: _Body) -> Iterator[str]:
    """The lines of the text, with those headings between paragraphs that the reader left out."""
    known = {_key(line) for line in read}
    pending: dict[str, list[str]] = {}
    missing: list[str] = []
    for line in body.paragraphs:
        key = _key(line.text)
        if key in known:
            pending.setdefault(key, missing)
            missing = []
        elif block_of(line.spot).node.tag in _SUBHEADINGS and pending and not line.linked:
            missing.append(line.text)
    for text in read:
        yield from pending.pop(_key(text), ())
        yield text


def _key(text: str) -> str:
    """A line for comparison: readers split words and mark items differently."""
    return "".join(text.removeprefix("- ").split())
