"""Sources over /api/v1: what is said comes back, what is refused says why, many at once, files in and out."""

from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from lamplighter.app import Service, Store
from lamplighter.store.schema import tables
from tests.origin import Origin
from tests.web.api.given_sources import watched
from tests.web.asgi_client import Ask, Reply

SOURCES = "/api/v1/sources"
URL = "https://harbour.example/jobs"
WHOLE = {
    "name": "Harbour",
    "url": URL,
    "enabled": True,
    "priority": "high",
    "rate_limit": 3,
    "max_depth": 2,
    "selectors": {"container": "li.job", "title": "h2", "body": ".text"},
    "kind": "job",
    "max_pages": 40,
    "interval_minutes": 360,
    "min_interval_minutes": 60,
    "max_interval_minutes": 2880,
    "policy": "fixed",
    "windows": "mon-fri 22:00-05:00",
    "country": "ke",
    "organisation_type": "ngo",
    "recurring": True,
    "tags": ["sea", "aid"],
}


async def _add(ask: Ask, name: str = "a", **more: Any) -> dict[str, Any]:
    reply = await ask.post(SOURCES, {"url": f"https://{name}.example/", "name": name, **more})
    assert reply.status == 201, reply.text
    added: dict[str, Any] = reply.json
    return added


async def _names(ask: Ask, **query: Any) -> list[str]:
    reply = await ask.get(SOURCES, **query)
    assert reply.status == 200, reply.text
    return [source["name"] for source in reply.json["sources"]]


async def _events(store: Store) -> list[tuple[str, dict[str, Any]]]:
    async with store.db.read() as db:
        rows = await db.execute(sa.select(tables.events).order_by(tables.events.c.id))
        return [(row.type, row.payload) for row in rows]


async def test_what_is_said_of_a_source_comes_back_with_its_first_run(ask: Ask, store: Store) -> None:
    reply = await ask.post(SOURCES, WHOLE)

    source = reply.json
    same = ("name", "url", "enabled", "priority", "max_depth", "kind", "max_pages", "policy", "organisation_type")
    assert reply.status == 201
    assert {name: source[name] for name in same} == {name: WHOLE[name] for name in same}
    assert (source["rate_limit"], source["country"], source["tags"]) == (
        pytest.approx(2.994, abs=1e-3),
        "KE",
        ["aid", "sea"],
    )
    assert source["selectors"] == WHOLE["selectors"]
    assert source["recipe"] == {"items": "li.job", "fields": {"title": "h2", "text": ".text"}}
    assert [window["zone"] for window in source["windows"]] == ["Africa/Nairobi"]
    assert (source["status"], source["job_status"], source["health"]) == ("active", "pending", "never_run")
    assert source["next_run_at"] == source["created_at"]
    assert (await ask.get(f"{SOURCES}/{source['id']}")).json == source
    assert await _events(store) == [
        (
            "SOURCE_CREATED",
            {
                "name": "Harbour",
                "url": URL,
                "rate_limit": pytest.approx(2.994, abs=1e-3),
                "max_depth": 2,
                "enabled": True,
                "selectors": WHOLE["selectors"],
                "priority": "high",
            },
        )
    ]


async def test_replacing_forgets_what_is_not_said_and_changing_keeps_it(ask: Ask, store: Store) -> None:
    source = (await ask.post(SOURCES, WHOLE)).json
    path = f"{SOURCES}/{source['id']}"

    changed = (await ask.patch(path, {"name": "Quay", "rate_limit": source["rate_limit"], "policy": None})).json
    replaced = (await ask.put(path, {"url": URL})).json

    expected = source | {"name": "Quay", "policy": None}
    assert {name: changed[name] for name in source if name != "updated_at"} == {
        name: expected[name] for name in source if name != "updated_at"
    }
    assert (replaced["name"], replaced["tags"], replaced["recipe"]) == ("harbour.example", [], None)
    assert (replaced["priority"], replaced["rate_limit"], replaced["max_depth"]) == ("normal", None, 3)
    told = [payload for kind, payload in await _events(store) if kind == "SOURCE_UPDATED"]
    assert told[0]["changed_fields"] == ["name", "policy"]
    assert told[0]["previous"] == {"name": "Harbour", "policy": "fixed"}
    assert told[1]["previous"]["rate_limit"] == source["rate_limit"]


@pytest.mark.parametrize(
    ("said", "field", "remedy"),
    [
        pytest.param({"url": "quay"}, "url", "https://example.com/jobs", id="no URL"),
        pytest.param({"url": "https://me:hush@a.example/"}, "url", "credentials", id="credentials in the URL"),
        pytest.param({"priority": "urgent"}, "priority", "low", id="an unknown priority"),
        pytest.param({"priority": 101}, "priority", "100", id="a priority out of range"),
        pytest.param({"rate_limit": "1s"}, "rate_limit", "number", id="a rate with a unit"),
        pytest.param({"rate_limit": 0}, "rate_limit", "greater than 0", id="no rate"),
        pytest.param({"recipe": {"itmes": "li"}}, "recipe", 'did you mean "items"', id="a misspelt recipe"),
        pytest.param({"selectors": {"title": "//h1"}}, "recipe", "CSS selector", id="a selector that is none"),
        pytest.param({"recipe": {"items": "\x00"}}, "recipe", "", id="a NUL in a recipe"),
        pytest.param({"name": "a\x00b"}, "name", "U+0000", id="a NUL in a name"),
        pytest.param({"tags": ["a,b"]}, "tags", "without comma", id="a comma in a tag"),
        pytest.param({"windows": "09:00-09:00"}, "windows", "00:00-24:00", id="a window without length"),
        pytest.param({"windows": [{"kind": "allow"}]}, "windows", "zone", id="half a window"),
        pytest.param({"crawl_window_start": 22}, "crawl_window_end", "both hours", id="half of the hours"),
        pytest.param(
            {"max_interval_minutes": 5, "min_interval_minutes": 9}, "min_interval_minutes", "swap", id="bounds swapped"
        ),
        pytest.param({"wishes": 3}, "wishes", "", id="an unknown word"),
    ],
)  # fmt: skip
async def test_what_could_never_be_crawled_is_refused_with_its_field(
    ask: Ask, said: dict[str, Any], field: str, remedy: str
) -> None:
    reply = await ask.post(SOURCES, {"url": URL, **said})

    assert reply.status == 422
    assert any(error["field"].startswith(field) for error in reply.json["errors"])
    assert remedy in reply.text.replace("\\", "")
    assert "hush" not in reply.text
    assert (await ask.get(SOURCES)).json["total"] == 0


async def test_a_url_is_watched_once_and_the_refusal_names_who_does(ask: Ask) -> None:
    source = await _add(ask)
    other = await _add(ask, "b")

    again = await ask.post(SOURCES, {"url": "HTTPS://A.example:443/?utm_source=x"})
    taken = await ask.patch(f"{SOURCES}/{other['id']}", {"url": source["url"]})

    for reply in (again, taken):
        assert (reply.status, reply.json["code"]) == (409, "duplicate_url")
        assert source["id"] in reply.json["detail"]


async def test_hours_depth_and_numbers_are_read_as_agreed(ask: Ask) -> None:
    night = await _add(ask, "a", crawl_window_start=22, crawl_window_end=5, max_depth=0, priority=60)
    deep = await _add(ask, "b", max_depth=-1, windows=night["windows"])

    assert night["windows"] == [
        {
            "kind": "allow",
            "days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
            "start": "22:00",
            "end": "05:00",
            "zone": "UTC",
        }
    ]
    assert (night["max_depth"], night["priority"]) == (3, 60)
    assert (deep["max_depth"], deep["windows"]) == (-1, night["windows"])


async def test_disabling_pauses_the_job_and_enabling_begins_anew(ask: Ask, store: Store) -> None:
    path = f"{SOURCES}/{(await _add(ask))['id']}"

    off = (await ask.post(f"{path}/disable", {"reason": "moves house", "disabled_by": "anna"})).json
    off_again = (await ask.post(f"{path}/disable")).json
    on = (await ask.post(f"{path}/enable", {"toggled_by": "ben"})).json

    assert (off["status"], off["job_status"], off["enabled"]) == ("paused", "paused", False)
    assert (off["disabled_reason"], off["disabled_by"]) == ("moves house", "anna")
    assert off_again["disabled_reason"] == "moves house"
    assert (on["status"], on["job_status"], on["disabled_reason"]) == ("active", "pending", None)
    assert [event for event in await _events(store) if "ABLED" in event[0]] == [
        ("SOURCE_DISABLED", {"reason": "moves house", "toggled_by": "anna"}),
        ("SOURCE_ENABLED", {"reason": "", "toggled_by": "ben"}),
    ]


async def test_a_deleted_source_is_hidden_until_it_is_restored_or_purged(ask: Ask, store: Store) -> None:
    source = await _add(ask, tags=["sea"])
    path = f"{SOURCES}/{source['id']}"

    deleted = await ask.delete(path)
    hidden = await _names(ask), await _names(ask, deleted=True), await _names(ask, status="deleted")
    refused = await ask.patch(path, {"name": "b"})
    restored = (await ask.post(f"{path}/restore")).json
    purged = await ask.delete(f"{path}/permanent")

    assert deleted.json == {"id": source["id"], "status": "deleted", "impact": {"pages": 0, "records": 0, "runs": 0}}
    assert hidden == ([], ["a"], ["a"])
    assert (refused.status, refused.json["code"], refused.json["possible"]) == (409, "source_deleted", ["restore"])
    assert (restored["status"], restored["enabled"], restored["deleted_at"]) == ("active", True, None)
    assert purged.json["impact"] == {"pages": 0, "records": 0, "runs": 0}
    assert (await ask.get(path)).status == 404
    assert [kind for kind, _ in await _events(store)] == [
        "SOURCE_CREATED", "SOURCE_DELETED", "SOURCE_ENABLED", "SOURCE_DELETED",
    ]  # fmt: skip


async def test_what_was_disabled_before_it_was_deleted_stays_so_when_it_is_restored(ask: Ask) -> None:
    path = f"{SOURCES}/{(await _add(ask, enabled=False))['id']}"
    await ask.delete(path)

    restored = (await ask.post(f"{path}/restore")).json
    again = await ask.post(f"{path}/restore")

    assert (restored["enabled"], restored["status"], restored["job_id"]) == (False, "paused", None)
    assert (again.status, again.json["code"]) == (409, "not_deleted")


async def test_a_list_is_filtered_sorted_and_counted(ask: Ask) -> None:
    await _add(ask, "ant", priority="low", tags=["insect"], kind="job", country="DE")
    await _add(ask, "bee", priority="critical", tags=["insect", "queen"], enabled=False)
    await _add(ask, "cat", priority=60)
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["ant", "bee", "cat"]),
        ({"order": "desc"}, ["cat", "bee", "ant"]),
        ({"search": "EE.ex"}, ["bee"]),
        ({"search": "%"}, []),
        ({"tag": "insect", "sort": "priority", "order": "desc"}, ["bee", "ant"]),
        ({"priority": "normal"}, ["cat"]),
        ({"priority": "low"}, ["ant"]),
        ({"priority": "60"}, ["cat"]),
        ({"enabled": False}, ["bee"]),
        ({"status": "active"}, ["ant", "cat"]),
        ({"status": "paused"}, ["bee"]),
        ({"kind": "auto"}, ["bee", "cat"]),
        ({"host": "Cat.example"}, ["cat"]),
        ({"host": "at.example"}, []),
        ({"has_failures": True}, []),
        ({"sort": "url", "limit": 2, "offset": 1}, ["bee", "cat"]),
        ({"sort": "next_run_at"}, ["ant", "cat", "bee"]),
        ({"sort": "next_run_at", "limit": 1, "offset": 2}, ["bee"]),
        ({"sort": "next_run_at", "limit": 2, "offset": 1, "order": "desc"}, ["ant", "bee"]),
        ({"sort": "last_run_at"}, ["ant", "bee", "cat"]),
        ({"sort": "status", "limit": 1}, ["ant"]),
        ({"sort": "created_at", "order": "desc"}, ["cat", "bee", "ant"]),
        ({"sort": "updated_at"}, ["ant", "bee", "cat"]),
    ]

    found = [await _names(ask, **query) for query, _ in cases]
    total = (await ask.get(SOURCES, tag="insect", limit=1)).json["total"]

    assert found == [names for _, names in cases]
    assert total == 2


@pytest.mark.parametrize("query", [{"sort": "recipe"}, {"limit": 251}, {"offset": -1}, {"colour": "red"}])
async def test_a_list_that_cannot_be_made_is_refused(ask: Ask, query: dict[str, Any]) -> None:
    assert (await ask.get(SOURCES, **query)).status == 422


async def test_many_sources_are_changed_at_once_and_a_preview_changes_none(ask: Ask, store: Store) -> None:
    for name in "abc":
        await _add(ask, name, tags=["trial"])
    gone = str(uuid4())
    kept = await _add(ask, "d", enabled=False)
    by_tag = {"filter": {"tag": "trial"}}

    seen = await _bulk(ask, action="disable", preview=True, **by_tag)
    done = await _bulk(ask, action="disable", reason="spring cleaning", **by_tag)
    again = await _bulk(ask, action="disable", ids=[kept["id"], gone])
    await _bulk(ask, action="add_tag", tag="new", filter={})
    await _bulk(ask, action="remove_tag", tag="trial", filter={})
    await _bulk(ask, action="set_priority", priority="high", filter={"search": "a.ex"})
    more = await _bulk(ask, action="set_max_pages", max_pages=90, filter={"search": "d.ex"})
    stayed = await _bulk(ask, action="follow_redirect", filter={"search": "d.ex"})
    deleted = await _bulk(ask, action="delete", filter={"search": "b.ex"})
    restored = await _bulk(ask, action="restore", filter={})
    listed = (await ask.get(SOURCES)).json["sources"]

    assert _tally(seen) == (3, 0, 0, 0)
    assert _tally(done) == (3, 3, 0, 0)
    assert (_tally(again), again["errors"][0]["code"]) == ((2, 0, 1, 1), "source_not_found")
    assert (_tally(more), listed[3]["max_pages"]) == ((1, 1, 0, 0), 90)
    assert "did not redirect for good" in stayed["errors"][0]["message"]
    assert (_tally(deleted), _tally(restored)) == ((1, 1, 0, 0), (1, 1, 0, 0))
    assert [(each["name"], each["enabled"], each["tags"], each["priority"]) for each in listed] == [
        ("a", False, ["new"], "high"),
        ("b", False, ["new"], "normal"),
        ("c", False, ["new"], "normal"),
        ("d", False, ["new"], "normal"),
    ]
    told = [payload["reason"] for kind, payload in await _events(store) if kind == "SOURCE_DISABLED"]
    assert told == ["spring cleaning"] * 3 + ["restored"]


async def test_what_depends_on_each_job_is_told_source_by_source(ask: Ask) -> None:
    for name in "ab":
        await _add(ask, name)
    off = await _add(ask, "c", enabled=False)

    paused = await _bulk(ask, action="pause", filter={})
    resumed = await _bulk(ask, action="resume", filter={"status": "paused", "enabled": True})
    started = await _bulk(ask, action="run", filter={"search": "a.ex"})

    assert (_tally(paused), [error["id"] for error in paused["errors"]]) == ((3, 2, 0, 1), [off["id"]])
    assert (_tally(resumed), _tally(started)) == ((2, 2, 0, 0), (1, 1, 0, 0))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"action": "enable"}, id="no sources named"),
        pytest.param({"action": "enable", "ids": [], "filter": {}}, id="named twice"),
        pytest.param({"action": "add_tag", "ids": []}, id="no tag"),
        pytest.param({"action": "set_priority", "ids": []}, id="no priority"),
        pytest.param({"action": "set_max_pages", "ids": []}, id="no pages"),
        pytest.param({"action": "explode", "filter": {}}, id="no such action"),
    ],
)
async def test_an_order_for_many_that_is_incomplete_is_refused(ask: Ask, body: dict[str, Any]) -> None:
    assert (await ask.post(f"{SOURCES}/bulk", body)).status == 422


async def test_a_file_is_imported_row_by_row_and_a_rehearsal_adds_nothing(ask: Ask) -> None:
    await _add(ask, "known")
    rows = [
        "url,name,priority,tags,interval_minutes,recipe",
        "https://a.example/,'=Harbour,high,sea;aid,60,",
        'https://b.example/,Quay,urgent,,,"{""items"": ""li""}"',
        "https://known.example/,Known,,,,",
        "https://a.example/#again,,,,,",
        "nowhere,,,,,",
        "https://c.example/,,,,,",
    ]
    file = "\n".join(rows).encode()

    rehearsed = await _import(ask, file, dry_run=True)
    total = (await ask.get(SOURCES)).json["total"]
    imported = await _import(ask, file)
    (harbour,) = (await ask.get(SOURCES, tag="aid")).json["sources"]

    statuses = ["created", "invalid", "duplicate", "duplicate", "invalid", "created"]
    assert [(row["line"], row["status"]) for row in imported["rows"]] == list(zip(range(2, 8), statuses, strict=True))
    assert [row["status"] for row in rehearsed["rows"]] == [word.replace("created", "valid") for word in statuses]
    assert total == 1
    assert (imported["created"], imported["invalid"], imported["duplicates"]) == (2, 2, 2)
    bad = imported["rows"][1]
    assert (bad["field"], bad["value"]) == ("priority", "urgent")
    assert "low, normal, high, critical" in bad["message"]
    assert (harbour["name"], harbour["priority"], harbour["interval_minutes"]) == ("=Harbour", "high", 60)
    assert imported["rows"][0]["id"] == harbour["id"]


async def test_what_is_no_text_is_told_like_any_other_bad_row(ask: Ask) -> None:
    rows = [
        {"url": "https://a.example/", "name": "\ud800"},
        {"url": "https://b.example/", "\ud800": 1},
        {"url": "\x00"},
    ]

    report = (await ask.post(f"{SOURCES}/import", [*rows, {"url": "https://c.example/", "name": "Quay"}])).json

    assert [row["status"] for row in report["rows"]] == ["invalid", "invalid", "invalid", "created"]


async def test_a_number_that_nothing_holds_is_told_like_any_other_bad_row(ask: Ask) -> None:
    rows = [
        {"url": "https://a.example/", "max_pages": 10**400},
        {"url": "https://b.example/", "priority": "9" * 5000},
    ]

    report = (await ask.post(f"{SOURCES}/import", [*rows, {"url": "https://c.example/", "name": "Quay"}])).json

    assert [row["status"] for row in report["rows"]] == ["invalid", "invalid", "created"]


async def test_other_kinds_of_files_are_told_by_their_looks(ask: Ask) -> None:
    opml = (
        '<opml version="2.0"><body><outline text="News"><outline text="Lantern" xmlUrl="https://e.example/feed"/>'
        "</outline></body></opml>"
    )

    for body in (
        b'[{"url": "https://a.example/", "name": "A"}, 7]',
        b'{"url": "https://b.example/"}\nnonsense\n',
        b"# mine\nhttps://c.example/\n\nhttps://d.example/\n",
        opml.encode(),
    ):
        await _import(ask, body)
    wrapped = await ask.post(f"{SOURCES}/import", {"sources": [{"url": "https://f.example/"}]})
    (lantern,) = (await ask.get(SOURCES, search="e.example/feed")).json["sources"]

    assert wrapped.json["created"] == 1
    assert (await ask.get(SOURCES)).json["total"] == 6
    assert (lantern["name"], lantern["tags"], lantern["recipe"]) == ("Lantern", ["News"], {"expects": "feed"})


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "opml", "urls"])
async def test_what_is_exported_can_be_imported_again(ask: Ask, form: str) -> None:
    source = (await ask.post(SOURCES, WHOLE | {"name": '=HYPERLINK("x")'})).json
    await _add(ask, "b", recipe={"expects": "feed"})

    file = await ask.get(f"{SOURCES}/export", format=form)
    for public_id in [each["id"] for each in (await ask.get(SOURCES)).json["sources"]]:
        await ask.delete(f"{SOURCES}/{public_id}/permanent")
    report = await _import(ask, file.text.encode(), form=form)
    (again,) = (await ask.get(SOURCES, search="harbour")).json["sources"]

    assert report["created"] == 2
    assert "attachment" in file.headers["content-disposition"]
    if form in ("csv", "json", "jsonl"):
        fresh = {"id", "job_id", "created_at", "updated_at", "next_run_at", "next_run_reason", "job_status"}
        assert {key: again[key] for key in again if key not in fresh} == {
            key: source[key] for key in source if key not in fresh
        }
    if form == "csv":
        assert '"\'=HYPERLINK(""x"")"' in file.text


async def test_a_trial_asks_the_site_and_keeps_nothing(ask: Ask, origin: Origin, service: Service) -> None:
    origin.page("/jobs", "<li class=job><h2>Pilot</h2></li><li class=job><h2>Cook</h2></li>", etag='"1"')
    recipe = {"items": "li", "fields": {"title": "h2"}, "expects": "feed"}
    source = (await ask.post(SOURCES, {"url": f"{origin.url}/jobs", "kind": "job", "recipe": recipe})).json

    fetched = (await ask.post(f"{SOURCES}/{source['id']}/test")).json
    simulated = (await ask.post(f"{SOURCES}/{source['id']}/simulate-extract")).json

    assert (fetched["status"], fetched["etag"], fetched["trouble"]) == (200, '"1"', None)
    assert [record["title"] for record in simulated["records"]] == ["Pilot", "Cook"]
    assert simulated["warnings"] == ["recipe: expects feed, but the response is html"]
    async with service.db.read() as db:
        assert await db.scalar(sa.select(sa.func.count()).select_from(tables.pages)) == 0


async def test_feeds_are_looked_for_by_hand_and_remembered(ask: Ask, origin: Origin) -> None:
    items = "<item><title>Lamp lit</title><link>/1</link></item>"
    feed = f'<rss version="2.0"><channel><title>News</title>{items}</channel></rss>'
    origin.page("/feed.xml", feed, headers={"Content-Type": "application/rss+xml"})
    head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    origin.page("/news", f"<html><head>{head}</head><body><h1>News</h1></body></html>")
    source = (await ask.post(SOURCES, {"url": f"{origin.url}/news"})).json

    found = (await ask.post(f"{SOURCES}/{source['id']}/feeds")).json
    listed = (await ask.get(f"{SOURCES}/{source['id']}/feeds")).json

    assert [feed["url"] for feed in found["feeds"]] == [f"{origin.url}/feed.xml"]
    assert listed == found
    assert found["polled"] is False


async def test_what_is_not_there_is_not_found(ask: Ask) -> None:
    path = f"{SOURCES}/{uuid4()}"

    replies = [
        await ask.get(path),
        await ask.put(path, {"url": URL}),
        await ask.delete(path),
        await ask.delete(f"{path}/permanent"),
        await ask.post(f"{path}/enable"),
        await ask.post(f"{path}/clone", {"url": URL}),
        await ask.post(f"{path}/test"),
    ]

    assert {(reply.status, reply.json["code"]) for reply in replies} == {(404, "source_not_found")}


async def test_a_copy_needs_a_url_of_its_own(ask: Ask) -> None:
    source = (await ask.post(SOURCES, WHOLE)).json
    path = f"{SOURCES}/{source['id']}/clone"

    made = await ask.post(path, {"url": "https://quay.example/jobs", "name": "Quay"})
    refused = await ask.post(path, {"url": URL})

    assert (made.status, made.json["name"], made.json["recipe"]) == (201, "Quay", source["recipe"])
    assert refused.status == 409


async def _bulk(ask: Ask, **body: Any) -> dict[str, Any]:
    reply = await ask.post(f"{SOURCES}/bulk", body)
    assert reply.status == 200, reply.text
    report: dict[str, Any] = reply.json
    return report


def _tally(report: dict[str, Any]) -> tuple[int, int, int, int]:
    return report["matched"], report["changed"], report["unchanged"], report["failed"]


async def _import(ask: Ask, file: bytes, *, dry_run: bool = False, form: str = "") -> dict[str, Any]:
    path = f"{SOURCES}/import"
    query = {"dry_run": dry_run} | ({"format": form} if form else {})
    reply: Reply = await ask(path, method="POST", query=query, body=file, content_type="text/plain")
    assert reply.status == 200, reply.text
    report: dict[str, Any] = reply.json
    return report


async def test_sources_are_filtered_by_their_state_and_an_unknown_state_is_refused(service: Service, ask: Ask) -> None:
    well, ill = [await watched(service, ask, name) for name in ("ant", "bee")]
    await watched(service, ask, "cow")
    await well.run()
    await ill.run(failed="timeout")

    found = {
        state: [each["name"] for each in (await ask.get("/api/v1/sources", health=state)).json["sources"]]
        for state in ("healthy", "failing", "never_run", "blocked")
    }
    refused = await ask.get("/api/v1/sources", health="great")

    assert found == {"healthy": ["ant"], "failing": ["bee"], "never_run": ["cow"], "blocked": []}
    assert (refused.status, refused.json["errors"][0]["field"]) == (422, "health")
