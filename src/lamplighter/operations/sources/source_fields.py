"""A source as files and programs write it, in flat words: `{"url": …, "priority": "high", "interval_minutes": 60}`.

The same words are read from CSV, where every value is text, and from JSON. What a word means for the source may depend
on what the source already is: `selectors` are put into its recipe, which keeps its other parts.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from difflib import get_close_matches
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import orjson

from lamplighter.errors import BadInput
from lamplighter.model import window_json
from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import OrganisationType, PolicyName
from lamplighter.operations.sources.source_input import NewSource, naming
from lamplighter.operations.sources.source_words import (
    delay_of,
    depth_number,
    depth_word,
    fields_from,
    priority_number,
    priority_word,
    rate_of,
)
from lamplighter.rules.schedule import window_text

#: what files may carry along, and nobody sets
IGNORED = ("id",)
_WINDOW_HOURS = ("crawl_window_start", "crawl_window_end")
_TRUE, _FALSE = ("true", "yes", "1", "on"), ("false", "no", "0", "off")


def input_from(row: Mapping[str, Any]) -> NewSource:
    """The source that a row describes; what it leaves out is as it is by default."""
    url = row.get("url")
    if not isinstance(url, str) or not url.strip():
        raise BadInput("url is missing; write for example https://example.com/jobs", field="url")
    return altered(NewSource(url=url.strip()), row)


def altered(submitted: NewSource, row: Mapping[str, Any]) -> NewSource:
    """The source with what a row says of it; what the row leaves out stays."""
    for key in row:
        if key not in _KNOWN and key not in IGNORED:
            raise _unknown(key)
    for word in _WORDS:
        if word.name in row:
            with naming(word.name):
                submitted = replace(submitted, **word.read(row[word.name], submitted))
    return (
        replace(submitted, **_hours(row)) if any(row.get(key) not in (None, "") for key in _WINDOW_HOURS) else submitted
    )


def row_from(submitted: NewSource) -> dict[str, Any]:
    """The row that describes a source: `input_from` makes the same source of it."""
    return {word.name: word.write(submitted) for word in _WORDS if word.write is not None}


def _words(key: str, value: Any) -> str:
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{key} {value!r} is not text", field=key)
    return (value or "").strip()


def kind_of(word: str | None) -> RecordKind | None:
    """What records are, by its word; "auto" leaves it to the pages, as no word does."""
    if not word or word == "auto":
        return None
    try:
        return RecordKind(word)
    except ValueError:
        raise BadInput(f"kind {word!r} is unknown; use auto, {', '.join(RecordKind)}", field="kind") from None


def _member(key: str, names: type[StrEnum]) -> Callable[[Any, NewSource], dict[str, Any]]:
    """One of a few words; none leaves it open."""

    def read(value: Any, _: NewSource) -> dict[str, Any]:
        word = _words(key, value)
        try:
            return {key: names(word) if word else None}
        except ValueError:
            what = key.replace("_", " ")
            raise BadInput(f"{what} {word!r} is unknown; use {', '.join(names)}", field=key) from None

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


def _minutes(name: str) -> Callable[[Any, NewSource], dict[str, Any]]:
    def read(value: Any, _: NewSource) -> dict[str, Any]:
        minutes = _number(f"{name}_minutes", value, what="a number of minutes")
        return {name: None if minutes is None else _span(f"{name}_minutes", minutes)}

    return read


def _minutes_of(name: str, submitted: NewSource) -> float | None:
    span: timedelta | None = getattr(submitted, name)
    if span is None:
        return None
    minutes = span / timedelta(minutes=1)
    return int(minutes) if minutes.is_integer() else minutes


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
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return {"max_depth": depth_number(value)}


def _windows(value: Any, _: NewSource) -> dict[str, Any]:
    if value in (None, "", []):
        return {"windows": (), "windows_text": None}
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return {"windows": (), "windows_text": value}
    return {"windows": window_json.from_json(_json("windows", value)), "windows_text": None}


def _hours(row: Mapping[str, Any]) -> dict[str, Any]:
    start, end = (_whole(key, row.get(key)) for key in _WINDOW_HOURS)
    if start is None or end is None:
        missing = _WINDOW_HOURS[start is not None]
        raise BadInput(f"{missing} is missing; a window needs both hours, 0 to 23 in UTC", field=missing)
    if row.get("windows"):
        raise BadInput("give either windows, or crawl_window_start and crawl_window_end", field="windows")
    return {"windows": window_text.from_hours(start, end, None), "windows_text": None}


def _recipe(value: Any, _: NewSource) -> dict[str, Any]:
    recipe = _json("recipe", value) if value not in (None, "") else None
    if recipe is not None and not isinstance(recipe, Mapping):
        raise BadInput(f"recipe {str(recipe)[:50]!r} is not a JSON object; see docs/recipes.md", field="recipe")
    return {"recipe": recipe or {}}


def _selectors(value: Any, submitted: NewSource) -> dict[str, Any]:
    selectors = _json("selectors", value) if value not in (None, "") else {}
    if not isinstance(selectors, Mapping):
        raise BadInput(f'selectors {str(value)[:50]!r} are not an object such as {{"title": "h1"}}', field="selectors")
    return {"recipe": fields_from(selectors, submitted.recipe)}


def _expects(value: Any, submitted: NewSource) -> dict[str, Any]:
    others = {key: part for key, part in submitted.recipe.items() if key != "expects"}
    return {"recipe": others | ({"expects": value} if value not in (None, "") else {})}


def _tags(value: Any, _: NewSource) -> dict[str, Any]:
    if isinstance(value, str):
        value = [tag for tag in value.replace(",", ";").split(";") if tag.strip()]
    if value is not None and not (isinstance(value, list | tuple) and all(isinstance(tag, str) for tag in value)):
        raise BadInput(f"tags {str(value)[:50]!r} are not a list of texts", field="tags")
    return {"tags": tuple(value or ())}


class _Word(NamedTuple):
    """One word of a row: how it is read into a source, and how it is written from one."""

    name: str
    read: Callable[[Any, NewSource], dict[str, Any]]
    #: None where it is only read, since it is put into another word
    write: Callable[[NewSource], Any] | None = None


#: in the order in which files have them and in which they are read: selectors and expects are put into the recipe
_WORDS = (
    _Word("name", lambda value, _: {"name": _words("name", value)}, attrgetter("name")),
    _Word("url", _url, attrgetter("url")),
    _Word("kind", lambda value, _: {"kind": kind_of(_words("kind", value))}, attrgetter("kind")),
    _Word("enabled", _flag("enabled"), attrgetter("enabled")),
    _Word("priority", _priority, lambda submitted: priority_word(submitted.priority)),
    _Word("rate_limit", _rate, lambda submitted: rate_of(submitted.min_delay)),
    _Word("max_depth", _depth, lambda submitted: depth_word(submitted.max_depth)),
    _Word("max_pages", lambda value, _: {"max_pages": _whole("max_pages", value)}, attrgetter("max_pages")),
    *(
        _Word(f"{name}_minutes", _minutes(name), partial(_minutes_of, name))
        for name in ("interval", "min_interval", "max_interval")
    ),
    _Word("policy", _member("policy", PolicyName), attrgetter("policy")),
    _Word(
        "windows", _windows, lambda submitted: window_text.describe(submitted.windows) if submitted.windows else None
    ),
    _Word("country", lambda value, _: {"country": _words("country", value) or None}, attrgetter("country")),
    _Word("organisation_type", _member("organisation_type", OrganisationType), attrgetter("organisation_type")),
    _Word("recurring", _flag("recurring"), attrgetter("recurring")),
    _Word("recipe", _recipe, lambda submitted: dict(submitted.recipe) or None),
    _Word("selectors", _selectors),
    _Word("expects", _expects),
    _Word("tags", _tags, lambda submitted: list(submitted.tags)),
)
_KNOWN = (*(word.name for word in _WORDS), *_WINDOW_HOURS)
#: in the order in which files have them
COLUMNS = tuple(word.name for word in _WORDS if word.write is not None)


def _unknown(key: object) -> BadInput:
    nearest = get_close_matches(str(key), _KNOWN, n=1)
    remedy = f"did you mean {nearest[0]}?" if nearest else f"known are {', '.join(_KNOWN)}"
    return BadInput(f"{str(key)[:50]!r} is not a field of a source; {remedy}", field=str(key)[:50])


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
        raise BadInput(f"{key} {str(value)[:50]!r} is out of range", field=key)
    return int(number)


def _json(key: str, value: Any) -> Any:
    """JSON as it is, or written as text."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"{key} is not JSON: {error}", field=key) from None
