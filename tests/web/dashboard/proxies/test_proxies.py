"""Proxies: added, switched, assigned and removed; never a password."""

import re
from datetime import timedelta

import pytest
import sqlalchemy as sa

from lamplighter.app import Store
from lamplighter.store.schema import tables
from tests.web.asgi_client import Ask
from tests.web.forms import send_form

GOOD = {"proxy_url": "exit.example", "proxy_port": "8080", "country_code": "de", "proxy_password": "hunter2"}


async def _domain(ask: Ask) -> int:
    reply = await ask.post("/api/admin/domains", {"base_url": "https://shop.example/"})
    domain_id: int = reply.json["data"]["id"]
    return domain_id


async def _assigned(ask: Ask) -> int:
    await send_form(ask, "/proxies", **GOOD)
    domain_id = await _domain(ask)
    await send_form(ask, "/proxies/assign", domain="shop.example", proxy_ids=["1"], priority="70")
    return domain_id


async def test_without_proxies_the_page_says_how_hosts_are_asked(ask: Ask) -> None:
    text = (await ask("/proxies")).text

    assert "without a pool, directly" in text
    assert "No proxies yet." in text


async def test_a_proxy_is_added_and_its_password_never_shown(ask: Ask) -> None:
    done = await send_form(ask, "/proxies", **GOOD)
    pages = [(await ask(path)).text for path in (done.headers["location"], "/proxies")]

    assert (done.status, done.headers["location"]) == (303, "/proxies/1")
    assert "with a password" in pages[0]
    assert all("exit.example:8080" in page and "hunter2" not in page for page in pages)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        pytest.param({"proxy_port": "many"}, "proxy_port", id="a port that is no number"),
        pytest.param({"country_code": "Germany"}, "country_code", id="a country by name"),
        pytest.param({"proxy_url": "ftp://anna:hunter2@exit.example"}, "proxy_url", id="a protocol that is none"),
        pytest.param({"proxy_url": "ftp://anna:hun/hunter2@exit.example"}, "proxy_url", id="a slash in a password"),
        pytest.param({"proxy_url": "an:na:p@hunter2/@exit.example/x/y z"}, "proxy_url", id="more than one @"),
        pytest.param({"proxy_port": ""}, "proxy_port", id="no port"),
        pytest.param({"monthly_cost": "-1"}, "monthly_cost", id="a cost below nothing"),
    ],
)
async def test_bad_input_is_told_beside_its_field_and_the_rest_is_kept(
    ask: Ask, changed: dict[str, str], field: str
) -> None:
    reply = await send_form(ask, "/proxies", **GOOD | {"city": "Emden"} | changed)

    assert reply.status == 422
    assert f'<span class="fault" id="{field}-about" role="alert">' in reply.text
    assert 'value="Emden"' in reply.text
    assert "Type the password again" in reply.text
    assert "hunter2" not in reply.text


async def test_a_proxy_that_is_there_already_is_not_added_twice(ask: Ask) -> None:
    await send_form(ask, "/proxies", **GOOD)

    reply = await send_form(ask, "/proxies", **GOOD)

    assert reply.status == 422
    assert "is proxy 1 already" in reply.text


async def test_a_proxy_is_changed_and_keeps_what_was_left_empty(ask: Ask) -> None:
    await send_form(ask, "/proxies", **GOOD)

    done = await send_form(ask, "/proxies/1", proxy_port="8080", city="Emden")
    refused = await send_form(ask, "/proxies/1", proxy_port="0")
    text = (await ask("/proxies/1")).text

    assert (done.status, refused.status) == (303, 422)
    assert "exit.example:8080" in text
    assert 'value="Emden"' in text
    assert "with a password" in text


async def test_a_proxy_that_moves_to_another_server_needs_its_password_anew(ask: Ask) -> None:
    await send_form(ask, "/proxies", **GOOD)

    refused = await send_form(ask, "/proxies/1", proxy_port="9000")
    moved = await send_form(ask, "/proxies/1", proxy_port="9000", proxy_password="other")

    assert (refused.status, moved.status) == (422, 303)
    assert "set the password for that server" in refused.text


async def test_a_host_of_whose_proxies_none_works_is_told_at_the_top(ask: Ask) -> None:
    domain_id = await _assigned(ask)
    before = (await ask("/proxies")).text
    await send_form(ask, f"/proxies/1/domains/{domain_id}/disable", back="/proxies/1")

    after = (await ask("/proxies")).text

    assert "No working proxy for" not in before
    assert re.search(r'No working proxy for this host:</strong>\s*<a href="/hosts/shop.example">', after)
    assert "none working: its pages wait" in after


async def test_figures_of_a_proxy_and_a_domain_are_shown(ask: Ask, store: Store) -> None:
    await _assigned(ask)
    figures = {"success_total": 9, "failure_total": 6, "failure_count": 5, "average_took_ms": 340.0}
    for table in (tables.proxies, tables.proxy_standings):
        await store.db.write(lambda db, table=table: db.execute(sa.update(table).values(**figures)))

    text = (await ask("/proxies")).text

    assert "1 proxy fails repeatedly" in text
    assert "5 failures in a row" in text
    assert text.count("340 ms") == 3
    assert "priority 70" in text


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({"domain": "nobody.example", "proxy_ids": ["1"]}, "domain", id="a domain that is none"),
        pytest.param({"domain": "shop.example"}, "proxy_ids", id="no proxy"),
        pytest.param({"domain": "shop.example", "proxy_ids": ["1"], "priority": "900"}, "priority", id="too urgent"),
        pytest.param({"domain": "shop.example", "proxy_ids": ["77"]}, "proxy_ids", id="a proxy that is none"),
    ],
)
async def test_what_cannot_be_assigned_is_told_and_kept(ask: Ask, fields: dict[str, object], field: str) -> None:
    await _assigned(ask)

    reply = await send_form(ask, "/proxies/assign", **fields)

    assert reply.status == 422
    assert f'value="{fields["domain"]}"' in reply.text
    assert f'id="{field}-about" role="alert"' in reply.text


async def test_a_proxy_is_taken_from_a_domain_after_a_question(ask: Ask) -> None:
    domain_id = await _assigned(ask)
    path = f"/proxies/1/domains/{domain_id}/remove"

    asked = await send_form(ask, path)
    done = await send_form(ask, path, confirmed="1", back="/proxies/1")

    assert "Unassign exit.example:8080 from this host" in asked.text
    assert (done.status, done.headers["location"]) == (303, "/proxies/1")
    assert "shop.example" not in (await ask("/proxies/1")).text


async def test_a_proxy_is_switched_off_on_and_removed_after_a_question(ask: Ask) -> None:
    await send_form(ask, "/proxies", **GOOD)

    await send_form(ask, "/proxies/1/disable")
    off = (await ask("/proxies/1")).text
    await send_form(ask, "/proxies/1/enable")
    asked = await send_form(ask, "/proxies/1/remove")
    still = (await ask("/proxies/1")).text
    await send_form(ask, "/proxies/1/remove", confirmed="1")

    assert "disabled by an operator" in off
    assert "Remove exit.example:8080" in asked.text
    assert "switched off" not in still
    assert (await ask("/proxies/1")).status == 404


@pytest.mark.parametrize(
    "path", ["/proxies/1", "/proxies/1/enable", "/proxies/1/remove", "/proxies/1/domains/1/enable"]
)
async def test_a_proxy_that_is_not_there_is_not_found(ask: Ask, path: str) -> None:
    reply = await send_form(ask, path, confirmed="1", proxy_port="1")

    assert reply.status == 404


async def _set(store: Store, **values: object) -> None:
    await store.db.write(lambda db: db.execute(sa.update(tables.proxies).values(**values)))


async def test_a_resting_proxy_says_until_when_and_why(ask: Ask, store: Store) -> None:
    await send_form(ask, "/proxies", **GOOD)
    until = (store.clock.now() + timedelta(days=1)).replace(hour=14, minute=5)
    reason = "the proxy asks for a password (407)"
    await _set(store, quarantined_until=until, failure_count=10, failure_total=12, last_error=reason)

    resting = (await ask("/proxies")).text
    await send_form(ask, "/proxies/1/enable")
    enabled = (await ask("/proxies/1")).text

    assert re.search(r"cooling down</span>.*14:05 UTC</time> after 10 failures: the proxy asks for a password", resting)
    assert "<strong>1</strong>cooling down" in resting
    assert "cooling down</span>" not in enabled
    assert "Last error" in enabled


async def test_a_proxy_of_the_settings_is_switched_off_but_neither_changed_nor_removed(ask: Ask, store: Store) -> None:
    await send_form(ask, "/proxies", **GOOD)
    await _set(store, in_default_pool=True)

    listed, shown = (await ask("/proxies")).text, (await ask("/proxies/1")).text
    removed = await send_form(ask, "/proxies/1/remove", confirmed="1")
    changed = await send_form(ask, "/proxies/1", city="Emden")
    off = await send_form(ask, "/proxies/1/disable")

    assert "default pool, from the settings" in listed
    assert "LAMPLIGHTER_PROXY_URLS" in shown
    assert "Edit" not in shown
    assert all("/proxies/1/remove" not in page for page in (listed, shown))
    assert (removed.status, changed.status, off.status) == (409, 409, 303)
    assert "LAMPLIGHTER_PROXY_URLS" in removed.text
    assert "disabled by an operator" in (await ask("/proxies/1")).text


async def test_a_host_is_told_how_many_proxies_it_should_have(ask: Ask, store: Store) -> None:
    host_id = await _assigned(ask)
    job = {"recurring": True, "state": "scheduled", "host_id": host_id, "cost": 84.0, "pace_seconds": 3600}
    await store.db.write(lambda db: db.execute(sa.update(tables.crawl_jobs).values(**job)))

    text = (await ask("/proxies")).text

    assert "about 84 requests per hour, 20 per proxy: 5 to 6 proxies; has 1" in text
    assert "by the schedule" in text
    assert "fewer than 3 working" in text


async def test_a_user_name_is_masked_wherever_it_is_shown(ask: Ask) -> None:
    await send_form(ask, "/proxies", **GOOD | {"proxy_username": "annabella"})
    await _domain(ask)
    await send_form(ask, "/proxies/assign", domain="shop.example", proxy_ids=["1"])

    pages = [(await ask(path)).text for path in ("/proxies", "/proxies/1", "/proxies/trials", "/hosts/shop.example")]

    assert all("annabella" not in page and "hunter2" not in page for page in pages)
    assert "a***" in pages[0]
