"""The running text of a page: the smallest element with most of its prose. Used where trafilatura finds none."""

from collections import Counter
from collections.abc import Sequence
from itertools import dropwhile, islice

from turbohtml import Element

from lamplighter.extract.elements import holds, own_text, parent_of
from lamplighter.extract.html_page import HtmlPage, once_a_page
from lamplighter.extract.single.text_lines import ShownElement, TextLine, self_and_around

#: characters of a text that are kept
LONGEST_TEXT = 50_000

#: a line this long is a sentence, not a label or a button
_SHORTEST_PROSE = 40
#: share of a page's prose that an element must contain to be its text
_MOST_OF_IT = 0.7
_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_MOST_LINES, _DEEPEST = 5_000, 200

#: paragraphs of this length together are worth trafilatura's time
_ENOUGH_PROSE = 250
_SHORTEST_PARAGRAPH = 60
_MOST_PARAGRAPHS = 400
#: what a card of a listing has beside its text
_TEASER = "a[href], h2, h3, h4"
_SAMPLE, _FEWEST_CARDS = 6, 3
#: Chinese, Japanese and Korean say as much in a third of the characters
_FIRST_DENSE, _DENSITY = "\u2e80", 3


def main_region(lines: Sequence[TextLine]) -> ShownElement | None:
    """The smallest element with most of the page's prose; None when there is no prose."""
    shown = [line for line in lines[:_MOST_LINES] if line.in_content]
    return _region(shown, [prose_of(line) for line in shown])


def main_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines of the element that contains most of the page's prose; none when there is no prose."""
    region = main_region(lines)
    return lines_in(lines, region) if region is not None else []


def lines_in(lines: Sequence[TextLine], region: ShownElement) -> list[TextLine]:
    """The lines of a text that is in this element, from its first sentence or heading on."""
    # A line that is only a link leads away from the text, unless it is a heading.
    inside = [line for line in lines[:_MOST_LINES] if line.in_content and _is_inside(line.spot, region)]
    inside = [line for line in inside if line.linked < len(line.text) or _is_heading(line)]
    return list(dropwhile(lambda line: not prose_of(line) and not _is_heading(line), inside))


def joined(lines: Sequence[TextLine]) -> str:
    """The lines as one text, one paragraph per line."""
    return "\n".join(line.text for line in lines)[:LONGEST_TEXT].rstrip()


def prose_length(lines: Sequence[TextLine]) -> int:
    """The length of the running text, in Latin letters."""
    return sum(prose_of(line) for line in lines if line.in_content)


@once_a_page
def paragraphs_length(page: HtmlPage) -> int:
    """The length of the page's paragraphs, whatever they belong to."""
    return sum(len(node.text) for node in page.tree.find_all("p")[:_MOST_PARAGRAPHS])


@once_a_page
def has_prose(page: HtmlPage) -> bool:
    """Is there enough running text for trafilatura? The teasers of a listing do not count."""
    tags = page.tree.find_all
    if _run_on([(node, node.text) for node in tags("p")[:_MOST_PARAGRAPHS]]):
        return True
    broken = dict.fromkeys(parent_of(node) for node in tags("br")[:_MOST_PARAGRAPHS])
    if any(weight(own_text(node)) >= _ENOUGH_PROSE for node in broken if node is not None):
        return True
    # Paragraphs in disguise: divs, or spans that are alone in theirs.
    spans = [(parent_of(node) or node, own_text(node)) for node in tags("span")[:_MOST_PARAGRAPHS]]
    return _run_on([(node, own_text(node)) for node in tags("div")[:_MOST_PARAGRAPHS]] + spans)


def _run_on(texts: Sequence[tuple[Element, str]]) -> bool:
    """Are long texts side by side in one element, or in elements that are not cards?"""
    beside: dict[Element, int] = {}
    #: in the order they were found
    alone: dict[Element, None] = {}
    for node, text in texts:
        if len(text) < _SHORTEST_PARAGRAPH // _DENSITY or (length := weight(text)) < _SHORTEST_PARAGRAPH:
            continue
        above = parent_of(node) or node
        if above not in beside:
            beside[above], alone[above] = length, None
            continue
        alone.pop(above, None)
        beside[above] += length
        if beside[above] >= _ENOUGH_PROSE:
            return True
    if sum(beside.values()) < _ENOUGH_PROSE:
        return False
    # A selector search costs as much as many texts: a few of them show what they all are.
    sample = list(alone)[:_SAMPLE]
    cards = sum(holds(above, _TEASER) for above in sample)
    return len(sample) < _FEWEST_CARDS or cards * 2 <= len(sample)


def _is_heading(line: TextLine) -> bool:
    return block_of(line.spot).node.tag in _HEADINGS


def prose_of(line: TextLine) -> int:
    """How much of a line is running text: nothing, when it is a label or mostly links."""
    length = weight(line.text)
    return length if length >= _SHORTEST_PROSE and line.linked * 2 < len(line.text) else 0


def weight(text: str) -> int:
    """The length of a text, in Latin letters."""
    text = text.strip()
    return len(text) * _DENSITY if text[:1] >= _FIRST_DENSE else len(text)


def _region(lines: Sequence[TextLine], weights: Sequence[int]) -> ShownElement | None:
    """The smallest element that contains most of the prose."""
    held: Counter[Element] = Counter()
    spots: dict[Element, ShownElement] = {}
    for line, weight in zip(lines, weights, strict=True):
        # The text is where its paragraphs are, even if one of them outweighs the rest.
        for spot in islice(self_and_around(block_of(line.spot).parent), _DEEPEST if weight else 0):
            held[spot.node] += weight
            spots[spot.node] = spot
    enough = sum(weights) * _MOST_OF_IT
    holders = (spots[key] for key, weight in held.items() if weight >= enough)
    return max(holders, key=lambda spot: spot.depth, default=None)


def block_of(spot: ShownElement) -> ShownElement:
    while spot.node is not spot.block and spot.parent is not None:
        spot = spot.parent
    return spot


def _is_inside(spot: ShownElement, region: ShownElement) -> bool:
    if spot.depth - region.depth > _DEEPEST:
        return False
    while spot.depth > region.depth and spot.parent is not None:
        spot = spot.parent
    return spot is region
