"""Point and teach as forms: examples are kept in the form, and what cannot be used is refused with the reason."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from lamplighter.app import Store
from lamplighter.demo.page import DemoRequest
from lamplighter.demo.registration import demo_sources
from lamplighter.demo.sites import meridian_labs
from lamplighter.web.view import ServiceView
from tests.web.asgi_client import Ask
from tests.web.dashboard.sources.given_changes import a_page_that_was, a_source
from tests.web.forms import BROWSER_FORM, send_form

PAGE = b"<html><body>" + b"".join(
    b"<li class=job><b>Keeper %d</b> <a href=/job/%d>Details</a></li>" % (n, n) for n in range(1, 5)
)


def _place(text: str, says: str) -> str:
    found = re.search(rf'value="(\d+)"[^>]*><code>\w+</code> <span class="says">{says}<', text)
    assert found is not None
    return found[1]


async def test_a_press_becomes_an_example_and_the_next_one_keeps_it(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await a_page_that_was(store, view, source, PAGE)
    path = f"/sources/{source.public_id}/teach"
    first = (await ask(path)).text

    taught = await send_form(ask, f"{path}/preview", BROWSER_FORM, press=_place(first, "Keeper 2"), version="1")
    example = f"title:{_place(first, 'Keeper 2')}"
    again = await send_form(
        ask, f"{path}/preview", BROWSER_FORM, example=example, press=["", _place(first, "Keeper 4")]
    )
    dropped = await send_form(ask, f"{path}/preview", BROWSER_FORM, example=example, drop="0")

    assert f'name="example" value="{example}"' in taught.text
    assert "<strong>4 rows</strong>" in taught.text
    assert f'value="wrong:{_place(first, "Keeper 4")}"' in again.text
    assert "name=&#34;example" not in dropped.text
    assert 'name="example"' not in dropped.text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"press": "-1"}, "is not the number of an element", id="no number"),
        pytest.param({"press": "999999"}, "the page has no element 999999", id="beyond the page"),
        pytest.param({"example": "colour:1"}, "cannot be taught", id="an unknown field"),
        pytest.param({"meaning": "colour", "press": "3"}, "cannot be taught", id="an unknown meaning"),
        pytest.param({"example": ["title:1"] * 101}, "up to 100 examples", id="too many"),
    ],
)
async def test_what_cannot_be_used_is_refused(
    ask: Ask, store: Store, view: ServiceView, fields: dict[str, str], message: str
) -> None:
    source = await a_source(store, view)
    await a_page_that_was(store, view, source, PAGE)

    reply = await send_form(ask, f"/sources/{source.public_id}/teach/preview", BROWSER_FORM, **fields)

    assert message in reply.text


async def test_a_page_that_is_not_stored_says_so(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)

    reply = await ask(f"/sources/{source.public_id}/teach", accept="text/html")

    assert reply.status == 409
    assert "is not stored; run the source" in reply.text


async def test_what_is_no_page_says_so(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await a_page_that_was(store, view, source, b'{"jobs": []}')

    assert "this is json, not an HTML page" in (await ask(f"/sources/{source.public_id}/teach")).text


async def test_the_frame_of_a_page_that_was_not_tried_is_refused(ask: Ask) -> None:
    assert (await ask("/sources/add/teach/frame?url=https://example.org/")).status == 409


def _meridian(*, before_relaunch: bool) -> bytes:
    """The page of the demo's source whose layout broke."""
    now = datetime(2026, 11, 3, tzinfo=UTC)
    relaunch = now + timedelta(hours=1 if before_relaunch else -1)
    wanted = DemoRequest(base="https://example.org", path="/vacancies", now=now, relaunch=relaunch)
    page = meridian_labs.SITE.page(wanted)
    assert page is not None
    return page.body.encode()


async def test_after_a_relaunch_the_titles_of_the_last_good_version_are_marked_and_teach_the_new_layout(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await a_source(store, view, recipe=demo_sources(1, has_past=True)[1].recipe)
    before, after = _meridian(before_relaunch=True), _meridian(before_relaunch=False)
    await a_page_that_was(store, view, source, before, after)
    path = f"/sources/{source.public_id}/teach"

    shown = " ".join((await ask(path)).text.split())
    learned = (await send_form(ask, f"{path}/preview", BROWSER_FORM, learn="last_good")).text

    assert "was the last that the recipe could read: 12 records" in shown
    assert "Learn from the 12 titles still on this page" in shown
    assert shown.count(">was title<") == 11  # the first is still read
    assert 'id="archived-before"' not in shown
    assert "<strong>12 rows</strong>" in learned
    assert all(field in learned for field in ('value="title:', 'value="organisation:', 'value="deadline:'))
    assert "Learn from the" not in learned


async def test_a_page_without_any_old_title_says_so_and_shows_the_old_version_beside(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await a_source(store, view)
    await a_page_that_was(store, view, source, PAGE, b"<html><body><p>We have a new look.")
    path = f"/sources/{source.public_id}/teach"

    shown = " ".join((await ask(path)).text.split())
    of_the_old = " ".join((await ask(f"{path}?version=1")).text.split())

    assert "None of its titles is still on this page" in shown
    assert "Learn from the" not in shown
    assert f'src="{path}/frame?version=1"' in shown
    assert (await ask(f"{path}/frame?version=1")).status == 200
    assert "last-good" not in of_the_old, "nothing is older than it"


async def test_only_the_newest_versions_are_tried_and_the_lesson_says_how_many(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await a_source(store, view)
    await a_page_that_was(store, view, source, *(PAGE + b"<p>%d" % n for n in range(22)))
    path = f"/sources/{source.public_id}/teach"
    title = _place((await ask(path)).text, "Keeper 2")

    taught = await send_form(ask, f"{path}/preview", BROWSER_FORM, press=title)

    assert "matches 4 rows on each of the newest 20 of 22 versions" in taught.text
