"""Parses a W3C date (2026, 2026-03, 2026-03-02, with or without a time)."""

import re
from datetime import UTC, datetime

_YEAR_AND_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")
_LONGEST = 40


def moment_of(text: str) -> datetime | None:
    """The moment in UTC; a time without a zone counts as UTC. None when it is not such a date."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if len(text) <= 7 and (short := _YEAR_AND_MONTH.fullmatch(text)):
        text = f"{short[1]}-{short[2] or '01'}-01"
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
