"""The second visit: validators, "not modified", and what follows from it."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from lamplighter.model.crawl import RunOutcome
from tests.changing import set_source
from tests.origin import Answer, Origin
from tests.service.in_process import (
    age,
    all_records,
    asked,
    crawl,
    crawl_again,
    first_run,
    going,
    job_of,
    quick_settings,
    watch,
)
from tests.service.sites import job_board, links_html, posting_html

#: sooner than any reader can answer, in seconds
AT_ONCE = 0.000_000_001
WHEN = "Sat, 14 Mar 2026 12:00:00 GMT"


def _numbered_board(origin: Origin, *, pages: int, version: str = "1") -> None:
    """A listing whose every page links to every other by number, and to the next one by name."""
    numbers = "".join(f'<a href="/list?page={number}">{number}</a>' for number in range(1, pages + 1))
    for number in range(1, pages + 1):
        following = f'<a rel="next" href="/list?page={number + 1}">Next</a>' if number < pages else ""
        html = f"<html><body><p>Version {version} of page {number}</p>{numbers}{following}</body></html>"
        origin.page(f"/list?page={number}", html, etag=f'"{version}-{number}"')


async def test_the_second_run_sends_both_validators(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", posting_html(1), etag='"v1"', last_modified=WHEN)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        again = await crawl_again(service, run.source_id, number=2)
        job = await job_of(service, run.source_id)

    second = origin.hits("/jobs")[1]
    assert (second.headers["if-none-match"], second.headers["if-modified-since"]) == ('"v1"', WHEN)
    assert second.status == 304
    assert (again.outcome, again.tally.pages_unchanged, again.tally.pages_fetched) == (RunOutcome.OK, 1, 0)
    assert job.unchanged_count == 1


async def test_an_unchanged_listing_still_leads_to_its_next_page(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=6, per_page=2)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        before = len(origin.log)
        again = await crawl_again(service, run.source_id, number=2)

    assert [hit.path for hit in origin.log[before:]] == ["/jobs", "/jobs?page=2", "/jobs?page=3"]
    assert again.tally.pages_unchanged == 3


@pytest.mark.parametrize("version", [pytest.param("1", id="unchanged"), pytest.param("2", id="changed")])
async def test_a_listing_with_numbered_pages_is_walked_to_its_end_again(
    origin: Origin, tmp_path: Path, version: str
) -> None:
    _numbered_board(origin, pages=4)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/list?page=1")
        before = len(origin.log)
        _numbered_board(origin, pages=4, version=version)
        await crawl_again(service, run.source_id, number=2)

    assert sorted(hit.path for hit in origin.log[before:]) == [f"/list?page={number}" for number in range(1, 5)]


async def test_the_page_budget_holds_for_unchanged_listings(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=6, per_page=1)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=0)
        before = len(origin.log)
        now = service.clock.now()
        await service.db.write(lambda db: set_source(db, run.source_id, now=now, max_pages=3))
        await crawl_again(service, run.source_id, number=2)

    assert len(origin.log) - before == 3


async def test_a_detail_page_is_not_asked_again_within_a_day(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", links_html("/job/1"), etag='"1"')
    origin.page("/job/1", posting_html(1), etag='"job"')

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=1)
        origin.page("/jobs", links_html("/job/1", text="changed"), etag='"2"')
        await crawl_again(service, run.source_id, number=2)
        await age(service, hours=25)
        origin.page("/jobs", links_html("/job/1", text="changed again"), etag='"3"')
        await crawl_again(service, run.source_id, number=3)

    assert asked(origin) == ["/jobs", "/job/1", "/jobs", "/jobs", "/job/1"]
    assert origin.hits("/job/1")[1].status == 304


async def test_an_equal_body_without_validators_counts_as_unchanged(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        again = await crawl_again(service, run.source_id, number=2)

    assert [hit.status for hit in origin.hits("/jobs")] == [200, 200]
    assert (again.tally.pages_unchanged, again.tally.pages_changed, again.tally.records_found) == (1, 0, 0)


async def test_a_body_that_could_not_be_read_is_read_after_the_next_304(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", posting_html(1, title="Before"), etag='"1"')
    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
    origin.page("/jobs", posting_html(1, title="After"), etag='"2"')
    async with going(quick_settings(tmp_path, origin, parse_timeout_seconds=AT_ONCE)) as service:
        broken = await crawl_again(service, run.source_id, number=2)

    async with going(quick_settings(tmp_path, origin)) as service:
        mended = await crawl_again(service, run.source_id, number=3)
        titles = {record.title for record in await all_records(service)}

    assert broken.tally.pages_failed == 1
    assert [hit.status for hit in origin.hits("/jobs")] == [200, 200, 304]
    assert "After" in titles, mended.message


async def test_a_body_never_read_is_read_from_the_archive_after_a_304(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", posting_html(1), etag='"1"')
    async with going(quick_settings(tmp_path, origin, parse_timeout_seconds=AT_ONCE)) as service:
        run = await crawl(service, origin.url + "/jobs")

    async with going(quick_settings(tmp_path, origin)) as service:
        again = await crawl_again(service, run.source_id, number=2)

    assert [hit.status for hit in origin.hits("/jobs")] == [200, 304]
    assert again.tally.records_inserted == 1


async def test_two_sources_one_after_the_other_get_an_unchanged_page_once(origin: Origin, tmp_path: Path) -> None:
    origin.page("/a", links_html("/job/1"))
    origin.page("/b", links_html("/job/1"))
    origin.page("/job/1", posting_html(1), etag='"job"')

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/a", max_depth=1)
        second = await crawl(service, origin.url + "/b", max_depth=1)

    assert [hit.status for hit in origin.hits("/job/1")] == [200, 304]
    assert second.outcome is RunOutcome.OK, second.message
    assert second.tally.records_unchanged == 1


async def test_two_sources_at_the_same_time_get_an_unchanged_page_once(origin: Origin, tmp_path: Path) -> None:
    origin.page("/a", links_html("/job/1"))
    origin.page("/b", links_html("/job/1"))
    origin.page("/job/1", posting_html(1), etag='"job"')

    async with going(quick_settings(tmp_path, origin, min_delay_ms=300)) as service:
        watched = [await watch(service, origin.url + path, max_depth=1) for path in ("/a", "/b")]
        await asyncio.gather(*(first_run(service, source_id) for source_id in watched))

    assert [hit.status for hit in origin.hits("/job/1")] == [200, 304]


async def test_e4_what_the_header_asked_of_robots_holds_for_a_second_source(origin: Origin, tmp_path: Path) -> None:
    origin.page("/a", links_html("/job/1"))
    origin.page("/b", links_html("/job/1"))
    origin.page("/job/1", posting_html(1), etag='"job"', headers={"X-Robots-Tag": "noindex"})

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/a", max_depth=1)
        await crawl(service, origin.url + "/b", max_depth=1)
        found = await all_records(service)

    assert [hit.status for hit in origin.hits("/job/1")] == [200, 304]
    assert found == []


async def test_a_feed_is_left_alone_as_long_as_it_asks(origin: Origin, tmp_path: Path) -> None:
    feed = b"<rss version='2.0'><channel><title>N</title><ttl>1200</ttl><item><title>One</title></item></channel></rss>"
    origin.route("/feed", Answer(headers={"Content-Type": "application/rss+xml"}, body=feed))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/feed", interval=timedelta(hours=1), policy="hash_backoff")
        job = await job_of(service, run.source_id)
        exact = await crawl(service, origin.url + "/feed?exact", interval=timedelta(hours=1))
        kept = await job_of(service, exact.source_id)

    assert run.finished_at is not None
    assert exact.finished_at is not None
    assert job.next_run_at - run.finished_at >= timedelta(hours=19)
    assert kept.next_run_at - exact.finished_at == timedelta(hours=1)
