"""What scheduling decides, as sites see it: judged by what they were asked for."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState
from lamplighter.operations.hosts import hosts
from lamplighter.operations.jobs import jobs
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import cohorts, crawl_jobs, pricing
from lamplighter.store.sources import sources
from tests.changing import set_job
from tests.origin import Answer, Origin
from tests.service.in_process import asked, crawl, crawl_again, first_run, going, job_of, quick_settings, watch
from tests.service.sites import job_board, posting_html
from tests.service.waiting import A_WHILE_SECONDS, until

HOUR = timedelta(hours=1)


def _around_now() -> str:
    """The hour before and the hour after, as a window."""
    now = datetime.now(UTC)
    return f"{now - HOUR:%H:%M}-{now + HOUR:%H:%M} UTC"


async def _put_back(service: Service, source_id: int) -> bool | None:
    """Whether a job was due, and was put back to a later time."""
    job = await job_of(service, source_id)
    return job.next_run_at > service.clock.now() + timedelta(minutes=50) or None


async def test_a_source_is_not_asked_outside_its_window(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=2, per_page=2)

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", windows_text=f"deny {_around_now()}")
        await until(lambda: _job_of(service, source_id))
        await until(lambda: _put_back(service, source_id))

    assert asked(origin) == []


async def _job_of(service: Service, source_id: int) -> bool | None:
    async with service.db.read() as db:
        return await crawl_jobs.of_source(db, source_id) is not None or None


async def test_a_host_is_not_asked_while_its_operator_denies_it(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=2, per_page=2)

    async with going(quick_settings(tmp_path, origin)) as service:
        now = service.clock.now()
        times = {"source_defaults": service.source_defaults, "windows": f"deny {_around_now()}"}
        await service.db.write(lambda db: hosts.set_times(db, origin.address, stamp=Stamp("test", now), **times))
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: _job_of(service, source_id))
        await until(lambda: _put_back(service, source_id))

    assert asked(origin) == []


async def test_a_paused_source_is_asked_only_when_somebody_forces_a_run(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=1, per_page=1)

    async with going(quick_settings(tmp_path, origin)) as service:
        first = await crawl(service, origin.url + "/jobs")
        now = service.clock.now()

        async def pause(db: Connection) -> None:
            job = await jobs.find(db, origin.url + "/jobs")
            await jobs.pause(db, job, stamp=Stamp("test", now))
            await set_job(db, job.id, now=now, next_run_at=now)

        await service.db.write(pause)
        before = len(asked(origin))
        await asyncio.sleep(A_WHILE_SECONDS)
        while_paused = len(asked(origin))
        await crawl_again(service, first.source_id, number=2)
        job = await job_of(service, first.source_id)

    assert while_paused == before
    assert asked(origin)[before:] == ["/jobs"]
    assert (job.state, job.pause_reason) == (JobState.PAUSED, "user")


async def test_a_sitemap_that_tells_of_a_change_brings_another_source_forward(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job/1", posting_html(1), etag='"1"')
    async with going(quick_settings(tmp_path, origin)) as service:
        told = await crawl(service, origin.url + "/job/1", organisation_type="academic")
        planned = await job_of(service, told.source_id)
        await asyncio.sleep(1.1)
        entry = f"<url><loc>{origin.url}/job/1</loc><lastmod>{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}</lastmod></url>"
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entry}</urlset>'
        origin.route("/sitemap.xml", Answer(headers={"Content-Type": "application/xml"}, body=sitemap.encode()))
        await crawl(service, origin.url + "/sitemap.xml")
        announced = await job_of(service, told.source_id)

    assert announced.signal == pytest.approx(0.8)
    assert announced.next_run_at - service.clock.now() < (planned.next_run_at - service.clock.now()) / 2
    assert announced.next_run_reason["steps"][0]["signal"] == pytest.approx(0.8)


async def test_a_host_with_many_sources_does_not_keep_another_waiting(
    origin: Origin, origin_factory: Callable[..., Awaitable[Origin]], tmp_path: Path
) -> None:
    for number in range(30):
        origin.page(f"/{number}", posting_html(number))
    other = await origin_factory("127.0.0.2")
    other.page("/only", posting_html(1))

    async with going(quick_settings(tmp_path, origin, other, min_delay_ms=200, runs_per_host=2)) as service:
        for number in range(30):
            await watch(service, f"{origin.url}/{number}")
        only = await watch(service, other.url + "/only")
        await first_run(service, only)

    assert len([path for path in asked(origin) if path != "/robots.txt"]) < 30


async def test_a_service_prices_gauges_gathers_and_reconciles_by_itself(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=1, per_page=1)
    origin.page("/forgotten", posting_html(1))
    chosen = quick_settings(tmp_path, origin)
    async with going(chosen) as service:
        first = await crawl(service, origin.url + "/jobs")
        await crawl_again(service, first.source_id, number=2)
        await service.db.write(lambda db: _add_unannounced(db, origin.url + "/forgotten", like=first.source_id))
        forgotten = len(asked(origin))

    async with going(chosen) as service:
        await first_run(service, first.source_id + 1)
        await until(lambda: _looked_around(service))

    assert "/forgotten" in asked(origin)[forgotten:]


async def _add_unannounced(db: Connection, url: str, *, like: int) -> None:
    """A source of which no event tells, as if it had been lost."""
    source = await sources.get(db, like)
    assert source is not None
    await sources.add(db, replace(source, url=url), public_id="lost", now=datetime.now(UTC))


async def _looked_around(service: Service) -> bool | None:
    """Whether every loop of the schedule has come to its end once."""
    async with service.db.read() as db:
        is_priced = (await pricing.get(db)).price is not None
        is_gathered = await cohorts.gathered_at(db) is not None
    return (is_priced and is_gathered and service.leading.gauge.latest is not None) or None
