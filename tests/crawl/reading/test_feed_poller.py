"""Feeds that a start page announces are found and polled; a new entry announces a change of the source."""

from datetime import timedelta
from pathlib import Path

import pytest

from lamplighter import settings
from lamplighter.store.pages import feed_pages
from tests.origin import Origin
from tests.service.in_process import asked, first_run, going, job_of, quick_settings, watch
from tests.service.waiting import until
from tests.web.asgi_client import ask_of

FEEDING = {"feed_discovery_enabled": True, "feed_poll_enabled": True, "feed_poll_minutes": 0.005}


def _serve(origin: Origin, *, entries: int) -> None:
    items = "".join(
        f"<item><title>Lamp {number} is lit</title><link>{origin.url}/news/{number}</link></item>"
        for number in range(entries)
    )
    feed = f'<rss version="2.0"><channel><title>News</title>{items}</channel></rss>'
    origin.page("/feed.xml", feed, headers={"Content-Type": "application/rss+xml"})
    head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    origin.page("/", f"<html><head>{head}</head><body><h1>News</h1><p>All is well.</p></body></html>")


async def test_a_new_entry_of_an_announced_feed_announces_a_change_of_the_source(
    origin: Origin, tmp_path: Path
) -> None:
    _serve(origin, entries=2)

    async with going(quick_settings(tmp_path, origin, **FEEDING)) as service:
        source_id = await watch(service, origin.url + "/", interval=None, policy="learned")
        await first_run(service, source_id)

        async def is_polled() -> bool:
            return "/feed.xml" in asked(origin)

        await until(is_polled)
        before = await job_of(service, source_id)
        _serve(origin, entries=3)

        async def is_announced() -> bool:
            return bool((await job_of(service, source_id)).signal)

        await until(is_announced)

    assert not before.signal


async def test_feeds_of_a_cancelled_job_are_not_polled(origin: Origin, tmp_path: Path) -> None:
    _serve(origin, entries=2)

    async with going(quick_settings(tmp_path, origin, **FEEDING)) as service:
        source_id = await watch(service, origin.url + "/")
        await first_run(service, source_id)
        later = service.clock.now() + timedelta(days=1)
        before = await service.db.look(lambda db: feed_pages.due(db, now=later, limit=9))
        job = await job_of(service, source_id)
        cancelled = await ask_of(service).post(f"/api/v1/jobs/{job.public_id}/cancel")
        after = await service.db.look(lambda db: feed_pages.due(db, now=later, limit=9))

    assert cancelled.status == 200, cancelled.text
    assert [feed.url for feed in before] == [origin.url + "/feed.xml"]
    assert after == []


async def test_feeds_are_neither_looked_for_nor_polled_unless_it_is_set(origin: Origin, tmp_path: Path) -> None:
    _serve(origin, entries=2)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/")
        await first_run(service, source_id)
        names = {loop.name for loop in service.loops}

    assert "feeds" not in names
    assert asked(origin) == ["/"]


def test_the_names_of_other_crawlers_set_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAWLER_FEED_DISCOVERY_ENABLED", "true")
    monkeypatch.setenv("CRAWLER_FEED_POLL_ENABLED", "true")

    chosen = settings.load()

    assert (chosen.feed_discovery_enabled, chosen.feed_poll_enabled) == (True, True)
