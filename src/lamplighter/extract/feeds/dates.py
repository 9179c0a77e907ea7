"""Parses the dates of a feed, and how long it may be cached."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone

_LONGEST = 60

#: hours from UTC; names that mean several zones far apart (IST) are left out
_ZONES: Mapping[str, float] = {
    "": 0, "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "west": 1, "bst": 1, "cet": 1, "met": 1, "cest": 2,
    "mest": 2, "mesz": 2, "mez": 1, "eet": 2, "eest": 3, "msk": 3, "jst": 9, "kst": 9, "awst": 8, "acst": 9.5,
    "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13, "ast": -4, "adt": -3, "est": -5, "edt": -4, "cst": -6, "cdt": -5,
    "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8, "hst": -10,
}  # fmt: skip
_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}

_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?"
_ZONE = r"\s*(?:etc/)?(?:(?:gmt|utc)?\s*([+-])(\d{1,2}):?(\d{2})?|([a-z]{1,4}))?"
_DAY = r"(?:[a-z]{2,9}\.?,?\s+)?(\d{1,2})[\s-]([a-z]{3})[a-z]*\.?,?[\s-](\d{4}|\d\d),?"
_RFC_822 = re.compile(rf"{_DAY}(?:\s+{_CLOCK}{_ZONE})?(?:\s*\(.*\))?")
_W3C = re.compile(rf"(\d{{4}})-(\d{{1,2}})-(\d{{1,2}})(?:[t\s]\s*{_CLOCK}{_ZONE})?")

_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}
#: longer values are cut: no feed really need not be fetched for longer
_LONGEST_TTL = timedelta(days=30)


def moment(text: str) -> str:
    """The date in ISO 8601, in UTC when it names its zone; unchanged when it has no form that feeds should use."""
    said = text.strip().lower()
    if not said or len(said) > _LONGEST:
        return text
    try:
        understood = _rfc_822(said) or _w3c(said)
    except (ValueError, OverflowError):
        return text
    return understood or text


def ttl(*, minutes: str, period: str, frequency: str) -> timedelta | None:
    """How long the feed says that it need not be fetched again; None when it does not say."""
    if minutes.isdecimal() and len(minutes) <= 7 and int(minutes):
        return min(timedelta(minutes=int(minutes)), _LONGEST_TTL)
    often = int(frequency) if frequency.isdecimal() and len(frequency) <= 4 else 1
    known = _PERIODS.get(period.lower())
    return min(known / max(often, 1), _LONGEST_TTL) if known else None


def _rfc_822(said: str) -> str | None:
    found = _RFC_822.fullmatch(said)
    if found is None or found[2] not in _MONTHS:
        return None
    day, month, year, *rest = found.groups()
    full_year = int(year) if len(year) == 4 else int(year) + (1900 if int(year) >= 70 else 2000)
    return _iso(full_year, _MONTHS[month], int(day), rest)


def _w3c(said: str) -> str | None:
    found = _W3C.fullmatch(said)
    if found is None:
        return None
    year, month, day, *rest = found.groups()
    return _iso(int(year), int(month), int(day), rest)


def _iso(year: int, month: int, day: int, clock: list[str | None]) -> str | None:
    hour, minute, second, sign, zone_hours, zone_minutes, zone_name = clock
    # Leap seconds exist in feeds, but not in datetime.
    local = datetime(year, month, day, int(hour or 0), int(minute or 0), min(int(second or 0), 59))
    if hour is None:
        return local.date().isoformat()
    if sign is None and zone_name is None:
        return local.isoformat()
    if sign is None:
        offset = _ZONES.get(zone_name or "")
    else:
        offset = (int(zone_hours or 0) + int(zone_minutes or 0) / 60) * (-1 if sign == "-" else 1)
    if offset is None or abs(offset) >= 24:
        return None
    return local.replace(tzinfo=timezone(timedelta(hours=offset))).astimezone(UTC).isoformat()
