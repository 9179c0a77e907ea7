"""Which text of each row is its title? The one at the same position of every row that differs from row to row."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from lamplighter.extract.listing.flat import FlatRow
from lamplighter.extract.listing.labels import Labelled
from lamplighter.extract.listing.marks import is_code, without_marks
from lamplighter.extract.listing.rows import RowText, is_action
from lamplighter.extract.listing.tree import FORMATTING, Box, self_and_above
from lamplighter.extract.words.field_words import is_field_name
from lamplighter.extract.words.value_types import ValueType, value_type

_TITLE_CLASS = re.compile(r"title|headline|heading|job-?name|product-?name|(?:^|[\s_-])name(?:$|[\s_-])")
#: the names of those behind a thing, and of groups of things
_OTHER_CLASS = re.compile(
    r"compan(?:y|ies)|employer|organi[sz]ation|brand|author|seller|vendor|(?:^|[\s_-])(?:cp|corp|org|firm)(?:$|[\s_-])"
    r"|locat|categor|snippet|description|summary|excerpt"
)
#: texts before or behind a title in its heading that are not part of it
_MARK_CLASS = re.compile(r"kicker|eyebrow|overline|badge|label|categor|rubri|topic|flag|pill|\btag", re.IGNORECASE)
#: "Announcement (PDF, 312 KB)" is the same in every row
_FILE_SIZE = re.compile(r"(?<!\d)\d[\d.,]{0,9}\s?[kKMG]i?[Bbo]\b")
#: an address that is shown as text
_ADDRESS = re.compile(r"(?:[a-z]+:)?//\S+|(?:/[\w.-]+){2,}|(?:[\w-]+\.)+[a-z]{2,12}(?:/\S*)?", re.IGNORECASE)
_CUT_OFF = ("…", "...")
#: an internship may well be called "Internship"
_NEVER_TITLES = frozenset(ValueType) - {ValueType.EMPLOYMENT}
LONGEST_TITLE = 300
_INLINE = FORMATTING | {"span", "br", "sup", "sub"}
#: elements in a link that is one line, and its characters
_MOST_PIECES, _LONGEST_LINE = 40, 300
#: a description this short may be a name
_LONGEST_NAME = 120
_COVERED = 0.4
#: rows of one layout that are judged on their own
_LEAST_ALIKE = 3


#: the position of a text in its row, and its number there
Slot = tuple[int, int]


@dataclass(slots=True, kw_only=True)
class ReadRow:
    """A row with its texts, as far as they are understood."""

    row: FlatRow
    texts: list[RowText]
    #: index of the text -> field and value, by the header of the column or a label
    known: Labelled
    title: str = ""
    #: the link of the title, where it has one
    link: Box | None = None
    #: indexes of the texts that the title used
    used: frozenset[int] = frozenset()
    #: index of each text by its slot
    slots: dict[Slot, int] = field(default_factory=dict)


def give_titles(rows: Sequence[ReadRow]) -> None:
    """Finds the title of every row that has one."""
    by_build: dict[int, list[ReadRow]] = defaultdict(list)
    for read in rows:
        read.slots = _slots(read.texts)
        by_build[read.row.box.path].append(read)
    usual = _best_slot(rows)
    repeated = _repeated(rows)
    for alike in by_build.values():
        is_rare = len(alike) < _LEAST_ALIKE <= len(rows)
        slot = usual if is_rare or len(alike) == len(rows) else _best_slot(alike)
        for read in alike:
            _give_title(read, slot, repeated, is_rare=is_rare)


def _repeated(rows: Sequence[ReadRow]) -> frozenset[str]:
    """Texts that occur in several rows: the name of a section before the headline, not a part of it."""
    times = Counter(text for read in rows for text in {part.text for part in read.texts if part.heading})
    return frozenset(text for text, count in times.items() if count > 1)


def _give_title(read: ReadRow, slot: Slot | None, repeated: frozenset[str], *, is_rare: bool) -> None:
    at = _labelled(read, "title")
    if at is not None and is_code(read.known[at][1]) and slot is not None and slot in read.slots:
        at = None
    if at is None and is_rare and (own := _fallback(read)) is not None and read.texts[own].heading:
        at = own
    if at is None and slot is not None:
        at = read.slots.get(slot)
        if at is not None and (at in read.known or not _may_be_title(read.texts[at])):
            at = None
    if at is None or is_code(read.texts[at].text):
        # Where the title has no column of its own, a short description is the name.
        described = _labelled(read, "description")
        at = described if described is not None and len(read.known[described][1]) < _LONGEST_NAME else at
    if at is None:
        at = _fallback(read)
    link = read.row.link
    if at is not None:
        _take(read, at, repeated)
    elif link is not None and link.box.tag == "a" and _is_name(link.text):
        read.title, read.link = without_marks(link.text), link.box
    else:
        _take_anything(read)


def _take_anything(read: ReadRow) -> None:
    """Where nothing in a row is a name, its date or its number is: "September 19, 2019 - Download"."""
    shown = [part for part in read.texts if not part.spoken and not is_action(part.text) and len(part.text) > 1]
    shown = [part for part in shown if not part.text.endswith(":") and not _ADDRESS.fullmatch(part.text)] or shown
    best = next((part for part in shown if any(map(str.isalpha, part.text))), shown[0] if shown else None)
    link = read.row.link
    if best is not None:
        read.title, read.link = without_marks(best.text)[:LONGEST_TITLE], best.link
    elif link is not None and link.box.tag == "a":
        read.title, read.link = without_marks(link.text), link.box


def _labelled(read: ReadRow, wanted: str) -> int | None:
    return next((at for at, (field, value) in read.known.items() if field == wanted and len(value) > 1), None)


def _slots(texts: Sequence[RowText]) -> dict[Slot, int]:
    """The index of each text by its slot."""
    found: dict[Slot, int] = {}
    seen: dict[int, int] = defaultdict(int)
    for at, text in enumerate(texts):
        if not text.spoken:
            found[text.box.path, seen[text.box.path]] = at
            seen[text.box.path] += 1
    return found


def _best_slot(rows: Sequence[ReadRow]) -> Slot | None:
    texts: dict[Slot, list[RowText]] = defaultdict(list)
    first: dict[Slot, int] = defaultdict(int)
    own: dict[Slot, int] = defaultdict(int)
    for read in rows:
        for slot, at in read.slots.items():
            part = read.texts[at]
            if at not in read.known and _may_be_title(part):
                texts[slot].append(part)
                first[slot] += at
                own[slot] += part.link is not None and read.row.link is not None and part.link is read.row.link.box
    scores = {
        slot: _score(found, rows=len(rows), place=first[slot] / len(found), own=own[slot] / len(found))
        for slot, found in texts.items()
        if len(found) >= _COVERED * len(rows)
    }
    best = max(scores, key=scores.__getitem__, default=None)
    return best if best is None else _in_full(best, scores, rows)


def _in_full(best: Slot, scores: Iterable[Slot], rows: Sequence[ReadRow]) -> Slot:
    """The slot that shows the same titles in full, where the best shows only their beginnings."""
    for slot in scores:
        pairs = [
            (read.texts[read.slots[best]], read.texts[read.slots[slot]])
            for read in rows
            if {best, slot} <= read.slots.keys()
        ]
        if slot != best and 2 * len(pairs) >= len(rows) and all(_continues(short, whole) for short, whole in pairs):
            return slot
    return best


def _continues(short: RowText, whole: RowText) -> bool:
    beginning = short.text.rstrip("….").rstrip()
    return (
        len(beginning) > 1
        and whole.text.startswith(beginning)
        and (whole.link is None) == (short.link is None)
        and len(whole.text) <= LONGEST_TITLE
    )


def _score(found: Sequence[RowText], *, rows: int, place: float, own: float) -> float:
    """How much the texts of one slot look like the titles of their rows."""
    texts = {_FILE_SIZE.sub("", part.text) if part.text.endswith(")") else part.text for part in found}
    distinct = len(texts) / len(found)
    length = sum([min(len(part.text), 400) for part in found]) / len(found)
    sample = found[:8]
    size = len(sample)
    score = (len(found) / rows) * (0.2 + 0.8 * distinct) * 2 * _length_score(length)
    score += 1.2 * (sum([part.heading is not None for part in sample]) / size)
    score += 0.6 * (sum([part.link is not None for part in sample]) / size) + 0.3 * own
    score += 0.3 * (sum([part.strong for part in sample]) / size)
    score += 0.7 * (sum([_says_title(_class_near(part)) for part in sample]) / size)
    score -= 0.9 * (sum([_says_other(part.box.names[:200]) for part in sample]) / size)
    score -= 1.5 * (sum([is_code(part.text) for part in sample]) / size)
    return score - 0.12 * min(place, 6)


def _length_score(length: float) -> float:
    for limit, score in ((3, 0.0), (8, 0.4), (14, 0.8), (110, 1.0), (160, 0.5)):
        if length < limit:
            return score
    return 0.1


@lru_cache(maxsize=4096)
def _says_title(names: str) -> bool:
    return _TITLE_CLASS.search(names.lower()) is not None


@lru_cache(maxsize=4096)
def _says_other(names: str) -> bool:
    return _OTHER_CLASS.search(names.lower()) is not None


def _class_near(part: RowText) -> str:
    outer = part.box.parent
    return f"{part.box.names} {outer.names if outer is not None else ''}"[:200]


def _may_be_title(part: RowText) -> bool:
    return not part.spoken and _is_name(part.text)


@lru_cache(maxsize=8192)
def _is_name(text: str) -> bool:
    """Could the text be a name? Not if it is a date, an amount, a label or a button."""
    if len(text) < 2 or is_action(text) or not any(map(str.isalpha, text)):
        return False
    return not text.endswith(":") and value_type(text) not in _NEVER_TITLES and not _ADDRESS.fullmatch(text)


def _fallback(read: ReadRow) -> int | None:
    """For a row with another layout: its heading, else the text of its link, else nothing."""
    link = read.row.link
    ranked = [
        (part.heading is not None, link is not None and part.link is link.box, -at)
        for at, part in enumerate(read.texts)
        if at not in read.known and _may_be_title(part) and (part.heading or part.link) and not is_field_name(part.text)
    ]
    return -max(ranked)[2] if ranked else None


def _take(read: ReadRow, at: int, repeated: frozenset[str]) -> None:
    part = read.texts[at]
    whole = _whole(part)
    own = [
        place
        for place, other in enumerate(read.texts)
        if place == at
        or (
            whole is not read.row.box
            and whole.place <= other.box.place <= whole.last
            and (other.box is part.box or not other.spoken)
            and _belongs(other, part, whole)
            and (other.box is part.box or other.text not in repeated)
        )
    ]
    labelled = read.known.get(at)
    title = labelled[1] if labelled else " ".join(read.texts[place].text for place in own)
    read.link = part.link or _link_around(whole)
    read.title = _full(without_marks(title), read.link, part)[:LONGEST_TITLE]
    read.used = frozenset(own if not labelled else [at])


def _whole(part: RowText) -> Box:
    """The element that contains the whole title: the link, or the heading, or just the text's own."""
    link, heading = part.link, part.heading
    if heading is not None and link is not None and heading.place < link.place:
        return link
    if heading is not None:
        return heading
    if link is not None and (part.box is link or _is_inline(link)):
        return link
    return part.box


def _is_inline(link: Box) -> bool:
    """Is the link one line of text with some words dressed differently, not a card of blocks or of spans?"""
    if not any(isinstance(part, str) and part.strip() for part in link.parts):
        return False
    stack = list(link.kids)
    for _ in range(_MOST_PIECES):
        if not stack:
            return link.size <= _LONGEST_LINE
        box = stack.pop()
        if box.tag not in _INLINE:
            return False
        stack.extend(box.kids)
    return False


def _belongs(other: RowText, part: RowText, whole: Box) -> bool:
    """Is another text inside the title's element a piece of the title, not a mark beside it?"""
    if other.box is part.box and other.box is not whole:
        return False
    if other.box is not part.box and other.box is not whole and _MARK_CLASS.search(other.box.names[:200]):
        return False
    if not _may_be_title(other) and other.box is not part.box:
        return False
    return other.box is not part.box or other.strong == part.strong or part.heading is not None


def _link_around(box: Box) -> Box | None:
    around = islice(self_and_above(box), 8)
    return next((above for above in around if above.tag == "a" and above.has("href")), None)


def _full(title: str, link: Box | None, part: RowText) -> str:
    """The title in full where the page shows only its beginning."""
    if not title.endswith(_CUT_OFF):
        return title
    shown = title.rstrip("….").rstrip().casefold()
    for box in (link, part.heading, part.box):
        for name in ("title", "aria-label") if box is not None else ():
            whole = " ".join(box.attribute(name).split()) if box is not None else ""
            if whole.casefold().startswith(shown) and len(whole) >= len(shown):
                return whole
    return title
