"""Parses the parts of recipes, each checked with a message that names it and says what would work."""

import difflib
import re
from collections.abc import Collection, Mapping
from typing import Any

from lamplighter.errors import BadRecipe
from lamplighter.extract.elements import is_selector, parsed, select
from lamplighter.extract.recipes import patterns

_LONGEST_SELECTOR = 300
_MOST_IN_LIST = 50

_JSON_PATH = re.compile(r"[\w$@-]+(?:\.(?:[\w$@-]+|\*))*")
#: Searching descendants inside :has() makes the matcher try every pair of elements; one step is all a recipe needs.
_HAS = re.compile(r":has\(", re.IGNORECASE)
_HAS_ONE_STEP = re.compile(r":has\(\s*[>+~]?\s*[^\s>+~,()]+\s*\)", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]]*\]")
#: a letter of a selector may be escaped by its number, or by a backslash that changes nothing
_ESCAPED = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})\s?|(.))", re.DOTALL)

_NOTHING = parsed("<p>")


def as_object(data: object, where: str, known: Collection[str]) -> Mapping[str, Any]:
    """An object with only known keys."""
    if not isinstance(data, Mapping):
        raise BadRecipe(f'Cannot use {shown(data)} as "{where}": give an object with {", ".join(known)}.')
    for key in data:
        if key not in known:
            nearest = difflib.get_close_matches(str(key), known, n=1, cutoff=0.5)
            remedy = f'did you mean "{nearest[0]}"?' if nearest else f"known are {', '.join(known)}."
            raise BadRecipe(f'Unknown key {shown(key)} in "{where}": {remedy}')
    return data


def optional(given: Mapping[str, Any], key: str) -> Any:
    """The value of a key; an empty text counts as none."""
    value = given.get(key)
    return None if value == "" else value


def selector_or_none(given: Mapping[str, Any], key: str) -> str | None:
    value = optional(given, key)
    return None if value is None else as_selector(value, key)


def as_selector(value: object, where: str) -> str:
    """A CSS selector or a dotted JSON path; "" means the item itself."""
    if not isinstance(value, str):
        raise BadRecipe(f'Cannot use {shown(value)} as "{where}": give a CSS selector such as "h2 a".')
    selector = value.strip()
    if len(selector) > _LONGEST_SELECTOR:
        raise BadRecipe(
            f'Cannot use "{where}": longer than {_LONGEST_SELECTOR} characters; select by a class or an id.'
        )
    if selector and not _JSON_PATH.fullmatch(selector):
        _check_css(selector, where)
    return selector


def as_part_of_page(value: object, where: str) -> str:
    """A CSS selector that matches parts of a page, not all of it."""
    selector = as_selector(value, where)
    if not selector:
        raise BadRecipe(f'Cannot use "{where}": it is empty; give a CSS selector such as ".advert".')
    _check_css(selector, where)
    if any(node.tag in ("html", "head", "body") for node in select(_NOTHING, selector)):
        raise BadRecipe(f'Cannot use {selector!r} as "{where}": nothing of the page would be left; name its parts.')
    return selector


def as_json_path(value: object, where: str) -> str:
    """A dotted path into a JSON response."""
    if not isinstance(value, str) or len(value) > _LONGEST_SELECTOR or not _JSON_PATH.fullmatch(value.strip()):
        raise BadRecipe(f'Cannot use {shown(value)} as "{where}": give a dotted path such as "meta.next_cursor".')
    return value.strip()


def as_list(value: object, where: str) -> list[Any]:
    """A list of a few items; a single text needs no list."""
    if isinstance(value, str):
        return [value] if value else []
    if value is not None and (not isinstance(value, list | tuple) or len(value) > _MOST_IN_LIST):
        raise BadRecipe(f'Cannot use {shown(value)} as "{where}": give a list of up to {_MOST_IN_LIST}.')
    return list(value or ())


def as_pattern(value: object, where: str) -> str:
    """A regular expression that no text can make slow."""
    if not isinstance(value, str):
        raise BadRecipe(f'Cannot use {shown(value)} as "{where}": give a regular expression as text.')
    try:
        patterns.compiled(value)
    except ValueError as error:
        raise BadRecipe(f'Cannot use {shown(value)} as "{where}": {error}; try for example "Due: (.*)".') from None
    return value


def as_number(value: object, where: str, *, least: int, most: int) -> int:
    """A whole number between two others."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadRecipe(f'Cannot use {shown(value)} as "{where}": give a whole number from {least} to {most}.')
    return value


def shown(value: object) -> str:
    """A value as a message shows it, cut off."""
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}…"


def _meant(escaped: re.Match[str]) -> str:
    """The character of an escape: part of a name, whatever it is."""
    number = int(escaped[1], 16) if escaped[1] else ord(escaped[2])
    return chr(number) if number < 128 and chr(number).isalnum() else "_"


def _check_css(selector: str, where: str) -> None:
    bare = _BRACKETS.sub("[]", _ESCAPED.sub(_meant, selector))
    if len(_HAS.findall(bare)) > len(_HAS_ONE_STEP.findall(bare)):
        raise BadRecipe(f'Cannot use {selector!r} as "{where}": :has() may hold one step only, such as ":has(> a)".')
    if not is_selector(selector):
        raise BadRecipe(
            f'Cannot use {selector!r} as "{where}": it is not a CSS selector; write for example "div.job h2 a". '
            "XPath is not supported."
        )
