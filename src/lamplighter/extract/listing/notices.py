"""Is the one unlabelled date beside each title its date of publication?

Unlabelled closing dates would be in any order. Notices are sorted by date, the newest first.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from lamplighter.extract.listing.titles import ReadRow
from lamplighter.extract.words.date_phrases import DATE_FIELDS, UNTIL, named_dates
from lamplighter.extract.words.value_types import ValueType, value_type

#: fewer rows or dates may be in order by chance
_LEAST_ROWS, _LEAST_DAYS = 5, 3
_DATED = DATE_FIELDS | {UNTIL, "date"}
_YEAR_FIRST = re.compile(r"(\d{4})\D{1,2}(\d\d?)\D{1,2}(\d\d?)(?!\d)")
_DAY_FIRST = re.compile(r"(\d\d?)[./-](\d\d?)[./-](\d{4})(?!\d)")

_Day = tuple[int, int, int]


def notice_days(reads: Sequence[ReadRow]) -> list[str]:
    """The date of each row as the page writes it; nothing when a row has none, or when they are in another order."""
    if len(reads) < _LEAST_ROWS:
        return []
    texts: list[str] = []
    days: list[_Day] = []
    for read in reads:
        text = _only_day(read)
        day = _comparable(text)
        if day is None:
            return []
        texts.append(text)
        days.append(day)
    is_falling = all(newer >= older for newer, older in pairwise(days))
    return texts if is_falling and len(set(days)) >= _LEAST_DAYS else []


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
