"""Reads and writes intervals as people and SQL do: "1 day", "30 minutes", "2 hours 30 minutes"."""

import re
from datetime import timedelta

from lamplighter.errors import BadInput

#: a longer interval is refused as a mistake
LONGEST = timedelta(days=3660)

_UNITS = {
    "week": timedelta(weeks=1),
    "day": timedelta(days=1),
    "hour": timedelta(hours=1),
    "minute": timedelta(minutes=1),
    "second": timedelta(seconds=1),
}
_SHORT = {
    "w": "week",
    "d": "day",
    "h": "hour",
    "hr": "hour",
    "m": "minute",
    "min": "minute",
    "s": "second",
    "sec": "second",
}
#: weeks are read but not written: days are easier to compare
_SHOWN = ("day", "hour", "minute", "second")
_PART = re.compile(r"\s*(?:and\s+|,\s*)?([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*([a-z]+)\s*")
_CLOCK = re.compile(r"([0-9]{1,5}):([0-5][0-9])(?::([0-5][0-9]))?")
_REMEDY = "write for example '1 day', '30 minutes' or '2 hours 30 minutes'"


def parse(text: str) -> timedelta:
    """Parses an interval of at least a second."""
    words = text.strip().lower()
    span = _by_clock(words) if _CLOCK.fullmatch(words) else _by_units(words)
    if span is None:
        raise BadInput(f"{text[:100]!r} is not an interval; {_REMEDY}", code="invalid_interval")
    if not timedelta(seconds=1) <= span <= LONGEST:
        raise BadInput(
            f"{text[:100]!r} is out of range; use an interval of one second to {LONGEST.days} days",
            code="invalid_interval",
        )
    return span


def describe(span: timedelta) -> str:
    """The interval in words that `parse` reads back, to the second."""
    seconds = round(span.total_seconds())
    parts = []
    for unit in _SHOWN:
        count, seconds = divmod(seconds, round(_UNITS[unit].total_seconds()))
        if count:
            parts.append(f"{count} {unit}" if count == 1 else f"{count} {unit}s")
    return " ".join(parts) or "0 seconds"


def _by_clock(words: str) -> timedelta | None:
    """Parses hours and minutes as a clock shows them, the way databases print less than a day."""
    match = _CLOCK.fullmatch(words)
    if match is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return timedelta(hours=hours, minutes=minutes, seconds=seconds)


def _by_units(words: str) -> timedelta | None:
    """Parses numbers with units, each unit at most once; None for anything else."""
    total, position, seen = timedelta(0), 0, set[str]()
    while position < len(words):
        match = _PART.match(words, position)
        unit = _unit(match[2]) if match else None
        if match is None or unit is None or unit in seen:
            return None
        # The number is bounded before it is multiplied: a timedelta that overflows raises OverflowError.
        count = float(match[1])
        if count * _UNITS[unit].total_seconds() > 10 * LONGEST.total_seconds():
            return 10 * LONGEST
        total += count * _UNITS[unit]
        seen.add(unit)
        position = match.end()
    return total if seen else None


def _unit(word: str) -> str | None:
    singular = word.removesuffix("s") if word not in _SHORT else _SHORT[word]
    singular = _SHORT.get(singular, singular)
    return singular if singular in _UNITS else None
