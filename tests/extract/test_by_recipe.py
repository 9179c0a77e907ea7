"""A recipe reads items of pages and of JSON answers."""

from typing import Any

from lamplighter.extract.by_recipe import apply, apply_json
from lamplighter.extract.html_page import parse_page
from lamplighter.extract.recipe import parse_recipe
from lamplighter.model.record import Method, RawRecord, RecordKind

URL = "https://a.example/jobs/"
HTML = """<div class=job><h2>Senior
  <b>Engineer</b></h2><a href="1?utm_source=x">more</a>
<ul><li>a</li><li>b</li><li>a</li></ul><i>Closing: 1 May</i></div>
<div class=job><h2>Nurse</h2></div><div class=job></div>"""


def values(record: RawRecord) -> dict[str, Any]:
    return {name: found.value for name, found in record.fields.items()}


def read(html: str, form: object) -> list[RawRecord]:
    return apply(parse_page(html, URL), parse_recipe(form), RecordKind.JOB)


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

    (record,) = apply_json(data, parse_recipe(form), kind=RecordKind.OTHER, base=URL)

    assert values(record) == {"title": "One", "url": "https://a.example/1", "tags": ["x", "2"]}


def test_d9_json_of_another_shape_gives_nothing() -> None:
    recipe = parse_recipe({"items": "a.b", "fields": {"title": "t"}})

    for data in (None, 1, "x", [], {}, {"a": []}, {"a": {"b": {"t": {}}}}):
        assert apply_json(data, recipe, kind=RecordKind.OTHER, base=URL) == []
