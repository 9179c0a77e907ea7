"""Every example of docs/recipes.md does what the page says."""

import json
import re
from datetime import datetime
from typing import Any, NamedTuple

import pytest

from lamplighter.errors import BadRecipe
from lamplighter.extract import ladder
from lamplighter.extract.recipes.api_paging import first_url
from lamplighter.extract.recipes.by_recipe import apply_json
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.extract.recipes.transforms import parse_step, transformed
from lamplighter.model.reading import PageRole, Reading
from lamplighter.model.recipe import Recipe
from lamplighter.model.record import Method, RecordKind
from tests.repository import ROOT

SOURCE = "https://example.org/jobs"
TEXT = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: a row of the table of steps: step, value before, value after
STEP = re.compile(r"^\| `([\"{].*?)` \| `(.*?)` \| `(.*?)` \|", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: what stands behind its first three backquotes, and its text."""

    info: str
    text: str


class Example(NamedTuple):
    """A block that claims something, and the blocks in front of it that it is about."""

    claim: Block
    recipe: str
    #: the page or the answer
    body: Block | None


BLOCKS = [Block(*found) for found in FENCE.findall(TEXT)]
RECIPES = [block.text for block in BLOCKS if block.info == "json recipe"]
REFUSED = [(block.text, BLOCKS[at + 1].text.strip()) for at, block in enumerate(BLOCKS) if block.info == "json refused"]
STEPS = STEP.findall(TEXT)


def _examples(claim: str) -> list[Example]:
    """The claims of one sort; every claim is about the last recipe, and the body that stands next to it."""
    found: list[Example] = []
    recipe, body = "", None
    for block in BLOCKS:
        if block.info in ("html page", "json answer"):
            body = block
        elif block.info == "json recipe":
            recipe = block.text
        elif block.info.startswith(claim):
            found.append(Example(block, recipe, body))
            body = None
    return found


def _read(body: Block, recipe: Recipe, url: str) -> Reading:
    media_type = "text/html" if body.info == "html page" else "application/json"
    return ladder.read(body.text.encode(), url=url, content_type=media_type, recipe=recipe)


def _id(example: Example) -> str:
    return " ".join(example.recipe.split())[:60]


def test_every_block_is_of_a_sort_that_is_checked() -> None:
    known = {"sh", "text", "html page", "json answer", "json recipe", "json gives", "json links", "json refused"}

    assert {block.info for block in BLOCKS if not block.info.startswith("text requests")} <= known


@pytest.mark.parametrize("text", RECIPES, ids=lambda text: " ".join(text.split())[:60])
def test_a_recipe_of_the_page_is_accepted_and_written_back_as_the_same(text: str) -> None:
    recipe = parse_recipe(json.loads(text))

    assert parse_recipe(recipe_to_json(recipe)) == recipe


@pytest.mark.parametrize("example", _examples("json gives"), ids=_id)
def test_a_recipe_gives_the_records_that_the_page_shows(example: Example) -> None:
    recipe = parse_recipe(json.loads(example.recipe))
    assert example.body is not None

    records = _read(example.body, recipe, SOURCE).records

    told = [
        {name: found.value for name, found in record.fields.items() if found.method is Method.RECIPE}
        for record in records
    ]
    assert told == json.loads(example.claim.text)


@pytest.mark.parametrize("example", _examples("json links"), ids=_id)
def test_a_recipe_leads_to_the_links_that_the_page_shows(example: Example) -> None:
    recipe = parse_recipe(json.loads(example.recipe))
    assert example.body is not None

    reading = _read(example.body, recipe, SOURCE)

    followed = [link.url for link in reading.links if link.role is PageRole.LINK]
    assert {"links": followed, "next": reading.next_page} == json.loads(example.claim.text)


@pytest.mark.parametrize("example", _examples("text requests"), ids=_id)
def test_an_api_is_asked_for_the_addresses_that_the_page_shows(example: Example) -> None:
    api = parse_recipe(json.loads(example.recipe)).api
    assert api is not None
    _, _, since = example.claim.info.partition("since ")

    asked = [first_url(SOURCE, api, datetime.fromisoformat(since) if since else None)]
    if example.body is not None:
        asked.append(str(_read(example.body, parse_recipe(json.loads(example.recipe)), asked[0]).next_page))

    assert [_sorted(url) for url in asked] == [_sorted(url) for url in example.claim.text.split()]


def _sorted(url: str) -> tuple[str, list[str]]:
    """The order of parameters means nothing to anybody."""
    address, _, query = url.partition("?")
    return address, sorted(query.split("&"))


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[message[:60] for _, message in REFUSED])
def test_a_refusal_says_what_the_page_quotes(text: str, message: str) -> None:
    with pytest.raises(BadRecipe) as refusal:
        parse_recipe(json.loads(text))

    assert str(refusal.value) == message


@pytest.mark.parametrize(("step", "before", "after"), STEPS, ids=[step for step, _, _ in STEPS])
def test_a_step_makes_of_a_value_what_the_table_shows(step: str, before: str, after: str) -> None:
    value: Any = transformed(json.loads(before), (parse_step(json.loads(step)),), base=f"{SOURCE}/open")

    assert value == json.loads(after)


def test_the_table_has_every_step() -> None:
    with pytest.raises(ValueError, match="known are") as refusal:
        parse_step("nothing of the kind")
    known = str(refusal.value).partition("known are ")[2].split(", ")

    assert {parse_step(json.loads(step)).name for step, _, _ in STEPS} == set(known)


def test_the_warning_that_the_page_quotes_is_given() -> None:
    recipe = parse_recipe({"items": "data.items", "fields": {"title": "name"}})

    _, (warning,) = apply_json({"data": {"jobs": []}}, recipe, kind=RecordKind.JOB, base=SOURCE)

    assert f"`{warning}`" in " ".join(TEXT.split())
