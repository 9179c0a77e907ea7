"""Testing proxies in the dashboard; what a trial brings is made up here."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi import FastAPI

from lamplighter.model.visit import NO_VALIDATORS, Failed, Fault, Fetched, Visit
from lamplighter.operations.proxies.proxy_trial_matrix import TrialMatrixRuns
from lamplighter.operations.proxies.proxy_trials import ProxyTrials
from lamplighter.web.server import make_app
from lamplighter.web.view import ServiceView
from tests.moments import NOON
from tests.web.asgi_client import Ask
from tests.web.forms import send_form

PATH = "/proxies/trials"
TOOK = timedelta(milliseconds=340)


@pytest.fixture
def rounds(view: ServiceView) -> TrialMatrixRuns:
    """Trials of which those through the second proxy fail."""

    async def trial(proxy_id: int, url: str) -> Visit:
        if proxy_id == 2:
            return Failed(url=url, fault=Fault.CONNECT, detail="the proxy refused", at=NOON, took=TOOK)
        return Fetched(url=url, status=200, body=b"", content_type=None, validators=NO_VALIDATORS, at=NOON, took=TOOK)

    return TrialMatrixRuns(ProxyTrials(view.db, trial=trial, clock=view.clock), clock=view.clock)


@pytest.fixture
def web(view: ServiceView, rounds: TrialMatrixRuns) -> FastAPI:
    """The application."""
    return make_app(replace(view, sites=replace(view.sites, proxy_rounds=rounds)))


async def _two(ask: Ask) -> None:
    for name in "ab":
        await send_form(ask, "/proxies", proxy_url=f"http://{name}.example:80")


async def test_a_matrix_fills_as_it_is_tried_and_is_kept(ask: Ask, rounds: TrialMatrixRuns) -> None:
    await _two(ask)

    started = await send_form(ask, PATH, proxy_ids=["1", "2"], more_hosts="shop.example, other.example")
    waiting = (await ask(PATH, hx_request="true", hx_target="trials")).text
    await rounds.work()
    done = (await ask(PATH)).text
    rounds.current = None
    later = (await ask(PATH)).text

    assert (started.status, started.headers["location"]) == (303, PATH)
    assert waiting.count(">waiting<") == 4
    assert 'hx-trigger="every 1s"' in waiting
    assert "<html" not in waiting
    assert "4 of 4 trials" in done
    assert "every 1s" not in done
    for text in (done, later):
        assert (text.count(">ok</span>"), text.count(">failed</span>"), text.count("the proxy refused")) == (2, 2, 2)
        assert "340 ms" in text


async def test_a_matrix_is_stopped(ask: Ask, rounds: TrialMatrixRuns) -> None:
    await _two(ask)
    await send_form(ask, PATH, proxy_ids=["1"], more_hosts="shop.example")

    await send_form(ask, PATH + "/stop")
    await rounds.work()

    assert "0 of 1 trials" in (await ask(PATH)).text


async def test_a_second_matrix_waits_for_the_first(ask: Ask) -> None:
    await _two(ask)
    await send_form(ask, PATH, proxy_ids=["1"], more_hosts="shop.example")

    second = await send_form(ask, PATH, proxy_ids=["2"], more_hosts="shop.example")

    assert second.status == 422
    assert "already running" in second.text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        pytest.param({"more_hosts": "shop.example"}, "name at least one proxy", id="no proxy"),
        pytest.param({"proxy_ids": ["1"]}, "name at least one host", id="no host"),
        pytest.param({"proxy_ids": ["x"], "more_hosts": "shop.example"}, "not ids of proxies", id="no number"),
        pytest.param({"proxy_ids": ["77"], "more_hosts": "shop.example"}, "there is no proxy 77", id="no such proxy"),
        pytest.param({"proxy_ids": ["1"], "more_hosts": "a/b"}, "more than the name of a host", id="no host's name"),
    ],
)
async def test_what_cannot_be_tried_is_told_and_what_was_chosen_is_kept(
    ask: Ask, rounds: TrialMatrixRuns, fields: dict[str, object], said: str
) -> None:
    await _two(ask)

    reply = await send_form(ask, PATH, **fields)

    assert reply.status == 422
    assert said in reply.text
    assert f'value="{fields.get("more_hosts", "")}"' in reply.text
    assert rounds.current is None


async def test_the_service_tries_what_was_asked_for_in_the_background(ask: Ask, rounds: TrialMatrixRuns) -> None:
    await _two(ask)

    async def hear() -> None:
        await rounds.bell.wait(60)
        await rounds.work()

    background = asyncio.create_task(hear())
    await send_form(ask, PATH, proxy_ids=["1"], more_hosts="shop.example")
    await background

    assert "1 of 1 trials" in (await ask(PATH)).text


async def test_without_a_proxy_there_is_nothing_to_test(ask: Ask) -> None:
    assert "There is no proxy to test." in (await ask(PATH)).text
