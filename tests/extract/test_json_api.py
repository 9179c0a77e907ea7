"""JSON answers that are plain about it are read without a recipe."""

from typing import Any

import pytest

from lamplighter.extract.json_api import json_next, json_records
from lamplighter.model.record import RecordKind

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


@pytest.mark.parametrize("data", [None, 3, "x", {}, {"jobs": [ITEM], "results": [ITEM]}, {"data": "x"}, [[ITEM]]])
def test_an_answer_that_is_not_plain_is_not_guessed_at(data: Any) -> None:
    assert json_records(data, kind=RecordKind.JOB, base=URL) == []


def test_the_next_page_is_where_apis_say_it_or_where_the_recipe_does() -> None:
    data = {"next": None, "links": {"next": "?page=2"}, "more": "/m"}

    assert json_next(data, None, URL) == "https://a.example/api/jobs?page=2"
    assert json_next(data, "more", URL) == "https://a.example/m"
    assert json_next({"next": 2}, None, URL) is None
