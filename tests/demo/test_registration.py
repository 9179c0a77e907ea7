"""What the demo registers fits the sites it serves."""

import re
from datetime import timedelta

from lamplighter.demo.registration import demo_sources
from lamplighter.demo.sites import SITES
from lamplighter.model.recipe import FieldRule, Recipe
from tests.repository import ROOT


def test_every_site_has_one_source_on_its_own_port() -> None:
    sources = demo_sources(9000)

    assert [source.name for source in sources] == [site.name for site in SITES]
    assert [source.url.split("/")[2] for source in sources] == [f"127.0.0.1:{9000 + n}" for n in range(5)]


def test_every_source_is_tagged_so_that_it_can_be_removed_again() -> None:
    assert all(source.tags == ("demo",) for source in demo_sources(9000))


def test_no_demo_source_is_asked_without_a_pause() -> None:
    assert all(source.min_delay >= timedelta(milliseconds=200) for source in demo_sources(9000))


def test_the_tour_adds_a_source_that_the_demo_does_not_watch_already() -> None:
    text = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    added = re.findall(r"""-d '{"url": "(http://127.0.0.1:806\d[^"]*)""", text)

    assert len(added) == 1
    assert not {source.url for source in demo_sources(8061)} & set(added)


def test_recipes_have_only_the_parts_that_a_recipe_has() -> None:
    recipes = [source.recipe for source in demo_sources(9000) if source.recipe is not None]

    for recipe in recipes:
        assert set(recipe) <= set(Recipe.__dataclass_fields__)
        for rule in recipe["fields"].values():
            assert set(rule) <= set(FieldRule.__dataclass_fields__)
    assert len(recipes) == 2
