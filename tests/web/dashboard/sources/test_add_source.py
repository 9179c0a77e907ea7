"""Adding a source: what the form shows, does, and gives back."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from lamplighter.app import Store
from lamplighter.operations.sources import sources
from lamplighter.settings import Settings, load
from lamplighter.web.dashboard.forms import is_finished, meant_by
from tests.origin import Origin
from tests.service.sites import LISTING
from tests.web.asgi_client import Ask, Reply
from tests.web.forms import FORM

#: what htmx says
TYPING = {"hx_request": "true", "hx_target": "trial"}


@pytest.fixture
def settings(tmp_path: Path, migrated_file: Path) -> Settings:
    """An installation that may ask sites on loopback."""
    (tmp_path / "lamplighter.db").write_bytes(migrated_file.read_bytes())
    return load({}, data_dir=tmp_path, allow_hosts="127.0.0.0/8", min_delay_ms=0)


async def send(ask: Ask, path: str, headers: dict[str, str] | None = None, **fields: Any) -> Reply:
    return await ask(path, method="POST", body=urlencode(fields).encode(), **FORM, **(headers or {}))


async def test_a_source_is_added_as_the_form_says_and_shown(ask: Ask, store: Store) -> None:
    fields = {"name": "Quay", "tags": "jobs, ports", "priority": "high", "interval_minutes": "90", "max_depth": "page"}

    reply = await send(ask, "/sources/add", url="https://quay.example/jobs", **fields)

    async with store.db.read() as db:
        source = await sources.find_by_url(db, "https://quay.example/jobs")
    assert (reply.status, reply.headers["location"]) == (303, f"/sources/{source.public_id}")
    assert (source.name, source.priority, source.interval, source.max_depth) == ("Quay", 75, timedelta(minutes=90), 0)


async def test_a_scheme_may_be_left_out(ask: Ask, store: Store) -> None:
    await send(ask, "/sources/add", url="quay.example/jobs")

    async with store.db.read() as db:
        assert (await sources.find_by_url(db, "https://quay.example/jobs")).name == "quay.example"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("url", "ftp://quay.example/", "neither http nor https"),
        ("url", "", "the address is missing"),
        ("windows", "sometimes", "neither a day"),
        ("interval_minutes", "often", "not a number of minutes"),
        ("max_depth", "deep", "is not a whole number"),
        ("max_depth", "1000", "out of range"),
        ("max_depth", "0", "is ambiguous"),
        ("max_pages", "0", "out of range"),
        ("country", "XX", "is unknown"),
        ("tags", "a/b", "cannot be used"),
        ("kind", "poem", "is unknown"),
        ("recipe", "{", "is not JSON"),
        ("recipe", '{"itmes": "li"}', "itmes"),
    ],
)
async def test_what_cannot_be_used_is_said_beside_its_field_and_all_that_was_typed_stays(
    ask: Ask, field: str, value: str, message: str
) -> None:
    typed = {"url": "https://quay.example/jobs", "name": 'Kept "as" <typed>', field: value}

    reply = await send(ask, "/sources/add", **typed)

    fault = reply.text.partition(f'id="{field}-about" role="alert">')[2].partition("</span>")[0]
    assert reply.status == 422
    assert message in fault
    assert 'value="Kept &#34;as&#34; &lt;typed&gt;"' in reply.text
    assert '<details class="more" open>' in reply.text


async def test_everything_that_cannot_be_used_is_said_at_once(ask: Ask) -> None:
    wrong = {"url": "ftp://quay.example/", "tags": "a/b", "country": "XX", "max_depth": "0", "recipe": "{"}

    reply = await send(ask, "/sources/add", **wrong)

    assert set(re.findall(r'id="(\w+)-about" role="alert"', reply.text)) == set(wrong)


async def test_a_known_url_is_said_to_be_known_and_linked(ask: Ask, store: Store) -> None:
    await send(ask, "/sources/add", url="https://quay.example/jobs", name="Quay <b>")
    async with store.db.read() as db:
        known = await sources.find_by_url(db, "https://quay.example/jobs")

    reply = await send(ask, "/sources/add", url="https://quay.example/jobs")

    assert reply.status == 422
    assert "this URL is already the source Quay &lt;b&gt;" in reply.text
    assert f'href="/sources/{known.public_id}"' in reply.text


async def test_looking_at_the_form_asks_nothing_of_the_site_it_names(ask: Ask, origin: Origin) -> None:
    reply = await ask("/sources/add", query={"url": f'{origin.url}/"><script>'})

    assert reply.status == 200
    assert "<script>" not in reply.text
    assert origin.log == []


async def test_a_trial_shows_the_answer_robots_and_the_first_records_with_how_they_were_found(
    ask: Ask, origin: Origin
) -> None:
    origin.robots("User-agent: *\nAllow: /jobs\nDisallow: /\n")
    head = '<link rel=alternate type="application/rss+xml" href="/jobs/feed.xml">'
    origin.page("/jobs", f"<html lang=en><head>{head}</head><h1>Vacancies</h1><ul>{LISTING}</ul></html>")

    reply = await send(ask, "/sources/add/trial", TYPING, url=f"{origin.url}/jobs")

    text = " ".join(reply.text.split())
    assert "<html" not in text
    assert '<span class="badge good">200</span> text/html; charset=utf-8' in text
    assert "<code>Allow: /jobs</code> <small>line 2, group *</small>" in text
    assert "<strong>7 records</strong> (job) on this page" in text
    assert re.search(r"read as a list, \d+% sure; most of all: \w", text)
    assert "Lamplighter of district 3" in text
    assert "Lamplighter of district 4" not in text
    assert '<td class="value">2027-03-01</td>' in text
    assert "listing <small>" in text
    assert f"<code>{origin.url}/jobs/feed.xml</code>" in text


async def test_what_a_site_says_stays_text(ask: Ask, origin: Origin) -> None:
    evil = "&lt;img src=x onerror=alert(1)&gt;"
    items = "".join(
        f"<li><a href='/job/{n}'>{evil} {n}</a> <span>Deadline: {n} May 2027</span></li>" for n in (1, 2, 3)
    )
    origin.page("/jobs", f"<html><h1>Jobs</h1><ul>{items}</ul></html>")

    reply = await send(ask, "/sources/add/trial", TYPING, url=f"{origin.url}/jobs")

    assert "<img" not in reply.text
    assert "&lt;img src=x onerror=alert(1)&gt; 1" in reply.text


async def test_without_scripts_the_trial_is_a_whole_page_that_keeps_what_was_typed(ask: Ask, origin: Origin) -> None:
    origin.page("/", f"<html lang=en><ul>{LISTING}</ul></html>")

    reply = await send(ask, "/sources/add/trial", **{"url": origin.url, "name": "Kept", "try": "1"})

    assert reply.status == 200
    assert "<html" in reply.text
    assert 'value="Kept"' in reply.text
    assert "Lamplighter of district 1" in reply.text


async def test_an_address_is_left_alone_until_its_host_is_whole(ask: Ask, origin: Origin) -> None:
    reply = await send(ask, "/sources/add/trial", TYPING, url=origin.url)

    assert "Not tried yet" in reply.text
    assert origin.log == []


async def test_a_trial_of_what_is_watched_asks_nothing(ask: Ask, origin: Origin) -> None:
    await send(ask, "/sources/add", url=f"{origin.url}/jobs", name="Known one")

    reply = await send(ask, "/sources/add/trial", TYPING, url=f"{origin.url}/jobs")

    assert "This source exists already." in reply.text
    assert "Known one" in reply.text
    assert origin.log == []


async def test_a_broken_recipe_is_told_while_it_is_typed(ask: Ask, origin: Origin) -> None:
    reply = await send(ask, "/sources/add/trial", TYPING, url=f"{origin.url}/jobs", recipe='{"items": 5}')

    assert reply.status == 200
    assert 'class="fault">recipe:' in reply.text
    assert origin.log == []


@pytest.mark.parametrize(
    ("typed", "is_whole"),
    [
        ("https://example.co", False),
        ("https://example.com/", True),
        ("example.com/jobs", True),
        ("https://exa", False),
        ("https://exa/", False),
        ("http://localhost/", True),
        ("http://127.0.0.1:8060/", True),
        ("https://example.com?page=1", True),
        ("https://", False),
        ("ftp://example.com/", False),
        ("", False),
    ],
)
def test_an_address_is_whole_when_nothing_typed_after_it_makes_another_host_of_it(typed: str, is_whole: bool) -> None:
    assert is_finished(typed) == is_whole


def test_nothing_typed_means_nothing() -> None:
    assert meant_by("  ") == ""
