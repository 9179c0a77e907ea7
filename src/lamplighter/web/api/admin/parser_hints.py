"""Parser hints: a recipe as one text, either its JSON or the selector of the repeated element."""

from collections.abc import Mapping
from typing import Any

import orjson

from lamplighter.errors import BadInput, BadRecipe
from lamplighter.extract.recipes.recipe_parts import as_part_of_page

#: fields of an element known only to be one record; in the form in which recipes are stored
_BY_LOOKS = {
    "title": ["h1, h2, h3, h4, h5, h6", "a", ""],
    "url": [{"selector": "a", "attribute": "href"}, {"selector": "", "attribute": "href"}],
}


def recipe_from(hint: str | None) -> dict[str, Any]:
    """The recipe of a hint; empty without one."""
    text = (hint or "").strip()
    if not text:
        return {}
    if text.startswith("{"):
        return _from_json(text)
    try:
        selector = as_part_of_page(text, "parser_hint")
    except BadRecipe as error:
        raise BadInput(f"{error} Or give a recipe as a JSON object.", code=error.code, field="parser_hint") from None
    return {"items": selector, "fields": _BY_LOOKS}


def hint_from(recipe: Mapping[str, Any]) -> str | None:
    """The hint for a recipe."""
    said = {key: part for key, part in recipe.items() if key != "expects"}
    if not said:
        return None
    if said.keys() == {"items", "fields"} and said["fields"] == _BY_LOOKS:
        return str(said["items"])
    return orjson.dumps(said).decode()


def _from_json(text: str) -> dict[str, Any]:
    try:
        recipe = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        message = f"parser_hint is not JSON: {error}; give a recipe, or the selector of the repeated element"
        raise BadInput(message, field="parser_hint") from None
    assert isinstance(recipe, dict), "what begins with a brace is an object"
    return recipe
