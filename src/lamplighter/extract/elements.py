"""Parsing a page, flattened where it nests too deep, and querying its tree, also by a recipe's CSS selectors."""

import re
from collections.abc import Iterator
from functools import lru_cache

from turbohtml import Document, Element, SelectorSyntaxError, Text, parse

#: nested grouping elements; their content needs some levels as well
_DEEPEST = 400
#: rows without end tags do not nest that deep before the page has more tags than this
_FEW_TAGS = 1_500

#: beginnings of what needs no end tag and is common
_WITHOUT_END = ("<img", "<br", "<input", "<meta", "<link", "<source", "<!--")

#: replaces a tag: what it separated stays separated
_LEFT_OUT = "<!---->"

_GROUPING = r"<(/?)(?:div|span|section|article|main|center|font|form|b|i|u|em|strong|small)(?![\w:-])[^<>]*+>"
#: in these elements a tag is text
_OPAQUE = r"<!--.*?(?:-->|\Z)|<(script|style|textarea|title)\b.*?(?:</\2|\Z)"
_TAGS = re.compile(f"{_GROUPING}|{_OPAQUE}", re.IGNORECASE | re.DOTALL)

_PIECE = re.compile(r"""\\.|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|[\[\]()]|:[\w-]++|[^\\"'\[\]():]++|.""", re.DOTALL)
_CLOSING = {"[": "]", "(": ")"}
#: pseudo-class -> the parser's name. Its :empty is that of Selectors 4, which ignores white space
_SAME = {":blank": ":empty", ":placeholder-shown": "[placeholder]"}


def parsed(html: str, tags: int | None = None) -> Document:
    """The tree of a page or of a piece of one. Call `bounds.excess` first; `tags` is as there."""
    tree = parse(shallow(html, tags), positions=False, allow_declarative_shadow_roots=False)
    # The content of a template is not part of the page until a script inserts it, but the parser finds elements in it.
    for template in tree.find_all("template"):
        template.clear()
    return tree


def holds(node: Element, selector: str) -> bool:
    """Does the element match the selector, or contain a match?"""
    return node.matches(selector) or node.select_one(selector) is not None


def parent_of(node: Element) -> Element | None:
    """The element around this one."""
    parent = node.parent
    return parent if isinstance(parent, Element) else None


def self_and_above(node: Element | None) -> Iterator[Element]:
    """The element and its ancestors, the nearest first."""
    while node is not None:
        yield node
        node = parent_of(node)


def spaced_text(node: Element, separator: str = " ") -> str:
    """All texts in an element, separated where elements separate them."""
    return separator.join(node.strings)


def own_text(node: Element) -> str:
    """The texts of an element itself, not of its children."""
    return "".join([child.data for child in node if isinstance(child, Text)])


def shallow(html: str, tags: int | None = None) -> str:
    """The page without grouping elements nested deeper than the parser's limit of 512; their content is kept.

    Deeper paragraphs would lose their text to what is around them. A template that forgets an end tag in a loop makes
    such pages. `tags` is the number of "<" in it, where that was counted before.
    """
    if tags is None:
        tags = html.count("<")
    if tags <= _FEW_TAGS or (left_open := tags - 2 * html.count("</")) <= _DEEPEST:
        return html
    if left_open - sum(map(html.count, _WITHOUT_END)) <= _DEEPEST:
        return html
    depth = left_out = 0

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth, left_out
        if tag[1] is None:
            return tag[0]
        if tag[1] == "":
            is_deep = depth >= _DEEPEST
            left_out, depth = left_out + is_deep, depth + (not is_deep)
        else:
            is_deep = left_out > 0
            left_out, depth = left_out - is_deep, max(0, depth - (not is_deep))
        return _LEFT_OUT if is_deep else tag[0]

    return _TAGS.sub(kept, html)


def select(node: Document | Element, selector: str) -> list[Element]:
    """The elements that a selector matches, the given one included; none when it is none (such as a JSON path)."""
    said = _understood(selector)
    try:
        found = node.select(said)
        return [node, *found] if isinstance(node, Element) and node.matches(said) else found
    except SelectorSyntaxError:
        return []


def is_selector(selector: str) -> bool:
    """Is it a valid selector?"""
    try:
        selector.encode()
        Element("p").select(_understood(selector))
    except (SelectorSyntaxError, UnicodeEncodeError):
        return False
    return True


@lru_cache(maxsize=1024)
def _understood(selector: str) -> str:
    """The selector as the parser accepts it: what is still open at its end is closed there, as in CSS."""
    said: list[str] = []
    still_open: list[str] = []
    for piece in _PIECE.findall(selector.replace("\0", "\ufffd")):
        if piece in _CLOSING:
            still_open.append(_CLOSING[piece])
        elif still_open and piece == still_open[-1]:
            still_open.pop()
        said.append(_SAME.get(piece.lower(), piece) if "]" not in still_open else piece)
        if piece[0] in "\"'" and (len(piece) == 1 or piece[-1] != piece[0]):
            said.append(piece[0])
    return "".join([*said, *reversed(still_open)])
