"""Values that are meant to be more than values, ids that lead where they should not, and requests that race."""

import asyncio
import csv
import io
from typing import Any
from xml.etree import ElementTree

import pytest
import sqlalchemy as sa

from lamplighter.app import Service, Store
from lamplighter.store.schema import tables
from tests.origin import Origin
from tests.web.api.given_sources import on_sqlite, watched
from tests.web.api.given_tasks import TASKS, a_domain, a_task, count_of
from tests.web.asgi_client import Ask, Reply

SQL = [
    "'",
    '"',
    "' OR 1=1 --",
    "a'; DROP TABLE sources; --",
    "%",
    "_",
    "\\",
    "NEAR(",
    '"half',
    "a OR OR b",
    "title:x",
    "*",
]
LISTS = {
    "/api/v1/sources": ("search", "host", "tag"),
    "/api/v1/jobs": ("search",),
    "/api/v1/frontier": ("search", "host"),
    "/api/v1/records": ("q", "tag", "organisation"),
    "/api/v1/audit": ("actor", "action", "subject"),
    "/admin/sources": ("search",),
    "/api/admin/domains": ("search",),
    "/api/products/search": ("q",),
}
SORTED = ("/api/v1/sources", "/api/v1/jobs", "/api/v1/records", "/admin/sources")


def _total(reply: Reply) -> Any:
    return reply.json["total"] if "total" in reply.json else reply.json["pagination"]["total"]


async def test_what_looks_like_sql_or_search_syntax_is_looked_for_as_text(ask: Ask, service: Service) -> None:
    await watched(service, ask, "harbour")

    for path, names in LISTS.items():
        for name in names:
            for value in SQL:
                reply = await ask.get(path, **{name: value})

                assert reply.status in (200, 400, 422), (path, name, value, reply.text[:300])
                assert reply.status != 200 or _total(reply) == 0, (path, name, value, reply.text[:300])
    assert await count_of(Store(db=service.db, clock=service.clock), tables.sources) == 1


async def test_lists_are_sorted_by_known_columns_only(ask: Ask) -> None:
    for path in SORTED:
        for value in ("id; DROP TABLE sources", "(SELECT 1)", "name DESC", "password_hash", "__class__", ""):
            assert (await ask.get(path, sort=value)).status == 422, (path, value)
            assert (await ask.get(path, order=value)).status == 422, (path, value)
    assert (await ask.get(TASKS, sort_by="id desc")).status == 400


#: what a spreadsheet, a feed reader or a browser might take for its own
NAMES = ["=cmd|'/C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "<b>&\"'</b>", "]]>", "<!ENTITY x>", "'quoted", '"', "a;b"]


async def test_a_name_comes_back_from_every_file_as_it_was_and_starts_no_formula(ask: Ask) -> None:
    for number, name in enumerate(NAMES):
        made = await ask.post("/api/v1/sources", {"name": name, "url": f"https://a.example/{number}"})
        assert made.json["name"] == name

    table = (await ask.get("/api/v1/sources/export", format="csv")).text
    outlines = (await ask.get("/api/v1/sources/export", format="opml")).text
    cells = [row["name"] for row in csv.DictReader(io.StringIO(table, newline=""))]

    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []
    assert [cell.removeprefix("'") for cell in cells] == [name.removeprefix("'") for name in NAMES]
    assert [each.get("text") for each in ElementTree.fromstring(outlines).iter("outline")] == NAMES


ENDS_OF_LINES = ["a\r\nSet-Cookie: x=1", "a\nb", "a\x00b", "a\u2028b", "a\u0085b", "a\ud800b"]


async def test_no_end_of_line_and_no_half_character_gets_into_a_name(ask: Ask, store: Store, service: Service) -> None:
    source = await watched(service, ask, "harbour")
    domain_id = await a_domain(store)
    places: list[tuple[str, str, dict[str, Any], str]] = [
        ("POST", "/api/v1/sources", {"url": "https://a.example/"}, "name"),
        ("POST", "/api/v1/sources", {"name": "a"}, "url"),
        ("PATCH", f"/api/v1/sources/{source.source_id}", {}, "name"),
        ("POST", f"/api/v1/sources/{source.source_id}/disable", {}, "toggled_by"),
        ("POST", "/admin/sources", {"careers_url": "https://a.example/"}, "org_name"),
        ("POST", "/api/v1/takedowns", {}, "domain_or_url"),
        ("POST", "/api/v1/frontier/submit", {}, "url"),
        ("POST", "/api/v1/tokens", {"role": "viewer"}, "name"),
        ("POST", "/api/v1/users", {"role": "viewer", "password": "a long enough password"}, "name"),
        ("PUT", "/api/v1/secrets/key", {}, "value"),
        ("POST", TASKS, {"domain_id": domain_id}, "url"),
        ("POST", "/api/admin/domains", {"base_url": "https://b.example"}, "domain_name"),
        ("PATCH", f"/api/admin/domains/{domain_id}", {}, "user_agent"),
    ]

    for method, path, body, name in places:
        for value in ENDS_OF_LINES:
            reply = await ask(path, method=method, json=body | {name: value})

            assert reply.status in (400, 422), (path, name, value, reply.text[:300])
            assert "set-cookie" not in reply.headers


@on_sqlite
@pytest.mark.parametrize(
    "document",
    [
        '<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/hostname">]><opml><outline text="&x;" url="{url}"/></opml>',
        "<opml>" + "<outline>" * 100_000,
        "<!DOCTYPE opml ["
        + "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
        + '<!ENTITY e0 "ha">]><opml><outline text="&e9;" url="{url}"/></opml>',
    ],
    ids=["a file of ours", "no bottom", "a billion laughs"],
)
async def test_a_list_of_feeds_makes_us_read_nothing_but_itself(ask: Ask, origin: Origin, document: str) -> None:
    body = document.replace("{url}", f"{origin.url}/declarations").encode()

    reply = await ask("/api/v1/sources/import", method="POST", body=body, content_type="text/x-opml")

    assert (reply.status, reply.json["code"]) == (422, "invalid_input")
    assert list(origin.log) == []


@on_sqlite
async def test_declarations_elsewhere_are_not_fetched(ask: Ask, origin: Origin) -> None:
    where = f"{origin.url}/declarations"
    body = f'<!DOCTYPE opml SYSTEM "{where}" [<!ENTITY % d SYSTEM "{where}">%d;]><opml><outline url="{where}"/></opml>'

    reply = await ask("/api/v1/sources/import", method="POST", body=body.encode(), content_type="text/x-opml")

    assert (reply.status, reply.json["created"]) == (200, 1)
    assert list(origin.log) == []


async def test_what_holds_submitted_pages_cannot_be_reached_as_a_source(ask: Ask, store: Store) -> None:
    await a_task(ask, await a_domain(store))
    async with store.db.read() as db:
        hidden = (await db.execute(sa.select(tables.sources.c.public_id))).scalar_one()

    for family in ("/api/v1/sources", "/admin/sources"):
        for method, verb in [
            ("GET", ""),
            ("PATCH", ""),
            ("POST", "/disable"),
            ("POST", "/test"),
            ("DELETE", ""),
            ("DELETE", "/permanent"),
        ]:
            reply = await ask(f"{family}/{hidden}{verb}", method=method, json={} if method != "GET" else None)
            assert (reply.status, reply.json["code"]) == (404, "source_not_found"), (method, family, verb)
    many = (await ask.post("/api/v1/sources/bulk", {"action": "delete", "ids": [hidden]})).json

    assert (many["changed"], many["errors"][0]["code"]) == (0, "source_not_found")
    assert (await ask.get(f"{TASKS}/1")).status == 200


async def test_a_deleted_source_is_neither_asked_nor_run(ask: Ask, service: Service, origin: Origin) -> None:
    made = (await ask.post("/api/v1/sources", {"url": f"{origin.url}/"})).json["id"]
    job = (await ask.get(f"/api/v1/jobs/by-source/{made}")).json["job"]["id"]
    await ask.delete(f"/api/v1/sources/{made}")

    replies = [
        await ask.post(path)
        for path in (
            f"/api/v1/sources/{made}/test",
            f"/api/v1/sources/{made}/simulate-extract",
            f"/admin/sources/{made}/test",
            f"/api/v1/sources/{made}/enable",
            f"/api/v1/jobs/{job}/force-run",
        )
    ]

    assert {(reply.status, reply.json["code"]) for reply in replies} == {(409, "source_deleted")}
    assert list(origin.log) == []


async def test_of_requests_that_race_for_the_same_thing_one_wins(ask: Ask, store: Store, service: Service) -> None:
    domain_id = await a_domain(store)
    source = await watched(service, ask, "harbour")
    races: list[tuple[str, dict[str, Any] | None, int]] = [
        ("/api/v1/sources", {"url": "https://raced.example/"}, 201),
        (TASKS, {"domain_id": domain_id, "url": "https://shop.example/raced"}, 201),
        ("/api/admin/domains", {"domain_name": "raced.example", "base_url": "https://raced.example"}, 201),
        (f"{source.path}/force-run", None, 200),
    ]

    for path, body, won in races:
        replies = await asyncio.gather(*(ask.post(path, body) for _ in range(4)))

        assert sorted(reply.status for reply in replies) == [won, 409, 409, 409], (path, [r.text for r in replies])


async def test_a_source_that_is_deleted_while_it_is_forced_to_run_ends_deleted(ask: Ask, service: Service) -> None:
    source = await watched(service, ask, "harbour")

    replies = await asyncio.gather(
        ask.post(f"{source.path}/force-run"),
        ask.delete(f"/api/v1/sources/{source.source_id}"),
        ask.post(f"{source.path}/force-run"),
    )

    assert replies[1].status == 200
    assert {reply.status for reply in replies} <= {200, 409}
    async with service.db.read() as db:
        open_runs = await db.execute(sa.select(tables.crawl_runs.c.id).where(tables.crawl_runs.c.finished_at.is_(None)))
        assert open_runs.all() == []
