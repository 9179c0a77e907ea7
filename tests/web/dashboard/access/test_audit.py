"""The audit log: what somebody did, readable, and with the way to what it was done to."""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.app import Store
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.store.access import audit_log
from tests.store.given_rows import write
from tests.web.asgi_client import Ask

LINES = (
    {"actor": "user:anna", "action": "host.policy", "subject": "a.example", "after": {"max_pages": 10}},
    {"actor": "user:ben", "action": "source.pause", "subject": "https://b.example/"},
    {"actor": "token:ci", "action": "proxy.add", "subject": "proxy 3"},
)


async def _done(store: Store, *lines: dict[str, Any]) -> None:
    for age, line in enumerate(reversed(lines)):
        rest = dict(line)
        stamp = Stamp(rest.pop("actor"), store.clock.now() - timedelta(days=2 * age))
        await write(store.db, audit_log.write, stamp=stamp, **rest)


def _shown(text: str) -> list[str]:
    return [line["action"] for line in LINES if f">{line['action']}</a>" in text]


async def test_an_empty_log_says_what_will_stand_there(ask: Ask) -> None:
    assert "No entries yet." in (await ask("/audit")).text


@pytest.mark.parametrize(
    ("query", "actions"),
    [
        pytest.param("", ["host.policy", "source.pause", "proxy.add"], id="all"),
        pytest.param("actor=ANNA", ["host.policy"], id="a part of who"),
        pytest.param("action=source.", ["source.pause"], id="how the action begins"),
        pytest.param("subject=example", ["host.policy", "source.pause"], id="a part of what"),
        pytest.param("since=day", ["proxy.add"], id="since when"),
        pytest.param("subject=%25", [], id="a sign that databases know"),
        pytest.param("actor=%00&offset=x", ["host.policy", "source.pause", "proxy.add"], id="what is no text"),
    ],
)
async def test_the_log_is_narrowed_down(ask: Ask, store: Store, query: str, actions: list[str]) -> None:
    await _done(store, *LINES)

    reply = await ask(f"/audit?{query}")

    assert reply.status == 200
    assert _shown(reply.text) == actions


async def test_what_was_and_what_is_stand_side_by_side(ask: Ask, store: Store) -> None:
    change = {"before": {"role": "viewer", "enabled": True}, "after": {"role": "operator", "enabled": True}}
    await _done(store, {"actor": "user:anna", "action": "user.change", "subject": "user:ben", **change})

    text = (await ask("/audit")).text

    assert "<del>viewer</del> → <ins>operator</ins>" in text
    assert '<span class="same">true</span>' in text


async def test_a_subject_leads_to_its_page(ask: Ask, store: Store) -> None:
    await _done(store, *LINES)
    new = sources.NewSource(url="https://b.example/")
    source_id = await write(store.db, sources.add, new, stamp=Stamp("test", store.clock.now()))

    text = (await ask("/audit")).text

    assert source_id
    assert 'href="/hosts/a.example"' in text
    assert 'href="/proxies/3"' in text
    assert text.count('<a href="/sources/') == 2


async def test_what_was_written_into_the_log_is_text(ask: Ask, store: Store) -> None:
    evil = "<script>alert(1)</script>"
    await _done(store, {"actor": evil, "action": "source.add", "subject": evil, "after": {evil: evil}})

    text = (await ask("/audit")).text

    assert "<script>alert" not in text
    assert text.count("&lt;script&gt;alert(1)") >= 4


async def test_no_password_stands_in_the_log(ask: Ask) -> None:
    proxy = {"proxy_url": "socks5://anna:hunter2@p.example:1080", "proxy_password": "hunter2"}
    await ask.post("/api/admin/proxies", proxy)
    await ask.post("/api/v1/users", {"name": "ben", "password": "hunter2-and-more-of-it", "role": "viewer"})

    text = (await ask("/audit")).text

    assert "proxy.add" in text
    assert "user.add" in text
    assert "hunter2" not in text
