"""Records: searched, filtered, counted, removed, exported, fed."""

import csv
import io
import json
from typing import Any
from xml.etree import ElementTree

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lamplighter.app import Store
from lamplighter.store.records import record_changes
from lamplighter.store.records.sightings import become
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import some_pages, write
from tests.store.records.given_records import posting
from tests.web.api.given_records import JOBS, PRODUCTS, stored
from tests.web.asgi_client import Ask

PATH = "/api/v1/records"


async def _two_sources(store: Store) -> None:
    await stored(store, JOBS)
    await stored(store, PRODUCTS, source="b")


async def _numbers(ask: Ask, **query: Any) -> list[int]:
    reply = await ask.get(PATH, **query)
    assert reply.status == 200, reply.text
    assert reply.json["total"] == len(reply.json["records"])
    return [int(record["canonical_hash"]) for record in reply.json["records"]]


async def _id_of(ask: Ask, q: str) -> str:
    record_id: str = (await ask.get(PATH, q=q)).json["records"][0]["id"]
    return record_id


async def test_each_filter_leaves_what_it_asks_for(ask: Ask, store: Store) -> None:
    await _two_sources(store)
    source_id = (await ask.get(PATH, kind="job")).json["records"][0]["source_id"]
    expected: list[tuple[dict[str, Any], list[int]]] = [
        ({}, [4, 3, 2, 1]),
        ({"kind": "job"}, [2, 1]),
        ({"source_id": source_id}, [2, 1]),
        ({"source_id": "00000000-0000-0000-0000-000000000000"}, []),
        ({"country": "ke"}, [1]),
        ({"language": "fr"}, [2]),
        ({"organisation": "RELIEF"}, [1]),
        ({"published_after": "2026-03-15"}, [2]),
        ({"published_before": "2026-04-01T00:00:00Z"}, [1]),
        ({"deadline_after": "2026-05-02"}, [2]),
        ({"deadline_before": "2026-06-01"}, [1]),
        ({"first_seen_after": "2100-01-01T00:00:00Z"}, []),
        ({"level": "senior"}, [1]),
        ({"modality": "remote"}, [2]),
        ({"career_type": "temporary"}, [1]),
        ({"career_type": "part"}, []),
        ({"mission_tag": "health"}, [1]),
        ({"international_eligible": "true"}, [2]),
        ({"price_min": 19.9, "price_max": 20}, [3]),
        ({"price_min": 9, "sort": "price", "order": "asc"}, [3, 4]),
        ({"currency": "usd"}, [4]),
        ({"availability": "in_stock"}, [3]),
        ({"brand": "lux"}, [3]),
        ({"state": "gone"}, []),
        ({"state": "all", "sort": "title", "order": "asc"}, [3, 4, 1, 2]),
        ({"sort": "deadline", "order": "asc"}, [1, 2, 3, 4]),
        ({"sort": "published"}, [2, 1, 4, 3]),
        ({"q": "water"}, [1, 2]),
        ({"q": "water", "sort": "first_seen"}, [2, 1]),
        ({"q": "water -writer", "kind": "job"}, [1]),
        ({"q": "wat* eng*"}, [1]),
        ({"host": "b.example"}, []),
        ({"tag": "demo"}, []),
    ]

    assert [(query, await _numbers(ask, **query)) for query, _ in expected] == expected


async def test_a_record_is_found_by_the_host_and_the_tags_of_its_source(ask: Ask, store: Store) -> None:
    source_id = await stored(store, JOBS)

    async def tag(connection: Any) -> None:
        await connection.execute(sa.insert(tables.source_tags).values(source_id=source_id, tag="aid"))
        host = sa.insert(tables.hosts).values(key="a.example", updated_at=NOON, task_source_id=source_id)
        await connection.execute(host)

    await store.db.write(tag)

    assert await _numbers(ask, tag="aid") == await _numbers(ask, host="A.example") == [2, 1]


async def test_records_of_a_deleted_source_are_shown_only_to_who_asks_for_that_source(ask: Ask, store: Store) -> None:
    await _two_sources(store)
    source_id = (await ask.get(PATH, kind="job")).json["records"][0]["source_id"]

    deleted = sa.update(tables.sources).where(tables.sources.c.public_id == source_id).values(deleted_at=NOON)
    await store.db.write(lambda connection: connection.execute(deleted))

    assert await _numbers(ask) == [4, 3]
    assert await _numbers(ask, source_id=source_id) == [2, 1]


async def test_a_page_says_how_many_there_are_in_all(ask: Ask, store: Store) -> None:
    await _two_sources(store)

    for more in ({}, {"q": "-nothing"}, {"q": "water"}, {"sort": "price"}):
        whole = (await ask.get(PATH, **more)).json
        parts = [(await ask.get(PATH, limit=1, offset=offset, **more)).json for offset in range(whole["total"] + 1)]

        assert [part["records"][0]["id"] for part in parts[:-1]] == [record["id"] for record in whole["records"]]
        assert parts[-1]["records"] == []
        assert {part["total"] for part in parts} == {whole["total"]}


async def test_facets_count_what_the_filter_leaves(ask: Ask, store: Store) -> None:
    await _two_sources(store)

    reply = await ask.get(PATH, facets="kind,country, source,level,brand", limit=1)

    facets = reply.json["facets"]
    assert [(value["value"], value["count"]) for value in facets["kind"]] == [("job", 2), ("product", 2)]
    assert [value["value"] for value in facets["country"]] == ["CH", "KE"]
    assert sorted((value["label"], value["count"]) for value in facets["source"]) == [
        ("a.example", 2),
        ("b.example", 2),
    ]
    assert [value["value"] for value in facets["level"]] == ["junior", "senior"]
    some = (await ask.get(PATH, q="water", country="KE", facets="kind,country")).json["facets"]
    assert [value["count"] for value in some["kind"]] == [1]
    assert [value["value"] for value in some["country"]] == ["KE"]


async def test_finds_are_marked_and_everything_else_is_escaped(ask: Ask, store: Store) -> None:
    await stored(store, JOBS)

    reply = await ask.get(PATH, q="water", highlight="true")

    titles = [record["highlight"]["title"] for record in reply.json["records"]]
    assert titles == ["<mark>Water</mark> engineer", "Writer"]
    shown = reply.json["records"][1]["highlight"]["description"]
    assert shown == "Writes about <mark>water</mark> &amp; &lt;b&gt;wells&lt;/b&gt;."
    assert all(record["score"] > 0 for record in reply.json["records"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(q=st.text(max_size=500))
async def test_no_text_is_an_error(ask: Ask, q: str) -> None:
    reply = await ask.get(PATH, q=q.encode("utf-8", "replace"), highlight="true", facets="kind")

    assert reply.status == 200, reply.text


async def test_what_cannot_be_asked_is_refused_by_name(ask: Ask) -> None:
    refused: list[dict[str, Any]] = [
        {"limit": 251},
        {"limit": 0},
        {"offset": -1},
        {"sort": "fields"},
        {"kind": "thing"},
        {"source_id": "7"},
        {"country": "Kenya"},
        {"price_min": "nan"},
        {"price_min": "1e400"},
        {"organisation": "\x00"},
        {"published_after": "yesterday"},
        {"published_after": "0001-01-01T00:00:00+23:00"},
        {"facets": "kind,url"},
        {"q": "x" * 501},
        {"unknown": 1},
    ]

    for query in refused:
        reply = await ask.get(PATH, **query)

        assert reply.status == 422, query
        assert reply.json["errors"][0]["field"] in query


async def test_a_record_is_shown_with_its_pages_and_its_history(ask: Ask, store: Store) -> None:
    source_id = await stored(store, JOBS[:1])
    (page_id,) = await write(store.db, some_pages, source_id, None, "/1")
    await write(store.db, become, {page_id: {1: True}}, now=NOON)
    line = {"record_id": 1, "run_id": None, "page_id": None, "at": NOON, "field": "title", "before": "x", "after": "y"}
    await write(store.db, record_changes.write, [line])
    record_id = await _id_of(ask, "water")

    shown, history = await ask.get(f"{PATH}/{record_id}"), await ask.get(f"{PATH}/{record_id}/history")

    assert (shown.json["title"], shown.json["source_name"]) == ("Water engineer", "a.example")
    assert [page["url"] for page in shown.json["shown_on"]] == ["https://a.example/1"]
    assert shown.json["history"] == history.json["history"]
    assert [(each["field"], each["before"], each["after"]) for each in history.json["history"]] == [("title", "x", "y")]


async def test_a_removed_record_is_found_no_more_and_may_be_restored(ask: Ask, store: Store) -> None:
    await stored(store, JOBS)
    record_id = await _id_of(ask, "engineer")

    removed = await ask(f"{PATH}/{record_id}", method="DELETE", json={"reason": "asked for"})

    assert removed.status == 200
    assert await _numbers(ask, q="water", state="all") == [2]
    assert (await ask.get(f"{PATH}/{record_id}")).json["code"] == "record_not_found"
    restored = await ask.post(f"{PATH}/{removed.json['canonical_hash']}/restore")
    assert (restored.status, restored.json["title"]) == (200, "Water engineer")
    again = await ask.post(f"{PATH}/{removed.json['canonical_hash']}/restore")
    assert (again.status, again.json["code"]) == (404, "tombstone_not_found")
    async with store.db.read() as db:
        lines = (await db.execute(sa.select(tables.audit_log).order_by(tables.audit_log.c.id))).all()
    assert [line.action for line in lines[-2:]] == ["record.remove", "record.restore"]


async def test_nothing_is_removed_without_a_reason(ask: Ask, store: Store) -> None:
    await stored(store, JOBS)
    record_id = await _id_of(ask, "engineer")

    refused = [
        await ask(f"{PATH}/{record_id}", method="DELETE", json=body)
        for body in ({}, {"reason": ""}, {"reason": " "}, {"reason": "\x00"})
    ]

    assert [reply.status for reply in refused] == [422] * 4
    assert await _numbers(ask) == [2, 1]


async def test_an_export_has_every_record_of_the_filter_in_each_form(ask: Ask, store: Store) -> None:
    many = [posting(number, title=f"Posting {number}") for number in range(1, 1203)]
    await stored(store, [*many, posting(2000, title="=HYPERLINK(1)", description='a "b",\r\nc', tags=("+SUM(1)",))])

    lines = await ask.get(f"{PATH}/export", format="jsonl", kind="job")
    whole = await ask.get(f"{PATH}/export", format="json", q="posting")
    table = await ask.get(f"{PATH}/export", format="csv")

    assert [int(json.loads(line)["canonical_hash"]) for line in lines.text.splitlines()] == [*range(1, 1203), 2000]
    assert len(whole.json) == 1202
    rows = list(csv.DictReader(io.StringIO(table.text, newline="")))
    assert len(rows) == 1203
    assert (rows[-1]["title"], rows[-1]["tags"]) == ("'=HYPERLINK(1)", "'+SUM(1)")
    assert rows[-1]["description"] == 'a "b",\r\nc'
    assert table.headers["content-disposition"] == 'attachment; filename="records.csv"'


async def test_an_export_of_nothing_is_a_whole_file(ask: Ask) -> None:
    replies = {form: await ask.get(f"{PATH}/export", format=form) for form in ("csv", "jsonl", "json")}

    assert replies["json"].json == []
    assert replies["jsonl"].text == ""
    assert len(replies["csv"].text.splitlines()) == 1


async def test_a_feed_has_the_newest_records_and_is_valid_whatever_was_crawled(ask: Ask, store: Store) -> None:
    nasty = "bell \x07 & <script>]]></title> \ufffe \U0001f3ee"
    await stored(store, [*JOBS, posting(9, title=nasty, description=nasty, organisation=nasty, tags=(nasty,))])

    feed = await ask.get(f"{PATH}/feed.rss", state="all")

    channel = ElementTree.fromstring(feed.text).find("channel")
    assert channel is not None
    items = channel.findall("item")
    assert items[0].findtext("title") == "bell  & <script>]]></title>  \U0001f3ee"
    ids = [record["id"] for record in (await ask.get(PATH)).json["records"]]
    assert [item.findtext("guid") for item in items] == ids
    assert items[2].findtext("pubDate") == "Sun, 01 Mar 2026 00:00:00 GMT"
    link = channel.find("{http://www.w3.org/2005/Atom}link")
    assert link is not None
    assert link.get("href") == f"http://127.0.0.1:8060{PATH}/feed.rss?state=all"
    assert feed.headers["content-type"] == "application/rss+xml; charset=utf-8"


async def test_a_feed_in_json_has_what_version_1_1_asks_for(ask: Ask, store: Store) -> None:
    await stored(store, JOBS)

    feed = (await ask.get(f"{PATH}/feed.json", q="engineer")).json

    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["feed_url"].endswith("/feed.json?q=engineer")
    (item,) = feed["items"]
    assert (item["title"], item["content_text"]) == ("Water engineer", "Water engineer")
    assert item["authors"] == [{"name": "Relief"}]
    assert item["date_published"] == "2026-03-01T00:00:00+00:00"


@pytest.mark.parametrize("name", ["feed.rss", "feed.json"])
async def test_a_feed_that_a_reader_has_is_not_sent_again(ask: Ask, store: Store, name: str) -> None:
    await stored(store, JOBS)
    first = await ask(f"{PATH}/{name}")
    tag, modified = first.headers["etag"], first.headers["last-modified"]

    known = [
        await ask(f"{PATH}/{name}", if_none_match=f'"other", W/{tag}'),
        await ask(f"{PATH}/{name}", if_modified_since=modified),
    ]
    other = [
        await ask(f"{PATH}/{name}", if_none_match='"other"', if_modified_since=modified),
        await ask(f"{PATH}/{name}", if_modified_since="Sun, 01 Jan 2006 00:00:00 GMT"),
        await ask(f"{PATH}/{name}", if_modified_since="yesterday"),
    ]

    assert [(reply.status, reply.text) for reply in known] == [(304, "")] * 2
    assert [reply.status for reply in other] == [200] * 3
    await stored(store, PRODUCTS, source="b")
    assert (await ask(f"{PATH}/{name}", if_none_match=tag)).status == 200
