"""The value of a property in microdata and RDFa, and the item to which it belongs."""

from collections.abc import Collection

from turbohtml import Element

from lamplighter.extract.bounds import excess
from lamplighter.extract.elements import holds, parent_of, parsed, self_and_above, spaced_text
from lamplighter.extract.html_page import folded, take_visible_text

_LONGEST_TEXT = 200_000
#: a short text contains no script worth searching
_LONG_TEXT = 300
#: of all properties of a page together, in characters
_MOST_TEXT = 4_000_000
_COST_OF_ONE = 40

_ADDRESS_ATTRIBUTE = {
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("img", "audio", "embed", "iframe", "source", "track", "video"), "src"),
    "object": "data",
}
_VALUE_ATTRIBUTE = {"time": "datetime", "data": "value", "meter": "value"}
#: properties that mean the address of a link; all others mean its text, whatever the standards say: an author of
#: <a itemprop="name" href="/jobs/7">Nurse</a> does not mean that the job is called /jobs/7
_ADDRESSES = frozenset(
    "item image logo photo sameas mainentityofpage additionaltype availability itemcondition license "
    "haspart ispartof isvariantof relatedlink significantlink".split()
)


def is_address(name: str) -> bool:
    """Does a property of this name mean an address?"""
    lower = name.lower()
    return lower.endswith("url") or lower in _ADDRESSES


class PropertyValues:
    """Reads the values of one page's properties up to a limit: nested properties repeat the text of those below."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        #: characters that may still be read
        self._left = _MOST_TEXT

    def are_exhausted(self) -> bool:
        """Is the page's limit reached? Called before each element, which is counted thereby."""
        self._left -= _COST_OF_ONE
        return self._left <= 0

    def of(self, node: Element, name: str) -> str:
        """The value of an element's property as written; "" when there is none."""
        content = node.attr("content")
        if content is not None:
            return content
        tag = node.tag
        if tag in _VALUE_ATTRIBUTE and (given := node.attr(_VALUE_ATTRIBUTE[tag])):
            return given
        attribute = _ADDRESS_ATTRIBUTE.get(tag)
        if attribute is None:
            return self._text(node)
        link = (node.attr(attribute) or "").strip()
        return link if is_address(name) else self._text(node) or folded(node.attr("alt")) or link

    def _text(self, node: Element) -> str:
        if self.are_exhausted():
            return ""
        raw = spaced_text(node)
        self._left -= len(raw)
        text = folded(raw[:_LONGEST_TEXT])
        if len(text) < _LONG_TEXT or not holds(node, "script, style, template, noscript"):
            return text
        # The tree is shared, so hidden parts are removed from a copy.
        html = node.html
        self._left -= len(html)
        return "" if excess(html) else take_visible_text(parsed(html))


class Scopes:
    """The elements that start an item, found from any element inside them in few steps."""

    __slots__ = ("_nearest", "_starts")

    def __init__(self, starts: Collection[Element]) -> None:
        self._starts = starts
        #: element -> the start around it: cached so that the next walk upwards is short
        self._nearest: dict[Element, Element | None] = {}

    def around(self, node: Element) -> Element | None:
        """The element that starts the item around this one (not this one itself); None when there is none."""
        climbed: list[Element] = []
        found: Element | None = None
        for above in self_and_above(parent_of(node)):
            if above in self._starts:
                found = above
                break
            if above in self._nearest:
                found = self._nearest[above]
                break
            climbed.append(above)
        self._nearest.update(dict.fromkeys(climbed, found))
        return found
