"""Selectors by the names that other programs give to fields, put into a recipe and taken out of it again."""

from collections.abc import Mapping
from typing import Any

#: their name -> ours; where several mean the same, the first is shown
_NAMES = {"body": "text", "content": "text", "link": "url", "date": "published_at"}
_SHOWN = {ours: theirs for theirs, ours in reversed(_NAMES.items())}
#: names of the repeated element, which is no field
_ITEMS = ("container", "item", "items")


def fields_from(selectors: Mapping[str, Any], recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe with these selectors for its fields, and with its other parts as they are."""
    fields = {_NAMES.get(name, name): rule for name, rule in selectors.items() if name not in _ITEMS and rule}
    items = next((selectors[name] for name in _ITEMS if selectors.get(name)), recipe.get("items"))
    changed = {**recipe, "items": items, "fields": fields}
    return {key: part for key, part in changed.items() if part}


def selectors_from(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The selectors that `fields_from` would put into such a recipe."""
    fields = {_SHOWN.get(name, name): rule for name, rule in recipe.get("fields", {}).items()}
    return ({"container": recipe["items"]} if fields and recipe.get("items") else {}) | fields
