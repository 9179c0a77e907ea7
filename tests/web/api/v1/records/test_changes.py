"""What changed over all sources, for programs: as a list, a feed and a file."""

import csv
import json
from io import StringIO
from xml.etree import ElementTree

import pytest

from lamplighter.app import Store
from lamplighter.web.view import ServiceView
from tests.web.asgi_client import Ask
from tests.web.dashboard.records.given_change_sets import a_change_set

PATH = "/api/v1/changes"
EVIL = "<b>Pilot</b> \x0b"


@pytest.fixture
async def _changed(store: Store, view: ServiceView) -> None:
    """A source whose kettle became cheaper, and one with a new posting."""
    await a_change_set(store, view, "kettles", tags=("shop",), title="Kettle", price=(20.0, 15.0))
    await a_change_set(store, view, "quay", title=EVIL)


@pytest.mark.usefixtures("_changed")
async def test_changes_are_listed_newest_first_and_page_by_page(ask: Ask) -> None:
    first = (await ask.get(PATH, limit=1)).json
    second = (await ask.get(PATH, limit=1, before=first["next"])).json

    assert (first["changes"][0]["source_name"], first["changes"][0]["new"]) == ("quay", 1)
    (kettle,) = second["changes"]
    assert (kettle["source_name"], kettle["changed"]) == ("kettles", 1)
    assert kettle["records"][0]["fields"] == [{"field": "fields.price", "before": 20.0, "after": 15.0}]


@pytest.mark.usefixtures("_changed")
@pytest.mark.parametrize(
    ("given", "sources"),
    [
        pytest.param({"tag": "shop"}, ["kettles"], id="by tag"),
        pytest.param({"change": "new"}, ["quay"], id="by kind"),
        pytest.param({"words": "teapot, kett"}, ["kettles"], id="by the beginning of one of several words"),
        pytest.param({"since": "2100-01-01T00:00:00Z"}, [], id="by time"),
    ],
)
async def test_a_view_is_a_list_a_feed_and_a_file(ask: Ask, given: dict[str, str], sources: list[str]) -> None:
    listed = (await ask.get(PATH, **given)).json["changes"]
    feed = (await ask.get(f"{PATH}/feed.json", **given)).json["items"]
    file = list(csv.DictReader(StringIO((await ask.get(f"{PATH}/export", **given)).text)))

    assert [each["source_name"] for each in listed] == sources
    assert [each["authors"][0]["name"] for each in feed] == sources
    assert [each["source"] for each in file] == sources


@pytest.mark.usefixtures("_changed")
@pytest.mark.parametrize(("name", "item"), [("feed.rss", "channel/item"), ("feed.atom", "{*}entry")])
async def test_a_feed_is_valid_and_says_what_became_of_the_record(ask: Ask, name: str, item: str) -> None:
    feed = await ask.get(f"{PATH}/{name}")

    items = ElementTree.fromstring(feed.text).findall(item)
    assert [each.findtext("title") or each.findtext("{*}title") for each in items] == [
        "New: <b>Pilot</b> ",
        "Changed: Kettle",
    ]
    told = items[1].findtext("description") or items[1].findtext("{*}content")
    assert told == "price: 20.00 → 15.00 (−25.0\u202f%)"
    assert (await ask(f"{PATH}/{name}", if_none_match=feed.headers["etag"])).status == 304


@pytest.mark.usefixtures("_changed")
async def test_a_file_has_a_row_for_each_changed_field(ask: Ask) -> None:
    text = (await ask.get(f"{PATH}/export", format="jsonl", change="changed")).text

    (row,) = [json.loads(line) for line in text.splitlines()]
    assert (row["title"], row["field"], row["before"], row["after"]) == ("Kettle", "fields.price", 20.0, 15.0)


@pytest.mark.parametrize("given", [{"change": "eaten"}, {"source_id": "x"}, {"period": "8d"}, {"word": "kettle"}])
async def test_a_filter_that_means_nothing_is_refused(ask: Ask, given: dict[str, str]) -> None:
    assert (await ask.get(PATH, **given)).status == 422
