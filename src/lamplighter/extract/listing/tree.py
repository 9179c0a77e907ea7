"""The elements of a page as plain objects with parents, paths and texts, made in one walk over the parser's tree."""

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from turbohtml import Element, Node, Text

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.listing.words import FRAME_CLASS, MENU_CLASS

if TYPE_CHECKING:
    from lamplighter.extract.listing.rows import RowText

#: nodes of a page that are visited: no real listing is longer
MAX_NODES = 60_000

#: worth of elements in the frame of a page, and of those that are only named a menu: some lists of issues are
IN_FRAME, IN_MENU = 0.06, 0.3

_LEFT_OUT = frozenset(
    "script style template noscript svg iframe object select option textarea canvas audio video head".split()
)
#: formatting only, so that a title half in bold has the path of a plain one
FORMATTING = frozenset(
    "b strong em i u font small big mark wbr tt code abbr bdi nobr center s ins q cite kw hl".split()
)
_FRAME_TAGS = frozenset({"nav", "footer", "aside", "dialog"})
_FRAME_ROLES = frozenset(
    "navigation contentinfo banner complementary menu menubar toolbar tablist dialog alertdialog search".split()
)
_UNSEEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
#: moved out of sight or cut to nothing, so that only screen readers read it
_OFF_SCREEN = re.compile(
    r"(?:left|top|indent)\s*:\s*-\d{3,}|clip(?:-path)?\s*:\s*(?:rect\(0|rect\(1px|inset)", re.IGNORECASE
)
_FOR_SCREEN_READERS = re.compile(
    r"\b(?:sr-?only|(?:visually|accessibly)-?hidden|screen-?reader(?:s|-text|-only)?|assistive-text|a11y-hidden"
    r"|accessible-?text|accessibility-text|hidden-?(?:visually|accessible)|vh|show-for-sr|off-?screen(?:-text)?"
    r"|off-left|element-invisible|hidden-text|aural|clip-?hidden)\b"
)

#: where a new word begins: navMenu
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
#: words that were searched for
_MARKED = re.compile(r"highlight|(?:^|[\s_-])(?:hit|hl|match(?:ed)?|keyword|query|search-?term|qt\d)(?:$|[\s_-])")

#: attributes of an element that shows and hides another
_UNFOLDING = frozenset({"aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle"})
#: attributes besides the class that are read; few elements have any
#: attributes in which a row that a script makes a link keeps its address
ROW_ADDRESSES = ("data-href", "data-url", "data-link")
_CLICKABLE = frozenset({*ROW_ADDRESSES, "onclick"})
_TELLING = _UNFOLDING | _CLICKABLE | {"id", "role", "hidden", "aria-hidden", "style"}
_CLICKED = frozenset({"button", "a", "div", "span", "p"})
_CELLS = frozenset({"td", "th"})
_NEVER_FRAMES = frozenset({"a", "main", "article", "tr", "td"})
#: more main headings than this are the entries of a menu, and a smaller share of the text is no body of a page
_MOST_HEADINGS, _LEAST_WRAPPED = 3, 0.25
_LONGEST_NAMES = 300
#: spans inside each other
_MOST_SPANS = 2

Part: TypeAlias = "Box | str"


class Box:
    """One element. Filled during the walk, read only afterwards."""

    #: equal for elements under the same chain of tags; cells of a row also include their column
    path = 0
    #: 0-1, how likely it is what the page is about: low inside a menu, a footer, a side bar
    worth = 1.0
    #: the same by its tag or role alone, and by its name alone
    own_worth = 1.0
    named_worth = 1.0
    #: position of the last element inside
    last = 0
    #: characters of text inside
    size = 0
    #: characters of text before it in its line, and in its own last line
    before = 0
    line = 0
    #: it is invisible
    unseen = False
    #: only screen readers read it: a label perhaps, never a title
    spoken = False
    #: it marks words of a text, such as those that were searched for
    marked = False
    #: a click on it shows what it names
    unfolds = False
    #: it has no attributes at all
    bare = True
    #: its class names; empty when it has none
    names = ""
    #: its role; empty when it has none
    role = ""
    #: a script may make it a link
    clickable = False
    #: what `rows.segments` read in it, once it has
    texts: "list[RowText] | None" = None
    #: the cells of a row with their columns, once they were computed
    cells: "list[tuple[int, Box]] | None" = None

    def __init__(self, node: Element, tag: str, parent: "Box | None", place: int) -> None:
        self.tag = tag
        self.node = node
        self.parent = parent
        #: position in the document; the body has 0
        self.place = place
        #: child boxes and texts, in order
        self.parts: list[Part] = []

    @property
    def kids(self) -> "list[Box]":
        return [part for part in self.parts if part.__class__ is Box]

    def attribute(self, name: str) -> str:
        return "" if self.bare else self.node.attr(name) or ""

    def has(self, name: str) -> bool:
        return not self.bare and self.node.attr(name) is not None


def self_and_above(box: Box | None) -> Iterator[Box]:
    """The box and those around it, the nearest first."""
    while box is not None:
        yield box
        box = box.parent


def outline(page: HtmlPage) -> list[Box]:
    """The elements of the body, in document order."""
    boxes: list[Box] = []
    if page.body is None:
        return boxes
    paths: dict[tuple[int, str, int], int] = {}
    #: the box being filled and its remaining children, and the same of those around it; the body has no names
    body = around = Box(Element("body"), "body", None, 0)
    children = iter(page.body)
    entered: list[tuple[Box, Iterator[Node]]] = []
    nodes = 0
    while nodes < MAX_NODES:
        for node in children:
            nodes += 1
            if isinstance(node, Text):
                _add_text(node.data, around)
            elif isinstance(node, Element) and (tag := node.tag) not in _LEFT_OUT:
                box = _box(node, tag, around, len(boxes) + 1)
                if tag in FORMATTING or box.marked or (tag == "span" and _is_left_open(around)):
                    box.path = around.path
                else:
                    column = len(around.parts) if tag in _CELLS else 0
                    box.path = paths.setdefault((around.path, tag, column), len(paths) + 1)
                boxes.append(box)
                entered.append((around, children))
                around, children = box, iter(node)
                break
        else:
            if not entered:
                break
            around, children = _leave(entered, around, len(boxes))
    while entered:
        around, _ = _leave(entered, around, len(boxes))
    for wrapper in _wrappers(boxes, body):
        _lift(wrapper, boxes)
    return boxes


def release(boxes: Sequence[Box]) -> None:
    """Lets go of an outline: its boxes hold each other, and would have to be found by the garbage collector."""
    if boxes and (body := boxes[0].parent) is not None:
        del body.parts
    for box in boxes:
        del box.parts
        if box.texts is not None:
            box.texts = None
        if box.cells is not None:
            box.cells = None


def _wrappers(boxes: Sequence[Box], body: Box) -> list[Box]:
    """Elements that are named after a side bar or a menu and hold the body of the page: "content-sidebar-wrap"."""
    least = _LEAST_WRAPPED * body.size
    named = [box for box in boxes if box.size >= least and box.named_worth < 1]
    if not named:
        return []
    headings = [box.place for box in boxes if box.tag == "h1"]
    inside = [box.place for box in boxes if box.tag == "main" or box.role == "main"]
    inside += headings if len(headings) <= _MOST_HEADINGS else []
    return [box for box in named if any(box.place < place <= box.last for place in inside)]


def _lift(wrapper: Box, boxes: Sequence[Box]) -> None:
    """Takes back what the name of a wrapper says about everything inside it."""
    wrapper.named_worth = 1.0
    for box in boxes[wrapper.place - 1 : wrapper.last]:
        above = box.parent.worth if box.parent is not None else 1.0
        box.worth = min(above, box.own_worth, box.named_worth)


def _leave(entered: list[tuple[Box, Iterator[Node]]], box: Box, last: int) -> tuple[Box, Iterator[Node]]:
    """Records where a box ends and how much text it has; returns the box around it, and what follows there."""
    outer, behind = entered.pop()
    box.last = last
    outer.size += box.size
    return outer, behind


def _add_text(text: str, parent: Box) -> None:
    if not text.isspace():
        parent.parts.append(text)
        length = len(text)
        parent.size += length
        parent.line += length
    elif parent.parts and not isinstance(last := parent.parts[-1], str) and (last.tag in FORMATTING or last.marked):
        # Between other elements white space means nothing, but here it separates words.
        parent.parts.append(" ")


def _box(node: Element, tag: str, parent: Box, place: int) -> Box:
    box = Box(node, tag, parent, place)
    parent.parts.append(box)
    if parent.line:
        box.before = parent.line
        if tag == "br":
            parent.line = 0
    if tag in _FRAME_TAGS or (tag == "header" and _is_outermost(parent)):
        box.worth = box.own_worth = IN_FRAME
    else:
        box.worth = parent.worth
    if others := len(node.attrs):
        box.bare = False
        if names := node.attr("class"):
            others -= 1
            box.names = names
            worth, spoken, marked = _judged(names[:_LONGEST_NAMES])
            if spoken:
                box.spoken = True
            if marked and tag == "span":
                box.marked = True
            if worth < 1 and tag not in _NEVER_FRAMES:
                box.named_worth = worth
                box.worth = min(box.worth, worth)
        if others and (told := _TELLING.intersection(node.attrs)):
            _mark(box, told)
    return box


def _is_left_open(around: Box) -> bool:
    """Does nobody close the spans, so that each row is deeper than the one before?"""
    above: Box | None = around
    for _ in range(_MOST_SPANS):
        if above is None or above.tag != "span":
            return False
        above = above.parent
    return True


def _is_outermost(parent: Box) -> bool:
    """A header directly below the body is the page's own; others belong to a card or an article."""
    return parent.parent is None or (parent.parent.parent is None and parent.tag == "div")


def _mark(box: Box, told: Set[str]) -> None:
    """Reads attributes other than the class: whether the box is visible, whether it is part of a frame."""
    if "id" in told and (name := box.attribute("id")) and box.tag not in _NEVER_FRAMES:
        box.named_worth = min(box.named_worth, _judged(name[:_LONGEST_NAMES])[0])
        box.worth = min(box.worth, box.named_worth)
    if "role" in told:
        box.role = box.attribute("role")
        if box.role in _FRAME_ROLES:
            box.worth = box.own_worth = IN_FRAME
    if not _CLICKABLE.isdisjoint(told):
        box.clickable = True
    if box.tag in _CLICKED and not _UNFOLDING.isdisjoint(told):
        box.unfolds = True
    if "hidden" in told or ("aria-hidden" in told and box.attribute("aria-hidden") == "true"):
        box.unseen = True
    if "style" in told and (style := box.attribute("style")):
        style = style[:_LONGEST_NAMES]
        box.unseen = box.unseen or _UNSEEN_STYLE.search(style) is not None
        box.spoken = box.spoken or _OFF_SCREEN.search(style) is not None


@lru_cache(maxsize=8192)
def _judged(names: str) -> tuple[float, bool, bool]:
    """By its class names or id: the worth of an element, is it for screen readers, does it mark words?"""
    names = _CAMEL.sub("-", names).lower()  # a pattern that ignores case takes six times as long
    worth = IN_FRAME if FRAME_CLASS.search(names) else IN_MENU if MENU_CLASS.search(names) else 1.0
    return worth, _FOR_SCREEN_READERS.search(names) is not None, _MARKED.search(names) is not None
