"""A recipe as people write it: checked in every part before it is stored, and written back in the same form."""

import difflib
import re
from collections.abc import Collection, Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from lamplighter.errors import BadRecipe
from lamplighter.extract import patterns
from lamplighter.model.recipe import FieldRule, Recipe

_RECIPE_KEYS = ("items", "fields", "next", "include", "exclude")
_RULE_KEYS = ("selector", "attribute", "pattern", "many")
_MAX_SELECTOR = 300
_MAX_FIELDS = 50
_MAX_PATTERNS = 50

_FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_][\w:.-]{0,99}")
_JSON_PATH = re.compile(r"[\w$@-]+(?:\.[\w$@-]+)*")
#: Looking for descendants inside :has() makes the matcher try every pair of elements; one step is all a recipe needs.
_HAS = re.compile(r":has\(", re.IGNORECASE)
_HAS_ONE_STEP = re.compile(r":has\(\s*[>+~]?\s*[^\s>+~,()]+\s*\)", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]]*\]")

_NOTHING = LexborHTMLParser("<p>")


def parse_recipe(data: object) -> Recipe:
    """The recipe that this JSON value means; BadRecipe names the part that cannot be used and what would work."""
    given = _object(data, "recipe", _RECIPE_KEYS)
    fields = given.get("fields", {})
    if not isinstance(fields, Mapping):
        raise BadRecipe(f'Cannot use {_shown(fields)} as "fields": give an object such as {{"title": "h2"}}.')
    if len(fields) > _MAX_FIELDS:
        raise BadRecipe(f'Cannot use {len(fields)} entries in "fields": {_MAX_FIELDS} are allowed.')
    return Recipe(
        items=_selector_or_none(given, "items"),
        fields={name: _rule(name, rule) for name, rule in fields.items()},
        next=_selector_or_none(given, "next"),
        include=_patterns(given, "include"),
        exclude=_patterns(given, "exclude"),
    )


def recipe_to_json(recipe: Recipe) -> dict[str, Any]:
    """The shortest JSON form that `parse_recipe` turns back into this recipe."""
    form = {
        "items": recipe.items,
        "fields": {name: _rule_to_json(rule) for name, rule in recipe.fields.items()},
        "next": recipe.next,
        "include": list(recipe.include),
        "exclude": list(recipe.exclude),
    }
    return {key: value for key, value in form.items() if value}


def _rule_to_json(rule: FieldRule) -> str | dict[str, Any]:
    form = {"attribute": rule.attribute, "pattern": rule.pattern, "many": rule.many}
    extras = {key: value for key, value in form.items() if value}
    return {"selector": rule.selector, **extras} if extras else rule.selector


def _rule(name: object, data: object) -> FieldRule:
    if not isinstance(name, str) or not _FIELD_NAME.fullmatch(name):
        raise BadRecipe(f"Cannot use {_shown(name)} as a field name: use lower case and _, such as published_at.")
    where = f"fields.{name}"
    if isinstance(data, str):
        return FieldRule(selector=_selector(data, where))
    given = _object(data, where, _RULE_KEYS)
    attribute, pattern, many = (_optional(given, key) for key in ("attribute", "pattern", "many"))
    if attribute is not None and not (isinstance(attribute, str) and _ATTRIBUTE_NAME.fullmatch(attribute)):
        raise BadRecipe(f'Cannot use {_shown(attribute)} as "{where}.attribute": name one attribute, such as href.')
    if many is not None and not isinstance(many, bool):
        raise BadRecipe(f'Cannot use {_shown(many)} as "{where}.many": write true or false.')
    return FieldRule(
        selector=_selector(given.get("selector", ""), f"{where}.selector"),
        attribute=attribute,
        pattern=None if pattern is None else _pattern(pattern, f"{where}.pattern"),
        many=bool(many),
    )


def _object(data: object, where: str, known: Collection[str]) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise BadRecipe(f'Cannot use {_shown(data)} as "{where}": give an object with {", ".join(known)}.')
    for key in data:
        if key not in known:
            nearest = difflib.get_close_matches(str(key), known, n=1, cutoff=0.5)
            remedy = f'did you mean "{nearest[0]}"?' if nearest else f"known are {', '.join(known)}."
            raise BadRecipe(f'Unknown key {_shown(key)} in "{where}": {remedy}')
    return data


def _optional(given: Mapping[str, Any], key: str) -> Any:
    """An empty text is as good as none."""
    value = given.get(key)
    return None if value == "" else value


def _selector_or_none(given: Mapping[str, Any], key: str) -> str | None:
    value = _optional(given, key)
    return None if value is None else _selector(value, key)


def _selector(value: object, where: str) -> str:
    """A CSS selector or a dotted JSON path; "" means the item itself."""
    if not isinstance(value, str):
        raise BadRecipe(f'Cannot use {_shown(value)} as "{where}": give a CSS selector such as "h2 a".')
    selector = value.strip()
    if len(selector) > _MAX_SELECTOR:
        raise BadRecipe(f'Cannot use "{where}": longer than {_MAX_SELECTOR} characters; select by a class or an id.')
    if selector and not _JSON_PATH.fullmatch(selector):
        _check_css(selector, where)
    return selector


def _check_css(selector: str, where: str) -> None:
    bare = _BRACKETS.sub("[]", selector)
    if len(_HAS.findall(bare)) > len(_HAS_ONE_STEP.findall(bare)):
        raise BadRecipe(f'Cannot use {selector!r} as "{where}": :has() may hold one step only, such as ":has(> a)".')
    try:
        _NOTHING.css(selector)
    except (SelectolaxError, UnicodeEncodeError):
        raise BadRecipe(
            f'Cannot use {selector!r} as "{where}": it is not a CSS selector; write for example "div.job h2 a". '
            "XPath is not supported."
        ) from None


def _patterns(given: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = _optional(given, key) or []
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or len(value) > _MAX_PATTERNS:
        raise BadRecipe(f'Cannot use {_shown(value)} as "{key}": give a list of up to {_MAX_PATTERNS} patterns.')
    return tuple(_pattern(item, f"{key}.{number}") for number, item in enumerate(value))


def _pattern(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise BadRecipe(f'Cannot use {_shown(value)} as "{where}": give a regular expression as text.')
    try:
        patterns.compiled(value)
    except ValueError as error:
        raise BadRecipe(f'Cannot use {_shown(value)} as "{where}": {error}; try the like of "Due: (.*)".') from None
    return value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}…"
