"""A recipe is checked in every part before it is stored, and says what would work instead."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadRecipe
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.model.recipe import EMPTY, FieldRule, Recipe

FORM = {
    "items": "div.job",
    "fields": {
        "title": "h2",
        "url": {"selector": "a", "attribute": "href"},
        "tags": {"selector": "li", "many": True},
        "deadline": {"selector": ".d", "pattern": "Closing: (.*)", "transform": ["date:%d/%m/%Y", "default:open"]},
        "level": ["b", {"selector": "i", "transform": [{"map": {"P3": "mid"}}, {"replace": ["a:", "b"]}]}],
        "offices": {"selector": "ul", "many": True, "fields": {"city": "b", "address": {"selector": "", "many": True}}},
    },
    "next": "a.next",
    "include": ["/jobs/"],
    "exclude": [r"\.pdf$"],
    "ignore": [".advert", "#clock"],
    "api": {
        "paging": {"kind": "cursor", "cursor_path": "meta.next", "size": 100, "size_param": "limit"},
        "since": {"param": "updated_since", "format": "%Y-%m-%dT%H:%M:%SZ"},
        "headers": {"Authorization": "Bearer {secret:reliefweb}"},
        "params": {"appname": "lamplighter"},
    },
    "expects": "json",
    "cookies": True,
}


def test_a_recipe_is_read_and_written_back_in_the_same_form() -> None:
    recipe = parse_recipe(FORM)

    assert recipe.fields["url"] == FieldRule(selector="a", attribute="href")
    assert recipe_to_json(recipe) == FORM


def test_one_selector_needs_no_list_and_several_share_what_they_have_in_common() -> None:
    rule = parse_recipe({"fields": {"url": {"selector": ["a", "b"], "attribute": "href"}}}).fields["url"]

    assert rule == FieldRule(selector="a", attribute="href", otherwise=(FieldRule(selector="b", attribute="href"),))


def test_a_single_step_needs_no_list() -> None:
    forms = ({"selector": "a", "transform": form} for form in ("lower", {"map": {"a": "b"}}))

    assert [len(parse_recipe({"fields": {"x": form}}).fields["x"].transform) for form in forms] == [1, 1]


def test_an_empty_recipe_is_no_recipe() -> None:
    assert parse_recipe({}) == parse_recipe({"items": "", "fields": {}, "api": {}, "ignore": []}) == EMPTY
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
        pytest.param(
            {"fields": {f"f{n}": {"fields": {f"g{m}": "a" for m in range(20)}} for n in range(24)}},
            "504 rules",
            id="j7: too many fields inside fields",
        ),
        pytest.param({"items": "div["}, "div[", id="a broken selector"),
        pytest.param({"fields": {"title": "h2 >"}}, "fields.title", id="a broken selector of a field"),
        pytest.param({"items": "//div[@class='x']"}, "XPath is not supported", id="j7: XPath"),
        pytest.param({"items": "doc('file:///x')"}, "items", id="j7: an XPath function"),
        pytest.param({"items": "a" * 301}, "300", id="a long selector"),
        pytest.param({"items": "div:has(* * x)"}, ":has", id="j7: a selector that takes for ever"),
        pytest.param({"items": "div:has(p:has(a))"}, ":has", id="j7: the like, nested"),
        pytest.param({"items": r"div:h\61s(* * x)"}, ":has", id="j7: the like, a letter by its number"),
        pytest.param({"items": r"\[ div:ha\s(* * x) \]"}, ":has", id="j7: the like, between brackets that are none"),
        pytest.param({"items": 7}, "7", id="a number for a selector"),
        pytest.param({"include": ["("]}, "include.0", id="a broken pattern"),
        pytest.param({"exclude": ["(a+)+$"]}, "too many ways", id="j7: a pattern that takes for ever"),
        pytest.param({"include": {"a": 1}}, "include", id="patterns in an object"),
        pytest.param({"include": [None]}, "include.0", id="no pattern at all"),
        pytest.param({"fields": {"a": {"selector": "b", "many": "yes"}}}, "fields.a.many", id="many is not a truth"),
        pytest.param(
            {"fields": {"a": {"selector": "b", "attribute": "on click"}}}, "fields.a.attribute", id="attribute"
        ),
        pytest.param({"fields": {"a": []}}, "fields.a", id="no rule at all"),
        pytest.param({"fields": {"a": ["b"] * 11}}, "1 to 10", id="too many rules"),
        pytest.param({"fields": {"a": {"selector": []}}}, "fields.a.selector", id="no selector at all"),
        pytest.param({"fields": {"a": ["b", "c >"]}}, "fields.a.1", id="a broken selector of the second rule"),
        pytest.param({"fields": {"a": {"transform": ["shout"]}}}, "fields.a.transform.0", id="an unknown step"),
        pytest.param({"fields": {"a": {"transform": ["lower"] * 21}}}, "20", id="too many steps"),
        pytest.param(
            {"fields": {"a": {"fields": {"b": {"fields": {"c": {"fields": {"d": "e"}}}}}}}},
            "fields.a.fields.b.fields.c.fields",
            id="fields too deep in fields",
        ),
        pytest.param({"fields": {"a": {"fields": {"B": "x"}}}}, "'B'", id="a field name inside a field"),
        pytest.param({"fields": {"a": {"pattern": "x", "fields": {"b": "x"}}}}, "belong to those", id="both"),
        pytest.param({"ignore": [".advert", "//ad"]}, "ignore.1", id="ignore by XPath"),
        pytest.param({"ignore": [""]}, "ignore.0", id="ignore nothing"),
        pytest.param({"ignore": [".ad, *"]}, "nothing of the page would be left", id="ignore everything"),
        pytest.param({"ignore": "a.b.*"}, "ignore.0", id="ignore by a JSON path"),
        pytest.param({"api": {"pagging": {}}}, 'did you mean "paging"', id="a misspelt key of the API"),
        pytest.param({"expects": "html"}, "use feed or json", id="a page is what is expected anyway"),
        pytest.param({"cookies": {"session": "abc"}}, "those that the site sets", id="cookies of one's own"),
        pytest.param({"cookies": "yes"}, "use true", id="cookies is not a truth"),
        pytest.param(
            {"cookies": True, "api": {"headers": {"cookie": "{secret:session}"}}}, "beside", id="cookies from two sides"
        ),
    ],
)
def test_a_bad_recipe_is_refused_by_name(form: Any, named: str) -> None:
    with pytest.raises(BadRecipe) as refusal:
        parse_recipe(form)

    assert named in str(refusal.value)


@pytest.mark.parametrize(
    "selector", ["div:has(> a)", "li:has(a[href^='https://a b'])", "tr:has(td):not(.x)", "h2 ~ p + a", r".md\:flex p"]
)
def test_useful_selectors_are_accepted(selector: str) -> None:
    assert parse_recipe({"items": selector}).items == selector


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["a", "items", "fields", "selector", "lower", "page", "cursor", "x.y", "%Y"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "items fields next include selector many a transform api paging kind start size params headers "
                "since param format cursor_path ignore map".split()
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
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


names = st.sampled_from(["title", "url", "level"])
selectors = st.sampled_from(["", "h2", "div.a > b", "a.b.0", "x.*.y"])
transforms = st.lists(
    st.sampled_from(["lower", "split:,", "date:%Y:%m", "replace:a:b:c", {"replace": ["a:", "b"]}, {"map": {"": ":"}}]),
    max_size=3,
)
plain_rules = st.fixed_dictionaries(
    {"selector": selectors | st.lists(selectors, min_size=1, max_size=2)},
    optional={"attribute": st.just("href"), "pattern": st.just("a(.)"), "many": st.booleans(), "transform": transforms},
)
rules = selectors | plain_rules | st.lists(selectors | plain_rules, min_size=1, max_size=3)
nested_rules = st.fixed_dictionaries(
    {"selector": selectors, "fields": st.dictionaries(names, rules, min_size=1, max_size=2)}
)
pagings = st.fixed_dictionaries(
    {"kind": st.sampled_from(["page", "offset", "cursor", "link"]), "cursor_path": st.sampled_from(["a", "a.b"])},
    optional={
        "param": st.just("p"),
        "start": st.integers(0, 2),
        "size": st.integers(1, 3),
        "size_param": st.just("n"),
        "total_path": st.just("t.n"),
        "max_pages": st.integers(1, 60),
    },
).map(lambda paging: paging if paging["kind"] in ("page", "offset") else {**paging, "max_pages": None})
apis = st.fixed_dictionaries(
    {},
    optional={
        "paging": pagings,
        "since": st.fixed_dictionaries({"param": st.just("s")}, optional={"format": st.sampled_from(["epoch", "%Y"])}),
        "headers": st.just({"X-Api-Key": "{secret:k}"}),
        "params": st.just({"a": 1}),
        "method": st.just("get"),
    },
)
recipes = st.fixed_dictionaries(
    {},
    optional={
        "items": selectors,
        "fields": st.dictionaries(names, rules | nested_rules, max_size=2),
        "ignore": st.just(".ad"),
        "api": apis,
    },
)


@settings(deadline=None, max_examples=200)
@given(recipes)
def test_a_good_recipe_survives_the_round_trip(form: Any) -> None:
    recipe = parse_recipe(form)

    assert parse_recipe(recipe_to_json(recipe)) == recipe
