"""Priorities, depths, rates and selectors as files and events write them."""

from collections.abc import Mapping
from datetime import timedelta
from math import ceil, isfinite
from typing import Any

from lamplighter.errors import BadInput
from lamplighter.rules.schedule.priority_levels import LEVELS

#: name -> number, the highest first
PRIORITIES = {level.name: level.number for level in LEVELS}
_NAMES = {number: name for name, number in PRIORITIES.items()}
#: characters of a priority; Python itself refuses to read a number of some thousand digits
_LONGEST = 100
#: shown with twelve digits, so what was shown and comes back may be off by this share
_ROUNDING = 1e-11


def priority_word(number: int) -> str | int:
    """The name of a priority that has one, else its number."""
    return _NAMES.get(number, number)


def priority_number(word: str | int) -> int:
    """A priority by its name, or by its number as such or as text."""
    if isinstance(word, str):
        named = PRIORITIES.get(word.strip().lower())
        if named is not None:
            return named
        if not word.strip().isdecimal() or len(word) > _LONGEST:
            names = ", ".join(reversed(PRIORITIES))
            raise BadInput(f"priority {word[:100]!r} is unknown; use {names}, or 0 to 100", field="priority")
    number = int(word)
    if not 0 <= number <= 100:
        raise BadInput(f"priority {number} is out of range; use 0 to 100", field="priority")
    return number


#: the depth of a source that follows no links, in words and as it is stored
PAGE_ALONE, PAGE_ALONE_DEPTH = "page", 0
#: no limit but that of pages
UNLIMITED_DEPTH = -1
#: where none is said
USUAL_DEPTH = 3
#: a number is written without a limit up to here
DEEPEST = 100


def depth_word(number: int) -> str | int:
    """A stored depth as every answer and file has it; `depth_number` reads the same back."""
    return PAGE_ALONE if number == PAGE_ALONE_DEPTH else number


def depth_number(word: str | int | None) -> int:
    """A depth as it is stored. None, an empty text and 0 mean unset, as the seeds say; "page" is this page alone."""
    text = str("" if word is None else word).strip().lower()
    if text in ("", "0"):
        return USUAL_DEPTH
    if text == PAGE_ALONE:
        return PAGE_ALONE_DEPTH
    if not text.removeprefix("-").isdecimal() or len(text) > _LONGEST:
        raise BadInput(f"max_depth {text[:50]!r} is not a whole number; use {DEPTHS}", field="max_depth")
    number = int(text)
    if number != UNLIMITED_DEPTH and not 1 <= number <= DEEPEST:
        raise BadInput(f"max_depth {number} is out of range; use {DEPTHS}", field="max_depth")
    return number


def typed_depth(text: str) -> int:
    """A depth that a person typed here. 0 is refused: it means unset in files, and is easily taken for this page."""
    if text.strip() == "0":
        message = f'max_depth 0 is ambiguous; use "{PAGE_ALONE}" for this page alone, or leave it out for {USUAL_DEPTH}'
        raise BadInput(message, field="max_depth")
    return depth_number(text)


DEPTHS = f'1 to {DEEPEST}, "{PAGE_ALONE}" for this page alone, or {UNLIMITED_DEPTH} for no limit'


def rate_of(delay: timedelta | None) -> float | None:
    """Requests per second that a delay leaves; None where none is set."""
    if delay is None:
        return None
    rate = float(f"{timedelta(seconds=1) / delay:.12g}")
    return int(rate) if rate.is_integer() else rate


def delay_of(rate: float) -> timedelta:
    """The delay, in whole milliseconds, with which no more than so many requests are made in a second."""
    if not isfinite(rate) or rate <= 0:
        raise BadInput(
            f"rate_limit {rate} is not a number of requests per second; use for example 0.5", field="rate_limit"
        )
    milliseconds = ceil(1000 / rate * (1 - _ROUNDING)) if rate > 1e-9 else 10**12
    return timedelta(milliseconds=max(1, milliseconds))


#: their name -> ours; where several mean the same, the first is shown
_FIELD_NAMES = {"body": "text", "content": "text", "link": "url", "date": "published_at"}
_SELECTOR_NAMES = {ours: theirs for theirs, ours in reversed(_FIELD_NAMES.items())}
#: names of the repeated element, which is no field
_ITEMS = ("container", "item", "items", "article_cards")
#: names of the selectors of lists, and of the pages they link to; the first is shown
_OF_LIST = ("list", "listing")
_OF_DETAILS = ("article", "detail", "details", "page")


def fields_from(selectors: Mapping[str, Any], recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe with these selectors, and with its other parts as they are.

    Selectors without a container are those of the article page, as in the services that send them; with one they are
    those of the list. Both may be given, as `list` and `article`.
    """
    listed, details = _part(selectors, _OF_LIST), _part(selectors, _OF_DETAILS)
    flat = {name: rule for name, rule in selectors.items() if name not in (*_OF_LIST, *_OF_DETAILS)}
    is_list = any(flat.get(name) for name in _ITEMS) or (recipe.get("items") and not recipe.get("details"))
    if is_list:
        listed = flat | listed
    else:
        details = flat | details
    items = next((listed[name] for name in _ITEMS if listed.get(name)), recipe.get("items"))
    changed = {**recipe, "items": items, "fields": _as_fields(listed), "details": _as_fields(details)}
    return {key: part for key, part in changed.items() if part}


def selectors_from(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The selectors that `fields_from` would put into such a recipe."""
    fields, details = _as_selectors(recipe.get("fields", {})), _as_selectors(recipe.get("details", {}))
    listed = ({"container": recipe["items"]} if fields and recipe.get("items") else {}) | fields
    if not details:
        return listed
    return {_OF_LIST[0]: listed, _OF_DETAILS[0]: details} if listed else details


def _part(selectors: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The selectors in a map of their own."""
    part: dict[str, Any] = {}
    for name in names:
        given = selectors.get(name)
        if given and not isinstance(given, Mapping):
            raise BadInput(
                f'selectors.{name} {str(given)[:50]!r} is not an object such as {{"title": "h1"}}', field="selectors"
            )
        part |= given or {}
    return part


def _as_fields(selectors: Mapping[str, Any]) -> dict[str, Any]:
    return {_FIELD_NAMES.get(name, name): rule for name, rule in selectors.items() if name not in _ITEMS and rule}


def _as_selectors(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {_SELECTOR_NAMES.get(name, name): rule for name, rule in fields.items()}


def priorities(word: str | int) -> tuple[int, int]:
    """The least and the most priority that a name or a number stands for."""
    least = priority_number(word)
    if word not in PRIORITIES:
        return least, least
    higher = [number for number in PRIORITIES.values() if number > least]
    lowest = 0 if least == min(PRIORITIES.values()) else least
    return lowest, min(higher) - 1 if higher else 100
