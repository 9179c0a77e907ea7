"""Bugs of other crawlers in what they request from sites, judged by the sites' logs; `tests/security/known_bugs.py`."""

import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from lamplighter.app import Service
from lamplighter.extract.feeds.feed import read_feed
from lamplighter.model.record import RecordKind
from tests.origin import Answer, Origin, redirect
from tests.security.url_fields import PLACES
from tests.service.in_process import crawl, going, quick_settings
from tests.service.json_api import answers, recipe
from tests.web.asgi_client import Ask, ask_of

Origins = Callable[..., Awaitable[Origin]]
SCRIPT = "<script>alert(1)</script>"


async def test_cve_2025_52558_an_error_is_shown_as_text(origin: Origin, tmp_path: Path) -> None:
    origin.route("/moved", redirect(f"javascript:alert(1)//{SCRIPT}"))
    origin.route("/odd", Answer(status=200, headers={"Content-Type": f"image/{SCRIPT}"}, body=b"x"))
    origin.page("/empty", f"<html><title>{SCRIPT}</title><p>&lt;script&gt;alert(1)&lt;/script&gt;")
    hostile = {"items": f'a[title="{SCRIPT}"]', "fields": {"title": "b"}}

    async with going(quick_settings(tmp_path, origin)) as service:
        moved = await crawl(service, f"{origin.url}/moved", max_depth=0)
        await crawl(service, f"{origin.url}/odd", max_depth=0)
        await crawl(service, f"{origin.url}/empty", recipe=hostile, max_depth=0)
        ask = ask_of(service)
        ids = [each["id"] for each in (await ask.get("/api/v1/sources")).json["sources"]]
        pages = ["/", "/runs", "/frontier", *(f"/sources/{each}" for each in ids)]
        shown = [(await ask.get(path)).text for path in pages]

    assert "javascript" in (moved.message or "")
    assert any("&lt;script" in text for text in shown)
    assert [text for text in shown if SCRIPT in text or 'href="javascript:' in text] == []


async def test_cve_2026_27696_no_place_that_takes_a_url_reaches_inside(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    inside = await origin_factory()
    inside.page("/", "the inner page")
    origin.page("/", f'<a href="{inside.url}/linked">in</a>')
    origin.route("/moved", redirect(inside.url + "/moved"))
    origin.route("/robots.txt", Answer(body=f"Sitemap: {inside.url}/sitemap.xml\n".encode()))

    async with going(quick_settings(tmp_path, origin)) as service:
        ask = ask_of(service)
        source_id = (await ask.post("/api/v1/sources", {"name": "a", "url": f"{origin.url}/a"})).json["id"]
        for place in PLACES:
            await ask.post(place.path.format(source=source_id), place.body(f"{inside.url}/{place.name}"))
        told = [await _tried(service, ask, url) for url in (inside.url + "/", f"{origin.url}/moved")]
        await crawl(service, f"{inside.url}/crawled")
        await crawl(service, f"{origin.url}/moved")
        await crawl(service, f"{origin.url}/")

    assert inside.log == []
    assert [text for text in told if "the inner page" in text] == []
    assert any("not a public address" in text for text in told)


async def _tried(service: Service, ask: Ask, url: str) -> str:
    """What a trial and an explanation of a URL say."""
    trial = await ask(
        "/sources/add/trial",
        method="POST",
        body=f"url={url}".encode(),
        content_type="application/x-www-form-urlencoded",
        sec_fetch_site="same-origin",
    )
    simulated = await service.trying.simulator.simulate(url, now=service.clock.now())
    return trial.text + repr(simulated)


async def test_ghsa_cw9j_credentials_do_not_go_along_to_another_host(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    other = await origin_factory(host="127.0.0.2")
    other.route("/api", answers(total=2, size=2))
    origin.route("/api", redirect(other.url + "/api"))
    chosen = quick_settings(tmp_path, origin, other, secrets={"key": "s3cr3t"})
    headers = {"Authorization": "Bearer {secret:key}", "X-Api-Key": "{secret:key}", "Cookie": "a={secret:key}"}

    async with going(chosen) as service:
        await crawl(service, origin.url + "/api", recipe=recipe(headers=headers), max_depth=0)

    assert [hit.headers.get("authorization") for hit in origin.hits("/api")] == ["Bearer s3cr3t"]
    assert [hit.path for hit in other.log if hit.path == "/api"] == ["/api"]
    assert [hit for hit in other.log if "s3cr3t" in str(hit)] == []


def test_ghsa_cc65_the_time_a_feed_takes_grows_with_its_length_and_no_faster() -> None:
    def seconds(times: int) -> float:
        hostile = ("<item", "<item ", "<item><", "<item\n<", "</item", "<!--", "<![CDATA[", '<a b="', "&#")
        started = time.process_time()
        for piece in hostile:
            read_feed(f"<rss><channel>{piece * times}", url="https://a.example/", kind=RecordKind.ARTICLE)
        return time.process_time() - started

    seconds(10)

    assert seconds(2_000) < 12 * seconds(500) + 1
