"""S3 is away, or the disk is full: nobody is asked for what could not be kept, and nothing is taken for a failure."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import structlog

from lamplighter.app import Service, open_service, room_of
from lamplighter.model.crawl import RunOutcome
from tests.origin import Origin
from tests.servers import s3
from tests.servers.s3 import S3Server
from tests.servers.sharing import State
from tests.service.in_process import all_pages, asked, first_run, quick_settings, watch
from tests.service.sites import job_board, posting_html
from tests.service.waiting import A_WHILE_SECONDS, asked_for, until

POSTINGS = 12


@pytest.fixture
def own_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[State]:
    """An S3 server of this test's own, to be stopped and started again."""
    state = s3.start()
    for name, value in s3.of(state).environment.items():
        monkeypatch.setenv(name, value)
    yield state
    s3.stop(state)


@asynccontextmanager
async def _going(chosen: Any, **more: Any) -> AsyncIterator[Service]:
    async with open_service(chosen, **more) as service:
        rounds = asyncio.create_task(service.run())
        try:
            yield service
        finally:
            service.stopping.set()
            await rounds


async def test_an_archive_that_is_away_pauses_the_crawl_and_fails_no_page(
    origin: Origin, tmp_path: Path, own_server: State
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    server: S3Server = s3.of(own_server)
    chosen = quick_settings(
        tmp_path, origin, archive_url=server.new_url(), archive_s3_endpoint=server.endpoint, archive_format="warc"
    )

    async with _going(chosen) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        s3.end(own_server)
        await until(lambda: _is_true(service.storing.archiving.trouble is not None))
        await asyncio.sleep(A_WHILE_SECONDS)
        await until(lambda: _is_true(not service.door.turns.in_flight))
        before = len(asked(origin))
        await asyncio.sleep(A_WHILE_SECONDS)
        meanwhile, phases = len(asked(origin)), {page.phase for page in (await all_pages(service)).values()}
        own_server.update(s3.start(own_server))
        run = await first_run(service, source_id)
        bodies = [await service.storing.archive.get(page.body_key) for page in (await all_pages(service)).values()]

    assert before == meanwhile < POSTINGS + 1
    assert "failed" not in phases
    assert (run.outcome, run.tally.pages_failed, run.tally.records_inserted) == (RunOutcome.OK, 0, POSTINGS)
    assert service.storing.archiving.trouble is None
    assert len(asked(origin)) == len(set(asked(origin)))
    assert all(bodies)


async def test_an_archive_that_a_reader_cannot_reach_is_said_once_and_shown_and_fails_no_page(
    origin: Origin, tmp_path: Path, own_server: State
) -> None:
    origin.page("/jobs", posting_html(1))
    server: S3Server = s3.of(own_server)
    places = {"archive_url": server.new_url(), "archive_s3_endpoint": server.endpoint}

    async with _going(quick_settings(tmp_path, origin, duties="fetch,schedule", **places)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_depth=0)
        await until(lambda: _has(service, "downloaded"))
    s3.end(own_server)
    with structlog.testing.capture_logs() as said:
        async with _going(quick_settings(tmp_path, origin, duties="parse", **places)) as service:
            await until(lambda: _is_true(service.parsing.phase.trouble is not None))
            await asyncio.sleep(A_WHILE_SECONDS)
            shown = room_of(service.storing.disk, service.storing.archiving, service.parsing.phase)["archive"]
            own_server.update(s3.start(own_server))
            run = await first_run(service, source_id)

    assert shown == {"state": "away"}
    assert (run.outcome, run.tally.records_inserted, asked(origin)) == (RunOutcome.OK, 1, ["/jobs"])
    told = [line["event"] for line in said if line["event"].startswith(("archive.", "parse."))]
    assert told == ["archive.away", "archive.back"]


async def _has(service: Service, phase: str) -> bool:
    return phase in {page.phase for page in (await all_pages(service)).values()}


async def test_with_too_little_room_from_the_start_nobody_is_asked(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=1, per_page=1)

    async with _going(quick_settings(tmp_path, origin, least_free_mb=2**40)) as service:
        await watch(service, origin.url + "/jobs")
        await until(lambda: _is_true(service.storing.disk.state.is_low))
        await asyncio.sleep(A_WHILE_SECONDS)

        assert origin.log == []


async def _is_true(claim: bool) -> bool:
    return claim
