"""What cannot work ends in a stored reason that names the value and the remedy, and touches nothing else."""

import socket
from pathlib import Path
from typing import Any

import pytest

from lamplighter.fetch.client import Client
from lamplighter.model.crawl import RunOutcome
from lamplighter.model.visit import Visit
from tests.origin import Answer, Origin, gzip_bomb, redirect
from tests.service.in_process import all_pages, all_records, crawl, going, job_of, quick_settings, run_log_of
from tests.service.sites import job_board, posting_html

EMPTY_FEED = '<?xml version="1.0"?><rss version="2.0"><channel><title>Quiet</title></channel></rss>'


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_a_host_that_does_not_listen_fails_the_run_with_the_cause(tmp_path: Path) -> None:
    address = f"127.0.0.1:{_free_port()}"

    async with going(quick_settings(tmp_path, allow_hosts=address)) as service:
        run = await crawl(service, f"http://{address}/jobs")
        page = (await all_pages(service))["/jobs"]
        job = await job_of(service, run.source_id)

    assert run.outcome is RunOutcome.FAIL
    assert run.message is not None
    assert address in run.message
    assert "could not connect" in run.message
    assert (page.phase, page.reason) == ("failed", "robots_unreachable")
    assert (job.state, job.retry_count, job.failure_count) == ("pending", 1, 0)


@pytest.mark.parametrize(
    ("answer", "reason", "said"),
    [
        pytest.param(redirect("/jobs"), "too_many_redirects", "/jobs", id="b3: a redirect to itself"),
        pytest.param(redirect("file:///etc/passwd"), "bad_redirect", "file:///etc/passwd", id="b3: another scheme"),
        pytest.param(
            Answer(headers={"Content-Type": "application/pdf"}, body=b"%PDF-1.7"),
            "unsupported_content_type",
            "application/pdf is not HTML",
            id="b9: a PDF",
        ),
        pytest.param(Answer(status=404), "not_found", "HTTP 404", id="no such page"),
        pytest.param(Answer(status=410), "gone", "HTTP 410", id="b8: gone"),
    ],
)
async def test_a_start_page_that_cannot_be_had_fails_the_run_by_name(
    origin: Origin, tmp_path: Path, answer: Answer, reason: str, said: str
) -> None:
    origin.route("/jobs", answer)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        pages = await all_pages(service)
        written = await run_log_of(service, run.id)

    assert run.outcome is RunOutcome.FAIL
    assert run.message is not None
    assert run.message.startswith(reason)
    assert said in run.message
    assert origin.url + "/jobs" in run.message
    assert (pages["/jobs"].phase, pages["/jobs"].reason, pages["/jobs"].body_key) == ("failed", reason, None)
    assert run.tally.pages_failed == 1
    assert any(said in line for line in written)


async def test_an_empty_feed_is_a_warning_not_a_failure(origin: Origin, tmp_path: Path) -> None:
    origin.route("/feed", headers={"Content-Type": "application/rss+xml"}, body=EMPTY_FEED)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/feed")
        written = await run_log_of(service, run.id)

    assert run.outcome is RunOutcome.WARN
    assert run.message is not None
    assert "feed has no entries" in run.message
    assert any("feed" in line for line in written), written


async def test_one_bad_page_takes_nothing_from_the_others(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=4, per_page=4)
    origin.route("/job/2", gzip_bomb(megabytes=20))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        titles = [record.title for record in await all_records(service)]

    assert titles == ["Posting 00", "Posting 01", "Posting 03"]
    assert run.tally.pages_failed == 1


async def test_a_recipe_that_matches_nothing_is_named_even_if_the_page_speaks_for_itself(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/job", posting_html(1))
    recipe = {"items": "div.job", "fields": {"title": "h2"}}

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/job", recipe=recipe, max_depth=0)
        found = await all_records(service)

    assert run.outcome is RunOutcome.WARN
    assert "recipe: items selector 'div.job' matched nothing" in (run.message or "")
    assert [record.title for record in found] == ["Posting 01"]


async def test_a_page_that_breaks_something_of_ours_fails_and_is_not_asked_for_again_and_again(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_board(origin, postings=2, per_page=2)
    get, asked_for = Client.get, list[str]()

    async def broken(client: Client, url: str, **how: Any) -> Visit:
        asked_for.append(url)
        if url.endswith("/job/1"):
            raise IndexError("list index out of range")
        return await get(client, url, **how)

    monkeypatch.setattr(Client, "get", broken)
    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/jobs")
        pages = await all_pages(service)

    assert (pages["/job/1"].phase, pages["/job/1"].reason) == ("failed", "broken_response")
    assert "IndexError" in pages["/job/1"].detail
    assert pages["/job/0"].phase == "completed"
    assert asked_for.count(origin.url + "/job/1") == 1
