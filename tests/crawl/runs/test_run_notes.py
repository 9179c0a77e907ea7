"""What a run writes down, and what its figures say, after a real crawl."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from lamplighter.app import Service
from lamplighter.crawl.runs.run_notes import RunFiguresBuilder
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.model.record import RejectedRecord
from lamplighter.model.run_figures import loaded
from lamplighter.model.run_log import Keeping
from lamplighter.model.visit import Fault
from lamplighter.store.engine.database import Database
from lamplighter.store.schema.tables import crawl_runs, run_log_lines
from tests.crawl.runs.runs_without_site import Site, read
from tests.origin import Answer, Origin, busy, redirect
from tests.service.in_process import all_rows, crawl, going, quick_settings, watch
from tests.service.sites import job_board, links_html, posting_html
from tests.service.waiting import until


def _board(origin: Origin) -> None:
    """Two postings, a page that robots.txt forbids, a redirect, a dead link, a PDF, and a page too far away."""
    links = ("/job/0", "/job/1", "/job/1", "/secret/0", "/moved", "/dead", "/paper")
    origin.robots("User-agent: *\nDisallow: /secret\n")
    origin.page("/jobs", links_html(*links))
    origin.page("/job/0", posting_html(0).replace("</body>", '<a href="/further">on</a></body>'))
    origin.page("/job/1", posting_html(1))
    origin.route("/moved", redirect("/job/0"))
    origin.route("/dead", Answer(status=404))
    origin.route("/paper", Answer(headers={"Content-Type": "application/pdf"}, body=b"%PDF-1.7"))


async def _lines(service: Service, run: CrawlRun) -> list[Any]:
    return [row for row in await all_rows(service, run_log_lines) if row.run_id == run.id]


async def test_at_debug_every_page_every_reading_and_every_wait_has_its_line(origin: Origin, tmp_path: Path) -> None:
    _board(origin)

    async with going(quick_settings(tmp_path, origin, run_log_level="debug")) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=1)
        lines = await _lines(service, run)

    count = Counter(line.action for line in lines)
    assert count["page.fetched"] == 3
    assert count["page.read"] == 3
    assert count["redirect.followed"] == 1
    assert count["page.failed"] == 2
    assert count["turn.waited"] >= 3
    fetched = next(line for line in lines if line.action == "page.fetched" and line.url.endswith("/jobs"))
    assert (fetched.level, fetched.fields["status"]) == ("debug", 200)
    refused = next(line for line in lines if line.action == "robots.refused")
    assert (refused.level, refused.category, refused.fields["reason"]) == ("warning", "robots", "robots_disallow")


async def test_by_default_pages_that_came_and_waits_are_not_mentioned(origin: Origin, tmp_path: Path) -> None:
    _board(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        with capture_logs() as logged:
            run = await crawl(service, origin.url + "/jobs", name="Harbour", max_depth=1)
        lines = await _lines(service, run)
        (row,) = await all_rows(service, crawl_runs)

    assert {line.action for line in lines} == {"run.opened", "robots.refused", "page.failed", "run.finished"}
    assert row.log_lines == len(lines)
    last = lines[-1]
    assert last.message.startswith(f"Harbour ({origin.address}): 3 pages ")
    assert "; next run " in last.message
    assert (last.fields["source"], last.fields["records_inserted"]) == ("Harbour", 2)
    assert last.fields["duration_ms"] >= 0
    (told,) = [event for event in logged if event["event"] == "run.finished"]
    assert all(told[name] == value for name, value in last.fields.items())
    assert told["why"]


async def test_the_figures_say_what_came_what_it_took_and_what_was_left_aside(origin: Origin, tmp_path: Path) -> None:
    _board(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=1)

    figures = run.figures
    assert figures is not None
    assert run.outcome is RunOutcome.OK, run.message
    assert run.message is not None
    assert "note: not_found: HTTP 404" in run.message
    # the PDF is told by its headers, and its answer counts as one
    assert figures.status_codes == {"200": 4, "302": 1, "404": 1}
    assert figures.response_ms.count == 6
    assert figures.bytes == run.tally.bytes_fetched
    assert figures.error_categories == {"not_found": 1}
    assert [count for _, count in figures.top_errors()] == [1]
    assert figures.skipped["robots_disallow"] == 1
    assert figures.skipped["unsupported_content_type"] == 1
    assert figures.skipped["too_deep"] >= 1
    assert figures.pages_read == 3
    assert figures.parse_cpu_ms > 0
    assert figures.parse_peak_kb > 1000


async def test_a_host_that_asks_to_slow_down_and_a_page_put_off_are_counted(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", links_html("/job/1"))
    origin.route("/job/1", busy(retry_after="60"))

    async with going(quick_settings(tmp_path, origin, page_retries=2)) as service:
        await watch(service, origin.url + "/jobs")
        (line,) = await until(lambda: _retried(service))
        (row,) = await all_rows(service, crawl_runs)

    figures = loaded(row.figures)
    assert figures is not None
    assert (figures.slowed_down, figures.retries, figures.status_codes) == (1, 1, {"200": 1, "429": 1})
    assert (line.level, line.fields["tries"], line.fields["status"]) == ("warning", 1, 429)


async def _retried(service: Service) -> list[Any]:
    return [line for line in await all_rows(service, run_log_lines) if line.action == "page.retried"]


async def test_what_does_not_fit_the_budget_is_counted(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=9, per_page=9)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_pages=4)

    assert run.figures is not None
    assert run.figures.skipped["page_budget"] == 6


async def test_a_full_log_ends_with_how_much_is_missing_and_with_its_summary(db: Database) -> None:
    site = Site(db, keeping=Keeping(lines=5))
    skipped = [RejectedRecord(reason=f"for reason {number}", title="x") for number in range(30)]

    run = await site.run({"/": read(skipped=skipped)})

    (row,) = await site.rows(crawl_runs)
    lines = await site.rows(run_log_lines)
    assert run.figures is not None
    # one line opened the run: nine of the warnings had room
    assert [line.action for line in lines] == [
        "run.opened",
        *["records.skipped"] * 9,
        "lines.left_out",
        "run.finished",
    ]
    assert (run.figures.log_left_out, row.log_lines) == (21, 33)
    assert lines[-2].fields == {"lines": 21}
    assert sum(run.figures.records_skipped.values()) == 30


@pytest.mark.parametrize("level", ["error", "debug"])
async def test_how_much_is_written_down_changes_nothing_about_how_a_run_is_judged(
    origin: Origin, tmp_path: Path, level: str
) -> None:
    origin.page("/jobs", "<html><body><p>Some words.</p></body></html>")

    async with going(quick_settings(tmp_path, origin, run_log_level=level)) as service:
        run = await crawl(service, origin.url + "/jobs")
        lines = await _lines(service, run)

    assert run.outcome is RunOutcome.WARN
    assert run.message is not None
    assert run.message.endswith("a recipe would help")
    assert [line.action for line in lines if line.category == "lifecycle"] == ["run.opened", "run.finished"]


@pytest.mark.parametrize(
    ("details", "word"),
    [
        (
            ["HTTP 429 with Retry-After: Mon, 16 Nov 2026 19:00:00 GMT", "HTTP 429 with Retry-After: 120"],
            "HTTP 429 with Retry-After: …",
        ),
        (
            [
                "HTTP 302 points to 'a:b', which cannot be followed",
                "HTTP 302 points to 'c:d', which cannot be followed",
            ],
            "HTTP 302 points to …, which cannot be followed",
        ),
        (["no answer within 30 seconds", "no answer within 12.5 seconds"], "no answer within … seconds"),
        (["http://a.example/1 broke off", "http://a.example/2 broke off"], "… broke off"),
    ],
)
def test_errors_that_differ_only_in_what_varies_are_the_same(details: list[str], word: str) -> None:
    gathering = RunFiguresBuilder()

    for detail in details:
        gathering.broken(Fault.TIMEOUT, detail)

    assert gathering.figures(log_left_out=0).errors == {f"timeout: {word}": 2}
