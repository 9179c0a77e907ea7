"""/api/admin/domains."""

from typing import Any

import sqlalchemy as sa

from lamplighter.app import Service, Store
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.hosts import hosts
from lamplighter.operations.sources import source_status
from lamplighter.store.schema import tables
from tests.origin import Origin
from tests.web.asgi_client import Ask

PATH = "/api/admin/domains"


async def _add(ask: Ask, **more: Any) -> Any:
    return await ask.post(PATH, {"base_url": "https://shop.example/", "parser_name": "product"} | more)


async def test_a_domain_is_added_shown_changed_and_listed(ask: Ask, store: Store) -> None:
    added = await _add(ask, domain_name="shop.example", crawl_delay_seconds=2.5, default_crawl_frequency="2 hours")
    domain_id = added.json["data"]["id"]
    changed = await ask.patch(f"{PATH}/{domain_id}", {"parser_name": "job", "max_concurrent_requests": 4})
    shown = await ask.get(f"{PATH}/{domain_id}")
    listed = await ask.get(PATH, is_active=True)

    assert added.status == 201
    assert set(added.json["data"]) == {"id", "domain_name", "base_url", "parser_name", "is_active", "created_at"}
    assert changed.json["data"] == shown.json["data"]
    data = shown.json["data"]
    assert (data["crawl_delay_seconds"], data["max_concurrent_requests"]) == (2.5, 4)
    assert (data["default_crawl_frequency"], data["parser_name"]) == ("2 hours", "job")
    assert data["robots_txt_url"] == "https://shop.example/robots.txt"
    assert data["stats"] == {"total_tasks": 0, "active_proxies": 0, "success_rate": None}
    assert [each["domain_name"] for each in listed.json["data"]] == ["shop.example"]
    assert listed.json["pagination"] == {"page": 1, "per_page": 20, "total": 1, "total_pages": 1}


async def test_a_domain_is_added_once_and_a_host_known_from_crawling_becomes_one(ask: Ask, store: Store) -> None:
    now = store.clock.now()
    await store.db.write(
        lambda db: hosts.set_policy(db, "shop.example", HostChange(max_pages=5), stamp=Stamp("t", now))
    )

    before = await ask.get(PATH)
    first = await _add(ask)
    again = await _add(ask, base_url="http://shop.example/other")

    assert before.json["data"] == []
    assert first.status == 201
    assert (again.status, again.json["error"]["code"]) == (409, "DOMAIN_EXISTS")


async def test_the_parser_of_a_domain_says_what_its_pages_hold(ask: Ask, store: Store) -> None:
    await _add(ask)

    async with store.db.read() as db:
        source = (await db.execute(sa.select(tables.sources))).one()
        host = (await db.execute(sa.select(tables.hosts))).one()
    assert (source.kind, source.is_implicit, source.id) == ("product", True, host.task_source_id)


#: what is said of a domain, and the code of the refusal
IMPOSSIBLE: tuple[tuple[dict[str, Any], str], ...] = (
    ({"base_url": "ftp://shop.example/"}, "INVALID_URL"),
    ({"domain_name": "other.example"}, "INVALID_REQUEST"),
    ({"user_agent": "ProductCrawler/1.0"}, "INVALID_USER_AGENT"),
    ({"default_crawl_frequency": "daily"}, "INVALID_INTERVAL"),
    ({"default_crawl_frequency": "1 second"}, "INVALID_INTERVAL"),
    ({"crawl_delay_seconds": -1}, "INVALID_REQUEST"),
    ({"max_concurrent_requests": 1000}, "INVALID_REQUEST"),
    ({"parser_name": "a\x00b"}, "INVALID_REQUEST"),
    ({"colour": "red"}, "INVALID_REQUEST"),
)


async def test_what_cannot_be_a_domain_is_refused_with_its_code(ask: Ask) -> None:
    for body, code in IMPOSSIBLE:
        reply = await _add(ask, **body)

        assert (reply.status, reply.json["error"]["code"]) == (400, code), body
    assert (await ask.get(PATH)).json["pagination"]["total"] == 0


async def test_null_leaves_to_the_installation_what_a_domain_need_not_say(ask: Ask) -> None:
    agent = "LamplighterBot/9 (+https://shop.example/)"
    own = {"crawl_delay_seconds": 9.5, "max_concurrent_requests": 3, "default_crawl_frequency": "2 hours"}
    plain = (await _add(ask, base_url="https://a.example/")).json["data"]["id"]
    domain = (await _add(ask, user_agent=agent, **own)).json["data"]["id"]

    freed = (await ask.patch(f"{PATH}/{domain}", dict.fromkeys([*own, "user_agent"]))).json["data"]
    usual = (await ask.get(f"{PATH}/{plain}")).json["data"]
    needed = [await ask.patch(f"{PATH}/{domain}", {name: None}) for name in ("base_url", "parser_name", "is_active")]

    assert {name: freed[name] for name in [*own, "user_agent"]} == {name: usual[name] for name in [*own, "user_agent"]}
    assert {reply.status for reply in needed} == {400}


async def test_a_domain_is_no_source_that_anybody_watches(ask: Ask, store: Store) -> None:
    await _add(ask)

    async with store.db.read() as db:
        assert await source_status.watched(db, now=store.clock.now()) == []
    assert (await ask.get("/api/v1/sources")).json["total"] == 0


async def test_an_unknown_domain_is_not_found(ask: Ask) -> None:
    replies = [
        await ask.get(f"{PATH}/999"),
        *[await ask.post(f"{PATH}/999/{verb}") for verb in ("enable", "disable", "refresh-robots")],
    ]

    assert {(reply.status, reply.json["error"]["code"]) for reply in replies} == {(404, "DOMAIN_NOT_FOUND")}


async def test_a_domain_is_switched_off_and_on_and_its_robots_txt_read_anew(
    ask: Ask, service: Service, origin: Origin
) -> None:
    origin.robots("User-agent: *\nCrawl-delay: 7\n")
    domain_id = (await _add(ask, base_url=origin.url, crawl_delay_seconds=0.1)).json["data"]["id"]

    off = await ask.post(f"{PATH}/{domain_id}/disable")
    refused = await ask.post(f"{PATH}/{domain_id}/refresh-robots")
    asked_while_off = len(origin.log)
    on = await ask.post(f"{PATH}/{domain_id}/enable")
    refreshed = await ask.post(f"{PATH}/{domain_id}/refresh-robots")

    assert off.json["data"] == {"domain_id": domain_id, "is_active": False}
    assert (refused.status, refused.json["error"]["code"], asked_while_off) == (409, "HOST_DISABLED", 0)
    assert on.json["data"]["is_active"] is True
    assert refreshed.json["data"]["crawl_delay_found"] == 7
    assert refreshed.json["data"]["updated_settings"] == {"crawl_delay_seconds": 7}
    shown = (await ask.get(f"{PATH}/{domain_id}")).json["data"]
    assert shown["robots_txt_content"] == "User-agent: *\nCrawl-delay: 7\n"
    assert shown["robots_txt_last_fetched"] is not None
    assert shown["crawl_delay_seconds"] == 7


async def test_an_unknown_parser_is_refused_with_those_there_are(ask: Ask) -> None:
    added = await _add(ask, parser_name="amazon_parser")
    domain_id = (await _add(ask)).json["data"]["id"]
    changed = await ask.patch(f"{PATH}/{domain_id}", {"parser_name": "amazon_parser"})

    for reply in (added, changed):
        assert reply.status == 400
        message = reply.json["error"]["message"]
        assert "'amazon_parser' is unknown; use one of auto, job, article, product, other" in message


async def test_a_domain_keeps_its_name_beside_its_base_url(ask: Ask) -> None:
    added = await _add(ask, domain_name="amazon.example", base_url="https://www.amazon.example")
    shown = await ask.get(f"{PATH}/{added.json['data']['id']}")
    task = await ask.post(
        "/api/admin/tasks", {"domain_id": added.json["data"]["id"], "url": "https://www.amazon.example/1"}
    )
    listed = await ask.get("/api/admin/tasks")

    for reply in (added, shown):
        data = reply.json["data"]
        assert (data["domain_name"], data["base_url"]) == ("amazon.example", "https://www.amazon.example/")
    assert task.status == 201
    assert listed.json["data"][0]["domain_name"] == "amazon.example"


async def test_a_domain_has_maintenance_windows_until_they_are_removed(ask: Ask, store: Store) -> None:
    words = "deny sun 02:00-04:00 Europe/Paris"
    domain_id = (await _add(ask, maintenance_windows=words.removeprefix("deny "))).json["data"]["id"]
    shown = await ask.get(f"{PATH}/{domain_id}")
    removed = await ask.patch(f"{PATH}/{domain_id}", {"maintenance_windows": None})
    wrong = await ask.patch(f"{PATH}/{domain_id}", {"maintenance_windows": "at full moon"})

    assert shown.json["data"]["maintenance_windows"] == words
    assert removed.json["data"]["maintenance_windows"] is None
    assert wrong.status == 400
