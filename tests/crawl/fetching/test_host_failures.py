"""A host in trouble is left alone, and only that host."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from lamplighter.app import Service
from lamplighter.model.crawl import RunOutcome
from lamplighter.store.schema import tables
from tests.origin import Answer, Origin, busy
from tests.service.in_process import (
    all_pages,
    all_rows,
    asked,
    crawl,
    crawl_again,
    first_run,
    going,
    host_of,
    quick_settings,
    watch,
)
from tests.service.sites import job_board, links_html, posting_html
from tests.service.waiting import A_WHILE_SECONDS, all_given_back, until

Origins = Callable[..., Awaitable[Origin]]


async def _blocked(service: Service, origin: Origin) -> Any:
    host = await host_of(service, origin)
    return host if host is not None and host.blocked_until is not None and host.lease_owner is None else None


async def test_b5_a_busy_host_is_blocked_as_long_as_it_asks_and_its_page_waits(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    other = await origin_factory("127.0.0.2")
    job_board(other, postings=3, per_page=3)
    job_board(origin, postings=3, per_page=3)
    origin.route("/job/1", busy(retry_after="120"))

    async with going(quick_settings(tmp_path, origin, other, page_retries=3)) as service:
        await watch(service, origin.url + "/jobs")
        host = await until(lambda: _blocked(service, origin))
        remaining = host.blocked_until - service.clock.now()
        run = await crawl(service, other.url + "/jobs")
        pages = await all_rows(service, tables.pages)

    assert timedelta(seconds=110) < remaining <= timedelta(seconds=120)
    assert "slow down" in host.block_reason
    assert host.due_at >= host.blocked_until
    assert asked(origin)[-1] == "/job/1"
    assert ("pending", "host_busy") in {(page.phase, page.reason) for page in pages}
    assert run.outcome is RunOutcome.OK, run.message


async def test_b5_after_retry_after_one_the_next_request_comes_no_sooner(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=3, per_page=3)
    origin.route("/job/0", busy(retry_after="1"), Answer(body=b"open again"))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")

    at = [hit.path for hit in origin.log].index("/job/0")
    assert origin.gaps()[at] >= 1.0
    assert run.tally.records_inserted == 2
    assert run.tally.pages_failed == 1


async def test_the_breaker_opens_after_five_failures_and_spares_the_host(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", links_html(*(f"/broken/{number}" for number in range(20))))
    origin.otherwise(Answer(status=500))
    origin.robots("")

    async with going(quick_settings(tmp_path, origin, page_retries=1)) as service:
        await watch(service, origin.url + "/")
        host = await until(lambda: _blocked(service, origin))
        await until(lambda: all_given_back(service))
        await asyncio.sleep(A_WHILE_SECONDS)

    assert len(asked(origin)) == 6
    assert host.failure_count == 5
    assert "5 of the last 7 paths failed, the last: HTTP 500" in host.block_reason


async def test_one_broken_page_does_not_keep_other_sources_from_its_host(origin: Origin, tmp_path: Path) -> None:
    origin.route("/broken", Answer(status=500))
    job_board(origin, postings=3, per_page=3)

    async with going(quick_settings(tmp_path, origin)) as service:
        failed = await crawl(service, origin.url + "/broken")
        for number in range(2, 7):
            await crawl_again(service, failed.source_id, number=number)
        run = await crawl(service, origin.url + "/jobs")
        host = await host_of(service, origin)

    assert (failed.outcome, run.outcome) == (RunOutcome.FAIL, RunOutcome.OK)
    assert asked(origin).count("/broken") == 6
    assert (host.blocked_until, host.failure_count) == (None, 0)


async def test_pages_of_a_blocked_host_wait_without_spending_their_retries(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", links_html("/busy", *(f"/job/{number}" for number in range(5))))
    origin.route("/busy", busy(retry_after="120"))
    for number in range(5):
        origin.page(f"/job/{number}", posting_html(number))

    async with going(quick_settings(tmp_path, origin, page_retries=1)) as service:
        await watch(service, origin.url + "/")
        await until(lambda: _blocked(service, origin))
        await asyncio.sleep(0.3)
        pages = await all_pages(service)

    waiting = [pages[f"/job/{number}"] for number in range(5)]
    assert {(page.phase, page.retry_count) for page in waiting} == {("pending", 0)}


async def test_one_dead_host_does_not_hold_up_the_living(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    dead = await origin_factory("127.0.0.2")
    await dead.close()
    job_board(origin, postings=5, per_page=5)

    async with going(quick_settings(tmp_path, origin, dead, fetch_slots=1)) as service:
        lost = await watch(service, dead.url + "/jobs")
        run = await crawl(service, origin.url + "/jobs")
        failed = await first_run(service, lost)

    assert run.outcome is RunOutcome.OK, run.message
    assert failed.outcome is RunOutcome.FAIL
