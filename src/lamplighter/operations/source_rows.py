"""A source as files and programs write it, in flat words: `{"url": …, "priority": "high", "interval_minutes": 60}`.

The same words are read from CSV, where every value is text, and from JSON. What a word means for the source may depend
on what the source already is: `selectors` are put into its recipe, which keeps its other parts.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from difflib import get_close_matches
from typing import Any

import orjson

from lamplighter.errors import BadInput
from lamplighter.operations.source_selectors import fields_from, selectors_from
from lamplighter.operations.source_wish import DEEPEST, NewSource, naming
from lamplighter.operations.source_words import delay_of, priority_number, priority_word, rate_of
from lamplighter.rules import window_text

#: what files may carry along, and nobody sets
IGNORED = ("id",)
#: a depth that means none, and one that means no limit but that of pages
DEFAULT_DEPTH, UNLIMITED_DEPTH = 0, -1
_WINDOW_HOURS = ("crawl_window_start", "crawl_window_end")
_TRUE, _FALSE = ("true", "yes", "1", "on"), ("false", "no", "0", "off")


def wish_from(row: Mapping[str, Any]) -> NewSource:
    """The source that a row describes; what it leaves out is as it is by default."""
    url = row.get("url")
    if not isinstance(url, str) or not url.strip():
        raise BadInput("url is missing; write for example https://example.com/jobs", field="url")
    return altered(NewSource(url=url.strip()), row)


def altered(wish: NewSource, row: Mapping[str, Any]) -> NewSource:
    """The source with what a row says of it; what the row leaves out stays."""
    for key in row:
        if key not in _READERS and key not in (*_WINDOW_HOURS, *IGNORED):
            raise _unknown(key)
    for key, read in _READERS.items():
        if key in row:
            with naming(key):
                wish = replace(wish, **read(row[key], wish))
    return replace(wish, **_hours(row)) if any(row.get(key) not in (None, "") for key in _WINDOW_HOURS) else wish


def row_from(wish: NewSource) -> dict[str, Any]:
    """The row that describes a source: `wish_from` makes the same source of it."""
    recipe = dict(wish.recipe or {})
    windows = wish.windows if not isinstance(wish.windows, str) else window_text.parse(wish.windows)
    return {
        "name": wish.name,
        "url": wish.url,
        "kind": wish.kind,
        "enabled": wish.enabled,
        "priority": priority_word(wish.priority),
        "rate_limit": rate_of(wish.min_delay),
        "max_depth": wish.max_depth,
        "max_pages": wish.max_pages,
        "interval_minutes": _minutes_of(wish.interval),
        "min_interval_minutes": _minutes_of(wish.min_interval),
        "max_interval_minutes": _minutes_of(wish.max_interval),
        "policy": wish.policy,
        "windows": window_text.describe(windows) if windows else None,
        "country": wish.country,
        "organisation_type": wish.organisation_type,
        "recurring": wish.recurring,
        "recipe": recipe or None,
        "tags": list(wish.tags),
    }


def selectors_of(wish: NewSource) -> dict[str, Any]:
    """The recipe's fields as a map of selectors."""
    return selectors_from(dict(wish.recipe or {}))


def _text(key: str) -> Callable[[Any, NewSource], dict[str, Any]]:
    def read(value: Any, _: NewSource) -> dict[str, Any]:
        if value is not None and not isinstance(value, str):
            raise BadInput(f"{key} {value!r} is not text", field=key)
        return {key: (value or "").strip() or None}

    return read


def _url(value: Any, _: NewSource) -> dict[str, Any]:
    if not isinstance(value, str) or not value.strip():
        raise BadInput("url is empty; write for example https://example.com/jobs", field="url")
    return {"url": value.strip()}


def _flag(key: str) -> Callable[[Any, NewSource], dict[str, Any]]:
    def read(value: Any, _: NewSource) -> dict[str, Any]:
        word = str(value).strip().lower()
        if isinstance(value, bool) or word in (*_TRUE, *_FALSE):
            return {key: word in _TRUE}
        if value in (None, ""):
            return {key: True}
        raise BadInput(f"{key} {str(value)[:50]!r} is neither true nor false", field=key)

    return read


def _minutes(key: str) -> Callable[[Any, NewSource], dict[str, Any]]:
    def read(value: Any, _: NewSource) -> dict[str, Any]:
        minutes = _number(key, value, what="a number of minutes")
        return {key.removesuffix("_minutes"): None if minutes is None else _span(key, minutes)}

    return read


def _span(key: str, minutes: float) -> timedelta:
    try:
        return timedelta(minutes=minutes)
    except OverflowError:
        raise BadInput(f"{key} {minutes} is out of range; use 1 to 527040", field=key) from None


def _rate(value: Any, _: NewSource) -> dict[str, Any]:
    rate = _number("rate_limit", value, what="a number of requests per second, such as 0.5")
    return {"min_delay": None if rate is None else delay_of(rate)}


def _priority(value: Any, _: NewSource) -> dict[str, Any]:
    if value in (None, ""):
        return {"priority": 50}
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadInput(f"priority {value!r} is unknown; use low, normal, high, critical, or 0 to 100", field="priority")
    return {"priority": priority_number(value)}


def _depth(value: Any, _: NewSource) -> dict[str, Any]:
    depth = _whole("max_depth", value)
    if depth in (None, DEFAULT_DEPTH):
        return {"max_depth": 3}
    return {"max_depth": DEEPEST if depth == UNLIMITED_DEPTH else depth}


def _pages(value: Any, _: NewSource) -> dict[str, Any]:
    return {"max_pages": _whole("max_pages", value)}


def _windows(value: Any, _: NewSource) -> dict[str, Any]:
    if value in (None, "", []):
        return {"windows": None}
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return {"windows": value}
    return {"windows": window_text.from_json(_json("windows", value))}


def _hours(row: Mapping[str, Any]) -> dict[str, Any]:
    start, end = (_whole(key, row.get(key)) for key in _WINDOW_HOURS)
    if start is None or end is None:
        missing = _WINDOW_HOURS[start is not None]
        raise BadInput(f"{missing} is missing; a window needs both hours, 0 to 23 in UTC", field=missing)
    if row.get("windows"):
        raise BadInput("give either windows, or crawl_window_start and crawl_window_end", field="windows")
    return {"windows": window_text.from_hours(start, end, None)}


def _recipe(value: Any, _: NewSource) -> dict[str, Any]:
    recipe = _json("recipe", value) if value not in (None, "") else None
    if recipe is not None and not isinstance(recipe, Mapping):
        raise BadInput(f"recipe {str(recipe)[:50]!r} is not a JSON object; see docs/recipes.md", field="recipe")
    return {"recipe": recipe}


def _selectors(value: Any, wish: NewSource) -> dict[str, Any]:
    selectors = _json("selectors", value) if value not in (None, "") else {}
    if not isinstance(selectors, Mapping):
        raise BadInput(f'selectors {str(value)[:50]!r} are not an object such as {{"title": "h1"}}', field="selectors")
    return {"recipe": fields_from(selectors, dict(wish.recipe or {}))}


def _expects(value: Any, wish: NewSource) -> dict[str, Any]:
    others = {key: part for key, part in (wish.recipe or {}).items() if key != "expects"}
    return {"recipe": others | ({"expects": value} if value not in (None, "") else {})}


def _tags(value: Any, _: NewSource) -> dict[str, Any]:
    if isinstance(value, str):
        value = [tag for tag in value.replace(",", ";").split(";") if tag.strip()]
    if value is not None and not (isinstance(value, list | tuple) and all(isinstance(tag, str) for tag in value)):
        raise BadInput(f"tags {str(value)[:50]!r} are not a list of texts", field="tags")
    return {"tags": tuple(value or ())}


#: in the order in which they are read: selectors and expects are put into the recipe
_READERS: Mapping[str, Callable[[Any, NewSource], dict[str, Any]]] = {
    "name": _text("name"),
    "url": _url,
    "kind": _text("kind"),
    "enabled": _flag("enabled"),
    "priority": _priority,
    "rate_limit": _rate,
    "max_depth": _depth,
    "max_pages": _pages,
    "interval_minutes": _minutes("interval_minutes"),
    "min_interval_minutes": _minutes("min_interval_minutes"),
    "max_interval_minutes": _minutes("max_interval_minutes"),
    "policy": _text("policy"),
    "windows": _windows,
    "country": _text("country"),
    "organisation_type": _text("organisation_type"),
    "recurring": _flag("recurring"),
    "recipe": _recipe,
    "selectors": _selectors,
    "expects": _expects,
    "tags": _tags,
}


def _unknown(key: object) -> BadInput:
    known = [*_READERS, *_WINDOW_HOURS]
    nearest = get_close_matches(str(key), known, n=1)
    remedy = f"did you mean {nearest[0]}?" if nearest else f"known are {', '.join(known)}"
    return BadInput(f"{str(key)[:50]!r} is not known of sources; {remedy}", field=str(key)[:50])


def _number(key: str, value: Any, *, what: str) -> float | None:
    if value in (None, ""):
        return None
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise BadInput(f"{key} {str(value)[:50]!r} is not {what}", field=key)
    return number


def _whole(key: str, value: Any) -> int | None:
    number = _number(key, value, what="a whole number")
    if number is None:
        return None
    if number != int(number) or abs(number) > 2**31:
        raise BadInput(f"{key} {str(value)[:50]!r} is not a whole number that anybody means", field=key)
    return int(number)


def _json(key: str, value: Any) -> Any:
    """JSON as it is, or written as text."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"{key} is not JSON: {error}", field=key) from None


def _minutes_of(span: timedelta | None) -> float | None:
    if span is None:
        return None
    minutes = span / timedelta(minutes=1)
    return int(minutes) if minutes.is_integer() else minutes


#: in the order in which files have them
COLUMNS = tuple(row_from(NewSource(url="")))
