"""The part of a page in which listings are looked for, as plain Python objects made in one walk.

Finding what repeats asks for parents, paths and texts again and again. Every step through the parser's own tree makes
new objects, so the walk is made once and remembers what the search needs.
"""

import re
from functools import lru_cache
from itertools import repeat
from typing import TypeAlias

from selectolax.lexbor import LexborNode

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.listing.words import FRAME_CLASS, MENU_CLASS

#: nodes of a page that are looked at: no real listing is longer
MAX_NODES = 60_000

#: worth of what stands in the frame of a page, and of what is only called a menu: some lists of issues are
IN_FRAME, IN_MENU = 0.06, 0.3

_LEFT_OUT = frozenset(
    "script style template noscript svg iframe object select option textarea canvas audio video head".split()
)
#: what only changes how words look, so that a title half in bold has the path of a plain one
FORMATTING = frozenset("b strong em i u font small big mark wbr tt code abbr bdi nobr center s ins q cite".split())
_FRAME_TAGS = frozenset({"nav", "footer", "aside", "dialog"})
_FRAME_ROLES = frozenset(
    "navigation contentinfo banner complementary menu menubar toolbar tablist dialog alertdialog search".split()
)
_UNSEEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
#: moved out of sight or cut to nothing, which leaves it to screen readers
_OFF_SCREEN = re.compile(
    r"(?:left|top|indent)\s*:\s*-\d{3,}|clip(?:-path)?\s*:\s*(?:rect\(0|rect\(1px|inset)", re.IGNORECASE
)
_FOR_SCREEN_READERS = re.compile(
    r"\b(?:sr-?only|(?:visually|accessibly)-?hidden|screen-?reader(?:s|-text|-only)?|assistive-text|a11y-hidden"
    r"|accessible-?text|accessibility-text|hidden-?(?:visually|accessible)|vh|show-for-sr|off-?screen(?:-text)?"
    r"|off-left|element-invisible|hidden-text|aural|clip-?hidden)\b",
    re.IGNORECASE,
)

#: what tells that an element shows and hides another
_UNFOLDING = frozenset({"aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle"})
#: attributes besides the class that are looked at; few elements have any
_TELLING = _UNFOLDING | {"id", "role", "hidden", "aria-hidden", "style"}
_CLICKED = frozenset({"button", "a", "div", "span", "p"})
_CELLS = frozenset({"td", "th"})
_NEVER_FRAMES = frozenset({"a", "main", "article", "tr", "td"})
_LONGEST_NAMES = 300

Part: TypeAlias = "Box | str"


class Box:
    """One element. Filled during the walk, read only afterwards."""

    #: equal for elements under the same chain of tags; cells of a row also tell their column
    path = 0
    #: 0-1, how far it may be what the page is about: little inside a menu, a footer, a side bar
    worth = 1.0
    #: position of the last element inside
    last = 0
    #: characters of text inside
    size = 0
    #: characters of text before it in its line, and in its own last line
    before = 0
    line = 0
    #: a reader does not see it
    unseen = False
    #: only screen readers read it out: a label perhaps, never a title
    spoken = False
    #: a click on it shows what it names
    unfolds = False
    #: the cells of a row with their columns, once somebody asked for them
    cells: "list[tuple[int, Box]] | None" = None

    def __init__(self, tag: str, attributes: dict[str, str | None], parent: "Box | None", place: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        #: position in the document; the body has 0
        self.place = place
        #: child boxes and texts, in order
        self.parts: list[Part] = []

    @property
    def kids(self) -> "list[Box]":
        return [part for part in self.parts if part.__class__ is Box]

    def attribute(self, name: str) -> str:
        return self.attributes.get(name) or ""


def outline(page: HtmlPage) -> list[Box]:
    """The elements of the body, in document order."""
    boxes: list[Box] = []
    root = page.tree.body
    if root is None:
        return boxes
    paths: dict[tuple[int, str, int], int] = {}
    #: the box being filled, and the nodes that are entered, each with the box around it
    around = Box("body", {}, None, 0)
    entered: list[tuple[LexborNode, Box]] = []
    node = root.first_child
    for _ in repeat(None, MAX_NODES):
        while node is None and entered:
            node, around = _leave(entered, around, len(boxes))
        if node is None:
            break
        tag = node.tag or "-"
        if tag == "-text":
            _add_text(node.text_content, around)
        elif tag not in _LEFT_OUT and tag[0] not in "-!":
            box = _box(tag, node.attributes, around, len(boxes) + 1)
            if tag in FORMATTING:
                box.path = around.path
            else:
                column = len(around.parts) if tag in _CELLS else 0
                box.path = paths.setdefault((around.path, tag, column), len(paths) + 1)
            boxes.append(box)
            entered.append((node, around))
            node, around = node.first_child, box
            continue
        node = node.next
    while entered:
        _, around = _leave(entered, around, len(boxes))
    return boxes


def _leave(entered: list[tuple[LexborNode, Box]], box: Box, last: int) -> tuple[LexborNode | None, Box]:
    """Notes how far a box reaches and how much text it holds; what comes behind it, and the box around that."""
    node, outer = entered.pop()
    box.last = last
    outer.size += box.size
    return node.next, outer


def _add_text(text: str | None, parent: Box) -> None:
    if not text:
        return
    if not text.isspace():
        parent.parts.append(text)
        parent.size += len(text)
        parent.line += len(text)
    elif parent.parts and _is_formatting(parent.parts[-1]):
        # Between other elements space means nothing, but here it parts words.
        parent.parts.append(" ")


def _is_formatting(part: Part) -> bool:
    return not isinstance(part, str) and part.tag in FORMATTING


def _box(tag: str, attributes: dict[str, str | None], parent: Box, place: int) -> Box:
    box = Box(tag, attributes, parent, place)
    parent.parts.append(box)
    if parent.line:
        box.before = parent.line
        if tag == "br":
            parent.line = 0
    in_frame = tag in _FRAME_TAGS or (tag == "header" and _is_outermost(parent))
    box.worth = IN_FRAME if in_frame else parent.worth
    if attributes:
        if names := attributes.get("class"):
            worth, spoken = _judged(names[:_LONGEST_NAMES])
            if spoken:
                box.spoken = True
            if worth < box.worth and tag not in _NEVER_FRAMES:
                box.worth = worth
        if not _TELLING.isdisjoint(attributes):
            _mark(box, attributes)
    return box


def _is_outermost(parent: Box) -> bool:
    """A header directly below the body is the page's own; others head a card or an article."""
    return parent.parent is None or (parent.parent.parent is None and parent.tag == "div")


def _mark(box: Box, attributes: dict[str, str | None]) -> None:
    """Notes what attributes other than the class say: whether a reader sees the box, whether it is a frame's part."""
    if (name := attributes.get("id")) and box.tag not in _NEVER_FRAMES:
        box.worth = min(box.worth, _judged(name[:_LONGEST_NAMES])[0])
    if attributes.get("role") in _FRAME_ROLES:
        box.worth = IN_FRAME
    if not _UNFOLDING.isdisjoint(attributes) and box.tag in _CLICKED:
        box.unfolds = True
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        box.unseen = True
    if style := attributes.get("style"):
        style = style[:_LONGEST_NAMES]
        box.unseen = box.unseen or _UNSEEN_STYLE.search(style) is not None
        box.spoken = box.spoken or _OFF_SCREEN.search(style) is not None


@lru_cache(maxsize=8192)
def _judged(names: str) -> tuple[float, bool]:
    """What class names or an id leave of an element's worth, and whether they speak of screen readers."""
    worth = IN_FRAME if FRAME_CLASS.search(names) else IN_MENU if MENU_CLASS.search(names) else 1.0
    return worth, _FOR_SCREEN_READERS.search(names) is not None
