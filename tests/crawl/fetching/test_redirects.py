"""Redirects: each target is a page of its own, behind the whole gate again (B3, B4)."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lamplighter.model.crawl import RunOutcome
from tests.origin import Origin, redirect
from tests.service.in_process import all_pages, all_records, asked, crawl, crawl_again, going, quick_settings
from tests.service.sites import job_board, links_html, posting_html
from tests.service.submitted_tasks import Desk

Origins = Callable[..., Awaitable[Origin]]


def _chain(origin: Origin, hops: int) -> None:
    """/0 leads to /1 and so on to the posting at /{hops}."""
    for number in range(hops):
        origin.route(f"/{number}", redirect(f"/{number + 1}"))
    origin.page(f"/{hops}", posting_html(1))


async def test_a_redirect_on_the_same_host_is_followed(origin: Origin, tmp_path: Path) -> None:
    _chain(origin, 1)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/0", max_depth=0)
        pages = await all_pages(service)

    assert run.outcome is RunOutcome.OK, run.message
    assert (run.tally.pages_fetched, run.tally.records_inserted) == (1, 1)
    assert (pages["/0"].status, pages["/0"].redirected_to) == (302, origin.url + "/1")
    assert pages["/1"].depth == 0


async def test_b3_a_redirect_loop_names_both_ends(origin: Origin, tmp_path: Path) -> None:
    origin.route("/a", redirect("/b"))
    origin.route("/b", redirect("/a"))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/a")

    assert run.outcome is RunOutcome.FAIL
    assert run.message is not None
    assert "loop" in run.message
    assert origin.url + "/a" in run.message
    assert origin.url + "/b" in run.message
    assert asked(origin) == ["/a", "/b"]


@pytest.mark.parametrize("links", [("/older", "/old"), ("/old", "/older")], ids=["older first", "old first"])
async def test_two_redirects_that_meet_are_no_loop(origin: Origin, tmp_path: Path, links: tuple[str, str]) -> None:
    origin.page("/list", links_html(*links))
    origin.route("/older", redirect("/old"))
    origin.route("/old", redirect("/new"))
    origin.page("/new", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/list", max_depth=1)

    assert run.tally.pages_failed == 0, run.message
    assert run.tally.records_inserted == 1


async def test_the_redirect_of_a_start_page_costs_none_of_its_pages(origin: Origin, tmp_path: Path) -> None:
    _chain(origin, 1)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/0", max_pages=1, max_depth=0)

    assert run.outcome is RunOutcome.OK, run.message
    assert asked(origin) == ["/0", "/1"]


async def test_b4_the_hop_to_another_host_carries_no_validators_of_the_first(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    other = await origin_factory("127.0.0.2")
    other.page("/jobs", posting_html(1), etag='"other"')
    origin.page("/jobs", posting_html(1), etag='"first"')

    async with going(quick_settings(tmp_path, origin, other)) as service:
        run = await crawl(service, origin.url + "/jobs")
        origin.route("/jobs", redirect(other.url + "/jobs"))
        await crawl_again(service, run.source_id, number=2)

    assert "if-none-match" not in other.hits("/jobs")[0].headers


async def test_a_start_page_that_moved_to_another_site_takes_the_scope_along(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    other = await origin_factory("127.0.0.2")
    job_board(other, postings=6, per_page=3)
    origin.route("/jobs", redirect(other.url + "/jobs", 301))

    async with going(quick_settings(tmp_path, origin, other)) as service:
        run = await crawl(service, origin.url + "/jobs")
        titles = [record.title for record in await all_records(service)]

    assert titles == [f"Posting {number:02}" for number in range(6)], run.message


async def test_a_redirected_start_page_is_revisited_conditionally(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=3, per_page=3)
    origin.route("/", redirect("/jobs"))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/")
        again = await crawl_again(service, run.source_id, number=2)

    assert [hit.status for hit in origin.hits("/jobs")] == [200, 304]
    assert again.outcome is RunOutcome.OK, again.message
    assert again.tally.pages_unchanged == 1


async def test_a_submitted_url_that_ends_in_a_loop_says_so_itself(origin: Origin, tmp_path: Path) -> None:
    origin.route("/a", redirect("/b"))
    origin.route("/b", redirect("/c"))
    origin.route("/c", redirect("/b"))

    async with going(quick_settings(tmp_path, origin)) as service:
        desk = await Desk.of(service, origin)
        task = await desk.once(await desk.submit("/a"), "failed")
        page = (await all_pages(service))["/a"]

    assert (page.phase, page.reason) == ("failed", "too_many_redirects")
    assert task["error_message"].startswith("too_many_redirects: redirect loop")
    assert task["redirected_to"] == origin.url + "/b"
    assert asked(origin) == ["/a", "/b", "/c"]


async def test_a_submitted_url_that_redirects_too_often_says_so_itself_and_is_not_called_a_loop(
    origin: Origin, tmp_path: Path
) -> None:
    _chain(origin, 4)

    async with going(quick_settings(tmp_path, origin, max_redirects=2)) as service:
        desk = await Desk.of(service, origin)
        task = await desk.once(await desk.submit("/0"), "failed")
        last = (await all_pages(service))["/2"]

    assert (
        task["error_message"] == f"too_many_redirects: redirected more than 2 times; the last target was {origin.url}/3"
    )
    assert task["redirected_to"] == origin.url + "/1"
    assert last.redirected_to == origin.url + "/3"
    assert asked(origin) == ["/0", "/1", "/2"]


async def test_redirects_are_not_followed_where_the_settings_say_so(origin: Origin, tmp_path: Path) -> None:
    _chain(origin, 1)

    async with going(quick_settings(tmp_path, origin, follow_redirects=False)) as service:
        desk = await Desk.of(service, origin)
        task = await desk.once(await desk.submit("/0"), "failed")

    assert "redirects are not followed" in task["error_message"]
    assert asked(origin) == ["/0"]
