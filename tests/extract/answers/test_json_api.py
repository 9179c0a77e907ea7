"""JSON answers that are plain about it are read without a recipe."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.answers.json_api import json_next, json_records
from lamplighter.model.record import Method, RecordKind

URL = "https://a.example/api/jobs"
ITEM = {
    "title": "One &amp; all",
    "url": "/1",
    "company": {"name": "Acme"},
    "id": 7,
    "tags": ["x"],
    "description": "<p>D</p>",
}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param([ITEM], id="a list"),
        pytest.param({"count": 1, "results": [ITEM]}, id="a known name"),
        pytest.param({"data": {"jobs": [ITEM]}}, id="inside data"),
        pytest.param({"response": {"numFound": 1, "docs": [ITEM]}}, id="Solr"),
        pytest.param({"hits": {"total": 1, "hits": [{"_id": "x", "_source": ITEM}]}}, id="Elasticsearch"),
        pytest.param({"data": {"jobs": {"edges": [{"node": ITEM, "cursor": "c"}]}}}, id="GraphQL"),
        pytest.param({"data": [{"type": "job", "attributes": ITEM, "links": {"self": "/api/1"}}]}, id="JSON:API"),
        pytest.param({"data": [{"href": "https://a.example/api/7", "fields": ITEM}]}, id="ReliefWeb"),
        pytest.param({"menu": [{"name": "Home", "url": "/"}] * 9, "results": [ITEM]}, id="beside a menu"),
        pytest.param([ITEM, None, "odd", {"title": "no address"}, {"url": "/no-title"}], id="among odd items"),
    ],
)
def test_the_one_list_is_read(data: Any) -> None:
    (record,) = json_records(data, kind=RecordKind.JOB, base=URL)

    assert {name: found.value for name, found in record.fields.items()} == {
        "title": "One & all",
        "url": "https://a.example/1",
        "organisation": "Acme",
        "guid": "7",
        "tags": ["x"],
        "description": "D",
    }


@pytest.mark.parametrize(
    "item",
    [
        {"jobTitle": "Nurse", "jobUrl": "https://a.example/1"},
        {"job_title": "Nurse", "absolute_url": "https://a.example/1"},
        {"title": {"rendered": "Nurse"}, "link": "https://a.example/1"},
        {"name": "Nurse", "url": "https://api.a.example/1", "html_url": "https://a.example/1"},
        {"headline": "Nurse", "_links": {"self": {"href": "/api/1"}, "html": {"href": "https://a.example/1"}}},
        {"links": {"self": {"href": "/api/1"}}, "attributes": {"title": "Nurse", "path": {"alias": "/1"}}},
        {"title": "Nurse", "links": [{"rel": "self", "href": "/api/1"}, {"rel": "alternate", "href": "/1"}]},
    ],
    ids=[
        "camel case",
        "snake case",
        "WordPress",
        "an address of the API beside it",
        "HAL",
        "JSON:API",
        "list of links",
    ],
)
def test_titles_and_addresses_are_found_under_their_many_names(item: dict[str, Any]) -> None:
    (record,) = json_records([item], kind=RecordKind.JOB, base=URL)

    assert (record.fields["title"].value, record.fields["url"].value) == ("Nurse", "https://a.example/1")
    assert record.fields["title"].method is Method.API


def test_an_item_without_an_address_is_a_record_when_it_says_enough() -> None:
    items = [{"id": n, "title": f"Nurse {n}", "location": "Bern", "deadline": "2026-05-01"} for n in range(3)]

    records = json_records({"vacancies": items}, kind=RecordKind.JOB, base=URL)

    assert [record.fields["guid"].value for record in records] == ["0", "1", "2"]
    assert "url" not in records[0].fields


@pytest.mark.parametrize(
    "data",
    [
        None,
        3,
        "x",
        {},
        {"data": "x"},
        [[ITEM]],
        {"countries": [{"id": 1, "name": "Chad"}, {"id": 2, "name": "Mali"}]},
        {"facets": [{"name": "Bern", "count": 7}]},
        {"jobs": [{"a": 1}, {"b": 2}]},
    ],
)
def test_an_answer_that_is_not_plain_is_not_guessed_at(data: Any) -> None:
    assert json_records(data, kind=RecordKind.JOB, base=URL) == []


def test_the_next_page_is_where_apis_say_it_or_where_the_recipe_does() -> None:
    data = {"next": None, "links": {"next": "?page=2"}, "more": "/m"}

    assert json_next(data, None, URL) == "https://a.example/api/jobs?page=2"
    assert json_next(data, "more", URL) == "https://a.example/m"
    assert json_next({"next": 2}, None, URL) is None


@pytest.mark.parametrize(
    "data",
    [
        {"nextPageUrl": "?page=2"},
        {"data": {"items": [], "nextPageUrl": "?page=2"}},
        {"@odata.nextLink": "?page=2"},
        {"response": {"pagination": {"links": {"next": {"href": "?page=2"}}}}},
        {"next": None, "meta": {"next_page": 2, "next_page_url": "?page=2"}},
    ],
)
def test_the_next_page_is_found_wherever_it_stands_outside_of_items(data: Any) -> None:
    assert json_next(data, None, URL) == "https://a.example/api/jobs?page=2"


def test_what_an_item_says_of_the_next_one_is_no_next_page() -> None:
    assert json_next({"items": [{"next": "/api/items/2"}]}, None, URL) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["title", "url", "id", "data", "node", "links", "next", "fields", "date", "x"]), inner
        )
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=300)
@given(json_values)
def test_d9_no_json_makes_it_raise(data: Any) -> None:
    for record in json_records(data, kind=RecordKind.OTHER, base=URL):
        assert record.fields["title"].value
    assert json_next(data, None, URL) != URL


def test_d9_a_vast_answer_is_judged_quickly() -> None:
    data = {f"k{n}": {f"l{m}": [{"title": "x", "url": "/x"}] for m in range(100)} for n in range(200)}
    started = time.process_time()

    assert len(json_records(data, kind=RecordKind.OTHER, base=URL)) == 1
    assert time.process_time() - started < 20
