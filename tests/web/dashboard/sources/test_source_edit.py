"""Can everything that the API takes be changed in the form, and does what cannot be used come back as it was typed?"""

import asyncio
import re
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from lamplighter.app import Store
from lamplighter.model.source import Source
from lamplighter.operations.sources.source_input import input_of
from lamplighter.store.sources import sources, tags
from lamplighter.web.view import ServiceView
from tests.web.asgi_client import Ask, Reply
from tests.web.dashboard.sources.given_sources import PANEL, path_of, watched

AS_IT_IS = {"url": "https://example.org/jobs", "name": "Quay Jobs", "priority": "normal", "max_depth": "3"}
TICKED = {"enabled": "1", "recurring": "1"}


async def save(ask: Ask, source: Source, fields: Mapping[str, str], **headers: str) -> Reply:
    """Sends the form as it is shown, with these fields filled in otherwise."""
    sent = {**AS_IT_IS, **TICKED, "seen": source.updated_at.isoformat(), **fields}
    own = {"sec_fetch_site": "same-origin", "content_type": "application/x-www-form-urlencoded", "accept": "text/html"}
    return await ask(f"{path_of(source)}/edit", method="POST", body=urlencode(sent).encode(), **{**own, **headers})


async def now_of(store: Store, source: Source) -> Source:
    """The source as it is stored by now."""
    async with store.db.read() as db:
        found = await sources.get(db, source.id)
    assert found is not None
    return found


async def test_the_form_shows_the_source_as_it_is(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(
        store, view, windows_text="22:00-05:00", tags=("night", "harbour"), min_delay=timedelta(seconds=2)
    )

    text = (await ask(f"{path_of(source)}/edit")).text

    assert 'name="name" type="text" value="Quay Jobs"' in text
    assert 'value="harbour, night"' in text
    assert 'name="rate_limit" type="text" value="0.5"' in text
    assert ">allow 22:00-05:00 UTC</textarea>" in text
    assert "Reads as: allow 22:00-05:00 UTC; " in text


async def test_saving_what_was_not_touched_changes_nothing(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)

    reply = await save(ask, source, {})

    assert (reply.status, reply.headers["location"]) == (303, path_of(source))
    assert await now_of(store, source) == source


async def test_everything_can_be_changed_at_once(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    fields = {"url": "example.org/other", "name": "Other", "kind": "job", "tags": "a, b", "priority": "81"}
    fields |= {"interval_minutes": "120", "min_interval_minutes": "60", "max_interval_minutes": "600"}
    fields |= {"policy": "fixed", "windows": "mon-fri 09:00-17:00", "country": "de", "organisation_type": "un"}
    fields |= {"max_depth": "page", "max_pages": "12", "rate_limit": "0.25", "recipe": '{"exclude": ["/old/"]}'}

    await save(ask, source, fields)

    async with store.db.read() as db:
        labels = (await tags.of_sources(db, [source.id]))[source.id]
    submitted = input_of(await now_of(store, source), labels)
    assert (submitted.url, submitted.name, submitted.kind, submitted.tags) == (
        "https://example.org/other",
        "Other",
        "job",
        ("a", "b"),
    )
    assert (submitted.priority, submitted.policy, submitted.country, submitted.organisation_type) == (
        81,
        "fixed",
        "DE",
        "un",
    )
    assert (submitted.interval, submitted.min_interval, submitted.max_interval) == tuple(
        timedelta(hours=n) for n in (2, 1, 10)
    )
    assert (submitted.max_depth, submitted.max_pages, submitted.min_delay) == (0, 12, timedelta(seconds=4))
    assert submitted.windows is not None
    assert submitted.windows[0].zone == "Europe/Berlin"
    assert submitted.recipe is not None
    assert list(submitted.recipe["exclude"]) == ["/old/"]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("url", "ftp://example.org/", "ftp"),
        ("priority", "urgent", "is unknown; use"),
        ("interval_minutes", "often", "is not a number of minutes"),
        ("min_interval_minutes", "0.001", "out of range"),
        ("windows", "never", "neither a day"),
        ("country", "XX", "is unknown"),
        ("tags", "a/b", "cannot be used"),
        ("max_depth", "deep", "is not a whole number"),
        ("max_pages", "0", "out of range"),
        ("rate_limit", "-1", "requests per second"),
        ("recipe", '{"list":', "not JSON: Expecting value in line 1, column 9"),
        ("recipe", '{"nonsense": 1}', "nonsense"),
        ("recipe", "[1]", "is not a JSON object"),
        pytest.param("recipe", "[" * 100_000, "not valid JSON", id="a hundred thousand brackets"),
        pytest.param("recipe", '{"a":' * 3000 + "1" + "}" * 3000, "not valid JSON", id="3000 objects deep"),
        pytest.param("recipe", f'{{"a": {"1" * 5000}}}', "not valid JSON", id="a number of 5000 digits"),
    ],
)
async def test_what_cannot_be_used_is_told_beside_its_field_and_kept(
    ask: Ask, store: Store, view: ServiceView, field: str, value: str, said: str
) -> None:
    source = await watched(store, view)

    reply = await save(ask, source, {field: value, "name": "Typed meanwhile"})

    escaped = value.replace('"', "&#34;")
    about = reply.text.partition(f'id="{field}-about" role="alert">')[2].partition("</span>")[0]
    assert reply.status == 422
    assert said in about.replace("&#39;", "'")
    assert f'value="{escaped}"' in reply.text or f">{escaped}</textarea>" in reply.text
    assert 'value="Typed meanwhile"' in reply.text
    assert await now_of(store, source) == source


async def test_an_address_that_cannot_be_read_in_a_header_is_no_matter(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await watched(store, view)
    script = {"hx_request": "true", "hx_current_url": "http://[x"}

    refused = await save(ask, source, {"url": "ftp://example.org/"}, referer="http://[x")
    saved = await save(ask, source, {"name": "Other"}, **script)

    assert (refused.status, saved.status) == (422, 200)
    assert 'name="back" value="/"' in refused.text
    assert saved.headers["hx-redirect"] == path_of(source)


async def test_everything_that_cannot_be_used_is_told_at_once(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    wrong = {"url": "ftp://example.org/", "priority": "urgent", "country": "XX", "max_depth": "deep", "recipe": "{"}

    reply = await save(ask, source, wrong)

    assert set(re.findall(r'id="(\w+)-about" role="alert"', reply.text)) == set(wrong)


async def test_unticked_boxes_disable_it_and_make_it_run_once(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    bare = {**AS_IT_IS, "seen": source.updated_at.isoformat()}
    own = {"sec_fetch_site": "same-origin", "content_type": "application/x-www-form-urlencoded"}

    await ask(f"{path_of(source)}/edit", method="POST", body=urlencode(bare).encode(), **own)

    changed = await now_of(store, source)
    assert (changed.enabled, changed.recurring) == (False, False)


async def test_what_somebody_else_saved_meanwhile_is_not_overwritten_unseen(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await watched(store, view)
    await save(ask, source, {"max_pages": "99"})

    late = await save(ask, source, {"name": "Mine"})
    again = await save(ask, await now_of(store, source), {"name": "Mine"})

    assert late.status == 422
    assert "another user changed this source while you were editing" in late.text
    assert 'value="Mine"' in late.text
    assert again.status == 303


async def test_what_somebody_else_saved_meanwhile_stands_beside_each_field_that_differs(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await watched(store, view)
    await save(ask, source, {"max_pages": "99", "name": "<b>Theirs", "recipe": '{"exclude": ["/old/"]}'})

    late = await save(ask, source, {"name": "Mine", "enabled": "1"})

    assert 'id="max_pages-about">now: 99</small>' in late.text
    assert 'id="name-about">now: &lt;b&gt;Theirs</small>' in late.text
    assert "&#34;/old/&#34;" in late.text
    assert 'id="url-about"' not in late.text
    assert f'name="seen" value="{(await now_of(store, source)).updated_at.isoformat()}"' in late.text


async def test_of_two_who_save_at_the_same_moment_one_is_refused(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)

    replies = await asyncio.gather(*(save(ask, source, {"name": name}) for name in ("Mine", "Theirs", "Ours")))

    assert sorted(reply.status for reply in replies) == [303, 422, 422]


async def test_in_the_panel_it_goes_back_to_the_overview_there(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)

    saved = await save(ask, source, {"name": "Renamed"}, **PANEL)
    faulty = await save(ask, await now_of(store, source), {"url": ""}, **PANEL)

    assert '"target": "#panel"' in saved.headers["hx-location"]
    assert faulty.status == 422
    assert "<html" not in faulty.text


async def test_a_deleted_source_is_not_edited(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    body = urlencode({"confirmed": "1"}).encode()
    form = {"sec_fetch_site": "same-origin", "content_type": "application/x-www-form-urlencoded"}
    await ask(f"{path_of(source)}/delete", method="POST", body=body, **form)

    reply = await ask(f"{path_of(source)}/edit", accept="text/html")

    assert reply.status == 409
    assert "restore it first" in reply.text


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "crawling is allowed at any time"),
        ("mon-fri 22:00-05:00 Europe/Berlin", "Reads as: allow mon-fri 22:00-05:00 Europe/Berlin; "),
        ("mon-fri 25:00-05:00", "Invalid: "),
        ("deny mon-sun", "Invalid: "),
        ("<b>mon", "Invalid: &#39;&lt;b&gt;mon&#39;"),
    ],
)
async def test_windows_are_read_while_they_are_written(
    ask: Ask, store: Store, view: ServiceView, written: str, said: str
) -> None:
    source = await watched(store, view)

    reply = await ask.get(f"{path_of(source)}/windows", windows=written)

    assert reply.status == 200
    assert said in reply.text
