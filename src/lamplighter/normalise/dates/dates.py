"""Which moment does a date field mean, in any form and language?

The forms that machines write are tried first, then those of people: digits, month names of every language of CLDR,
distances ("3 days ago"), and last what dateparser knows beyond. Where a text leaves two readings, as 03/04/2025 does on
a page in English of no country, there is no date: a wrong one is worse than none.
"""

import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from lamplighter.normalise.cldr import base_language
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

#: "two weeks ago" is counted from here: so the result for a text is always the same, and can be cached
_BASE = datetime(2024, 6, 15, 12, 0, tzinfo=UTC)
_MOST_ASKED = 60
_FULL_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_OTHER_FIGURES = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_MOST_WORDS = 6
#: last week is seven days, and any of them may be meant
_VAGUE = re.compile(
    r"\b(?:last|next|letzte|nächste|vorige|volgende|förra|nästa|forrige|neste|næste|minulý|příští|прошл|следующ|минул"
    r"|наступн|geçen|gelecek)|\b(?:derni[eè]r|prochain|pasad|próxim|passad|scors|prossim|zeszł|przyszł|viime|ensi )"
    r"|[上下](?:周|週|个月|個月|月)|[先来]週|지난|다음",
    re.IGNORECASE,
)

_SETTINGS: Mapping[str, Any] = {
    "TIMEZONE": "UTC",
    "RETURN_AS_TIMEZONE_AWARE": True,
    "RELATIVE_BASE": _BASE.replace(tzinfo=None),
}
_CALENDAR = {**_SETTINGS, "PARSERS": ["absolute-time"], "REQUIRE_PARTS": ["day", "month", "year"]}
_COUNTED = {**_SETTINGS, "PARSERS": ["relative-time"]}


class ParsedMoment(NamedTuple):
    """A moment as a text names it."""

    #: with the offset that the text names, else UTC; midnight when only a day is known
    moment: datetime
    #: more than the day is known; 00:00 is what machines write for a whole day
    has_time: bool
    #: it depends on when the page was seen: "3 days ago"
    is_relative: bool


def read_when(
    text: str, *, language: str | None, seen_at: datetime, prefers: Prefers = None, month_first: bool | None = None
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
            order = order._replace(month_first=month_first, month_first_with_dots=month_first)
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
    if moment := calendar_date(text, base):
        return _absolute(moment)
    if from_now := distance(text, base):
        is_exact = bool(from_now.seconds)
        moment = seen_at + from_now
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


def calendar_date(text: str, language: str) -> datetime | None:
    """The moment of a text that contains a full year."""
    words = _LETTERS.findall(text)
    figures = _FULL_YEAR.search(text) and _OTHER_FIGURES.search(text)
    return _ask(text, language, is_counted=False) if figures and words and len(text) <= _MOST_ASKED else None


def distance(text: str, language: str) -> timedelta | None:
    """The distance from now that the text names in words."""
    words = _LETTERS.findall(text)
    if not 2 <= len(words) <= _MOST_WORDS or len(text) > _MOST_ASKED or _FULL_YEAR.search(text) or _VAGUE.search(text):
        return None
    moment = _ask(text, language, is_counted=True)
    return moment - _BASE if moment and moment != _BASE else None


@lru_cache(maxsize=2048)
def _ask(text: str, language: str, *, is_counted: bool) -> datetime | None:
    """Calls dateparser, which takes a tenth of a second to import, so it is imported on first use."""
    from dateparser.date import DateDataParser

    try:
        parser = DateDataParser(languages=[language], settings=_COUNTED if is_counted else _CALENDAR)
        return parser.get_date_data(text).date_obj
    except Exception:  # an unknown language, or a text on which it fails: no date either way
        return None
