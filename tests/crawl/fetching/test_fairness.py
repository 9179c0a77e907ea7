"""A big site never keeps the small ones waiting."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lamplighter.crawl.fetching import fetch_phase
from tests.origin import Origin
from tests.service.in_process import asked, crawl, going, quick_settings, watch
from tests.service.sites import job_board, posting_html
from tests.service.waiting import asked_for, until

Origins = Callable[..., Awaitable[Origin]]


async def test_thirty_small_sites_are_visited_while_a_big_one_is_being_crawled(
    origin_factory: Origins, tmp_path: Path
) -> None:
    big = await origin_factory("127.0.0.1")
    job_board(big, postings=300, per_page=300)
    small = [await origin_factory(f"127.0.0.{number}") for number in range(2, 32)]
    for origin in small:
        origin.page("/jobs", posting_html(1))

    settings = quick_settings(tmp_path, big, *small, fetch_slots=3, min_delay_ms=300, max_pages=400)
    async with going(settings) as service:
        await watch(service, big.url + "/jobs")
        await until(lambda: asked_for(big, pages=3))
        for origin in small:
            await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(*small, pages=1))
        got_by_then = len(asked(big))

    assert got_by_then < 150


async def test_hosts_beyond_what_a_worker_holds_get_their_turn_before_the_big_ones_are_done(
    origin_factory: Origins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_phase, "LEAST_HOSTS", 1)
    big = [await origin_factory(f"127.0.0.{number}") for number in range(1, 5)]
    for origin in big:
        job_board(origin, postings=100, per_page=100)
    small = await origin_factory("127.0.0.9")
    small.page("/jobs", posting_html(1))

    async with going(quick_settings(tmp_path, *big, small, fetch_slots=1, max_pages=200)) as service:
        for origin in big:
            await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(*big, pages=1))
        run = await crawl(service, small.url + "/jobs", max_depth=0)
        got_by_then = [len(asked(origin)) for origin in big]

    assert run.tally.pages_fetched == 1
    assert min(got_by_then) < 80, got_by_then
