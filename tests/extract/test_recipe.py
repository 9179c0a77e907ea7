"""A recipe is checked in every part before it is stored, and says what would work instead."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadRecipe
from lamplighter.extract.recipe import parse_recipe, recipe_to_json
from lamplighter.model.recipe import EMPTY, FieldRule, Recipe

FORM = {
    "items": "div.job",
    "fields": {
        "title": "h2",
        "url": {"selector": "a", "attribute": "href"},
        "tags": {"selector": "li", "many": True},
        "deadline": {"selector": ".d", "pattern": "Closing: (.*)"},
    },
    "next": "a.next",
    "include": ["/jobs/"],
    "exclude": [r"\.pdf$"],
}


def test_a_recipe_is_read_and_written_back_in_the_same_form() -> None:
    recipe = parse_recipe(FORM)

    assert recipe.fields["url"] == FieldRule(selector="a", attribute="href")
    assert recipe_to_json(recipe) == FORM


def test_an_empty_recipe_is_no_recipe() -> None:
    assert parse_recipe({}) == parse_recipe({"items": "", "fields": {}}) == EMPTY
    assert recipe_to_json(EMPTY) == {}


def test_dotted_paths_of_json_answers_are_accepted() -> None:
    assert parse_recipe({"items": "data.items", "fields": {"title": "a.b.0.c"}}).fields["title"].selector == "a.b.0.c"


@pytest.mark.parametrize(
    ("form", "named"),
    [
        pytest.param([], "recipe", id="not an object"),
        pytest.param({"feilds": {}}, 'did you mean "fields"', id="a misspelt key"),
        pytest.param(
            {"fields": {"title": {"selektor": "a"}}}, 'did you mean "selector"', id="a misspelt key of a field"
        ),
        pytest.param({"zzz": 1}, "known are items", id="a key like no other"),
        pytest.param({"fields": []}, "fields", id="fields is a list"),
        pytest.param({"fields": {"Bad Name": "a"}}, "Bad Name", id="a field name"),
        pytest.param({"fields": {f"f{n}": "a" for n in range(51)}}, "50", id="too many fields"),
        pytest.param({"items": "div["}, "div[", id="a broken selector"),
        pytest.param({"fields": {"title": "h2 >"}}, "fields.title", id="a broken selector of a field"),
        pytest.param({"items": "//div[@class='x']"}, "XPath is not supported", id="j7: XPath"),
        pytest.param({"items": "doc('file:///x')"}, "items", id="j7: an XPath function"),
        pytest.param({"items": "a" * 301}, "300", id="a long selector"),
        pytest.param({"items": "div:has(* * x)"}, ":has", id="j7: a selector that takes for ever"),
        pytest.param({"items": "div:has(p:has(a))"}, ":has", id="j7: the like, nested"),
        pytest.param({"items": 7}, "7", id="a number for a selector"),
        pytest.param({"include": ["("]}, "include.0", id="a broken pattern"),
        pytest.param({"exclude": ["(a+)+$"]}, "too many ways", id="j7: a pattern that takes for ever"),
        pytest.param({"include": {"a": 1}}, "include", id="patterns in an object"),
        pytest.param({"include": [None]}, "include.0", id="no pattern at all"),
        pytest.param({"fields": {"a": {"selector": "b", "many": "yes"}}}, "fields.a.many", id="many is not a truth"),
        pytest.param(
            {"fields": {"a": {"selector": "b", "attribute": "on click"}}}, "fields.a.attribute", id="attribute"
        ),
    ],
)
def test_a_bad_recipe_is_refused_by_name(form: Any, named: str) -> None:
    with pytest.raises(BadRecipe) as refusal:
        parse_recipe(form)

    assert named in str(refusal.value)


@pytest.mark.parametrize(
    "selector", ["div:has(> a)", "li:has(a[href^='https://a b'])", "tr:has(td):not(.x)", "h2 ~ p + a"]
)
def test_useful_selectors_are_accepted(selector: str) -> None:
    assert parse_recipe({"items": selector}).items == selector


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["a", "items", "fields", "selector"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["items", "fields", "next", "include", "selector", "many", "a"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=200)
@given(json_values)
def test_any_json_is_a_recipe_or_refused_and_what_is_accepted_survives_the_round_trip(data: Any) -> None:
    try:
        recipe = parse_recipe(data)
    except BadRecipe:
        return

    assert isinstance(recipe, Recipe)
    assert parse_recipe(recipe_to_json(recipe)) == recipe
