"""Proxies tried by programs; what a trial brings is made up here, tests/proxies asks through real ones."""

from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi import FastAPI

from lamplighter.model.visit import NO_VALIDATORS, Failed, Fault, Fetched, Visit
from lamplighter.operations.proxies.proxy_trials import ProxyTrials
from lamplighter.web.server import make_app
from lamplighter.web.view import ServiceView
from tests.moments import NOON
from tests.web.asgi_client import Ask

TOOK = timedelta(milliseconds=340)
MATRIX = "/api/v1/proxy-trials"


@pytest.fixture
def asked() -> list[tuple[int, str]]:
    """What was asked for, through which proxy."""
    return []


@pytest.fixture
def web(view: ServiceView, asked: list[tuple[int, str]]) -> FastAPI:
    """The application, whose even proxies are out of order."""

    async def trial(proxy_id: int, url: str) -> Visit:
        asked.append((proxy_id, url))
        if proxy_id % 2 == 0:
            return Failed(url=url, fault=Fault.CONNECT, detail="the proxy refused", at=NOON, took=TOOK)
        return Fetched(url=url, status=200, body=b"", content_type=None, validators=NO_VALIDATORS, at=NOON, took=TOOK)

    trials = ProxyTrials(view.db, trial=trial, clock=view.clock)
    return make_app(replace(view, sites=replace(view.sites, proxy_trials=trials)))


@pytest.fixture
async def exits(ask: Ask) -> list[int]:
    """Two proxies, the second of which is out of order."""
    replies = [await ask.post("/api/admin/proxies", {"proxy_url": f"http://{name}.example:80"}) for name in "ab"]
    return [reply.json["data"]["id"] for reply in replies]


async def test_each_proxy_is_tried_with_each_host(ask: Ask, exits: list[int], asked: list[tuple[int, str]]) -> None:
    reply = await ask.post(MATRIX, {"proxy_ids": exits, "hosts": ["a.test", "b.test"]})

    assert reply.status == 200, reply.text
    assert (reply.json["total"], reply.json["ok"]) == (4, 2)
    bad = next(each for each in reply.json["trials"] if not each["ok"])
    assert (bad["proxy_id"], bad["status_code"], bad["detail"]) == (exits[1], None, "the proxy refused")
    assert sorted(asked) == [(each, f"https://{name}.test/") for each in exits for name in "ab"]


async def test_one_proxy_is_tried_with_a_domain_or_a_page(
    ask: Ask, exits: list[int], asked: list[tuple[int, str]]
) -> None:
    domain = await ask.post("/api/admin/domains", {"base_url": "https://shop.example/all"})
    path = f"/api/admin/proxies/{exits[0]}/test"

    by_domain = await ask.post(path, {"domain_id": domain.json["data"]["id"]})
    by_url = await ask.post(path, {"url": "https://shop.example/one?x=1"})

    assert (by_domain.status, by_url.status) == (200, 200), by_domain.text
    assert [each[1] for each in asked] == ["https://shop.example/all", "https://shop.example/one?x=1"]
    assert by_url.json["data"]["domain_id"] == domain.json["data"]["id"]
    assert (by_url.json["data"]["ok"], by_url.json["data"]["response_time_ms"]) == (True, 340.0)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param(MATRIX, {"proxy_ids": [1], "hosts": []}, 422, id="no host"),
        pytest.param(MATRIX, {"proxy_ids": [77], "hosts": ["a.test"]}, 404, id="a proxy that is none"),
        pytest.param(MATRIX, {"proxy_ids": [1], "hosts": ["a b"]}, 422, id="a host that is none"),
        pytest.param(MATRIX, {"proxy_ids": [1, 2], "hosts": [f"h{n}.test" for n in range(26)]}, 422, id="too many"),
        pytest.param("/api/admin/proxies/1/test", {}, 400, id="neither url nor domain"),
        pytest.param("/api/admin/proxies/1/test", {"url": "https://a.test/", "domain_id": 1}, 400, id="both"),
        pytest.param("/api/admin/proxies/1/test", {"domain_id": 77}, 404, id="a domain that is none"),
        pytest.param("/api/admin/proxies/77/test", {"url": "https://a.test/"}, 404, id="of a proxy that is none"),
        pytest.param("/api/admin/proxies/1/test", {"url": "gopher://a.test/"}, 400, id="no web address"),
    ],
)
async def test_what_cannot_be_tried_is_refused_and_nothing_is_asked(
    ask: Ask, exits: list[int], asked: list[tuple[int, str]], path: str, body: dict[str, object], status: int
) -> None:
    reply = await ask.post(path, body)

    assert reply.status == status, reply.text
    assert asked == []
