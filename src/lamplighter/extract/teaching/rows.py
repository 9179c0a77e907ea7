"""Which elements of a page are rows like the one that somebody pointed into, and what is the title of each?

A row stands beside others of its kind: in the same element, with the same way from the row down to its title. The row
is the outermost element around the title that has such neighbours.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from turbohtml import Document, Element

from lamplighter.extract.elements import parent_of, self_and_above, spaced_text
from lamplighter.extract.html_page import folded
from lamplighter.extract.listing.tree import FORMATTING
from lamplighter.extract.teaching.steps import lasting_names, position_of_type

#: what never holds rows of its own
_NEVER_AROUND = FORMATTING | {"tr", "a", "h1", "h2", "h3", "h4", "h5", "h6", "button", "label"}
_MOST_ROWS = 5_000
#: rows with links are records, and what holds several of them is a section, unless there are so many times more of it
_SECTIONS = 1.5


class TitledRow(NamedTuple):
    """A row and its title."""

    row: Element
    title: Element


class WayStep(NamedTuple):
    """One step of the way from a row down to something in it."""

    tag: str
    #: names that the element must have
    names: frozenset[str]
    #: its number among those of its tag, where names do not tell; None for any
    number: int | None


def text_of(node: Element) -> str:
    """The text of an element as a recipe reads it."""
    return folded(spaced_text(node))


def way_up(node: Element) -> list[Element]:
    """The element and those around it, up to the child of the body."""
    return [each for each in self_and_above(node) if each.tag not in ("html", "body")]


class RowsFound(NamedTuple):
    """Rows in document order."""

    kept: list[TitledRow]
    #: those that look the same but hold what is wrong
    left_out: list[TitledRow]


def rows_like(titles: Sequence[Element], wrong: Sequence[Element], tree: Document) -> RowsFound:
    """The rows of these titles and all like them."""
    best: list[TitledRow] = []
    most, is_sure = 1, False
    ways = [way_up(title) for title in titles]
    for height in range(min(map(len, ways))):
        examples = [TitledRow(way[height], way[0]) for way in ways]
        if _is_one_in_another(examples):
            break
        turns = _turns([way[: height + 1] for way in ways])
        around = [parent_of(example.row) for example in examples]
        if turns is None or any(each is None or each.tag in _NEVER_AROUND for each in around):
            continue
        boxes = list(dict.fromkeys(each for each in around if each is not None))
        count = len({row.row for box in boxes for row in _rows_in(box, examples, turns)})
        if count >= most * (_SECTIONS if is_sure else 1):
            most, is_sure = count, height > 0 and count > 1 and _has_link(examples[0].row)
            best = _everywhere(boxes, examples, turns, wrong, tree)
    bad = {outer for node in wrong for outer in self_and_above(node)}
    rows = best or [TitledRow(title, title) for title in titles]
    return RowsFound([each for each in rows if each.row not in bad], [each for each in rows if each.row in bad])


def _has_link(row: Element) -> bool:
    return row.attr("href") is not None or row.select_one("[href]") is not None


def _is_one_in_another(examples: Sequence[TitledRow]) -> bool:
    rows = [example.row for example in examples]
    return len(set(rows)) < len(rows) or any(outer in set(rows) for row in rows for outer in way_up(row)[1:])


def _turns(ways: Sequence[Sequence[Element]]) -> list[WayStep] | None:
    """The common way from the rows down to their titles; None if there is none."""
    turns = []
    for nodes in zip(*(reversed(way[:-1]) for way in ways), strict=True):
        if len({node.tag for node in nodes}) > 1:
            return None
        names = frozenset.intersection(*map(lasting_names, nodes))
        numbers = {position_of_type(node) for node in nodes}
        turns.append(WayStep(nodes[0].tag, names, numbers.pop() if len(numbers) == 1 and not names else None))
    return turns


def follow(row: Element, turns: Sequence[WayStep]) -> Element | None:
    """What is at the end of the way in another row."""
    node: Element | None = row
    for number, turn in enumerate(turns, start=1):
        if node is None:
            break
        kids = [each for each in node if isinstance(each, Element) and each.tag == turn.tag]
        node = _turned(kids, turn, is_last=number == len(turns))
    return node


def _turned(kids: list[Element], turn: WayStep, *, is_last: bool) -> Element | None:
    """The one of these that the way leads to: by its names, else by its number."""
    if turn.names:
        same = next((each for each in kids if turn.names <= lasting_names(each)), None)
        some = same or next((each for each in kids if turn.names & lasting_names(each)), None)
        if some is not None or is_last or len(kids) != 1:
            return some
    number = turn.number or 1
    return kids[number - 1] if number <= len(kids) else None


def way_down(row: Element, node: Element) -> list[WayStep]:
    """The way from a row to something in it."""
    way = way_up(node)
    return _turns([way[: way.index(row) + 1]]) or []


def _rows_in(box: Element, examples: Sequence[TitledRow], turns: Sequence[WayStep]) -> Iterator[TitledRow]:
    own = {example.row: example.title for example in examples}
    tags = {row.tag for row in own}
    names = [lasting_names(row) for row in own]
    found = []
    for each in box:
        if isinstance(each, Element) and each.tag in tags:
            title = own.get(each) or follow(each, turns)
            if title is not None and text_of(title):
                found.append(TitledRow(each, title))
    # A row with a name belongs to those that share one with it; one that stands alone is like all beside it.
    alike = [each for each in found if each.row in own or any(lasting_names(each.row) & one for one in names)]
    return iter(alike if len(alike) > len(own) or (all(names) and not turns) else found)


def _everywhere(
    boxes: Sequence[Element],
    examples: Sequence[TitledRow],
    turns: Sequence[WayStep],
    wrong: Sequence[Element],
    tree: Document,
) -> list[TitledRow]:
    """The rows in these boxes, and in all that look the same and hold nothing wrong."""
    ways = [way_up(box) for box in boxes]
    pattern = None
    if len({len(way) for way in ways}) == 1:
        levels = list(zip(*ways, strict=True))
        if all(len({node.tag for node in level}) == 1 for level in levels):
            pattern = [(level[0].tag, frozenset.intersection(*map(lasting_names, level))) for level in levels]
    alike = [*boxes]
    if pattern:
        bad = {outer for node in wrong for outer in way_up(node)}
        same = (node for node in tree.find_all(pattern[0][0]) if node not in boxes and node not in bad)
        alike += [node for node in same if _fits(way_up(node), pattern)]
    found = {row.row: row for box in alike for row in _rows_in(box, examples, turns)}
    order = {node: place for place, node in enumerate(tree.iter_elements())} if len(alike) > 1 else {}
    return sorted(found.values(), key=lambda row: order.get(row.row, 0))[:_MOST_ROWS]


def _fits(way: Sequence[Element], pattern: Sequence[tuple[str, frozenset[str]]]) -> bool:
    return len(way) == len(pattern) and all(
        node.tag == tag and names <= lasting_names(node) for node, (tag, names) in zip(way, pattern, strict=True)
    )
