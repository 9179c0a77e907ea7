"""Which time of day does a text name, once its date is removed?"""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import NamedTuple

from lamplighter.normalise.dates.time_zones import read_zone

_HALF = r"(?P<half>[ap]\.?\s?m\b\.?)"
_OCLOCK = r"(?P<oclock>(?:uhr|hrs?|hours|o'clock|h|uur|ч|時|时|시)(?![^\W\d_]))"
#: 23:59, 23:59:00, 11:59 pm, 23h59, 17.00 Uhr
_WITH_MINUTES = re.compile(
    r"(?<![\d:.+/-])(?P<hour>\d{1,2})(?:\s?[:h時时시]\s?|(?P<dot>\.))(?P<minute>\d\d)(?!\d)"
    rf"(?::(?P<second>\d\d)(?:\.\d+)?)?(?:\s?{_HALF}|\s?{_OCLOCK})?",
    re.IGNORECASE,
)
#: 5 pm, 17 Uhr, 17h
_HOUR_ONLY = re.compile(rf"(?<![\d:.+/-])(?P<hour>\d{{1,2}})\s?(?:{_HALF}|{_OCLOCK})", re.IGNORECASE)
#: words that make two numbers with a dot a time: "kl. 14.30"
_BEFORE_A_TIME = re.compile(r"\b(?:kl|klo|um|at|à|alle|om|в)\.?\s*\Z", re.IGNORECASE)
_NOON = re.compile(r"\b(?:noon|midday|mittags?|midi|mediod[ií]a|meio-dia|mezzogiorno)\b", re.IGNORECASE)
_MIDNIGHT = re.compile(
    r"\b(?:midnight|mitternacht|minuit|medianoche|meia-noite|mezzanotte|middernacht|północy?|midnatt|полноч[ьи]"
    r"|півн[оі]ч[іь]?|gece yarısı)\b|منتصف الليل|午夜",
    re.IGNORECASE,
)
#: the end of the named day, not its start: no posting closes at the first minute of a day
_END_OF_DAY = time(23, 59)


class ClockTime(NamedTuple):
    """A time of day and its zone; either may be unknown."""

    at: time | None
    zone: tzinfo | None


def read_clock(text: str) -> ClockTime:
    """The time of day in a text without its date."""
    at = _time(text) if text else None
    return ClockTime(at, read_zone(text) if at else None)


def at_time(day: date, clock: ClockTime) -> datetime:
    """That day at that time: with a fixed offset, in UTC when the zone is unknown, at midnight when the time is."""
    if clock.at is None:
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    moment = datetime.combine(day, clock.at, clock.zone or UTC)
    offset = moment.utcoffset() or timedelta()
    return moment.replace(tzinfo=timezone(offset) if offset else UTC)


def _time(text: str) -> time | None:
    face = _face(text)
    at = _on_face(face) if face else None
    if _MIDNIGHT.search(text) and (at is None or at in (time(0), time(12))):
        return _END_OF_DAY
    if face is None and _NOON.search(text):
        return time(12)
    return at


def _face(text: str) -> re.Match[str] | None:
    """The first match that looks like a time; two numbers with a dot alone may be anything."""
    for found in _WITH_MINUTES.finditer(text):
        if not found["dot"] or found["half"] or found["oclock"] or _BEFORE_A_TIME.search(text, 0, found.start()):
            return found
    return _HOUR_ONLY.search(text)


def _on_face(face: re.Match[str]) -> time | None:
    parts = face.groupdict()
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    if half := parts["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    if (hour, minute) == (24, 0):
        return _END_OF_DAY
    return time(hour, minute, second) if hour < 24 and minute < 60 and second < 60 else None
