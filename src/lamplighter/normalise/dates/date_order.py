"""Is 11/12/2025 in November or in December? By the page's other dates, else by its language, else unknown.

A page writes all its dates alike: 25/04/2026 in one row says that 03/04/2026 in the next is in April, too. That is
better evidence than the language that the page claims: many say en-US because their template did.
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
#: digits with dots are left out: sites that write the month first do not use dots
_FIGURES = re.compile(r"(?<![\d/.,-])(\d\d?)\s?([-/])\s?(\d\d?)\s?\2\s?(\d{4}|\d\d)(?![\d/-])", re.ASCII)
#: a page may be fetched a little before its own day begins
_CLOCKS_DIFFER = timedelta(days=1)


Prefers = Literal["past", "future"] | None


class DateOrder(NamedTuple):
    """The order of digits in a page's dates."""

    #: None when unknown
    month_first: bool | None
    short_year_first: bool

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
        # Sites that write the month first do not use dots.
        month_first = False if mark == "." else self.month_first
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


def month_first_shown(dates: Iterable[tuple[str, Prefers]], *, today: date) -> bool | None:
    """Whether the dates of one page show that it writes the month first; None when they show nothing, or both.

    A number above twelve is proof. Without any, it is evidence that with the other order a date would lie where such
    dates do not: news of tomorrow, a deadline long past. Each date comes with the side of today on which it should be.
    """
    proofs: set[bool] = set()
    hints: set[bool] = set()
    for text, prefers in dates:
        found = _FIGURES.search(text)
        if found is None:
            continue
        a, b, year = int(found[1]), int(found[3]), int(found[4])
        year += 2000 if len(found[4]) == 2 else 0
        if a > 12 or b > 12:
            # 25/31 is no date in any order, and 26-03-12 may begin with the year.
            if min(a, b) <= 12 and max(a, b) <= 31 and abs(year - today.year) <= _YEARS_AROUND:
                proofs.add(b > 12)
        elif a != b and (hint := _by_today(year, a, b, today, prefers)) is not None:
            hints.add(hint)
    shown = proofs or hints
    return shown.pop() if len(shown) == 1 else None


def _only_first_is_year(a: int, b: int, c: int, today: date) -> bool:
    """Whether 26-03-12 is a day in March 2026, because 2012 is too far away for a posting."""
    return abs(2000 + a - today.year) <= _YEARS_AROUND < abs(2000 + c - today.year) and 1 <= b <= 12 and 1 <= c <= 31


def _by_today(year: int, a: int, b: int, today: date, prefers: Prefers) -> bool | None:
    """Whether the month must be first because the other reading cannot be: news of tomorrow, a deadline long past."""
    try:
        month_first, day_first = date(year, a, b), date(year, b, a)
    except ValueError:
        return None
    if prefers == "past":
        possible = [each <= today + _CLOCKS_DIFFER for each in (month_first, day_first)]
    elif prefers == "future":
        possible = [each >= today - _CLOCKS_DIFFER for each in (month_first, day_first)]
    else:
        return None
    return possible[0] if possible[0] != possible[1] else None
