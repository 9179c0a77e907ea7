"""Parses texts with dateparser that our own tables do not cover, such as "před dvěma týdny".

It is tried last, and only for what it can know. It is slow, and it finds dates in everything: "P-3", "may", "12".
So a text must name a full year, or count from now; what it would fill in from today's date is not used.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

#: "two weeks ago" is counted from here: so the result for a text is always the same, and can be cached
_BASE = datetime(2024, 6, 15, 12, 0, tzinfo=UTC)
_LONGEST = 60
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


def calendar_date(text: str, language: str) -> datetime | None:
    """The moment of a text that contains a full year."""
    words = _LETTERS.findall(text)
    figures = _FULL_YEAR.search(text) and _OTHER_FIGURES.search(text)
    return _ask(text, language, is_counted=False) if figures and words and len(text) <= _LONGEST else None


def distance(text: str, language: str) -> timedelta | None:
    """The distance from now that the text names in words."""
    words = _LETTERS.findall(text)
    if not 2 <= len(words) <= _MOST_WORDS or len(text) > _LONGEST or _FULL_YEAR.search(text) or _VAGUE.search(text):
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
