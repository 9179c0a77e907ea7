"""What the service stands on answers late, says nothing, is replaced, or takes no more writes; and comes back."""

import asyncio
import shutil
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter import telemetry
from lamplighter.app import Service
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.settings import Settings
from lamplighter.store.engine import postgres as engine
from lamplighter.store.schema import tables
from lamplighter.telemetry import LogFormat
from tests.origin import Origin
from tests.servers import postgres
from tests.servers.migrated import migrate_to_head
from tests.servers.relay import Relay
from tests.service.in_process import all_rows, asked, first_run, going, quick_settings, watch
from tests.service.sites import job_board
from tests.service.waiting import asked_for, until
from tests.web.asgi_client import ask_of

POSTINGS = 30
DELAY_MS = 150


@pytest.fixture(autouse=True)
def little_said() -> None:
    """Whatever is away is told of again and again."""
    telemetry.configure("error", LogFormat.JSON)


@dataclass(frozen=True)
class Outage:
    """For how long the database answers so late (None: not at all), and what the service is used to."""

    seconds: float
    late_by: float | None
    lease_seconds: int
    answers_within: float


#: in the proportions of the real thing
SLOW, SILENT = Outage(6, 0.5, 3, 2), Outage(6, None, 3, 2)
#: the real thing
SLOW_MINUTE, SILENT_MINUTE = Outage(60, 5, 30, 20), Outage(60, None, 30, 20)


@pytest.mark.parametrize(
    "outage",
    [
        pytest.param(SLOW, id="slow"),
        pytest.param(SILENT, id="silent"),
        pytest.param(SLOW_MINUTE, id="slow for a minute", marks=pytest.mark.minutes),
        pytest.param(SILENT_MINUTE, id="silent for a minute", marks=pytest.mark.minutes),
    ],
)
@pytest.mark.timeout(600)
async def test_i1_a_database_that_answers_late_or_not_at_all_costs_time_and_nothing_else(
    origin: Origin, tmp_path: Path, migrated_postgres_db: str, monkeypatch: pytest.MonkeyPatch, outage: Outage
) -> None:
    monkeypatch.setattr(engine, "ANSWER_SECONDS", outage.answers_within)
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    url = sa.make_url(migrated_postgres_db)
    async with Relay(url.port or 0) as wire:
        through = url.set(port=wire.port).render_as_string(hide_password=False)
        chosen = {"database_url": through, "min_delay_ms": DELAY_MS, "lease_seconds": outage.lease_seconds}
        async with two_services(quick_settings(tmp_path, origin, **chosen)) as service:
            source_id = await watch(service, origin.url + "/jobs")
            await until(lambda: asked_for(origin, pages=3))
            if outage.late_by is None:
                wire.hush()
            else:
                wire.late_by = outage.late_by
            await asyncio.sleep(outage.seconds)
            wire.late_by = 0.0
            wire.speak()
            await until(lambda: _is_well(service), patience=60)
            run = await _first_run_in_spite_of_it(service, source_id)
            runs = await all_rows(service, tables.crawl_runs)

    assert len(runs) == 1
    _is_whole(run, origin)


@asynccontextmanager
async def two_services(settings: Settings) -> AsyncIterator[Service]:
    """Two processes' worth of workers, of which one is asked."""
    async with going(settings) as service, going(settings):
        yield service


def _is_whole(run: CrawlRun, origin: Origin) -> None:
    """Every page is there once, and was asked for in its turn; what was under way may have been in vain."""
    tally = run.tally
    assert (run.outcome, tally.pages_fetched, tally.records_inserted) == (RunOutcome.OK, POSTINGS + 1, POSTINGS)
    assert max(Counter(asked(origin)).values()) <= 2
    assert min(origin.gaps()) >= DELAY_MS / 1000 - 0.001


async def _is_well(service: Service) -> bool:
    return (await ask_of(service)("/health")).status == 200


async def _first_run_in_spite_of_it(service: Service, source_id: int) -> CrawlRun:
    """The test reads by the service's own connections, which may be those that broke."""
    while True:
        try:
            return await first_run(service, source_id)
        except (sa.exc.DBAPIError, OSError):
            await asyncio.sleep(0.2)


async def test_i1_another_process_that_takes_the_databases_place_is_found_by_everybody(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    with postgres.own_server() as server:
        url = await postgres.create_database(server.url)
        await migrate_to_head(url)
        async with two_services(quick_settings(tmp_path, origin, database_url=url, min_delay_ms=DELAY_MS)) as service:
            source_id = await watch(service, origin.url + "/jobs")
            await until(lambda: asked_for(origin, pages=3))
            await asyncio.to_thread(server.fail_over)
            await until(lambda: _is_well(service), patience=60)
            run = await _first_run_in_spite_of_it(service, source_id)
            runs = await all_rows(service, tables.crawl_runs)

    assert len(runs) == 1
    _is_whole(run, origin)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing in a folder can be written, made or removed any more, not even by those who have it open.

    All but what processes share by memory: writing to such a file that cannot be written to ends a process at once.
    """
    everything = [folder, *(path for path in folder.rglob("*") if not path.name.endswith("-shm"))]
    try:
        _set_attribute("+i", everything)
        yield
    finally:
        _set_attribute("-i", everything)


def _set_attribute(flag: str, paths: list[Path]) -> None:
    subprocess.run(["chattr", flag, *paths], check=True, capture_output=True)


@pytest.fixture
def lockable(tmp_path: Path) -> Path:
    """A folder that can be made read-only under whoever writes in it."""
    folder = tmp_path / "data"
    folder.mkdir()
    if shutil.which("chattr") is None:
        pytest.skip("no chattr here: nothing can be made read-only under the service")
    try:
        with read_only(folder):
            pass
    except subprocess.CalledProcessError as error:
        pytest.skip(f"nothing can be made read-only here: {error.stderr.decode().strip()}")
    return folder


async def test_i2_a_disk_that_turns_read_only_loses_nothing_and_is_written_to_as_soon_as_it_can_be(
    origin: Origin, lockable: Path
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    async with going(quick_settings(lockable, origin, min_delay_ms=DELAY_MS)) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        with read_only(lockable):
            await until(lambda: _is_unwell(service))
            await asyncio.sleep(2 * service.settings.lease_seconds)
            by_then = len(origin.log)
            await asyncio.sleep(1)
            meanwhile = len(origin.log) - by_then
        await until(lambda: _is_well(service), patience=60)
        run = await _first_run_in_spite_of_it(service, source_id)
        runs = await all_rows(service, tables.crawl_runs)

    assert meanwhile == 0
    assert len(runs) == 1
    _is_whole(run, origin)


async def _is_unwell(service: Service) -> bool:
    return (await ask_of(service)("/health")).status == 503
