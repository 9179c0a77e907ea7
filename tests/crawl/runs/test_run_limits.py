"""How far a run goes: depth, budget, site, what is asked once."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.hosts import hosts
from tests.origin import Origin
from tests.service.in_process import asked, crawl, going, quick_settings
from tests.service.sites import job_board, links_html, posting_html

Origins = Callable[..., Awaitable[Origin]]


@pytest.mark.parametrize("depth", [0, 1, 3])
async def test_links_are_followed_no_deeper_than_asked(origin: Origin, tmp_path: Path, depth: int) -> None:
    for level in range(5):
        origin.page(f"/level/{level}", links_html(f"/level/{level + 1}"))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/level/0", max_depth=depth)

    assert asked(origin) == [f"/level/{level}" for level in range(depth + 1)]


async def test_next_pages_stay_at_the_depth_of_their_listing(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=4, per_page=1)

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/jobs", max_depth=0)

    assert asked(origin) == ["/jobs", "/jobs?page=2", "/jobs?page=3", "/jobs?page=4"]


async def test_a_run_asks_for_no_more_pages_than_its_source_allows(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=30, per_page=30)

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/jobs", max_pages=5)

    assert len(asked(origin)) == 5


async def test_a_run_asks_for_no_more_pages_than_the_policy_of_its_host(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=30, per_page=30)

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        await service.db.write(
            lambda db: hosts.set_policy(db, origin.address, HostChange(max_pages=4), stamp=Stamp("test", now))
        )
        await crawl(service, origin.url + "/jobs")

    assert len(asked(origin)) == 4


async def test_listing_pages_come_first_when_the_budget_is_short(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=8, per_page=4)

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/jobs", max_pages=3)

    assert set(asked(origin)) == {"/jobs", "/jobs?page=2", "/job/0"}


async def test_links_to_other_sites_are_not_followed(origin: Origin, origin_factory: Origins, tmp_path: Path) -> None:
    other = await origin_factory("127.0.0.2")
    origin.page("/", links_html("/here", other.url + "/there"))

    async with going(quick_settings(tmp_path, origin, other)) as service:
        await crawl(service, origin.url + "/")

    assert asked(origin) == ["/", "/here"]
    assert other.log == []


async def test_a_recipe_says_which_links_are_followed(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", links_html("/job/1", "/job/2", "/about", "/job/2/print"))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/", recipe={"include": ["/job/"], "exclude": ["/print$"]})

    assert asked(origin) == ["/", "/job/1", "/job/2"]


async def test_a_url_is_asked_once_whatever_it_is_dressed_in(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", links_html("/job/1?utm_source=a", "/job/1", "/job/1#apply", "/job/1?utm_source=b&fbclid=1"))
    origin.page("/job/1", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/", max_depth=1)

    assert asked(origin) == ["/", "/job/1"]
