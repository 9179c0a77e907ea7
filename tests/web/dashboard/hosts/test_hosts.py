"""Hosts: how gently each is asked and why, and what an operator says about it."""

import dataclasses
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from lamplighter.app import Store
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange, RobotsFile, RobotsState
from lamplighter.operations.hosts import host_edit, hosts
from lamplighter.operations.hosts.host_edit import HostInput
from lamplighter.store.hosts import host_lists, robots_files
from lamplighter.store.hosts import hosts as stored
from lamplighter.web.view import ServiceView
from tests.store.given_rows import write
from tests.web.asgi_client import Ask, Reply
from tests.web.forms import FORM
from tests.web.given_problems import a_troubled_source

HOST = "quay.example"
EVIL = "<script>alert(1)</script>"


async def post(ask: Ask, path: str, *, target: str = "", **fields: object) -> Reply:
    """Sends a form, as a browser does; with `target`, as a script of ours does."""
    headers = FORM | ({"hx_request": "true", "hx_target": target} if target else {"accept": "text/html"})
    return await ask(path, method="POST", body=urlencode(_named(fields)).encode(), **headers)


def _named(fields: dict[str, object]) -> dict[str, object]:
    """What is typed of the policy has names that begin with host_."""
    policy = {field.name for field in dataclasses.fields(HostInput)}
    return {f"host_{name}" if name in policy else name: value for name, value in fields.items()}


async def met(store: Store, view: ServiceView, **learnt: Any) -> None:
    """A host that we have asked before."""

    async def step(db: Any) -> None:
        await stored.ensure(db, [HOST], now=store.clock.now())
        host = await stored.get(db, HOST, defaults=view.source_defaults.host)
        assert host is not None
        await stored.save_learnt(db, [replace(host, **learnt)], now=store.clock.now())

    await store.db.write(step)


async def says(store: Store, text: str, state: RobotsState = RobotsState.RULES) -> None:
    """Its robots.txt, as last seen."""
    now = store.clock.now()
    file = RobotsFile(
        origin=f"https://{HOST}",
        state=state,
        body=text.encode(),
        fetched_at=now,
        expires_at=now + timedelta(hours=12),
    )
    await write(store.db, robots_files.save, file)


async def input_of(store: Store) -> HostInput:
    async with store.db.read() as db:
        return await host_edit.input_of(db, HOST)


async def test_an_empty_list_says_when_hosts_appear(ask: Ask) -> None:
    assert "No host is known yet." in (await ask("/hosts")).text


async def test_the_list_tells_the_delay_and_who_asks_for_it(ask: Ask, store: Store, view: ServiceView) -> None:
    await met(store, view, learnt_delay=timedelta(seconds=8))

    text = (await ask("/hosts")).text

    assert '<td class="number" data-label="delay">8 s</td>' in text
    assert "learned: the host asked us to slow down" in text


async def test_a_host_that_is_left_alone_says_until_when_and_why(ask: Ask, store: Store, view: ServiceView) -> None:
    until = store.clock.now() + timedelta(hours=2)
    await met(store, view, blocked_until=until, block_reason=f"6 failures in a row: {EVIL}", failure_count=6)

    text = (await ask("/hosts?state=blocked")).text

    assert "backing off" in text
    assert "6 failures in a row: &lt;script&gt;" in text
    assert EVIL not in text


@pytest.mark.parametrize(
    ("query", "is_shown"),
    [
        pytest.param("search=QUAY", True, id="a part of its name"),
        pytest.param("search=%25", False, id="a sign that databases know"),
        pytest.param("state=blocked", False, id="not blocked"),
        pytest.param("state=slowed", True, id="slowed"),
        pytest.param("state=failing", False, id="not failing"),
        pytest.param("state=disabled", False, id="not disabled"),
        pytest.param("state=own", False, id="without a policy of its own"),
        pytest.param("state=whatever&sort=whatever", True, id="what there is not"),
    ],
)
async def test_the_list_is_narrowed_down(ask: Ask, store: Store, view: ServiceView, query: str, is_shown: bool) -> None:
    await met(store, view, learnt_delay=timedelta(seconds=1))

    reply = await ask(f"/hosts?{query}")

    assert reply.status == 200
    assert (f'href="/hosts/{HOST}"' in reply.text) is is_shown


async def test_a_host_shows_what_holds_and_by_whom(ask: Ask, store: Store, view: ServiceView) -> None:
    await met(store, view)
    await write(store.db, hosts.set_policy, HOST, HostChange(max_pages=7), stamp=Stamp("test", store.clock.now()))
    await says(store, f"User-agent: *\nDisallow: /staff\n# {EVIL}")

    text = (await ask(f"/hosts/{HOST}")).text

    assert "<td>7</td><td>set by an operator</td>" in text
    assert "1 path disallowed" in text
    assert "Disallow: /staff" in text
    assert EVIL not in text


async def test_a_host_that_we_have_not_met_shows_what_would_hold(ask: Ask) -> None:
    reply = await ask("/hosts/new.example")

    assert reply.status == 200
    assert "We have sent no request to this host yet." in reply.text


async def test_what_is_no_host_is_refused(ask: Ask) -> None:
    assert (await ask("/hosts/a b")).status == 422


async def test_a_form_makes_the_policy_what_it_says(ask: Ask, store: Store) -> None:
    fields = {"min_delay_ms": "2500", "max_pages": "", "allow_js": "yes", "windows": "deny 02:00-04:00 UTC"}

    reply = await post(ask, f"/hosts/{HOST}/policy", **fields, budget_per_hour="2.5")

    submitted = await input_of(store)
    assert (reply.status, reply.headers["location"]) == (303, f"/hosts/{HOST}")
    assert (submitted.min_delay_ms, submitted.max_pages, submitted.allow_js, submitted.budget_per_hour) == (
        2500,
        None,
        True,
        2.5,
    )
    assert submitted.windows.startswith("deny")


async def test_a_form_says_by_which_exit_a_host_is_asked(ask: Ask, store: Store) -> None:
    await post(ask, f"/hosts/{HOST}/policy", proxy_mode="prefer", proxy_country="de")

    submitted, shown = await input_of(store), (await ask(f"/hosts/{HOST}")).text
    assert (submitted.proxy_mode, submitted.proxy_country) == ("prefer", "DE")
    assert "preferred, of DE" in shown


async def test_an_emptied_form_takes_everything_back(ask: Ask, store: Store) -> None:
    await post(ask, f"/hosts/{HOST}/policy", min_delay_ms="2500", windows="deny sat", budget_per_hour="5")
    await post(ask, f"/hosts/{HOST}/policy")

    assert await input_of(store) == HostInput()


async def test_the_form_can_be_sent_as_it_stands(ask: Ask, store: Store) -> None:
    await post(ask, f"/hosts/{HOST}/policy", windows="mon-fri 09:00-17:30 Europe/Berlin; deny sat", max_pages="3")
    before = await input_of(store)

    await post(ask, f"/hosts/{HOST}/policy", windows=before.windows, max_pages="3")

    assert await input_of(store) == before


@pytest.mark.parametrize(
    ("field", "typed", "message"),
    [
        pytest.param("min_delay_ms", "soon", "is not a whole number", id="no number"),
        pytest.param("max_concurrency", "65", "out of range; use 1 to 64", id="out of range"),
        pytest.param("windows", "09:00-17:00 Mars", "nor a known IANA time zone", id="no window"),
        pytest.param("user_agent", "Mozilla/5.0", "hides who we are", id="another's name"),
        pytest.param("proxy_country", "D1", "use two letters", id="no country"),
        pytest.param("budget_per_hour", "-1", "out of range", id="a budget below nothing"),
    ],
)
async def test_bad_input_stays_with_the_message_beside_it(
    ask: Ask, store: Store, field: str, typed: str, message: str
) -> None:
    reply = await post(ask, f"/hosts/{HOST}/policy", **{"max_pages": "9", field: typed})

    assert reply.status == 422
    assert f'value="{typed}"' in reply.text
    assert message in reply.text.split(f'id="host_{field}-about"')[1].split("</span>")[0]
    assert 'value="9"' in reply.text
    assert await input_of(store) == HostInput()


async def test_the_drawer_stays_where_it_is_and_tells(ask: Ask, store: Store) -> None:
    shown = await ask(f"/hosts/{HOST}", hx_request="true", hx_target="dialog")
    saved = await post(ask, f"/hosts/{HOST}/policy", target="", drawer="1", max_pages="4")
    scripted = await post(ask, f"/hosts/{HOST}/policy", target="x", drawer="1", max_pages="5")

    assert shown.text.lstrip().startswith("<dialog")
    assert (saved.status, scripted.status) == (303, 204)
    assert "lamp:host" in scripted.headers["hx-trigger"]


async def test_a_host_is_disabled_after_a_question_and_enabled_without(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    await met(store, view)

    asked = await post(ask, f"/hosts/{HOST}/disable")
    done = await post(ask, f"/hosts/{HOST}/disable", confirmed="1")
    async with store.db.read() as db:
        disabled = await host_lists.by_key(db, HOST)
    again = await post(ask, f"/hosts/{HOST}/enable")

    assert "Disable quay.example? No request is sent to it" in asked.text
    assert (done.status, disabled.enabled, again.status) == (303, False, 303)


async def test_the_list_shows_the_latest_runs_of_each_host(ask: Ask, store: Store) -> None:
    await write(store.db, a_troubled_source, "Quay", "server_error: HTTP 500", host=HOST, now=store.clock.now())

    text = (await ask("/hosts")).text

    assert "Last 2 runs: 1 succeeded, 1 failed" in text
