"""A run whose start page fails is a failed try as soon as that is known; other pages are tried again within it."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.jobs import job_overrides, jobs
from lamplighter.operations.jobs.job_overrides import JobOverride
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs, run_log_lines
from tests.origin import Answer, Origin
from tests.service.in_process import (
    all_pages,
    all_rows,
    asked,
    crawl,
    crawl_again,
    first_run,
    going,
    job_of,
    quick_settings,
    watch,
)
from tests.service.sites import job_board
from tests.service.waiting import until

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


async def test_a_start_page_that_fails_ends_its_run_and_shows_the_next_try(origin: Origin, tmp_path: Path) -> None:
    origin.route("/jobs", Answer(status=500))

    async with going(quick_settings(tmp_path, origin, page_retries=3)) as service:
        run = await crawl(service, origin.url + "/jobs")
        job = await job_of(service, run.source_id)
        lines = await all_rows(service, run_log_lines)

    assert (run.outcome, asked(origin)) == (RunOutcome.FAIL, ["/jobs"])
    assert (job.state, job.retry_count, job.failed_runs, job.last_outcome) == ("pending", 1, 1, "fail")
    assert run.finished_at is not None
    assert job.next_run_at - run.finished_at == MINUTE
    assert [(line.action, line.fields["status"]) for line in lines if line.action.startswith("page.")] == [
        ("page.failed", 500)
    ]


async def test_a_robots_txt_that_cannot_be_fetched_fails_the_try_and_is_waited_for(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("", status=500)

    async with going(quick_settings(tmp_path, origin, page_retries=3)) as service:
        run = await crawl(service, origin.url + "/jobs")
        page = (await all_pages(service))["/jobs"]
        job = await job_of(service, run.source_id)

    assert run.message is not None
    assert run.message.startswith("robots_unreachable")
    assert (job.state, job.retry_count, asked(origin)) == ("pending", 1, [])
    assert job.next_run_at >= page.due_at


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(status=404), id="404"),
        pytest.param(Answer(status=410), id="410"),
        pytest.param(Answer(body=b"x" * 3000, headers={"Content-Type": "text/html"}), id="too large"),
        pytest.param(Answer(body=b"\x89PNG\r\n\x1a\n", headers={"Content-Type": "image/png"}), id="wrong type"),
    ],
)
async def test_what_lasts_is_not_tried_again_for_hours(origin: Origin, tmp_path: Path, answer: Answer) -> None:
    origin.route("/jobs", answer)

    async with going(quick_settings(tmp_path, origin, page_retries=3, max_page_kb=1)) as service:
        run = await crawl(service, origin.url + "/jobs")
        job = await job_of(service, run.source_id)

    assert (run.outcome, asked(origin)) == (RunOutcome.FAIL, ["/jobs"])
    assert (job.state, job.retry_count, job.failure_count) == ("scheduled", 0, 1)
    assert run.finished_at is not None
    assert job.next_run_at - run.finished_at > HOUR


async def test_another_page_is_tried_again_in_its_run_after_a_minute(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=2, per_page=2)
    origin.route("/job/1", Answer(status=500))

    async with going(quick_settings(tmp_path, origin, page_retries=3)) as service:
        await watch(service, origin.url + "/jobs")
        page = await until(lambda: _put_off(service, "/job/1"))
        (run,) = await all_rows(service, crawl_runs)

    assert (page.retry_count, run.finished_at) == (1, None)
    assert MINUTE - SECOND < page.due_at - page.failed_at < MINUTE + 30 * SECOND


async def _put_off(service: Service, path: str) -> Any:
    page = (await all_pages(service)).get(path)
    return page if page is not None and page.due_at is not None else None


async def test_a_retry_comes_when_its_job_says_whatever_the_shortest_interval_is(
    origin: Origin, tmp_path: Path
) -> None:
    origin.route("/jobs", Answer(status=500))

    async with going(quick_settings(tmp_path, origin, min_interval_minutes=30, poll_seconds=600)) as service:
        first = await crawl(service, origin.url + "/jobs")
        await _retry_after(service, origin.url + "/jobs", seconds=1)
        second = await crawl_again(service, first.source_id, number=2)
        third = await first_run(service, first.source_id, number=3)

    assert second.finished_at is not None
    assert third.trigger == "schedule"
    assert third.started_at - second.finished_at >= 2 * SECOND
    assert len(asked(origin)) == 3


async def _retry_after(service: Service, url: str, *, seconds: int) -> None:
    """Has an operator set the pause before the first retry of a source's job."""

    async def work(db: Connection) -> None:
        job = await jobs.find(db, url)
        override = JobOverride(retry_backoff=timedelta(seconds=seconds))
        stamp = Stamp("test", service.clock.now())
        await job_overrides.change(db, job, override, stamp=stamp, source_defaults=service.source_defaults)

    await service.db.write(work)
