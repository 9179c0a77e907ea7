"""What does one value mean: clean text, a day, a moment, tags, a number?"""

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

#: outside of these years a date is a slip of the site, not a date
_FIRST_YEAR, _LAST_YEAR = 1990, 2100
_LONGEST_DATE = 60
_LONGEST_TAG, _MOST_TAGS = 100, 100
_LONGEST_VALUE, _DEEPEST_VALUE = 50_000, 6

#: control and format characters that show nothing, and halves of characters that no database takes
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u2060\ufeff\ud800-\udfff]")
_MONTH_NAME = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,6})?")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?")
_COUNTRY = re.compile(r"[A-Za-z]{2}")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s-]+")


def clean_text(value: Any, *, longest: int) -> str | None:
    """The text without invisible characters and with single spaces; None when nothing is left."""
    if not isinstance(value, str):
        if value is None or isinstance(value, (bool, dict, list, tuple)):
            return None
        value = str(value)
    if not (value.isascii() and value.isprintable()):
        value = " ".join(_UNSEEN.sub("", value).split())
    elif "  " in value:
        # The only white space in printable ASCII is the space, and most texts have no two of them in a row.
        value = " ".join(value.split())
    return value.strip(" ")[:longest].rstrip() or None


def parse_datetime(text: str) -> datetime | None:
    """The moment that an ISO 8601 or RFC 2822 text means, in UTC; a time without a zone is taken as UTC."""
    moment = _moment(text)
    if moment is None:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def parse_date(text: str) -> date | None:
    """The day that such a text means, as the site counts days: its own zone is not converted away."""
    moment = _moment(text)
    return moment.date() if moment else None


def tags_of(value: Any) -> tuple[str, ...]:
    """Distinct tags in their order, from a list or from a text with commas."""
    given = value.split(",") if isinstance(value, str) else value if isinstance(value, (list, tuple)) else ()
    cleaned = (clean_text(item, longest=_LONGEST_TAG) for item in given)
    distinct: dict[str, str] = {}
    for tag in cleaned:
        if tag:
            distinct.setdefault(tag.casefold(), tag)
    return tuple(distinct.values())[:_MOST_TAGS]


def language_of(value: Any) -> str | None:
    """A BCP 47 tag such as de or pt-BR; None for anything else."""
    text = clean_text(value, longest=35)
    return text.replace("_", "-") if text and _LANGUAGE.fullmatch(text.replace("_", "-")) else None


def country_of(value: Any) -> str | None:
    """A two-letter country code in upper case; None for anything else, names among it."""
    text = clean_text(value, longest=100)
    return text.upper() if text and _COUNTRY.fullmatch(text) else None


def number_or_text(value: Any) -> float | str | None:
    """A number where the text is plainly one, so that 19.9 and "19.90" are equal; else the text."""
    text = clean_text(value, longest=100)
    return float(text) if text and _PLAIN_NUMBER.fullmatch(text) else text


def code_of(value: Any) -> str | None:
    """An enumeration's word as one code: https://schema.org/InStock is in_stock, FULL_TIME is full_time."""
    given = value if isinstance(value, (list, tuple)) else [value]
    words = (clean_text(item, longest=200) for item in given)
    codes = (_WORD_START.sub("_", word.rpartition("/")[2]).lower() for word in words if word)
    return ", ".join(dict.fromkeys(code for code in codes if code)) or None


def json_ready(value: Any, depth: int = _DEEPEST_VALUE) -> Any:
    """A value that any JSON column takes: clean texts, finite numbers, no more levels than anyone reads."""
    if isinstance(value, str):
        return clean_text(value, longest=_LONGEST_VALUE)
    if isinstance(value, dict) and depth:
        return {str(clean_text(name, longest=100)): json_ready(item, depth - 1) for name, item in value.items()}
    if isinstance(value, (list, tuple)) and depth:
        return [json_ready(item, depth - 1) for item in value]
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    return clean_text(value, longest=_LONGEST_VALUE)


def _moment(text: str) -> datetime | None:
    if len(text) > _LONGEST_DATE:
        return None
    try:
        moment = parsedate_to_datetime(text) if _MONTH_NAME.search(text) else datetime.fromisoformat(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None
