"""The texts of one row of a listing, in order, each with its element."""

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

#: texts of one row that are read, and elements that are visited for them
MAX_SEGMENTS = 60
_MAX_BOXES = 400
#: deeper levels inside one row are not read
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
    r"[(\[]?\d+[)\]]?\s?(?:(?:comment|repl|review|rating|view|like|share|vote|point|kommentar|antwort|commentaire|avis"
    r"|comentario|commenti|reactie|komentarz|коммента|комента|yorum|评论|コメント|댓글|تعليق)\w{0,4})?",
    re.IGNORECASE,
)
#: a currency sign, a day or a month that may be a part of what follows
_TINY = 4
_COLONS = (":", "\uff1a")
_LONGEST_ACTION = 45
_LONGEST_AMOUNT = 12
#: how a round price ends: 79,-
_ROUND = ("-", "\u2013", "\u2014")

_ACTIONS = frozenset(bare(phrase) for phrase in ACTIONS.replace("\n", ",").split(",") if phrase.strip())


@dataclass(slots=True, kw_only=True)
class RowText:
    """A text of a row with its element."""

    text: str
    #: the nearest element that is more than formatting
    box: Box
    #: the formatting element that contains only this text, or None
    dress: Box | None = None
    #: the link around it, or None
    link: Box | None = None
    #: the heading around it, or None
    heading: Box | None = None
    #: only screen readers read it
    spoken: bool = False
    #: it is bold
    strong: bool = False
    #: class names of the empty element before it, often an icon
    icon: str = ""


@lru_cache(maxsize=8192)
def is_action(text: str) -> bool:
    """Is the text an action (Apply, Read more), not a name?"""
    if len(text) > _LONGEST_ACTION:
        return False
    words = bare(text)
    return words in _ACTIONS or ASKS.fullmatch(words) is not None or _COUNT.fullmatch(text) is not None


def is_apply(text: str) -> bool:
    """Is the text an action to apply, which leads to a form and not to the job?"""
    return is_action(text) and APPLIES.search(bare(text)) is not None


def segments(row: Sequence[Part]) -> list[RowText]:
    """The visible texts of a row; differently formatted words of one text are joined. Not to be changed."""
    only = row[0] if len(row) == 1 else ""
    if isinstance(only, str):
        return _read(row)
    # Several groups of rows have the same row.
    if only.texts is None:
        only.texts = _read(row)
    return only.texts


def _read(row: Sequence[Part]) -> list[RowText]:
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


def _with_dates(found: list[RowText]) -> list[RowText]:
    """The texts, with day, month and year joined where each has an element of its own."""
    joined: list[RowText] = []
    for part in found:
        before = joined[-1] if joined else None
        if before is not None and is_split_date(before.text, part.text):
            joined[-1] = replace(before, text=f"{before.text} {part.text}")
        else:
            joined.append(part)
    return joined


def _with_amounts(found: list[RowText]) -> list[RowText]:
    """The texts, with a currency, its amount and the cents joined where shops style them apart."""
    joined: list[RowText] = []
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
    return with_cents(before, text, tag=box.tag, names=box.names)


def _ends_amount(text: str) -> bool:
    return len(text) < _LONGEST_AMOUNT and (text[-1:].isdigit() or text.endswith(_ROUND))


def _parted(found: list[RowText]) -> list[RowText]:
    """The texts, with lines of facts split: "Geneva | Full time | 3 May 2025"."""
    if not _SEPARATORS.search("\n".join([part.text for part in found])):
        return found
    parted: list[RowText] = []
    for part in found:
        if part.link or part.heading or len(part.text) > _LONGEST_LINE or not _SEPARATOR.search(part.text):
            parted.append(part)
        else:
            parted += [replace(part, text=piece) for piece in _SEPARATOR.split(part.text) if piece.strip()]
    return parted[:MAX_SEGMENTS]


def text_of(box: Box, *, spoken: bool = False) -> str:
    """The text of a box in one line: what is visible, or what only screen readers read."""
    if not box.size:
        return ""
    parts = box.parts
    if not spoken and len(parts) == 1 and isinstance(parts[0], str):
        return folded(parts[0])
    return " ".join([part.text for part in segments([box]) if part.spoken is spoken])


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
        self.found: list[RowText] = []
        self.boxes_left = _MAX_BOXES
        self.link: Box | None = None
        self.heading: Box | None = None
        self.spoken = False
        #: the next text begins a new segment, whatever element it is in
        self.is_broken = False
        #: class names of the last empty element
        self.icon = ""
        #: the last text ended without a space
        self.ends_word = False

    def enter(self, box: Box, *, depth: int, strong: bool = False) -> None:
        tag = box.tag
        self.boxes_left -= 1
        if not box.parts:
            self.is_broken = self.is_broken or tag == "br"
            if tag in ("i", "span"):
                self.icon = box.names
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
        if tag in _HEADS or box.role == "heading" or (box.unfolds and self.heading is None):
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
        """Adds a text: as a continuation of the one before, or as a new one."""
        text = folded(part)
        touches, self.ends_word = self.ends_word and not part[0].isspace(), not part[-1].isspace()
        if not text:
            return
        own = box
        while (box.tag in FORMATTING or box.marked) and box.parent is not None:
            box = box.parent
        last = self.found[-1] if self.found else None
        if last is None or last.box is not box or self.is_broken or _is_another(last, text, touches, strong=strong):
            self.is_broken = False
            new = RowText(text=text, box=box, link=self.link, heading=self.heading, spoken=self.spoken, strong=strong)
            if own is not box:
                new.dress = own
            if self.icon:
                new.icon, self.icon = self.icon, ""
            self.found.append(new)
        elif own is not box and text[0] in MAY_BEGIN and (whole := _with_cents(last.text, text, own)):
            last.text = whole
        else:
            last.text = last.text + text if touches else f"{last.text} {text}"


def _is_another(last: RowText, text: str, touches: bool, *, strong: bool) -> bool:
    """Is a text separate from the one before, though both are in one element and differ only in format?"""
    if touches and len(last.text) > 1 and last.text[-1].isalpha() and (text[0].isupper() or text[0].isdigit()):
        # "OfficerGeneva" or "Geneva3 days ago" are not words: each part is a line of its own.
        return True
    if not last.strong or strong:
        return False
    return last.text.endswith(_COLONS) or text.startswith(_COLONS) or field_for(last.text) is not None
