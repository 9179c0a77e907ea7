"""What the pages about crawling show, and the switch that stops it all."""

from datetime import timedelta

import jwt
import pytest

from lamplighter.app import Service, Store
from lamplighter.model.access import Stamp
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import sources
from lamplighter.settings import Settings, load
from lamplighter.web.dashboard.runs import crawl
from lamplighter.web.view import ServiceView
from tests.web.access.clients import SECRET, claims
from tests.web.asgi_client import Ask
from tests.web.forms import BROWSER_FORM, send_form
from tests.web.hostile_text import HOSTILE


async def open_run(service: Service, name: str = "Quay Jobs") -> None:
    now = service.clock.now()
    new = sources.NewSource(url="https://quay.example/jobs", name=name)
    source_id = await service.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", now)))
    await service.db.write(
        lambda db: runs.run_now(
            db, source_id, now=now, deadline=timedelta(hours=1), source_defaults=service.source_defaults
        )
    )


async def test_an_idle_service_says_where_to_look_instead(ask: Ask) -> None:
    text = (await ask("/crawl")).text

    assert "No run is active now" in text
    assert "Nothing is due" in text


async def test_a_run_that_goes_on_is_shown_with_its_progress_and_its_host(ask: Ask, service: Service) -> None:
    await open_run(service)

    text = (await ask("/crawl")).text

    assert "Quay Jobs" in text
    assert "0 / 1" in text
    assert 'href="/hosts/quay.example"' in text
    assert "a process with a free slot" in text


async def test_what_was_counted_no_further_is_shown_as_more(
    ask: Ask, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_run(service)
    monkeypatch.setattr(crawl, "MOST_COUNTED", 1)
    monkeypatch.setattr(crawl, "MOST_WAITING", 0)

    text = (await ask("/crawl")).text

    assert "<strong>1+</strong> pages to fetch" in text
    assert '<td class="number" data-label="pages">0+</td>' in text


async def test_a_part_of_the_page_is_renewed_without_the_frame(ask: Ask) -> None:
    reply = await ask("/crawl/now", hx_request="true", hx_target="now")
    by_itself = await ask("/crawl/now")

    assert reply.text.lstrip().startswith('<div id="crawl-pause" hx-swap-oob="true">')
    assert "<html" not in reply.text
    assert by_itself.headers["location"] == "/crawl"


async def test_all_is_paused_with_a_reason_that_every_page_shows(ask: Ask, service: Service) -> None:
    reply = await send_form(ask, "/crawl/pause", BROWSER_FORM, reason="the proxies move")

    assert (reply.status, reply.headers["location"]) == (303, "/crawl")
    for path in ("/crawl", "/runs", "/events", "/instances"):
        text = " ".join((await ask(path)).text.split())
        assert "Crawling is paused</strong> since" in text, path
        assert "by local: the proxies move." in text, path


async def test_who_resumes_comes_back_to_where_they_were(ask: Ask) -> None:
    await send_form(ask, "/crawl/pause", BROWSER_FORM, reason="")

    reply = await send_form(ask, "/crawl/resume", BROWSER_FORM, back="/runs?since=7d")

    assert (reply.status, reply.headers["location"]) == (303, "/runs?since=7d")
    assert "Crawling is paused" not in (await ask("/crawl")).text


async def test_a_script_is_led_back_to_an_address_in_any_letters(ask: Ask) -> None:
    await send_form(ask, "/crawl/pause", BROWSER_FORM, reason="")
    scripted = ask.with_headers(hx_request="true")

    reply = await send_form(scripted, "/crawl/resume", BROWSER_FORM, back="/?tag=日本")

    assert (reply.status, reply.headers["hx-redirect"]) == (200, "/?tag=%E6%97%A5%E6%9C%AC")


async def test_a_reason_that_is_too_long_is_kept_and_the_message_stands_beside_it(ask: Ask) -> None:
    long = "x" * 501

    reply = await send_form(ask, "/crawl/pause", BROWSER_FORM, reason=long)

    assert reply.status == 422
    assert f'value="{long}"' in reply.text
    assert 'id="reason-about" role="alert">a reason of 501 characters is too long' in reply.text


async def test_a_reason_is_never_markup(ask: Ask) -> None:
    await send_form(ask, "/crawl/pause", BROWSER_FORM, reason=HOSTILE)

    text = (await ask("/crawl")).text

    assert "<img" not in text
    assert "&lt;img src=x" in text


async def test_while_paused_nothing_is_run_by_hand_and_it_is_said_why(ask: Ask) -> None:
    await send_form(ask, "/crawl/pause", BROWSER_FORM, reason="the proxies move")

    reply = await send_form(ask, "/crawl/run-due", BROWSER_FORM)

    assert reply.status == 409
    assert "the proxies move" in reply.text


async def test_what_is_due_can_be_run_at_once(ask: Ask) -> None:
    reply = await send_form(ask, "/crawl/run-due", BROWSER_FORM)

    assert reply.status == 303


async def test_showing_the_switch_costs_no_query(ask: Ask, service: Service, view: ServiceView) -> None:
    now = service.clock.now()
    await service.db.write(lambda db: crawl_pause.pause(db, reason="", stamp=Stamp("mara", now)))
    before = (await ask("/events")).text
    await view.crawl.crawl_pause_changed()

    assert "Crawling is paused" not in before
    assert "by mara" in (await ask("/events")).text


class TestAViewer:
    """Somebody who may look and touch nothing."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        """The same installation, with a login."""
        return load({}, data_dir=settings.data_dir, min_delay_ms=0, auth_jwt_secret=SECRET)

    async def test_sees_why_and_gets_no_switch(self, ask: Ask, store: Store, view: ServiceView) -> None:
        token, now = jwt.encode(claims(role="viewer"), SECRET, algorithm="HS256"), store.clock.now()
        viewer = ask.with_headers(authorization=f"Bearer {token}")
        unpaused = (await viewer("/crawl")).text
        await store.db.write(lambda db: crawl_pause.pause(db, reason="the proxies move", stamp=Stamp("mara", now)))
        await view.crawl.crawl_pause_changed()

        paused = (await viewer("/crawl")).text

        assert "Pause all" not in unpaused
        assert "the proxies move" in paused
        assert "/crawl/resume" not in paused
