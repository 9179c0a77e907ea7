"""Is 11/12/2025 in November or in December? By the page's other dates, else by its language, else unknown.

A page writes all its dates alike: 25/04/2026 in one row says that 03/04/2026 in the next is in April, too. That is
better evidence than the language that the page claims: many say en-US because their template did. Without such a proof
the dates of a list still lie close together: 10/02, 10/03 and 10/07 are three days of October, not a day in each of
three months.
"""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple

#: languages that write the month first; plain "en" says nothing, since most of its readers write the day first
_MONTH_FIRST = frozenset({"en-us", "en-ph", "en-pr", "en-gu", "en-as", "en-mp", "es-us", "es-pr", "en-mh", "en-pw"})
#: English with a country not among these writes the day first
_UNSETTLED = frozenset({"en", "en-ca", "en-za", "en-001", "en-150", "mul", "und", "zxx"})
#: languages that write a year of two digits first
_YEAR_FIRST = frozenset({"zh", "ja", "ko", "hu", "lt", "mn", "eu"})
#: a year of two digits further away than this is not the year of a posting
_YEARS_AROUND = 5
_FIGURES = re.compile(r"(?<![\d/.,-])(\d\d?)\s?([-/.])\s?(\d\d?)\s?\2\s?(\d{4}|\d\d)(?![\d/-]|\.\d)", re.ASCII)
#: dates of a list lie in that many times fewer months when they are read in the right order
_FEWER_MONTHS = 2
#: a list whose newest date lies that much longer ago in one order than in the other is not read in that order
_STALE = timedelta(days=31)
#: a page may be fetched a little before its own day begins
_CLOCKS_DIFFER = timedelta(days=1)


Prefers = Literal["past", "future"] | None


class DateOrder(NamedTuple):
    """The order of digits in a page's dates."""

    #: None when unknown
    month_first: bool | None
    short_year_first: bool
    #: with dots; no language writes the month first there, but some sites do, and their other dates show it
    month_first_with_dots: bool = False

    def resolve(
        self, figures: tuple[str, str, str], *, mark: str, today: date, prefers: Prefers
    ) -> tuple[int, int, int] | None:
        """(year, month, day); None when two readings are possible."""
        a, b, c = map(int, figures)
        if len(figures[2]) == 2:
            if self.short_year_first or _only_first_is_year(a, b, c, today):
                return 2000 + a, b, c
            c += 2000
        if a > 12 or b > 12 or a == b:
            return (c, a, b) if b > 12 else (c, b, a)
        month_first = self.month_first_with_dots if mark == "." else self.month_first
        if month_first is None:
            month_first = _by_today(c, a, b, today, prefers)
        if month_first is None:
            return None
        return (c, a, b) if month_first else (c, b, a)


@lru_cache(maxsize=256)
def order_of(language: str | None) -> DateOrder:
    """How pages in this language (BCP 47) write dates."""
    tag = language.strip().lower().replace("_", "-") if language else ""
    base = tag.partition("-")[0]
    if not tag or tag in _UNSETTLED:
        return DateOrder(None, False)
    return DateOrder(tag in _MONTH_FIRST, base in _YEAR_FIRST)


def month_first_shown(dates: Iterable[tuple[str, Prefers]], *, today: date, is_settled: bool = False) -> bool | None:
    """Whether the dates of one page show that it writes the month first; None when they show nothing, or both.

    A number above twelve is proof. Without any, it is evidence that with the other order a date would lie where such
    dates do not: news of tomorrow, a deadline long past. Each date comes with the side of today on which it should be.
    Last, dates of a list lie close together; that counts less than a language that settles the order (`is_settled`).
    """
    proofs: set[bool] = set()
    with_dots: set[bool] = set()
    hints: set[bool] = set()
    open_dates: set[tuple[int, int, int]] = set()
    for text, prefers in dates:
        found = _FIGURES.search(text)
        if found is None:
            continue
        a, b, year = int(found[1]), int(found[3]), int(found[4])
        is_short = len(found[4]) == 2
        year += 2000 if is_short else 0
        if a > 12 or b > 12:
            # 25/31 is no date in any order, and 26-03-12 may begin with the year.
            may_begin_with_year = is_short and a > 12 and abs(year - today.year) > _YEARS_AROUND
            if 1 <= min(a, b) <= 12 and max(a, b) <= 31 and not may_begin_with_year:
                (with_dots if found[2] == "." else proofs).add(b > 12)
        elif a != b and found[2] != ".":
            open_dates.add((year, a, b))
            if (hint := _by_today(year, a, b, today, prefers)) is not None:
                hints.add(hint)
    # The day before the month is what dots mean everywhere, and says nothing about slashes.
    shown = (proofs | with_dots if with_dots == {True} else proofs) or hints
    if not shown and not is_settled:
        return _by_closeness(open_dates, today)
    return shown.pop() if len(shown) == 1 else None


def _by_closeness(open_dates: Iterable[tuple[int, int, int]], today: date) -> bool | None:
    """Whether the month must be first because so the dates lie close together, and not long ago."""
    both = [
        (first, second)
        for year, a, b in open_dates
        if (first := day_or_none(year, a, b)) and (second := day_or_none(year, b, a))
    ]
    month_first, day_first = [first for first, _ in both], [second for _, second in both]
    months, other_months = (len({(day.year, day.month) for day in days}) for days in (month_first, day_first))
    if min(months, other_months) * _FEWER_MONTHS > max(months, other_months) or not both:
        return None
    close, apart = (month_first, day_first) if months < other_months else (day_first, month_first)
    # The first of each month is a common day, and so many days in January are not.
    if all(day.month == 1 for day in close):
        return None
    distance, other_distance = (min(abs(today - day) for day in days) for days in (close, apart))
    return None if distance > other_distance + _STALE else close is month_first


def _only_first_is_year(a: int, b: int, c: int, today: date) -> bool:
    """Whether 26-03-12 is a day in March 2026, because 2012 is too far away for a posting."""
    return abs(2000 + a - today.year) <= _YEARS_AROUND < abs(2000 + c - today.year) and 1 <= b <= 12 and 1 <= c <= 31


def _by_today(year: int, a: int, b: int, today: date, prefers: Prefers) -> bool | None:
    """Whether the month must be first because the other reading cannot be: news of tomorrow, a deadline long past."""
    month_first, day_first = day_or_none(year, a, b), day_or_none(year, b, a)
    if month_first is None or day_first is None:
        return None
    if prefers == "past":
        possible = [each <= today + _CLOCKS_DIFFER for each in (month_first, day_first)]
    elif prefers == "future":
        possible = [each >= today - _CLOCKS_DIFFER for each in (month_first, day_first)]
    else:
        return None
    return possible[0] if possible[0] != possible[1] else None


def day_or_none(year: int, month: int, day: int) -> date | None:
    """The day, or None where the calendar has none: 30 February."""
    try:
        return date(year, month, day)
    except ValueError:
        return None
