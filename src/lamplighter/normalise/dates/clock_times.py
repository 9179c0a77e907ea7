"""Which time of day and which time zone does a text name, once its date is removed?"""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lamplighter.normalise.cldr import fold

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

#: GMT+7, UTC+05:30, 10:00 +0200, 10:00 +02:00, 10:00:00-05:00; but 9:00-10:00 is a morning
_OFFSET = re.compile(
    r"(?:\b(?:gmt|utc)\s?(?=[+-]\d)|(?<=\d)\s?(?=[+-]\d{4}(?!\d))|\s(?=\+\d\d:\d)|(?<=:\d\d:\d\d)(?=[+-]\d\d:\d))"
    r"([+-])(\d{1,2}):?(\d\d)?(?![\d:])",
    re.IGNORECASE,
)
_LONGEST_OFFSET = timedelta(hours=15)
_ABBREVIATION = re.compile(r"(?<![^\W\d_])(?:[A-Z]{3,4}|Z|[ECP]T)(?![^\W_])")
_NAMED = re.compile(
    r"([^\W\d_]{2,30}(?:[ '-][^\W\d_]{2,20}){0,2}),? (?:local )?(?:standard )?time\b"
    r"|\b(?:heure|hora|ora|ortszeit)\s(?:de |di |d'|in )?([^\W\d_]{3,20}(?:[ -][^\W\d_]{2,20})?)",
    re.IGNORECASE,
)

#: hours from UTC. IST is left out: India, Israel and Ireland all use it
_FIXED = {
    name: timedelta(hours=hours)
    for hours, names in {
        -10: "HST", -9: "AKST", -8: "PST", -7: "PDT MST", -6: "CST MDT", -5: "EST CDT", -4: "EDT", -3: "BRT",
        0: "Z UTC GMT WET", 1: "WEST BST CET MEZ WAT", 2: "CEST MESZ EET CAT SAST", 3: "EEST MSK EAT TRT", 5: "PKT",
        5.75: "NPT", 7: "ICT WIB", 8: "SGT HKT PHT", 9: "JST KST", 10: "AEST", 11: "AEDT", 12: "NZST", 13: "NZDT",
    }.items()
    for name in names.split()
}  # fmt: skip
#: zones with daylight saving, by the names under which deadlines are stated
_SEASONAL = {
    name.strip(): zone
    for zone, names in {
        "America/New_York": "et | eastern | new york | ny | nueva york | washington | washington dc",
        "America/Chicago": "ct | central",
        "America/Denver": "mountain",
        "America/Los_Angeles": "pt | pacific",
        "America/Toronto": "montreal | ottawa | toronto",
        "America/Panama": "panama",
        "Africa/Addis_Ababa": "addis ababa",
        "Africa/Cairo": "cairo | le caire",
        "Africa/Dakar": "dakar",
        "Africa/Johannesburg": "johannesburg | pretoria | south africa",
        "Africa/Nairobi": "nairobi | kenya | kampala | east africa",
        "Asia/Amman": "amman",
        "Asia/Bangkok": "bangkok | hanoi | thailand",
        "Asia/Beirut": "beirut | beyrouth",
        "Asia/Dhaka": "dhaka | bangladesh",
        "Asia/Jakarta": "jakarta",
        "Asia/Kolkata": "india | indian | new delhi | delhi",
        "Asia/Manila": "manila | philippine",
        "Asia/Shanghai": "beijing | china",
        "Asia/Tokyo": "tokyo | japan",
        "Europe/Amsterdam": "amsterdam | the hague | hague | den haag",
        "Europe/Berlin": "berlin | bonn | german",
        "Europe/Brussels": "brussels | bruxelles | brussel",
        "Europe/Budapest": "budapest",
        "Europe/Copenhagen": "copenhagen | danish",
        "Europe/Istanbul": "istanbul | ankara",
        "Europe/Kiev": "kyiv | kiev",
        "Europe/Lisbon": "lisbon | lisboa",
        "Europe/London": "london | uk | british",
        "Europe/Madrid": "madrid",
        "Europe/Moscow": "moscow",
        "Europe/Oslo": "oslo",
        "Europe/Paris": "paris | central european",
        "Europe/Rome": "rome | roma",
        "Europe/Stockholm": "stockholm",
        "Europe/Vienna": "vienna | wien | vienne",
        "Europe/Zurich": "geneva | geneve | genf | ginebra | ginevra | bern | zurich | swiss",
        "Pacific/Fiji": "suva | fiji",
    }.items()
    for name in names.split("|")
}


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


def read_zone(text: str) -> tzinfo | None:
    """The zone of a text that names a time; None when it names none that we know."""
    if found := _OFFSET.search(text):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return timezone(-offset if found[1] == "-" else offset) if offset < _LONGEST_OFFSET else None
    for name in _ABBREVIATION.findall(text):
        if name in _FIXED:
            return timezone(_FIXED[name])
        if zone := _seasonal(name.lower()):
            return zone
    found = _NAMED.search(text)
    return _ending_in(fold(found[1] or found[2])) if found else None


def _ending_in(words: str) -> tzinfo | None:
    """The zone of "by noon new york": the words right before "time" are the name."""
    parts = words.split()
    candidates = (" ".join(parts[start:]) for start in range(len(parts)))
    return next((zone for name in candidates if (zone := _seasonal(name))), None)


@lru_cache(maxsize=256)
def _seasonal(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(_SEASONAL[name])
    except (KeyError, ZoneInfoNotFoundError):  # the latter on a system without time zones
        return None
