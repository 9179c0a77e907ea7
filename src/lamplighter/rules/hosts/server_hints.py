"""Reads what a server's headers say about time: Retry-After, Cache-Control, Expires."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_DIGITS = re.compile(r"[0-9]+")
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?([0-9]+)", re.IGNORECASE)
_UNCACHED = re.compile(r"(?:^|[,\s])(?:no-store|no-cache)(?:$|[,\s=])", re.IGNORECASE)
#: a response that claims to be fresh for longer counts as fresh for this long
LONGEST_FRESH = timedelta(days=7)


def retry_after(
    value: str | None, *, now: datetime, cap: timedelta, sent_at: datetime | None = None
) -> timedelta | None:
    """How long a server told us to stay away; None when it said nothing usable (negative, garbage, past).

    `sent_at` is when it responded by its own clock, by which it names a time: of the two waits the longer counts.
    """
    if value is None:
        return None
    text = value.strip()
    if _DIGITS.fullmatch(text):
        seconds = int(text[:12]) if len(text) <= 12 else 10**12
        return min(cap, timedelta(seconds=min(seconds, int(cap.total_seconds()))))
    moment = http_date(text)
    if moment is None:
        return None
    wait = moment - min(now, sent_at or now)
    return min(cap, wait) if wait > timedelta(0) else None


def fresh_for(headers: Mapping[str, str], *, now: datetime) -> timedelta | None:
    """How long the response need not be fetched again; None when the server said nothing.

    The time it spent in caches on its way is subtracted (RFC 9111, 4.2), and its expiry is read by the server's clock.
    """
    control = headers.get("Cache-Control", "")
    if _UNCACHED.search(control):
        return None
    if found := _MAX_AGE.search(control):
        lasts = timedelta(seconds=min(int(found[1][:9]), 10**8))
        return min(LONGEST_FRESH, max(timedelta(0), lasts - _age(headers)))
    expires = http_date(headers.get("Expires", ""))
    if expires is None:
        return None
    left = expires - (http_date(headers.get("Date", "")) or now) - _age(headers)
    return min(LONGEST_FRESH, left) if left > timedelta(0) else None


def _age(headers: Mapping[str, str]) -> timedelta:
    age = headers.get("Age", "").strip()
    return timedelta(seconds=int(age[:9])) if _DIGITS.fullmatch(age) else timedelta(0)


def http_date(text: str) -> datetime | None:
    """Parses one of HTTP's three date formats; None when it is not a date."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
