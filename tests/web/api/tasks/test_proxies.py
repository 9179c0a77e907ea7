"""/api/admin/proxies, and the proxies of domains."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import Store
from lamplighter.store.schema import tables
from lamplighter.web.view import ServiceView
from tests.web.asgi_client import Ask

PATH = "/api/admin/proxies"
DOMAINS = "/api/admin/domains"


async def _proxy(ask: Ask, **more: Any) -> int:
    reply = await ask.post(PATH, {"proxy_url": "proxy.example", "proxy_port": 8080} | more)
    assert reply.status == 201, reply.text
    proxy_id: int = reply.json["data"]["id"]
    return proxy_id


async def _domain(ask: Ask) -> int:
    reply = await ask.post(DOMAINS, {"base_url": "https://shop.example/"})
    domain_id: int = reply.json["data"]["id"]
    return domain_id


async def _set(store: Store, table: sa.Table, where: Any, **values: Any) -> None:
    await store.db.write(lambda db: db.execute(sa.update(table).where(where).values(**values)))


async def test_a_proxy_is_added_listed_changed_and_removed(ask: Ask) -> None:
    proxy_id = await _proxy(ask, country_code="de", provider="Exit Ltd", monthly_cost=12.5)
    await _proxy(ask, proxy_url="other.example", country_code="FR")

    listed = await ask.get(PATH, country_code="DE", is_active=True, provider="Exit Ltd")
    changed = await ask.patch(f"{PATH}/{proxy_id}", {"city": "Emden", "proxy_port": 9000})
    removed = await ask.delete(f"{PATH}/{proxy_id}")
    gone = await ask.get(f"{PATH}/{proxy_id}")

    assert [each["id"] for each in listed.json["data"]] == [proxy_id]
    assert listed.json["pagination"]["total"] == 1
    data = changed.json["data"]
    assert (data["proxy_port"], data["city"], data["country_code"], data["monthly_cost"]) == (9000, "Emden", "DE", 12.5)
    assert data["stats"] == {"success_rate": None, "total_requests": 0, "domains_using": 0}
    assert removed.json["data"] == {"proxy_id": proxy_id}
    assert (gone.status, gone.json["error"]["code"]) == (404, "PROXY_NOT_FOUND")


@pytest.mark.parametrize(
    "move",
    [
        pytest.param({"proxy_url": "mine.example"}, id="address"),
        pytest.param({"proxy_port": 8081}, id="port"),
        pytest.param({"proxy_url": "http://proxy.example:8080"}, id="protocol"),
    ],
)
async def test_credentials_do_not_move_with_a_proxy_to_another_server(ask: Ask, move: dict[str, Any]) -> None:
    proxy_id = await _proxy(ask, proxy_protocol="https", proxy_username="anna", proxy_password="hunter2")

    kept = await ask.patch(f"{PATH}/{proxy_id}", move)
    half = await ask.patch(f"{PATH}/{proxy_id}", move | {"proxy_username": "eve"})
    shown = await ask.get(f"{PATH}/{proxy_id}")
    anew = await ask.patch(f"{PATH}/{proxy_id}", move | {"proxy_username": "eve", "proxy_password": "x"})
    same = await ask.patch(f"{PATH}/{proxy_id}", move | {"city": "Emden"})

    assert (kept.status, half.status, anew.status, same.status) == (400, 400, 200, 200)
    assert "set the user name" in kept.text
    assert "set the password" in half.text
    server = ("proxy_protocol", "proxy_url", "proxy_port")
    assert [shown.json["data"][name] for name in server] == ["https", "proxy.example", 8080]


async def test_null_takes_back_what_a_proxy_need_not_have(ask: Ask) -> None:
    free = {"country_code": "DE", "city": "Emden", "provider": "Exit Ltd", "monthly_cost": 5, "proxy_username": "anna"}
    proxy_id = await _proxy(ask, proxy_password="hunter2", **free)

    changed = (await ask.patch(f"{PATH}/{proxy_id}", dict.fromkeys([*free, "proxy_password"]))).json["data"]
    needed = [await ask.patch(f"{PATH}/{proxy_id}", {name: None}) for name in ("proxy_url", "proxy_port")]

    assert {changed[name] for name in free} == {None}
    assert changed["has_password"] is False
    assert {reply.status for reply in needed} == {400}


async def test_a_password_is_kept_encrypted_and_shown_nowhere(ask: Ask, store: Store, view: ServiceView) -> None:
    by_field = await ask.post(
        PATH, {"proxy_url": "a.example", "proxy_port": 1, "proxy_username": "anna", "proxy_password": "hunter2"}
    )
    by_url = await ask.post(PATH, {"proxy_url": "socks5://anna:hunter2@b.example:1080"})
    await ask.patch(f"{PATH}/{by_url.json['data']['id']}", {"proxy_password": "hunter2x"})
    shown = await ask.get(f"{PATH}/{by_url.json['data']['id']}")
    listed = await ask.get(PATH)
    refused = await ask.post(PATH, {"proxy_url": "ftp://anna:hunter2@c.example"})
    too_long = await ask.post(PATH, {"proxy_url": "c.example", "proxy_password": "hunter2" * 200})

    for reply in (by_field, by_url, shown, listed, refused, too_long):
        assert "hunter2" not in reply.text
    assert (refused.status, too_long.status) == (400, 400)
    assert (shown.json["data"]["proxy_protocol"], shown.json["data"]["proxy_url"]) == ("socks5", "b.example")
    assert (shown.json["data"]["proxy_username"], shown.json["data"]["has_password"]) == ("a***", True)
    async with store.db.read() as db:
        sealed = list(await db.scalars(sa.select(tables.proxies.c.encrypted_password).order_by(tables.proxies.c.id)))
        lines = [dict(row._mapping) for row in await db.execute(sa.select(tables.audit_log))]
    assert [view.secrets.vault.decrypt(each) for each in sealed] == ["hunter2", "hunter2x"]
    assert all(b"hunter2" not in each for each in sealed)
    assert "hunter2" not in json.dumps(lines, default=str)
    assert "anna" not in json.dumps(lines, default=str)


async def test_the_same_exit_is_not_added_twice(ask: Ask) -> None:
    await _proxy(ask)

    twin = await ask.post(PATH, {"proxy_url": "http://Proxy.example:8080"})
    other_user = await ask.post(PATH, {"proxy_url": "http://bert@proxy.example:8080"})

    assert (twin.status, twin.json["error"]["code"]) == (409, "PROXY_EXISTS")
    assert other_user.status == 201


WHERE = {"proxy_url": "p.example", "proxy_port": 80}
IMPOSSIBLE: tuple[dict[str, Any], ...] = (
    {"proxy_url": "proxy.example"},
    {"proxy_port": 80},
    WHERE | {"proxy_port": 70000},
    WHERE | {"proxy_protocol": "ftp"},
    WHERE | {"country_code": "DEU"},
    WHERE | {"city": "a\x00"},
    WHERE | {"proxy_url": "p\x00.example"},
    WHERE | {"monthly_cost": -1},
)


async def test_what_cannot_be_a_proxy_is_refused(ask: Ask) -> None:
    for body in IMPOSSIBLE:
        assert (await ask.post(PATH, body)).status == 400, body
    assert (await ask.get(PATH)).json["pagination"]["total"] == 0


@pytest.mark.parametrize("name", ["proxy_username", "proxy_password"])
@pytest.mark.parametrize(
    "given", ["hunter2\ud800", "hunter2\x00", "hunter2\n"], ids=["half a sign", "NUL", "a line end"]
)
async def test_credentials_that_are_no_text_are_refused_without_repeating_them(ask: Ask, name: str, given: str) -> None:
    proxy_id = await _proxy(ask)
    about = {"proxy_username": "anna", "proxy_password": "secret"} | {name: given}

    added = await ask.post(PATH, {"proxy_url": "other.example", "proxy_port": 8080} | about)
    changed = await ask.patch(f"{PATH}/{proxy_id}", about)

    assert (added.status, changed.status) == (400, 400)
    assert [error["field"] for error in added.json["error"]["details"]["errors"]] == [name]
    assert "hunter2" not in added.text + changed.text


async def test_rates_come_from_totals_and_enabling_forgets_failures_in_a_row(ask: Ask, store: Store) -> None:
    proxy_id = await _proxy(ask)
    p = tables.proxies
    await _set(store, p, p.c.id == proxy_id, success_total=2, failure_total=1, failure_count=9, enabled=False)

    before = await ask.get(PATH)
    enabled = await ask.post(f"{PATH}/{proxy_id}/enable")
    disabled = await ask.post(f"{PATH}/{proxy_id}/disable")

    assert (before.json["data"][0]["success_rate"], before.json["data"][0]["failure_count"]) == (66.67, 9)
    assert enabled.json["data"] == {"proxy_id": proxy_id, "is_active": True, "failure_count": 0}
    assert disabled.json["data"]["is_active"] is False


async def test_proxies_are_assigned_to_a_domain_and_stand_by_themselves_with_it(ask: Ask, store: Store) -> None:
    domain_id, path = await _domain(ask), None
    first = await _proxy(ask, country_code="DE")
    second = await _proxy(ask, proxy_url="b.example", country_code="FR")
    path = f"{DOMAINS}/{domain_id}/proxies"
    assigned = await ask.post(path, {"proxy_ids": [first, second, first], "priority": 2})
    s = tables.proxy_standings
    await _set(store, s, s.c.proxy_id == first, success_total=9, failure_total=1, average_took_ms=100.0)
    await _set(store, s, s.c.proxy_id == second, success_total=0, failure_total=5, failure_count=5)

    listed = await ask.get(path)
    worst_first = await ask.get(path, sort_order="asc", per_page=1)
    figures = await ask.get(f"{path}/stats")
    off = await ask.post(f"{path}/{first}/disable")
    on = await ask.post(f"{path}/{second}/enable")
    removed = await ask.delete(f"{path}/{second}")
    unknown = await ask.delete(f"{path}/{second}")
    domain = await ask.get(f"{DOMAINS}/{domain_id}")

    assert assigned.status == 201
    assert assigned.json["data"] == {
        "domain_id": domain_id,
        "domain_name": "shop.example",
        "proxies_assigned": 2,
        "proxy_ids": [first, second],
        "total_proxies": 2,
    }
    rows = listed.json["data"]["proxies"]
    assert [(row["proxy_id"], row["success_rate_percent"], row["priority"]) for row in rows] == [
        (first, 90.0, 2),
        (second, 0.0, 2),
    ]
    assert [row["proxy_id"] for row in worst_first.json["data"]["proxies"]] == [second]
    assert worst_first.json["pagination"]["total_pages"] == 2
    assert figures.json["data"] == {
        "domain_id": domain_id,
        "domain_name": "shop.example",
        "total_proxies": 2,
        "active_proxies": 2,
        "failing_proxies": 1,
        "overall_success_rate": 60.0,
        "avg_response_time_ms": 100.0,
        "total_requests": 15,
        "total_success": 9,
        "total_failures": 6,
        "proxy_distribution": {"DE": 1, "FR": 1},
        "working_proxies": 2,
        "alerts": ["fewer than 3 working", "more than 10 % fail"],
        "next_proxy_ids": [first, second],
        "advice": {
            "requests_per_hour": 0.0,
            "asked_per_hour": 0.0,
            "planned_per_hour": 0.0,
            "requests_per_proxy": 20,
            "enough": 0,
            "ample": 0,
            "has": 2,
            "text": "no requests in the last day, and none planned",
        },
    }
    assert (off.json["data"]["is_active"], on.json["data"]["failure_count"]) == (False, 0)
    assert removed.json["data"]["remaining_proxies"] == 1
    assert (unknown.status, unknown.json["error"]["code"]) == (404, "PROXY_NOT_FOUND")
    assert domain.json["data"]["stats"]["active_proxies"] == 0


async def test_the_totals_of_a_domain_are_those_of_all_its_proxies_whichever_are_listed(ask: Ask) -> None:
    domain_id = await _domain(ask)
    ids = [await _proxy(ask, proxy_port=port) for port in (3128, 3129, 3130)]
    await ask.post(f"{DOMAINS}/{domain_id}/proxies", {"proxy_ids": ids})
    await ask.post(f"{DOMAINS}/{domain_id}/proxies/{ids[0]}/disable")
    await ask.post(f"{PATH}/{ids[1]}/disable")

    off = (await ask.get(f"{DOMAINS}/{domain_id}/proxies", is_active=False)).json
    on = (await ask.get(f"{DOMAINS}/{domain_id}/proxies", is_active=True)).json

    assert [each["proxy_id"] for each in off["data"]["proxies"]] == ids[:2]
    assert [each["proxy_id"] for each in on["data"]["proxies"]] == ids[2:]
    for listed in (off, on):
        assert (listed["data"]["total_proxies"], listed["data"]["active_proxies"]) == (3, 1)
        assert listed["pagination"]["total"] == len(listed["data"]["proxies"])


async def test_what_does_not_exist_cannot_be_assigned(ask: Ask) -> None:
    domain_id = await _domain(ask)
    proxy_id = await _proxy(ask)

    no_proxy = await ask.post(f"{DOMAINS}/{domain_id}/proxies", {"proxy_ids": [proxy_id, 999]})
    no_domain = await ask.post(f"{DOMAINS}/999/proxies", {"proxy_ids": [proxy_id]})
    no_priority = await ask.post(f"{DOMAINS}/{domain_id}/proxies", {"proxy_ids": [proxy_id], "priority": 11})

    assert (no_proxy.status, no_proxy.json["error"]["code"]) == (404, "PROXY_NOT_FOUND")
    assert (no_domain.status, no_domain.json["error"]["code"]) == (404, "DOMAIN_NOT_FOUND")
    assert (no_priority.status, no_priority.json["error"]["code"]) == (400, "INVALID_PRIORITY")
    assert (await ask.get(f"{DOMAINS}/{domain_id}/proxies")).json["data"]["total_proxies"] == 0


async def test_a_proxy_says_that_it_rests_and_why(ask: Ask, store: Store) -> None:
    proxy_id = await _proxy(ask)
    until = store.clock.now().replace(microsecond=0) + timedelta(hours=1)
    values = {"quarantined_until": until, "failure_count": 10, "last_error": "it refused to connect"}
    await _set(store, tables.proxies, tables.proxies.c.id == proxy_id, **values)

    resting = (await ask.get(f"{PATH}/{proxy_id}")).json["data"]
    await ask.post(f"{PATH}/{proxy_id}/enable")
    enabled = (await ask.get(PATH)).json["data"][0]

    assert (resting["health"], resting["last_error"]) == ("resting", "it refused to connect")
    assert datetime.fromisoformat(resting["resting_until"]) == until
    assert (enabled["health"], enabled["resting_until"]) == ("unused", None)


async def test_a_proxy_of_the_settings_is_changed_and_removed_there_alone(ask: Ask, store: Store) -> None:
    proxy_id = await _proxy(ask)
    await _set(store, tables.proxies, tables.proxies.c.id == proxy_id, in_default_pool=True)

    changed = await ask.patch(f"{PATH}/{proxy_id}", {"city": "Emden"})
    removed = await ask.delete(f"{PATH}/{proxy_id}")
    off = await ask.post(f"{PATH}/{proxy_id}/disable")

    assert (changed.status, removed.status, off.status) == (409, 409, 200)
    assert "LAMPLIGHTER_PROXY_URLS" in removed.json["error"]["message"]
