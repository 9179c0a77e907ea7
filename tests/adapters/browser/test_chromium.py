"""The browser shows a page as its scripts make it, asks nobody but us, and never outlives its deadline."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lamplighter.adapters.browser import chromium
from lamplighter.adapters.browser.chromium import Chromium
from lamplighter.model.visit import NO_VALIDATORS, Fetched
from lamplighter.ports import NotRendered

URL = "https://site.example/jobs"
SHELL = b"""<!doctype html><title>Jobs</title><div id="app">loading</div><img src="/logo.png">
<link rel="stylesheet" href="/site.css"><script src="/app.js"></script>"""
SCRIPT = b"""fetch("/api").then(answer => answer.json()).then(
    jobs => document.getElementById("app").innerHTML = jobs.map(job => "<h2>" + job + "</h2>").join(""))"""


class Door:
    """Stands in for the way to the web, and remembers what was asked for."""

    def __init__(self, **answers: bytes) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def __call__(self, url: str, *, is_script: bool) -> Fetched | None:
        self.asked.append(url)
        body = self.answers.get(url.rpartition("/")[2].partition(".")[0])
        if body is None:
            return None
        kind = "text/javascript" if is_script else "application/json"
        at = datetime(2026, 1, 1, tzinfo=UTC)
        return Fetched(
            url=url, status=200, body=body, content_type=kind, validators=NO_VALIDATORS, at=at, took=timedelta(0)
        )


@pytest.fixture
async def browser() -> AsyncIterator[Chromium]:
    browser = Chromium(seconds=60)
    yield browser
    await browser.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which the browser may have to wait for its turn, and still has something to do."""
    monkeypatch.setattr(chromium, "QUIET_SECONDS", 4)


@pytest.mark.usefixtures("patient")
async def test_the_page_is_read_as_its_scripts_make_it(browser: Chromium) -> None:
    door = Door(app=SCRIPT, api=b'["Nurse", "Driver"]')

    html = await browser.render(URL, SHELL, "text/html", door)

    assert b"<h2>Nurse</h2><h2>Driver</h2>" in html


@pytest.mark.usefixtures("patient")
async def test_what_came_late_may_lead_to_more(browser: Chromium) -> None:
    door = Door(api=b"[]", more=b"[]")
    page = b'<script>fetch("/api").then(() => setTimeout(() => fetch("/more"), 900))</script>'

    async def late(url: str, *, is_script: bool) -> Fetched | None:
        await asyncio.sleep(4.5)
        return await door(url, is_script=is_script)

    await browser.render(URL, page, "text/html", late)

    assert door.asked == ["https://site.example/api", "https://site.example/more"]


@pytest.mark.usefixtures("patient")
async def test_images_styles_and_fonts_are_never_asked_for(browser: Chromium) -> None:
    door = Door(app=SCRIPT, api=b"[]")

    await browser.render(URL, SHELL, "text/html", door)

    assert door.asked == ["https://site.example/app.js", "https://site.example/api"]


async def test_what_may_not_be_had_does_not_keep_the_page_from_being_read(browser: Chromium) -> None:
    html = await browser.render(URL, SHELL, "text/html", Door())

    assert b"loading" in html


async def test_nothing_that_changes_anything_is_sent(browser: Chromium) -> None:
    door = Door()
    page = b'<script>fetch("/buy", {method: "POST"}); navigator.sendBeacon("/seen")</script>'

    await browser.render(URL, page, "text/html", door)

    assert door.asked == []


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    "away",
    [
        pytest.param(b'<script>location = "/login"</script>', id="a script"),
        pytest.param(b'<meta http-equiv="refresh" content="0; url=/login">', id="a refresh"),
        pytest.param(b'<form action="/login"></form><script>document.forms[0].submit()</script>', id="a form"),
    ],
)
async def test_a_page_that_leads_elsewhere_is_not_taken_for_what_the_browser_shows_instead(
    browser: Chromium, away: bytes
) -> None:
    door = Door()

    with pytest.raises(NotRendered, match=r"navigate to https://site.example/login\??, where the browser may not go"):
        await browser.render(URL, b"<title>Jobs</title>" + away + b"<h2>Nurse</h2>", "text/html", door)

    assert door.asked == []
    assert b"loading" in await browser.render(URL, SHELL, "text/html", door)


async def test_what_a_frame_leads_to_is_no_matter(browser: Chromium) -> None:
    html = await browser.render(URL, b'<iframe src="/advert"></iframe><h2>Nurse</h2>', "text/html", Door())

    assert b"<h2>Nurse</h2>" in html


async def test_pages_share_no_cookies_and_no_storage(browser: Chromium) -> None:
    leaves = b"<script>localStorage.trace = 1; document.cookie = 'trace=1'</script>"
    finds = b"<script>document.write(document.cookie + '|' + localStorage.trace)</script>"

    await browser.render(URL, leaves, "text/html", Door())
    html = await browser.render(URL, finds, "text/html", Door())

    assert b"|undefined" in html
    assert b"trace=1|" not in html


async def test_a_page_that_never_ends_is_killed_with_its_browser_and_the_next_one_is_read() -> None:
    browser = Chromium(seconds=60)
    await browser.render(URL, SHELL, "text/html", Door())
    group = browser.pid
    assert group is not None
    browser.seconds = 2

    with pytest.raises(NotRendered, match="not ready after 2 s"):
        await browser.render(URL, b"<script>while (true);</script>", "text/html", Door())

    assert await _is_gone(group)
    browser.seconds = 60
    assert b"loading" in await browser.render(URL, SHELL, "text/html", Door())
    await browser.close()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_j9_the_browser_is_told_none_of_our_secrets(browser: Chromium, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTH_JWT_SECRET", "canary-of-the-coal-mine")

    await browser.render(URL, SHELL, "text/html", Door())

    assert browser.pid is not None
    environment = await asyncio.to_thread(Path(f"/proc/{browser.pid}/environ").read_bytes)
    assert b"canary" not in environment


async def test_a_browser_that_dies_is_replaced(browser: Chromium) -> None:
    await browser.render(URL, SHELL, "text/html", Door())
    assert browser.pid is not None
    os.kill(browser.pid, signal.SIGKILL)

    with pytest.raises(NotRendered, match="browser failed"):
        await browser.render(URL, SHELL, "text/html", Door())

    assert b"loading" in await browser.render(URL, SHELL, "text/html", Door())


async def test_without_a_browser_the_remedy_is_named() -> None:
    with pytest.raises(NotRendered, match="no-such-browser; install one"):
        await Chromium(program="no-such-browser", seconds=10).render(URL, SHELL, "text/html", Door())


async def _is_gone(group: int) -> bool:
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        await asyncio.sleep(0.1)
    return False
