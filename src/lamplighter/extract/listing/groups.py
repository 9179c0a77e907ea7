"""The dates of rows from the heading of their group: the year, or the whole date."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from lamplighter.extract.html_page import folded
from lamplighter.extract.listing.flat import FlatRow
from lamplighter.extract.listing.tree import Box
from lamplighter.extract.words.value_types import DATE, ValueType, value_type

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
#: a year, or a month and a year, with at most a word beside it: "Press releases 2025"
_YEAR_HEADING = re.compile(r"(?:[^\W\d]+\.?\s){0,2}((?:19|20)\d\d)\s?年?(?:\s\(\d+\))?")
_SHORT_YEAR = re.compile(r"[/.'-]\d\d$")
_LONGEST_HEADING = 40


def dates_above(rows: Sequence[FlatRow], boxes: Sequence[Box]) -> list[str]:
    """For each row the year or the date in the group heading above it; "" where there is none."""
    marks = [(box.place, said) for box in _between(rows, boxes) if (said := _said(box))]
    places = [place for place, _ in marks]
    above = [bisect_right(places, row.box.place) - 1 for row in rows]
    return [marks[at][1] if at >= 0 else "" for at in above]


def _between(rows: Sequence[FlatRow], boxes: Sequence[Box]) -> Iterator[Box]:
    """The elements above and between the rows; the first of all elements has place 1."""
    end = 0
    for start, last in sorted((row.box.place, row.box.last) for row in rows):
        yield from boxes[end : max(start - 1, end)]
        end = max(end, last)


def _said(box: Box) -> str:
    parts = box.parts
    if (
        box.size > _LONGEST_HEADING
        or len(parts) != 1
        or not isinstance(parts[0], str)
        or box.tag == "a"
        or box.worth < 1
    ):
        return ""
    text = folded(parts[0])
    if year := _YEAR_HEADING.fullmatch(text):
        return year[1]
    found = DATE.search(text) if value_type(text) is ValueType.DATE else None
    return found[0] if found and _YEAR.search(found[0]) else ""


def completed(date: str, above: str) -> str:
    """A date without a year, completed by the one above its row."""
    year = _YEAR.search(above)
    has_year = _YEAR.search(date) or "年" in date or _SHORT_YEAR.search(date)
    if year is None or has_year or value_type(date) is not ValueType.DATE:
        return date
    return f"{date.rstrip(' .,')} {year[0]}"
