"""Parses recipes as people write them: every part is checked before it is stored, and written back in the same form."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lamplighter.errors import BadRecipe
from lamplighter.extract.recipes.recipe_api import api_to_json, parse_api
from lamplighter.extract.recipes.recipe_parts import (
    as_list,
    as_object,
    as_part_of_page,
    as_pattern,
    as_selector,
    optional,
    selector_or_none,
    shown,
)
from lamplighter.extract.recipes.transforms import parse_step, step_to_json
from lamplighter.model.recipe import Expected, FieldRule, Recipe, ValueStep

_KEYS = ("items", "fields", "details", "next", "include", "exclude", "ignore", "api", "expects", "cookies")

_RULE_KEYS = ("selector", "attribute", "pattern", "many", "transform", "fields")
_MOST_FIELDS = 50
_MOST_ALTERNATIVES = 10
_MOST_STEPS = 20
#: all fields together, nested ones too: each is evaluated whenever the recipe is
_MOST_RULES = 500
_DEEPEST = 3

_FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_][\w:.-]{0,99}")


def parse_recipe(data: object) -> Recipe:
    """Parses a recipe; BadRecipe names the part that cannot be used and what would work."""
    given = as_object(data, "recipe", _KEYS)
    recipe = Recipe(
        items=selector_or_none(given, "items"),
        fields=parse_fields(given.get("fields", {})),
        details=parse_fields(given.get("details", {}), "details"),
        next=selector_or_none(given, "next"),
        include=_each(given, "include", as_pattern),
        exclude=_each(given, "exclude", as_pattern),
        ignore=_each(given, "ignore", as_part_of_page),
        api=parse_api(given.get("api")),
        expects=_expected(optional(given, "expects")),
        cookies=_keeps_cookies(optional(given, "cookies")),
    )
    if recipe.cookies and recipe.api is not None and any(name.lower() == "cookie" for name in recipe.api.headers):
        raise BadRecipe('Cannot use "cookies" beside "api.headers.Cookie": either the site sets them or you do.')
    return recipe


def recipe_to_json(recipe: Recipe) -> dict[str, Any]:
    """The shortest JSON form that `parse_recipe` turns back into this recipe."""
    form = {
        "items": recipe.items,
        "fields": fields_to_json(recipe.fields),
        "details": fields_to_json(recipe.details),
        "next": recipe.next,
        "include": list(recipe.include),
        "exclude": list(recipe.exclude),
        "ignore": list(recipe.ignore),
        "api": api_to_json(recipe.api),
        "expects": recipe.expects.value if recipe.expects else None,
        "cookies": recipe.cookies,
    }
    return {key: value for key, value in form.items() if value}


def _expected(value: object) -> Expected | None:
    if value is None:
        return None
    kinds = [kind.value for kind in Expected]
    if value not in kinds:
        raise BadRecipe(f'Cannot use {shown(value)} as "expects": use {" or ".join(kinds)}, or leave it out.')
    return Expected(str(value))


def _keeps_cookies(value: object) -> bool:
    if value is not None and not isinstance(value, bool):
        raise BadRecipe(
            f'Cannot use {shown(value)} as "cookies": use true to send back those that the site sets, or leave it out.'
        )
    return value is True


def _each(given: Mapping[str, Any], key: str, check: Callable[[object, str], str]) -> tuple[str, ...]:
    return tuple(check(form, f"{key}.{place}") for place, form in enumerate(as_list(given.get(key), key)))


def parse_fields(data: object, where: str = "fields", depth: int = 1) -> dict[str, FieldRule]:
    """The rules by the names of their fields."""
    if not isinstance(data, Mapping):
        raise BadRecipe(f'Cannot use {shown(data)} as "{where}": give an object such as {{"title": "h2"}}.')
    if len(data) > _MOST_FIELDS:
        raise BadRecipe(f'Cannot use {len(data)} entries in "{where}": {_MOST_FIELDS} are allowed.')
    if data and depth > _DEEPEST:
        raise BadRecipe(f'Cannot use "{where}": fields may be nested {_DEEPEST - 1} times at most.')
    if depth == 1 and (count := _rules_in(data, depth)) > _MOST_RULES:
        raise BadRecipe(f'Cannot use {count} rules in "{where}" and the fields inside them: {_MOST_RULES} are allowed.')
    return {_name(name): _rule(rule, f"{where}.{name}", depth) for name, rule in data.items()}


def _rules_in(fields: object, depth: int) -> int:
    """How many rules there are before any of them is parsed; invalid ones are found later."""
    if not isinstance(fields, Mapping) or depth > _DEEPEST:
        return 0
    rules = [each for rule in fields.values() for each in (rule if isinstance(rule, list | tuple) else (rule,))]
    inside = (_rules_in(each.get("fields"), depth + 1) for each in rules if isinstance(each, Mapping))
    return len(rules) + sum(inside)


def fields_to_json(fields: Mapping[str, FieldRule]) -> dict[str, Any]:
    """The shortest JSON form that `parse_fields` turns back into these rules."""
    return {name: _rule_to_json(rule) for name, rule in fields.items()}


def _rule_to_json(rule: FieldRule) -> Any:
    if rule.otherwise:
        return [_rule_to_json(replace(rule, otherwise=())), *map(_rule_to_json, rule.otherwise)]
    form = {
        "attribute": rule.attribute,
        "pattern": rule.pattern,
        "many": rule.many,
        "transform": [step_to_json(step) for step in rule.transform],
        "fields": fields_to_json(rule.fields),
    }
    extras = {key: value for key, value in form.items() if value}
    return {"selector": rule.selector, **extras} if extras else rule.selector


def _name(name: object) -> str:
    if not isinstance(name, str) or not _FIELD_NAME.fullmatch(name):
        raise BadRecipe(f"Cannot use {shown(name)} as a field name: use lower case and _, such as published_at.")
    return name


def _rule(data: object, where: str, depth: int) -> FieldRule:
    """One rule, or the first of several with the others as alternatives."""
    rules = _alternatives(data, where, depth) if isinstance(data, list | tuple) else _single(data, where, depth)
    return replace(rules[0], otherwise=tuple(rules[1:]))


def _alternatives(data: list[Any] | tuple[Any, ...], where: str, depth: int) -> list[FieldRule]:
    if not 0 < len(data) <= _MOST_ALTERNATIVES:
        raise BadRecipe(f'Cannot use {len(data)} rules for "{where}": give 1 to {_MOST_ALTERNATIVES}, the best first.')
    rules = [rule for place, form in enumerate(data) for rule in _single(form, f"{where}.{place}", depth)]
    if len(rules) > _MOST_ALTERNATIVES:
        raise BadRecipe(f'Cannot use {len(rules)} rules for "{where}": give 1 to {_MOST_ALTERNATIVES}, the best first.')
    return rules


def _single(data: object, where: str, depth: int) -> list[FieldRule]:
    """The rule of a text or an object; several when it has several selectors."""
    if isinstance(data, str):
        return [FieldRule(selector=as_selector(data, where))]
    given = as_object(data, where, _RULE_KEYS)
    selectors = given.get("selector", "")
    if not isinstance(selectors, list | tuple):
        selectors = [selectors]
    if not 0 < len(selectors) <= _MOST_ALTERNATIVES:
        raise BadRecipe(
            f'Cannot use {shown(selectors)} as "{where}.selector": give 1 to {_MOST_ALTERNATIVES} selectors.'
        )
    rule = _without_selector(given, where, depth)
    return [replace(rule, selector=as_selector(selector, f"{where}.selector")) for selector in selectors]


def _without_selector(given: Mapping[str, Any], where: str, depth: int) -> FieldRule:
    attribute, pattern, many = (optional(given, key) for key in ("attribute", "pattern", "many"))
    if attribute is not None and not (isinstance(attribute, str) and _ATTRIBUTE_NAME.fullmatch(attribute)):
        raise BadRecipe(f'Cannot use {shown(attribute)} as "{where}.attribute": name one attribute, such as href.')
    if many is not None and not isinstance(many, bool):
        raise BadRecipe(f'Cannot use {shown(many)} as "{where}.many": write true or false.')
    fields = parse_fields(given.get("fields") or {}, f"{where}.fields", depth + 1)
    if fields and (attribute or pattern or optional(given, "transform")):
        raise BadRecipe(
            f'Cannot use "{where}": it has fields of its own, so attribute, pattern and transform belong to those.'
        )
    return FieldRule(
        selector="",
        attribute=attribute,
        pattern=None if pattern is None else as_pattern(pattern, f"{where}.pattern"),
        many=bool(many),
        transform=_steps(given, where),
        fields=fields,
    )


def _steps(given: Mapping[str, Any], where: str) -> tuple[ValueStep, ...]:
    form = optional(given, "transform")
    # One step needs no list, and the table of "map" is an object.
    forms = [form] if isinstance(form, Mapping) else as_list(form, f"{where}.transform")
    if len(forms) > _MOST_STEPS:
        raise BadRecipe(f'Cannot use {len(forms)} steps in "{where}.transform": {_MOST_STEPS} are allowed.')
    steps = []
    for place, item in enumerate(forms):
        try:
            steps.append(parse_step(item))
        except ValueError as error:
            raise BadRecipe(f'Cannot use {shown(item)} as "{where}.transform.{place}": {error}.') from None
    return tuple(steps)
