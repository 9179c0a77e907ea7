"""Lessons for tests: a page, the texts that somebody names, and the recipe that follows."""

from typing import Any

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.recipes import by_recipe
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.extract.teaching.learning import learn
from lamplighter.extract.teaching.lesson import Learned, TextExample
from lamplighter.extract.teaching.places import numbered, pointed_at
from lamplighter.model.record import RecordKind


def taught(html: str, *named: tuple[str, str]) -> Learned:
    """What these texts of the page teach."""
    page = numbered(html)
    return learn(page, pointed_at(page, [TextExample(*each) for each in named]))


def recipe_of(html: str, *named: tuple[str, str]) -> dict[str, Any]:
    """The recipe that they teach, as JSON."""
    learned = taught(html, *named)
    assert learned.recipe is not None
    return recipe_to_json(learned.recipe)


def records_of(html: str, *named: tuple[str, str]) -> list[dict[str, Any]]:
    """What that recipe reads from the page."""
    recipe = parse_recipe(recipe_of(html, *named))
    found = by_recipe.apply(parse_page(html, "https://example.org/jobs"), recipe, RecordKind.JOB)
    return [{name: finding.value for name, finding in record.fields.items()} for record in found.records]
