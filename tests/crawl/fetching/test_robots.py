"""What robots.txt does to a run: nothing is asked that it forbids, and the run says so."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from lamplighter.app import Service
from lamplighter.model.crawl import RunOutcome
from lamplighter.store.schema.tables import crawl_runs
from tests.origin import Origin
from tests.service.in_process import all_pages, all_rows, asked, crawl, going, job_of, quick_settings, run_log_of, watch
from tests.service.sites import job_board, links_html, posting_html
from tests.service.waiting import until


async def test_c2_a_link_waits_in_its_run_for_the_robots_txt(
    origin: Origin, origin_factory: Callable[..., Awaitable[Origin]], tmp_path: Path
) -> None:
    other = await origin_factory("127.0.0.1")
    other.robots("", status=503)
    origin.page("/jobs", links_html(other.url + "/job/1"))

    async with going(quick_settings(tmp_path, origin, other, page_retries=3)) as service:
        await watch(service, origin.url + "/jobs")
        page = await until(lambda: _page(service, "/job/1", reason="robots_unreachable"))
        runs = await all_rows(service, crawl_runs)
        now = service.clock.now()

    assert (page.phase, page.retry_count) == ("pending", 1)
    assert timedelta(seconds=50) < page.due_at - now < timedelta(minutes=1.1)
    assert [run.finished_at for run in runs] == [None]


async def _page(service: Service, path: str, *, reason: str) -> Any:
    page = (await all_pages(service)).get(path)
    return page if page is not None and page.reason == reason else None


async def test_a_forbidden_start_page_rests_the_job_for_half_a_day(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: LamplighterBot\nDisallow: /\n")

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        job = await job_of(service, run.source_id)
        rest = job.resume_at - service.clock.now()

    assert asked(origin) == []
    assert run.outcome is RunOutcome.FAIL
    assert run.message is not None
    assert "robots disallow: 'Disallow: /'" in run.message
    assert (job.state, job.pause_reason) == ("paused", "robots")
    assert timedelta(hours=11.9) < rest <= timedelta(hours=12)


async def test_a_forbidden_link_is_refused_and_the_run_is_in_order(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=3, per_page=3, secrets=True)
    origin.robots("User-agent: *\nDisallow: /secret\n")

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        pages = await all_pages(service)
        written = await run_log_of(service, run.id)

    assert run.outcome is RunOutcome.OK, run.message
    assert (run.tally.pages_refused, run.tally.pages_failed, run.tally.records_inserted) == (3, 0, 3)
    assert not [path for path in asked(origin) if path.startswith("/secret")]
    assert pages["/secret/0"].reason == "robots_disallow"
    assert any("line 2" in line for line in written)


async def test_p4_every_completed_page_names_the_rule_that_allowed_it(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=2, per_page=2)
    origin.robots("User-agent: *\nAllow: /job/1\nDisallow: /never\n")

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/jobs")
        pages = await all_pages(service)

    rules = {path: page.robots_rule for path, page in pages.items()}
    nothing = "no rule of robots.txt applies"
    assert rules == {"/jobs": nothing, "/job/0": nothing, "/job/1": "Allow: /job/1"}


async def test_e4_a_page_may_address_the_robot_by_the_name_its_operator_gave_it(origin: Origin, tmp_path: Path) -> None:
    meta = '<meta name="orchardbot" content="noindex">'
    origin.page("/jobs", posting_html(1).replace("<head>", f"<head>{meta}"))

    async with going(quick_settings(tmp_path, origin, user_agent="OrchardBot/2 (+http://127.0.0.1/bot)")) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=0)

    assert (run.tally.records_inserted, run.tally.records_skipped) == (0, 1)
