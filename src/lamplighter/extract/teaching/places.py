"""The elements of a page by number and by text, and the outline of its texts."""

import difflib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from turbohtml import Document, Element

from lamplighter.errors import BadInput
from lamplighter.extract.elements import own_text, parent_of, parsed
from lamplighter.extract.html_page import folded
from lamplighter.extract.listing.tree import FORMATTING
from lamplighter.extract.teaching.lesson import Example, OutlineLine, TextExample
from lamplighter.extract.teaching.rows import text_of, way_up

#: elements of a page that can be pointed at
MOST_PLACES = 60_000
#: lines of an outline
MOST_LINES = 1_000
_LONGEST_LINE = 120
_LONGEST_TEXT = 2_000
#: what shows nothing
UNSEEN = frozenset(
    "head script style template noscript svg math iframe frame object embed select option textarea".split()
)


_GROUPS = frozenset({"ul", "ol", "dl", "li", "table", "tr", "article", "section", "nav"})


class NumberedPage(NamedTuple):
    """A page whose elements are numbered in document order."""

    tree: Document
    nodes: list[Element]
    places: dict[Element, int]

    def at(self, place: int) -> Element:
        """The element of this number; BadInput if there is none."""
        if not 0 <= place < len(self.nodes):
            raise BadInput(f"the page has no element {place}; it has {len(self.nodes)}", field="examples")
        return self.nodes[place]


def numbered(html: str) -> NumberedPage:
    """The page, parsed as for extraction. Call `bounds.excess` first."""
    tree = parsed(html)
    nodes = list(tree.iter_elements())[:MOST_PLACES]
    return NumberedPage(tree, nodes, {node: place for place, node in enumerate(nodes)})


def outline_of(page: NumberedPage) -> list[OutlineLine]:
    """The elements that show a text of their own, in document order."""
    lines: list[OutlineLine] = []
    #: element that is shown -> level of what is in it
    levels: dict[Element | None, int] = {page.tree.root: 0}
    for place, node in enumerate(page.nodes):
        level = levels.get(parent_of(node))
        if level is None or node.tag in UNSEEN:
            continue
        text = folded(own_text(node)) or (folded(node.attr("alt")) if node.tag == "img" else "")
        # A word in bold is in the line around it, unless it stands alone.
        has_line = bool(text) and not (
            node.tag in FORMATTING and (around := parent_of(node)) and folded(own_text(around))
        )
        levels[node] = level + (has_line or node.tag in _GROUPS)
        if has_line and len(lines) < MOST_LINES:
            lines.append(OutlineLine(place, level, node.tag, (text_of(node) or text)[:_LONGEST_LINE]))
    return lines


def pointed_at(page: NumberedPage, examples: Iterable[TextExample]) -> list[Example]:
    """The elements that show these texts; BadInput names a text that the page does not show."""
    named = list(examples)
    if not named:
        return []
    by_text: dict[str, list[Element]] = {}
    for node in page.nodes:
        if node.tag not in UNSEEN and node.tag not in ("html", "body", "title") and not _is_hidden(node):
            text = text_of(node)
            if (key := _key(text)) and len(text) <= _LONGEST_TEXT:
                by_text.setdefault(key, []).append(node)
    found = [(one.meaning, _innermost(_showing(one, by_text))) for one in named]
    ways = [{_tags(node) for node in nodes} for _, nodes in found]
    chosen = []
    for meaning, nodes in found:
        # A title stands in the list, and perhaps in a menu or a heading too: where the other examples stand counts.
        best = max(nodes, key=lambda node: sum(_tags(node) in others for others in ways))
        chosen.append(Example(meaning, page.places[best]))
    return chosen


def _key(text: str) -> str:
    """A text without what people do not type: white space, dashes, quotes, capitals."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _is_hidden(node: Element) -> bool:
    return any(outer.tag in UNSEEN for outer in way_up(node))


def _tags(node: Element) -> tuple[str, ...]:
    return tuple(outer.tag for outer in way_up(node) if outer.tag not in FORMATTING)


def _showing(example: TextExample, by_text: dict[str, list[Element]]) -> list[Element]:
    wanted = _key(example.text)
    if not wanted:
        raise BadInput(f"the example of {example.meaning} is empty; give a text of the page", field=example.meaning)
    if wanted in by_text:
        return by_text[wanted]
    longer = [text for text in by_text if text.startswith(wanted)] or [text for text in by_text if wanted in text]
    if longer:
        return by_text[min(longer, key=len)]
    near = difflib.get_close_matches(wanted, by_text, n=1, cutoff=0.6)
    hint = f"; did you mean {text_of(by_text[near[0]][0])[:100]!r}?" if near else ""
    raise BadInput(f"the page does not show {example.text[:100]!r}{hint}", field=example.meaning)


def _innermost(nodes: Sequence[Element]) -> list[Element]:
    outer = {around for node in nodes for around in way_up(node)[1:]}
    return [node for node in nodes if node not in outer]
