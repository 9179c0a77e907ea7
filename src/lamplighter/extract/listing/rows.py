"""What stands in one row of a listing: its texts in order, and where each of them stood."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from lamplighter.extract.html_page import folded
from lamplighter.extract.listing.tree import FORMATTING, Box, Part
from lamplighter.extract.listing.words import ACTIONS, APPLIES, ASKS
from lamplighter.extract.words.cents import MAY_BEGIN, with_cents
from lamplighter.extract.words.field_words import bare, field_for
from lamplighter.extract.words.value_types import is_currency, is_split_date

#: texts of one row that are read, and elements that are looked at for them
MAX_SEGMENTS = 60
_MAX_BOXES = 400
#: a page that nests deeper inside one row is not read to the bottom
_MAX_DEPTH = 60
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HEADS = HEADINGS | {"summary"}
_BOLD = frozenset({"b", "strong"})
#: pictures, controls, and prices that no longer hold
_NO_TEXT = frozenset({"img", "input", "button", "hr", "del", "s", "strike"})
#: between the facts of one line
_SEPARATOR = re.compile(r"\s*[|\u2022\u00b7\u2027\u25cf]\s*")
_SEPARATORS = re.compile(r"[|\u2022\u00b7\u2027\u25cf]")
_LONGEST_LINE = 250
#: "3 comments" says how many, not what
_COUNT = re.compile(
    r"[(\[]?\d+[)\]]?\s?(?:(?:comment|repl|review|rating|view|like|share|vote|point|kommentar|antwort|commentaire"
    r"|avis|comentario"
    r"|commenti|reactie|komentarz|коммента|комента|yorum|评论|コメント|댓글|تعليق)\w{0,4})?",
    re.IGNORECASE,
)
#: a sign of a currency, a day or a month that may be a part of what follows
_TINY = 4
_COLONS = (":", "\uff1a")
_LONGEST_ACTION = 45
_LONGEST_AMOUNT = 12
#: how a round price ends: 79,-
_ROUND = ("-", "\u2013", "\u2014")

_ACTIONS = frozenset(bare(phrase) for phrase in ACTIONS.replace("\n", ",").split(",") if phrase.strip())


@dataclass(slots=True, kw_only=True)
class Segment:
    """A text of a row with the element it stands in."""

    text: str
    #: the nearest element that is more than formatting
    box: Box
    #: what only changes how it looks and stands around it alone, or None
    dress: Box | None = None
    #: the link around it, or None
    link: Box | None = None
    #: the heading around it, or None
    heading: Box | None = None
    #: only screen readers read it out
    spoken: bool = False
    #: it stands in bold
    strong: bool = False
    #: class names of the empty element before it, often a pictogram
    icon: str = ""


@lru_cache(maxsize=8192)
def is_action(text: str) -> bool:
    """Does the text ask to do something (Apply, Read more) instead of naming something?"""
    if len(text) > _LONGEST_ACTION:
        return False
    words = bare(text)
    return words in _ACTIONS or ASKS.fullmatch(words) is not None or _COUNT.fullmatch(text) is not None


def is_apply(text: str) -> bool:
    """Does the text ask to apply: does it lead to a form, not to what the job is?"""
    return is_action(text) and APPLIES.search(bare(text)) is not None


def _is_heading(box: Box) -> bool:
    return box.tag in _HEADS or box.attribute("role") == "heading"


def segments(row: Sequence[Part]) -> list[Segment]:
    """The visible texts of a row; words that only look different are one text."""
    reader = _Reader()
    for part in row:
        if isinstance(part, str):
            owner = next((p.parent for p in row if isinstance(p, Box) and p.parent), None)
            if owner is not None:
                reader.add(part, owner, strong=False)
        else:
            reader.enter(part, depth=0)
    found = reader.found
    if any(len(part.text) <= _TINY and (not part.text.isalpha() or is_currency(part.text)) for part in found):
        found = _with_dates(_with_amounts(found))
    return _parted(found)


def _with_dates(found: list[Segment]) -> list[Segment]:
    """The texts, with day, month and year made one where each has an element of its own."""
    joined: list[Segment] = []
    for part in found:
        before = joined[-1] if joined else None
        if before is not None and is_split_date(before.text, part.text):
            joined[-1] = replace(before, text=f"{before.text} {part.text}")
        else:
            joined.append(part)
    return joined


def _with_amounts(found: list[Segment]) -> list[Segment]:
    """The texts, with a currency, its amount and the cents made one where shops style them apart."""
    joined: list[Segment] = []
    for part in found:
        before = joined[-1] if joined else None
        if before is not None and is_currency(before.text) and part.text[:1].isdigit():
            joined[-1] = replace(part, text=f"{before.text}{part.text}")
        elif before is not None and is_currency(part.text) and _ends_amount(before.text):
            joined[-1] = replace(before, text=f"{before.text} {part.text}")
        elif (
            before is not None
            and part.text[0] in MAY_BEGIN
            and (whole := _with_cents(before.text, part.text, part.box))
        ):
            joined[-1] = replace(before, text=whole)
        else:
            joined.append(part)
    return joined


def _with_cents(before: str, text: str, box: Box) -> str:
    return with_cents(before, text, tag=box.tag, names=box.attribute("class"))


def _ends_amount(text: str) -> bool:
    return len(text) < _LONGEST_AMOUNT and (text[-1:].isdigit() or text.endswith(_ROUND))


def _parted(found: list[Segment]) -> list[Segment]:
    """The texts, with lines of facts cut up: "Geneva | Full time | 3 May 2025"."""
    if not _SEPARATORS.search("\n".join([part.text for part in found])):
        return found
    parted: list[Segment] = []
    for part in found:
        if part.link or part.heading or len(part.text) > _LONGEST_LINE or not _SEPARATOR.search(part.text):
            parted.append(part)
        else:
            parted += [replace(part, text=piece) for piece in _SEPARATOR.split(part.text) if piece.strip()]
    return parted[:MAX_SEGMENTS]


def text_of(box: Box, *, spoken: bool = False) -> str:
    """The text of a box in one line: what is seen, or what is only read out."""
    parts = box.parts
    if not spoken and len(parts) == 1 and isinstance(parts[0], str):
        return folded(parts[0])
    return " ".join(part.text for part in segments([box]) if part.spoken is spoken)


def links_in(row: Sequence[Part]) -> Iterator[Box]:
    """The links of a row, in order."""
    stack: list[Part] = list(reversed(row))
    for _ in range(_MAX_BOXES):
        if not stack:
            return
        part = stack.pop()
        if isinstance(part, str):
            continue
        if part.tag == "a" and part.has("href"):
            yield part
        stack.extend(reversed(part.parts))


class _Reader:
    """A walk through one row."""

    __slots__ = ("boxes_left", "ends_word", "found", "heading", "icon", "is_broken", "link", "spoken")

    def __init__(self) -> None:
        self.found: list[Segment] = []
        self.boxes_left = _MAX_BOXES
        self.link: Box | None = None
        self.heading: Box | None = None
        self.spoken = False
        #: the next text begins a new segment whatever it stands in
        self.is_broken = False
        #: class names of the empty element that was passed last
        self.icon = ""
        #: the last text ended without a space
        self.ends_word = False

    def enter(self, box: Box, *, depth: int, strong: bool = False) -> None:
        tag = box.tag
        self.boxes_left -= 1
        if not box.parts:
            self.is_broken = self.is_broken or tag == "br"
            if tag in ("i", "span"):
                self.icon = box.attribute("class")
            return
        if (
            (box.unseen and not box.spoken and depth)
            or (tag in _NO_TEXT and not (tag == "button" and (self.heading or box.unfolds)))
            or self.boxes_left < 0
            or depth > _MAX_DEPTH
            or len(self.found) >= MAX_SEGMENTS
        ):
            return
        if self.icon and tag not in FORMATTING and tag != "span":
            self.icon = ""
        outer = self.link, self.heading, self.spoken
        if tag == "a" and box.has("href"):
            self.link = box
        if _is_heading(box) or (box.unfolds and self.heading is None):
            self.heading = box
        if box.spoken:
            self.spoken = True
        strong = strong or tag in _BOLD
        for part in box.parts:
            if isinstance(part, str):
                self.add(part, box, strong=strong)
            else:
                self.enter(part, depth=depth + 1, strong=strong)
        self.link, self.heading, self.spoken = outer

    def add(self, part: str, box: Box, *, strong: bool) -> None:
        """Takes a text in: as the rest of the one before, or as one of its own."""
        text = folded(part)
        touches, self.ends_word = self.ends_word and not part[0].isspace(), not part[-1].isspace()
        if not text:
            return
        own = box
        while box.tag in FORMATTING and box.parent is not None:
            box = box.parent
        last = self.found[-1] if self.found else None
        if last is None or last.box is not box or self.is_broken or _is_another(last, text, touches, strong=strong):
            self.is_broken = False
            new = Segment(text=text, box=box, link=self.link, heading=self.heading, spoken=self.spoken, strong=strong)
            if own is not box:
                new.dress = own
            if self.icon:
                new.icon, self.icon = self.icon, ""
            self.found.append(new)
        elif own is not box and text[0] in MAY_BEGIN and (whole := _with_cents(last.text, text, own)):
            last.text = whole
        else:
            last.text = last.text + text if touches else f"{last.text} {text}"


def _is_another(last: Segment, text: str, touches: bool, *, strong: bool) -> bool:
    """Is a text not the rest of the one before, though both stand in one element and only look different?"""
    if touches and len(last.text) > 1 and last.text[-1].isalpha() and (text[0].isupper() or text[0].isdigit()):
        # Nobody writes "OfficerGeneva" or "Geneva3 days ago": each stands in a line of its own.
        return True
    if not last.strong or strong:
        return False
    return last.text.endswith(_COLONS) or text.startswith(_COLONS) or field_for(last.text) is not None
