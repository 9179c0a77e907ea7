"""Parses recipes as people write them: every part is checked before it is stored, and written back in the same form."""

from collections.abc import Callable, Mapping
from typing import Any

from lamplighter.errors import BadRecipe
from lamplighter.extract.recipes.recipe_api import api_to_json, parse_api
from lamplighter.extract.recipes.recipe_fields import fields_to_json, parse_fields
from lamplighter.extract.recipes.recipe_parts import (
    as_list,
    as_object,
    as_part_of_page,
    as_pattern,
    optional,
    selector_or_none,
    shown,
)
from lamplighter.model.recipe import Expected, Recipe

_KEYS = ("items", "fields", "next", "include", "exclude", "ignore", "api", "expects", "cookies")


def parse_recipe(data: object) -> Recipe:
    """Parses a recipe; BadRecipe names the part that cannot be used and what would work."""
    given = as_object(data, "recipe", _KEYS)
    recipe = Recipe(
        items=selector_or_none(given, "items"),
        fields=parse_fields(given.get("fields", {})),
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
