"""Which siblings belong to a row that is not an element of its own: dt with its dd, a heading with its text?"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lamplighter.extract.listing.rows import HEADINGS
from lamplighter.extract.listing.tree import Box, Part

MIN_ROWS = 2
_LINE_BREAKS = frozenset({"br", "hr"})
#: parts that may precede the link of a row
_LONGEST_LEAD = 4
#: a share of rows that makes a rule
_MOST = 0.8


@dataclass(slots=True, kw_only=True)
class RowLink:
    """A link that may be the link of a row."""

    box: Box
    url: str
    text: str
    #: addresses of one kind have the same pattern
    pattern: str
    in_heading: bool


@dataclass(slots=True, kw_only=True)
class FlatRow:
    """One row of a listing."""

    parts: Sequence[Part]
    #: the element that is the row, or begins it
    box: Box
    link: RowLink | None


def with_followers(starts: Sequence[tuple[Box, RowLink]]) -> list[FlatRow]:
    """Rows, each with the siblings that belong to it where it is not an element of its own."""
    by_parent: dict[int, list[tuple[Box, RowLink]]] = defaultdict(list)
    for start, link in starts:
        by_parent[start.parent.place if start.parent else -1].append((start, link))
    rows: list[FlatRow] = []
    for siblings in by_parent.values():
        rows += _flat_rows(siblings) if _is_flat(siblings) else _plain_rows(siblings)
    rows.sort(key=lambda row: row.box.place)
    return rows


def _plain_rows(siblings: Iterable[tuple[Box, RowLink]]) -> list[FlatRow]:
    return [FlatRow(parts=[start], box=start, link=link) for start, link in siblings]


def _is_flat(siblings: Sequence[tuple[Box, RowLink]]) -> bool:
    """Are the rows' texts beside, not inside, the elements that hold their links?"""
    first = siblings[0][0]
    if len(siblings) < MIN_ROWS or first.parent is None:
        return False
    if first.tag == "dt":
        return True
    starts = {id(start) for start, _ in siblings}
    between = [part for part in first.parent.parts if id(part) not in starts]
    if not between:
        return False
    others = sum(1 for part in between if isinstance(part, str) or part.tag not in ("br", "hr", "script"))
    if first.tag in HEADINGS or first.tag == "a":
        return others >= len(siblings) // 2 or any(not isinstance(p, str) and p.tag == "br" for p in between)
    # A row of a table can only be followed by another row; elsewhere what follows is of another kind.
    followers = sum(
        1
        for part in between
        if not isinstance(part, str)
        and (part.tag != first.tag or part.tag == "tr")
        and part.tag not in _LINE_BREAKS
        and part.parts
    )
    return followers >= _MOST * len(siblings)


def _flat_rows(siblings: Sequence[tuple[Box, RowLink]]) -> list[FlatRow]:
    parent = siblings[0][0].parent
    if parent is None:
        return _plain_rows(siblings)
    at = {id(start): number for number, (start, _) in enumerate(siblings)}
    places = [place for place, part in enumerate(parent.parts) if id(part) in at]
    lead = 0 if _begins_with_heading(parent.parts, places) else _lead(parent.parts, places)
    lead = lead or _lead_from_empty_line(parent.parts, places)
    rows = []
    for number, place in enumerate(places):
        start, link = siblings[at[id(parent.parts[place])]]
        end = places[number + 1] - lead if number + 1 < len(places) else len(parent.parts)
        stop = _end_of_row(parent.parts, place, end, start)
        begin = max(place - lead, 0 if number == 0 else places[number - 1] + 1)
        rows.append(FlatRow(parts=parent.parts[begin:stop], box=start, link=link))
    return rows


def _begins_with_heading(parts: Sequence[Part], places: Sequence[int]) -> bool:
    """Do the rows begin with their headings? Then the last one is as long as the others."""
    last = parts[places[-1]]
    if isinstance(last, str) or last.tag not in HEADINGS or len(places) < MIN_ROWS:
        return False
    below = _end_of_row(parts, places[-1], len(parts), last) - places[-1]
    return below >= min(after - before for before, after in pairwise(places))


def _lead(parts: Sequence[Part], places: Sequence[int]) -> int:
    """How many parts before its link a row begins: those before the first link and before the others too."""
    before = [_kind(part) for part in parts[: places[0]]]
    longest = 0
    for length in range(1, min(len(before), _LONGEST_LEAD) + 1):
        wanted = before[-length:]
        if any(kind in HEADINGS or kind == "br" for kind in wanted):
            break
        repeated = sum(
            1
            for previous, place in pairwise(places)
            if place - previous > length and [_kind(part) for part in parts[place - length : place]] == wanted
        )
        if repeated >= _MOST * (len(places) - 1):
            longest = length
    return longest


def _lead_from_empty_line(parts: Sequence[Part], places: Sequence[int]) -> int:
    """The same where empty lines separate the rows: a line before the link belongs to it."""
    length, times = Counter(_since_empty_line(parts, place) for place in places).most_common(1)[0]
    return length if times >= _MOST * len(places) else 0


def _since_empty_line(parts: Sequence[Part], place: int) -> int:
    """How many parts before a link an empty line ends; 0 when that is too far away, or a heading is between."""
    length = breaks = 0
    for at in range(place - 1, max(place - _LONGEST_LEAD - 2, -1), -1):
        kind = _kind(parts[at])
        if kind in _LINE_BREAKS:
            breaks += 1
            if breaks > 1:
                return length
        elif kind in HEADINGS:
            return 0
        else:
            length, breaks = place - at, 0
    return 0


def _kind(part: Part) -> str:
    return "text" if isinstance(part, str) else part.tag


def _end_of_row(parts: Sequence[Part], place: int, end: int, start: Box) -> int:
    """Where a row ends that continues behind its link: before a heading of another block or an empty line."""
    breaks = 0
    for at in range(place + 1, end):
        part = parts[at]
        if isinstance(part, str):
            breaks = 0
            continue
        if part.tag in _LINE_BREAKS:
            breaks += 1
            if part.tag == "hr" or breaks > 1:
                return at
            continue
        breaks = 0
        if part.tag in HEADINGS and (start.tag not in HEADINGS or part.tag <= start.tag):
            return at
    return end
