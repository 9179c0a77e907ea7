"""Which moment is "3 days ago", "noch 5 Tage", "yesterday", "2 小时前", counted from when the page was seen?"""

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.normalise.cldr import base_language, fold, tokens
from lamplighter.normalise.dates.date_order import Prefers
from lamplighter.normalise.dates.date_words import bare_spans, day_words, now_words, number_words, spans_of

#: most words of a span before and after its number
_MOST_BEFORE, _MOST_AFTER = 4, 6
_MOST_WORDS = 30
#: "today" among more words rarely says when something happened
_MOST_WORDS_AROUND_A_DAY = 5
_CALLS = frozenset("apply bewerben postuler postulez solicita candidate candidatar register".split())
#: "30+ days ago" is any day before that; but 10:00 +02:00 is a time and its zone
_AT_LEAST = re.compile(
    r"""
    \d\s?\+(?!\s?\d) | [>≥]\s?\d | \A\s*\+\s?\d{1,3}\s | \d\s?(?:days?|weeks?|months?)\s?\+
    | \d\s(?:or\smore|und\smehr|ou\splus|o\smás|ou\smais)\b
    | \b(?:more\sthan|over|at\sleast|mehr\sals|über|mindestens|plus\sd['e]|au\smoins|más\sde|mais\sde|più\sdi|oltre
        |meer\sdan|ponad|więcej\sniż|mer\sän|över|mer\senn|mere\send|yli|více\snež|přes|более|больше|свыше|більше|понад)
        \s?(?:\d|an?\b|one\b|eine[mnr]?\b|une?\b|una?\b|um\b)
    | أكثر\sمن | 超过 | 超過 | 以上 | 이상
    """,
    re.IGNORECASE | re.VERBOSE,
)
_UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}


class RelativeMoment(NamedTuple):
    """A moment, and whether more than its day is known."""

    moment: datetime
    has_time: bool


def is_at_least(text: str) -> bool:
    """Whether the text names only the nearer end of a distance: "30+ days ago" may be a month, or a year."""
    return _AT_LEAST.search(text) is not None


def read_relative(text: str, *, language: str | None, seen_at: datetime, prefers: Prefers) -> RelativeMoment | None:
    """The moment that the text names by its distance from `seen_at`; None when it does not."""
    words = tokens(fold(text))[:_MOST_WORDS]
    base = base_language(language)
    if " ".join(words) in now_words():
        return RelativeMoment(seen_at, True)
    distance = _distance(words, base) or _bare_distance(words, prefers) or _distance_of_day(words, base)
    return moved(seen_at, distance) if distance is not None else None


def moved(seen_at: datetime, distance: timedelta) -> RelativeMoment | None:
    """The moment that far away; whole days lead to a day, not to the time at which the page was seen."""
    try:
        moment = seen_at + distance
    except OverflowError:
        return None
    if distance % timedelta(days=1):
        return RelativeMoment(moment, True)
    return RelativeMoment(moment.replace(hour=0, minute=0, second=0, microsecond=0), False)


def _distance(words: list[str], language: str | None) -> timedelta | None:
    """The distance of a phrase such as "vor # tagen" around a number; the longest such phrase counts."""
    known = spans_of(language)
    for at, word in enumerate(words):
        if (count := _count(word)) is None:
            continue
        for before in range(min(at, _MOST_BEFORE), -1, -1):
            for after in range(min(len(words) - at - 1, _MOST_AFTER), -1, -1):
                phrase = " ".join([*words[at - before : at], "#", *words[at + 1 : at + 1 + after]])
                if span := known.get(phrase):
                    return span.sign * (count * _UNITS[span.unit] + _larger_units(words[:at]))
    return None


def _larger_units(before: list[str]) -> timedelta:
    """The "2 weeks" of "2 weeks, 3 days left"."""
    total = timedelta()
    while len(before) >= 2 and before[-2].isdecimal() and (unit := bare_spans().get(f"# {before[-1]}")):
        total += int(before[-2][:4]) * _UNITS[unit]
        before = before[:-2]
    return total


def _bare_distance(words: list[str], prefers: Prefers) -> timedelta | None:
    """A span without a word that says whether it is past or future; the caller knows."""
    if prefers is None or len(words) != 2 or (count := _count(words[0])) is None:
        return None
    unit = bare_spans().get(f"# {words[1]}")
    return count * _UNITS[unit] * (1 if prefers == "future" else -1) if unit else None


def _distance_of_day(words: list[str], language: str | None) -> timedelta | None:
    """The distance of the day that a word such as "yesterday" names."""
    others = [word for word in words if not word.isdecimal()]
    is_spelt_by_character = any(not word.isascii() and len(word) == 1 for word in others)
    if len(others) > _MOST_WORDS_AROUND_A_DAY * (2 if is_spelt_by_character else 1) or _CALLS & set(words):
        return None
    known = day_words(language)
    for length in range(min(4, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            if (days := known.get(" ".join(words[start : start + length]))) is not None:
                return timedelta(days=days)
    return None


def _count(word: str) -> int | None:
    return number_words().get(word) if not word.isdecimal() else int(word) if len(word) <= 4 else None
