"""Which date of a row is which, and which dates do rows have from the heading of their group?"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lamplighter.extract.html_page import folded
from lamplighter.extract.listing.flat import FlatRow
from lamplighter.extract.listing.labels import classes_near, field_of_class, says_date
from lamplighter.extract.listing.rows import RowText
from lamplighter.extract.listing.titles import ReadRow
from lamplighter.extract.listing.tree import Box
from lamplighter.extract.words.date_phrases import DATE_FIELDS, UNTIL, name_before, named_dates
from lamplighter.extract.words.field_words import field_for
from lamplighter.extract.words.value_types import AGO, DATE, LEFT, RECENT, ValueType, date_in, value_type
from lamplighter.model.record import RecordKind

BY_TYPE = 0.55
_LONGEST_VALUE = 300
#: a longer text is a description, which may mention a deadline in passing
_LONGEST_NAMED_DATE = 80
_DATES = frozenset({ValueType.DATE, ValueType.AGO, ValueType.LEFT})

Values = dict[str, tuple[str, float]]

#: fewer rows or dates may be in order by chance
_LEAST_ROWS, _LEAST_DAYS = 5, 3
_DATED = DATE_FIELDS | {UNTIL, "date"}
_YEAR_FIRST = re.compile(r"(\d{4})\D{1,2}(\d\d?)\D{1,2}(\d\d?)(?!\d)")
_DAY_FIRST = re.compile(r"(\d\d?)[./-](\d\d?)[./-](\d{4})(?!\d)")

_Day = tuple[int, int, int]

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
#: a year, or a month and a year, with at most a word beside it: "Press releases 2025"
_YEAR_HEADING = re.compile(r"(?:[^\W\d]+\.?\s){0,2}((?:19|20)\d\d)\s?年?(?:\s\(\d+\))?")
_SHORT_YEAR = re.compile(r"[/.'-]\d\d$")
_LONGEST_HEADING = 40
_TIME = re.compile(r"\d:\d\d")
#: share of rows with a date in their titles from which it is the date of each
_MOST = 0.8


def is_dated(part: RowText) -> bool:
    """Is the text of a row a date, or a label with a date: "Closes on Friday, 3 May 2031"?"""
    text = part.text
    if part.box.tag == "time" or value_type(text) in _DATES:
        return True
    if len(text) > _LONGEST_NAMED_DATE:
        return False
    name, _, last = text.rpartition(" ")
    if last.lower() in RECENT:
        return field_for(name) in DATE_FIELDS
    return date_in(text) is not None and any(date.field for date in named_dates(text))


def last_day_in(texts: Sequence[RowText]) -> str:
    """The deadline where only a sentence of the description has it; "" when none does."""
    dates = (date for part in texts if len(part.text) > _LONGEST_NAMED_DATE for date in named_dates(part.text))
    return next((date.text for date in dates if date.field == "deadline"), "")


def dated(part: RowText, value: str, field: str) -> str:
    """A date in its machine-readable form, where the page has one."""
    return (_machine_date(part.box) or value) if field in DATE_FIELDS else value


def _machine_date(box: Box) -> str:
    return box.attribute("datetime").strip()[:_LONGEST_VALUE] if box.tag == "time" else ""


def place_dates(
    dates: Sequence[RowText], found: Values, kind: RecordKind, *, by_head: Sequence[RowText], leading: Sequence[RowText]
) -> None:
    """Assigns dates to fields; `by_head` are in a column just called "date", `leading` before the title of the row."""
    meanings = [list(_meanings(part, kind)) for part in dates]
    unnamed = sum(1 for meaning in meanings if not meaning)
    closes = "deadline" in found or any(field == "deadline" for named in meanings for field, _ in named)
    # A date with a name counts before one without: "Argued 3 May, decided 9 July".
    for part, named in sorted(zip(dates, meanings, strict=True), key=lambda pair: not pair[1]):
        if not named and (
            kind is RecordKind.ARTICLE
            or part in by_head
            # The date of an event is not its date of publication.
            or (
                kind is not RecordKind.OTHER
                # Where the deadline has a label, the date before the title is that of publication.
                and (
                    (closes and unnamed == 1 and part in leading and kind is RecordKind.JOB)
                    or part.box.tag == "time"
                    or (unnamed == 1 and says_date(classes_near(part)))
                )
            )
        ):
            named = [("published_at", _only_date(part.text))]
        for field, text in named:
            alone = len(named) == 1
            found.setdefault(field, ((_machine_date(part.box) if alone else "") or text, BY_TYPE))


def _meanings(part: RowText, kind: RecordKind) -> Iterator[tuple[str, str]]:
    """What the words around the dates of a text, or the class of its element, call them."""
    text = part.text
    if LEFT.search(text):
        yield "deadline", _only_date(text)
        return
    is_named = False
    for field, date in named_dates(text):
        meant = ("deadline" if kind is RecordKind.JOB else "") if field == UNTIL else field
        is_named = is_named or bool(meant)
        if meant:
            yield meant, date
    if not is_named and (field_by_looks := _field_by_looks(part)) is not None:
        yield field_by_looks, _only_date(text)


def _field_by_looks(part: RowText) -> str | None:
    text = part.text
    ago = AGO.search(text)
    field = field_for(text[: ago.start()]) if ago and ago.start() else None
    if field not in DATE_FIELDS:
        field = field_of_class(classes_near(part))
    name, _, last = text.rpartition(" ")
    if field not in DATE_FIELDS and last.lower() in RECENT:
        field = field_for(name) if name else "published_at"
    if field not in DATE_FIELDS and value_type(text) is ValueType.AGO:
        return "published_at"
    return field if field in DATE_FIELDS else None


def _only_date(text: str) -> str:
    date = DATE.search(text) or AGO.search(text) or LEFT.search(text)
    last = text.rpartition(" ")[2]
    return date[0].strip(" ,.") if date else last if last.lower() in RECENT else text


def with_date_above(values: Values, above: str, kind: RecordKind) -> Values:
    """The values, completed by the date in the heading of the row's group."""
    if not above:
        return values
    found = {
        name: (completed(value, above), confidence) if name in DATE_FIELDS else (value, confidence)
        for name, (value, confidence) in values.items()
    }
    if kind is RecordKind.ARTICLE and date_in(above):
        found.setdefault("published_at", (above, BY_TYPE))
    return found


def notice_days(reads: Sequence[ReadRow]) -> list[str]:
    """The unlabelled dates of the rows if they fall from row to row, as dates of publication do; else none."""
    if len(reads) < _LEAST_ROWS:
        return []
    texts = [_only_day(read) for read in reads]
    days = [day for text in texts if (day := _comparable(text))]
    is_falling = len(days) == len(texts) and all(newer >= older for newer, older in pairwise(days))
    return texts if is_falling and len(set(days)) >= _LEAST_DAYS else []


def title_days(reads: Sequence[ReadRow]) -> list[str]:
    """The dates in the titles of the rows, "" where one has none; none when it is not the rule."""
    if len(reads) < _LEAST_ROWS:
        return []
    texts = [_full_date(" ".join(read.texts[at].text for at in sorted(read.used)) or read.title) for read in reads]
    is_rule = sum(map(bool, texts)) >= _MOST * len(reads) and len(set(texts)) >= _LEAST_DAYS
    return texts if is_rule else []


def _full_date(title: str) -> str:
    """The only date with a year in a title; "" where there is none or several."""
    dates = [found[0].strip(" ,.") for found in DATE.finditer(title[:_LONGEST_VALUE])]
    is_full = len(dates) == 1 and (_YEAR.search(dates[0]) or _SHORT_YEAR.search(dates[0]))
    return dates[0] if is_full else ""


def _only_day(read: ReadRow) -> str:
    """The single unlabelled date of a row; "" where there is none or another."""
    if any(field in _DATED for field, _ in read.known.values()):
        return ""
    beside = [part for at, part in enumerate(read.texts) if at not in read.used and not part.spoken]
    dates = [date for part in beside for date in named_dates(part.text)]
    is_alone = any(value_type(part.text) is ValueType.DATE for part in beside)
    return dates[0].text if is_alone and len(dates) == 1 and not dates[0].field else ""


def _comparable(text: str) -> _Day | None:
    if found := _YEAR_FIRST.match(text):
        return int(found[1]), int(found[2]), int(found[3])
    if found := _DAY_FIRST.match(text):
        return int(found[3]), int(found[2]), int(found[1])
    return None


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
    # "As of May 27, 2016" and a time of day are about the page.
    if found is None or _TIME.search(found[0]) or name_before(text[: found.start()]) == "updated_at":
        return ""
    return found[0] if _YEAR.search(found[0]) else ""


def completed(date: str, above: str) -> str:
    """A date without a year, completed by the one above its row."""
    year = _YEAR.search(above)
    has_year = _YEAR.search(date) or "年" in date or _SHORT_YEAR.search(date)
    if year is None or has_year or value_type(date) is not ValueType.DATE:
        return date
    return f"{date.rstrip(' .,')} {year[0]}"
