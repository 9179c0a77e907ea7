"""Which moment does a date field mean, in any form and language?

The forms that machines write are tried first, then those of people: digits, month names of every language of CLDR,
distances ("3 days ago"), and last what dateparser knows beyond. Where a text leaves two readings, as 03/04/2025 does on
a page in English of no country, there is no date: a wrong one is worse than none.
"""

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from lamplighter.normalise.cldr import base_language
from lamplighter.normalise.dates import dates_by_dateparser
from lamplighter.normalise.dates.calendar_dates import FIRST_YEAR, YEARS_AHEAD, read_day
from lamplighter.normalise.dates.clock_times import at_time, read_clock
from lamplighter.normalise.dates.date_order import DateOrder, Prefers, order_of
from lamplighter.normalise.dates.date_words import months_of, months_of_all_languages
from lamplighter.normalise.dates.relative_dates import is_at_least, read_relative

_LONGEST = 200
_ISO_DAY = len("2026-03-12")
#: a number of seconds or milliseconds further ahead than this is some other number
_LONGEST_EPOCH_AHEAD = timedelta(days=2 * 365)
_HAS_FIGURE = re.compile(r"\d")
_HAS_LETTER = re.compile(r"[^\W\d_]")
#: every dash becomes one dash, marks of writing direction are removed
_SPELLINGS = {
    **dict.fromkeys(map(ord, "‐‑‒–—―−〜～"), "-"),
    **dict.fromkeys(map(ord, "‎‏؜‪‫‬‭‮⁦⁧⁨⁩\u00ad"), None),
    ord("’"): "'",
    ord("،"): ",",
    ord("、"): ",",
}


class ParsedMoment(NamedTuple):
    """A moment as a text names it."""

    #: with the offset that the text names, else UTC; midnight when only a day is known
    moment: datetime
    #: more than the day is known; 00:00 is what machines write for a whole day
    has_time: bool
    #: it depends on when the page was seen: "3 days ago"
    is_relative: bool


def read_when(
    text: str,
    *,
    language: str | None,
    seen_at: datetime,
    prefers: Prefers = None,
    month_first: bool | None = None,
) -> ParsedMoment | None:
    """The moment that a text means; None when it names none, or is ambiguous.

    `language` is the page's (BCP 47), `prefers` says which end of a range is meant and which year when there is none,
    `month_first` what the page's other dates show.
    """
    text = text.strip()
    if not 2 <= len(text) <= _LONGEST:
        return None
    if seen_at.tzinfo is not UTC:
        seen_at = seen_at.astimezone(UTC)
    when = _iso_day(text) if len(text) == _ISO_DAY else None
    if when is None:
        when = _by_machine(text, seen_at)
    if when is None:
        order = order_of(language)
        if month_first is not None:
            order = order._replace(month_first=month_first)
        when = _by_people(_plain(text), language, order, seen_at, prefers)
    return when if when and FIRST_YEAR <= when.moment.year <= seen_at.year + YEARS_AHEAD else None


@lru_cache(maxsize=4_096)
def _iso_day(text: str) -> ParsedMoment | None:
    """2026-03-12, the form of most records, cached because few different days are in use at a time."""
    if text[4] != "-" or text[7] != "-":
        return None
    try:
        return ParsedMoment(datetime.fromisoformat(text).replace(tzinfo=UTC), False, False)
    except ValueError:
        return None


def _by_machine(text: str, seen_at: datetime) -> ParsedMoment | None:
    """ISO 8601 in all its forms, and seconds or milliseconds since 1970."""
    if not text[0].isdecimal():
        return None
    if len(text) in (10, 13) and text.isdecimal():
        moment = datetime.fromtimestamp(int(text[:10]), UTC)
        return ParsedMoment(moment, True, False) if moment < seen_at + _LONGEST_EPOCH_AHEAD else None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _absolute(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _by_people(
    text: str, language: str | None, order: DateOrder, seen_at: datetime, prefers: Prefers
) -> ParsedMoment | None:
    if on_a_day := _on_a_day(text, language, order, seen_at, prefers):
        return on_a_day
    if is_at_least(text):
        return None
    return _counted_from(text, language, seen_at, prefers) or _elsewhere(text, language, seen_at)


def _on_a_day(
    text: str, language: str | None, order: DateOrder, seen_at: datetime, prefers: Prefers
) -> ParsedMoment | None:
    if not _HAS_FIGURE.search(text):
        return None
    months = months_of(base_language(language))
    found = read_day(text, months, order=order, seen_at=seen_at, prefers=prefers)
    if found is None and _HAS_LETTER.search(text):
        # Words of other languages are weaker evidence: "3 ago" is the third of August in some.
        every_month = months_of_all_languages()
        found = read_day(text, every_month, order=order, seen_at=seen_at, prefers=prefers, needs_year=True)
    return _absolute(at_time(found.day, read_clock(found.rest))) if found else None


def _counted_from(text: str, language: str | None, seen_at: datetime, prefers: Prefers) -> ParsedMoment | None:
    found = read_relative(text, language=language, seen_at=seen_at, prefers=prefers)
    if found is None:
        return None
    if found.has_time:
        return ParsedMoment(found.moment, True, True)
    moment = at_time(found.moment.date(), read_clock(text))
    return ParsedMoment(moment, _has_time(moment), True)


def _elsewhere(text: str, language: str | None, seen_at: datetime) -> ParsedMoment | None:
    base = base_language(language)
    if base is None:
        return None
    if moment := dates_by_dateparser.calendar_date(text, base):
        return _absolute(moment)
    if distance := dates_by_dateparser.distance(text, base):
        is_exact = bool(distance.seconds)
        moment = seen_at + distance
        return ParsedMoment(moment if is_exact else at_time(moment.date(), read_clock("")), is_exact, True)
    return None


def _absolute(moment: datetime) -> ParsedMoment:
    return ParsedMoment(moment, _has_time(moment), False)


def _has_time(moment: datetime) -> bool:
    return (moment.hour, moment.minute, moment.second, moment.microsecond) != (0, 0, 0, 0)


def _plain(text: str) -> str:
    """The text with Western digits, one kind of space and one kind of dash."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text).translate(_SPELLINGS)
    return "".join([str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text])
