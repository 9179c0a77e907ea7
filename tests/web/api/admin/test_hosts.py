"""/admin/domain_policies and /admin/robots."""

import asyncio
from datetime import timedelta
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from lamplighter.app import Service, Store
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.hosts import hosts
from lamplighter.store.schema import tables
from tests.origin import Origin
from tests.service.in_process import watch
from tests.service.sites import job_board
from tests.service.waiting import asked_for, holds_with_delay, until
from tests.web.asgi_client import Ask

QUICKLY = {"min_delay_ms": 30, "max_pages": 200}


async def test_a_host_that_nobody_has_met_would_get_the_installations_policy(ask: Ask) -> None:
    reply = await ask.get("/admin/domain_policies/Example.ORG")

    assert reply.status == 200
    assert (reply.json["host"], reply.json["max_concurrency"], reply.json["max_pages"]) == ("example.org", 1, 10)
    assert (reply.json["own"], reply.json["last_seen_status"], reply.json["updated_at"]) == ([], None, None)


async def test_a_part_of_a_policy_is_changed_and_the_whole_is_answered(ask: Ask, store: Store) -> None:
    await ask.post("/admin/domain_policies/example.org", {"min_request_interval_ms": 5000, "allow_js": True})
    reply = await ask.post("/admin/domain_policies/example.org", {"max_pages": 7, "allow_js": None})
    listed = await ask.get("/admin/domain_policies", search="EXAMPLE", limit=1)

    assert reply.status == 200
    assert reply.json["own"] == ["min_request_interval_ms", "max_pages"]
    assert (reply.json["min_request_interval_ms"], reply.json["allow_js"]) == (5000, False)
    assert (listed.json["total"], listed.json["policies"]) == (1, [reply.json])
    async with store.db.read() as db:
        lines = (await db.execute(sa.select(tables.audit_log).order_by(tables.audit_log.c.id))).all()
    assert [line.action for line in lines] == ["host.policy", "host.policy"]
    assert (lines[1].before, lines[1].after) == (
        {"max_pages": None, "allow_js": True},
        {"max_pages": 7, "allow_js": None},
    )


async def test_by_which_exits_a_host_is_asked_is_part_of_its_policy(ask: Ask) -> None:
    first = await ask.get("/admin/domain_policies/example.org")
    await ask.post("/admin/domain_policies/example.org", {"proxy_mode": "prefer", "proxy_country": "de"})
    reply = await ask.post("/admin/domain_policies/example.org", {"proxy_mode": None, "max_pages": 7})

    assert (first.json["proxy_mode"], first.json["proxy_country"]) == ("only", None)
    assert (reply.json["proxy_mode"], reply.json["proxy_country"], reply.json["max_pages"]) == ("only", "DE", 7)
    assert reply.json["own"] == ["max_pages", "proxy_country"]


#: where, what is said there, and which field is named
IMPOSSIBLE: tuple[tuple[str, dict[str, Any], str | None], ...] = (
    ("example.org", {"max_concurrency": 0}, "max_concurrency"),
    ("example.org", {"min_request_interval_ms": -1}, "min_request_interval_ms"),
    ("example.org", {"max_pages": 2**70}, "max_pages"),
    ("example.org", {"max_pages": 1.5}, "max_pages"),
    ("example.org", {"delay": 3}, "delay"),
    ("example.org", {"proxy_mode": "sometimes"}, "proxy_mode"),
    ("example.org", {"proxy_country": "Germany"}, "proxy_country"),
    ("not a host", {"max_pages": 3}, None),
    ("example.org%00", {"max_pages": 3}, None),
)


async def test_what_cannot_be_a_policy_is_refused_by_name(ask: Ask, store: Store) -> None:
    for path, body, field in IMPOSSIBLE:
        reply = await ask.post(f"/admin/domain_policies/{path}", body)

        assert reply.status == 422, body
        assert field is None or reply.json["errors"][0]["field"] == field
    async with store.db.read() as db:
        assert (await db.execute(sa.select(tables.hosts))).all() == []


async def test_an_edited_policy_is_kept_to_by_a_run_that_goes_on(ask: Ask, service: Service, origin: Origin) -> None:
    job_board(origin, postings=100, per_page=100)
    now = service.clock.now()
    await service.db.write(
        lambda db: hosts.set_policy(db, origin.address, HostChange(**QUICKLY), stamp=Stamp("t", now))
    )
    rounds = asyncio.create_task(service.run())
    await watch(service, origin.url + "/jobs")
    await until(lambda: asked_for(origin, pages=3))

    await ask.post(f"/admin/domain_policies/{origin.address}", {"min_request_interval_ms": 600})
    await until(lambda: holds_with_delay(service, timedelta(milliseconds=600)))
    heard = len(origin.log)
    await until(lambda: asked_for(origin, pages=heard + 4))
    service.stopping.set()
    await rounds

    # The first of them may have had its turn by then.
    later = origin.log[heard + 1 :]
    assert min(after.arrived - before.arrived for before, after in pairwise(later)) >= 0.6


async def test_robots_txt_is_shown_as_last_seen_and_asked_for_again_on_demand(
    ask: Ask, origin: Origin, database_kind: str
) -> None:
    origin.robots("User-agent: *\nDisallow: /private\nCrawl-delay: 0.2\n")
    path = f"/admin/robots/{origin.address}"

    unknown = await ask.get(path)
    first = await ask.post(f"{path}/refresh?scheme=http")
    second = await ask.post(f"{path}/refresh")
    shown = await ask.get(path)

    assert (unknown.status, unknown.json["code"]) == (404, "robots_not_found")
    assert "/refresh" in unknown.json["detail"]
    assert (first.status, second.status) == (200, 200)
    assert shown.json == second.json
    assert (shown.json["disallow"], shown.json["crawl_delay_ms"]) == (["/private"], 200)
    assert (shown.json["state"], shown.json["status"]) == ("rules", 200)
    assert [hit.path for hit in origin.log] == ["/robots.txt"] * 2
    assert origin.gaps()[0] >= 0.2


async def test_a_disabled_host_is_not_asked_for_its_robots_txt(ask: Ask, service: Service, origin: Origin) -> None:
    now = service.clock.now()
    await service.db.write(lambda db: hosts.disable(db, origin.address, stamp=Stamp("t", now)))

    reply = await ask.post(f"/admin/robots/{origin.address}/refresh?scheme=http")

    assert (reply.status, reply.json["code"]) == (409, "host_disabled")
    assert origin.log == []
