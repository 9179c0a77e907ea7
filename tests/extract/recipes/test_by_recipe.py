"""A recipe reads items of pages and of JSON answers."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.recipes.by_recipe import RecipeResult, apply, apply_json
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.record import Method, RawRecord, RecordKind
from tests.extract.fields import values

URL = "https://a.example/jobs/"
HTML = """<div class=job><h2>Senior
  <b>Engineer</b></h2><a href="1?utm_source=x">more</a>
<ul><li>a</li><li>b</li><li>a</li></ul><i>Closing: 1 May</i></div>
<div class=job><h2>Nurse</h2></div><div class=job></div>"""


def read(html: str, form: object) -> list[RawRecord]:
    return apply(parse_page(html, URL), parse_recipe(form), RecordKind.JOB).records


def warnings(html: str, form: object) -> tuple[str, ...]:
    return apply(parse_page(html, URL), parse_recipe(form), RecordKind.JOB).warnings


def read_json(data: Any, form: object) -> RecipeResult:
    return apply_json(data, parse_recipe(form), kind=RecordKind.OTHER, base=URL)


def test_every_item_with_any_field_is_a_record() -> None:
    fields = {
        "title": "h2",
        "url": {"selector": "a", "attribute": "href"},
        "tags": {"selector": "li", "many": True},
        "deadline": {"selector": "i", "pattern": "Closing: (.*)"},
    }

    first, second = read(HTML, {"items": ".job", "fields": fields})

    assert values(first) == {
        "title": "Senior Engineer",
        "url": "https://a.example/jobs/1",
        "tags": ["a", "b"],
        "deadline": "1 May",
    }
    assert values(second) == {"title": "Nurse"}
    assert first.fields["title"].method is Method.RECIPE


def test_without_items_the_page_is_the_item() -> None:
    (record,) = read("<h1>One</h1>", {"fields": {"title": "h1"}})

    assert values(record) == {"title": "One"}


def test_an_address_is_read_from_the_link_even_without_an_attribute() -> None:
    (record,) = read("<a class=x href=/7>Seven</a>", {"items": ".x", "fields": {"title": "", "url": ""}})

    assert values(record) == {"title": "Seven", "url": "https://a.example/7"}


def test_a_pattern_that_does_not_match_gives_nothing() -> None:
    assert read("<h1>One</h1>", {"fields": {"title": {"selector": "h1", "pattern": "Two"}}}) == []


def test_a_json_answer_is_read_by_dotted_paths() -> None:
    data = {"data": {"items": [{"n": "One", "l": [{"u": "/1"}], "t": ["x", 2, None]}, {"n": None}, "odd"]}}
    form = {"items": "data.items", "fields": {"title": "n", "url": "l.0.u", "tags": {"selector": "t", "many": True}}}

    (record,) = read_json(data, form).records

    assert values(record) == {"title": "One", "url": "https://a.example/1", "tags": ["x", "2"]}


def test_the_first_rule_that_finds_anything_wins() -> None:
    fields = {"deadline": [{"selector": "time", "attribute": "datetime"}, {"selector": ["b", "i"], "pattern": "(.*)!"}]}

    assert values(read("<i>x!</i><time datetime=y>", {"fields": fields})[0]) == {"deadline": "y"}
    assert values(read("<b>no</b><i>x!</i><time>", {"fields": fields})[0]) == {"deadline": "x"}


def test_fields_inside_a_field_make_an_object_and_many_a_list_of_them() -> None:
    html = "<ul><li><b>Bern</b><a href=/b>x</a></li><li><b>Genf</b></li><li></li></ul>"
    office = {"selector": "li", "fields": {"name": "b", "url": "a"}}

    (one,) = read(html, {"fields": {"office": office}})
    (all_,) = read(html, {"fields": {"offices": {**office, "many": True}}})

    assert values(one) == {"office": {"name": "Bern", "url": "https://a.example/b"}}
    assert values(all_) == {"offices": [{"name": "Bern", "url": "https://a.example/b"}, {"name": "Genf"}]}


def test_fields_inside_a_field_of_json() -> None:
    data = {"n": "One", "offices": [{"c": {"x": "Bern"}}, {"c": None}, 7]}
    fields = {"title": "n", "offices": {"selector": "offices", "many": True, "fields": {"city": "c.x"}}}

    assert values(read_json(data, {"fields": fields}).records[0]) == {"title": "One", "offices": [{"city": "Bern"}]}


def test_values_are_transformed_after_the_pattern_and_before_addresses_are_resolved() -> None:
    fields = {
        "url": {"selector": "i", "pattern": "id (.*)", "transform": ["prefix:view?id="]},
        "price": {"selector": "b", "transform": "number"},
        "tags": {"selector": "u", "many": True, "transform": ["lower", "split:/"]},
    }

    (record,) = read("<i>id 7</i><b>0 EUR</b><u>A/B</u><u>C</u>", {"fields": fields})

    assert values(record) == {"url": "https://a.example/jobs/view?id=7", "price": 0, "tags": ["a", "b", "c"]}


def test_items_that_are_not_there_are_told() -> None:
    assert warnings("<p>", {"items": "div.job", "fields": {"title": "h2"}}) == (
        "recipe: items selector 'div.job' matched nothing",
    )


def test_a_field_that_no_item_has_is_told() -> None:
    fields = {"title": "h2", "location": [".place", ".city"]}

    assert warnings(HTML, {"items": ".job", "fields": fields}) == (
        "recipe: field 'location' ('.place' or '.city') matched in 0 of 3 items",
    )


@pytest.mark.parametrize(
    ("data", "warning"),
    [
        pytest.param({"a": {"c": 1, "d": 2}}, "nothing at the items path 'a.b': 'a' has the keys c, d", id="elsewhere"),
        pytest.param([], "nothing at the items path 'a.b': the answer is a list", id="a list"),
        pytest.param(
            {"a": {"b": 7}}, "field 'title' ('t') matched in 0 of 1 items; the first is a number", id="number"
        ),
        pytest.param(
            {"a": {"b": [{"name": "x"}, {}]}},
            "field 'title' ('t') matched in 0 of 2 items; the first has the keys name",
            id="other fields",
        ),
    ],
)
def test_d9_json_of_another_shape_gives_nothing_and_says_what_is_there(data: Any, warning: str) -> None:
    assert read_json(data, {"items": "a.b", "fields": {"title": "t"}}) == RecipeResult([], (f"recipe: {warning}",))


def test_an_empty_list_is_no_reason_to_warn() -> None:
    assert read_json({"a": []}, {"items": "a", "fields": {"title": "t"}}) == RecipeResult([])


@settings(deadline=None, max_examples=200)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("atxy"), inner, max_size=3),
        max_leaves=10,
    )
)
def test_d9_no_json_makes_it_raise(data: Any) -> None:
    title = {"selector": "t", "many": True, "transform": ["number", "first", "default:x"]}

    applied = read_json(
        data, {"items": "a", "fields": {"title": title, "x": {"selector": "x", "fields": {"y": "*.y"}}}}
    )

    assert len(applied.records) <= 3
