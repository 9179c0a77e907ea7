"""Parses a duration as people write it in settings: 168h, 90m, 7d, 3600s."""

import re
from datetime import timedelta

_DURATION = re.compile(r"([0-9]{1,9})(s|m|h|d)", re.ASCII)
_UNITS = {"s": timedelta(seconds=1), "m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_LONGEST = timedelta(days=36_525)


def parsed(text: str) -> timedelta | None:
    """The duration; None when the text is no duration, is zero, or is longer than a century."""
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None:
        return None
    duration = int(found[1]) * _UNITS[found[2]]
    return duration if timedelta(0) < duration <= _LONGEST else None
