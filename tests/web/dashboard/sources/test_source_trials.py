"""Trying a source: the stored page under a recipe, a fetch of headers, and what robots.txt says."""

import json
from datetime import timedelta

import pytest

from lamplighter.app import Store
from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.operations.sources import sources
from lamplighter.store.hosts import robots_files
from lamplighter.web.view import ServiceView
from tests.service.sites import posting_html
from tests.store.given_rows import write
from tests.web.asgi_client import Ask
from tests.web.dashboard.sources.given_changes import a_page_that_was, a_source
from tests.web.forms import BROWSER_FORM, send_form

PAGE = posting_html(7).encode()
BARE = b"<html><body><ul><li class=job><h2>Wick trimmer</h2><a href=/job/1>more</a></li></ul></body></html>"
RECIPE = {"items": "li.job", "fields": {"title": "h2", "url": "a@href"}}
EVIL = "<script>alert(1)</script>"


async def says(store: Store, text: str, state: RobotsState = RobotsState.RULES) -> None:
    """The robots.txt of the source's site, as last seen."""
    now = store.clock.now()
    file = RobotsFile(
        origin="https://example.org",
        state=state,
        body=text.encode(),
        fetched_at=now,
        expires_at=now + timedelta(hours=12),
    )
    await write(store.db, robots_files.save, file)


async def test_the_source_s_own_recipe_stands_there(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view, recipe=RECIPE)

    text = (await ask(f"/sources/{source.public_id}/trials")).text

    assert "li.job" in text


async def test_every_field_tells_how_it_was_found(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await a_page_that_was(store, view, source, PAGE)

    reply = await send_form(ask, f"/sources/{source.public_id}/trials/preview", BROWSER_FORM, recipe="{}")

    assert reply.status == 200
    assert "Posting 07" in reply.text
    assert "<td>jsonld</td>" in reply.text
    assert "90\u202f%" in reply.text


async def test_a_recipe_is_tried_on_the_stored_page(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await a_page_that_was(store, view, source, BARE)

    text = (
        await send_form(ask, f"/sources/{source.public_id}/trials/preview", BROWSER_FORM, recipe=json.dumps(RECIPE))
    ).text

    assert "Wick trimmer" in text


async def test_a_page_that_is_not_stored_says_so(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)

    text = (await send_form(ask, f"/sources/{source.public_id}/trials/preview", BROWSER_FORM, recipe="{}")).text

    assert "this page is not stored" in text


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        pytest.param("{", "this is not JSON", id="no JSON"),
        pytest.param("[1]", "a recipe is a JSON object", id="no object"),
        pytest.param('{"itms": "li"}', "itms", id="an unknown part"),
        pytest.param("[" * 100_000, "this is not JSON", id="too deep"),
    ],
)
@pytest.mark.parametrize("action", ["preview", "save"])
async def test_a_bad_recipe_stays_with_the_message_beside_it(
    ask: Ask, store: Store, view: ServiceView, action: str, typed: str, message: str
) -> None:
    source = await a_source(store, view)

    reply = await send_form(ask, f"/sources/{source.public_id}/trials/{action}", BROWSER_FORM, recipe=typed)

    assert reply.status == 422
    assert message in reply.text.split('id="recipe-about"')[1].split("</span>")[0]
    assert typed[:5].replace('"', "&#34;") in reply.text


async def test_a_recipe_is_saved(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)

    reply = await send_form(ask, f"/sources/{source.public_id}/trials/save", BROWSER_FORM, recipe=json.dumps(RECIPE))

    async with store.db.read() as db:
        saved = await sources.find(db, source.public_id)
    assert reply.status == 303
    assert saved.recipe["items"] == "li.job"


async def test_the_line_of_robots_txt_that_decides_is_marked(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await says(store, f"# {EVIL}\nUser-agent: *\nDisallow: /jobs\n")

    text = (await ask(f"/sources/{source.public_id}/trials")).text

    assert 'class="decides"><td class="number">3</td><td><code>Disallow: /jobs</code>' in text
    assert "decides: disallowed" in text
    assert EVIL not in text


async def test_a_robots_txt_that_cannot_be_had_forbids_and_says_why(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await says(store, "", RobotsState.UNREACHABLE)

    text = (await ask(f"/sources/{source.public_id}/trials")).text

    assert "could not be fetched" in text
    assert ">disallowed<" in text


async def test_of_a_long_robots_txt_the_part_that_decides_is_shown(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await says(store, "User-agent: *\n" + "Disallow: /x\n" * 2000 + "Disallow: /jobs\n")

    text = (await ask(f"/sources/{source.public_id}/trials")).text

    assert "of 2\u202f002" in text
    assert "<code>Disallow: /jobs</code>" in text


async def test_a_fetch_that_may_not_be_made_says_why(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view, url="http://127.0.0.1:9/jobs")

    text = (await send_form(ask, f"/sources/{source.public_id}/trials/fetch", BROWSER_FORM)).text

    assert 'class="trouble"' in text
