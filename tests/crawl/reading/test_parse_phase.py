"""The parse phase: a page that kills its reader costs that page, never the service."""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import structlog

from lamplighter.model.crawl import RunOutcome
from lamplighter.store.schema.tables import sources
from tests.origin import Origin
from tests.service.in_process import (
    all_pages,
    all_records,
    asked,
    crawl,
    crawl_again,
    first_run,
    going,
    quick_settings,
    watch,
)
from tests.service.sites import job_board, links_html, posting_html
from tests.service.waiting import asked_for, until
from tests.web.api.given_tasks import TASKS
from tests.web.asgi_client import Ask, ask_of

#: accepted, for no single match takes long; on page after page of one letter it still takes seconds
SLOW_PATTERN = "a*a*b"
SLOW_RECIPE = {"items": "li.item", "fields": {"title": {"selector": "", "pattern": SLOW_PATTERN}}}
SLOW_PAGE = "<ul>" + f"<li class=item>{'a' * 500}</li>" * 800 + "</ul>"


@pytest.mark.fresh_readers
async def test_h5_a_page_that_holds_its_reader_is_given_up_and_the_others_are_read(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/", links_html("/poison", "/job/1", "/job/2"))
    origin.page("/poison", SLOW_PAGE)
    for number in (1, 2):
        origin.page(f"/job/{number}", posting_html(number))

    async with going(quick_settings(tmp_path, origin, parse_timeout_seconds=4)) as service:
        run = await crawl(service, origin.url + "/", max_depth=1, recipe=SLOW_RECIPE)
        pages = await all_pages(service)
        titles = [record.title for record in await all_records(service)]

    assert (pages["/poison"].phase, pages["/poison"].reason) == ("failed", "unreadable")
    assert pages["/poison"].crash_count == 2
    assert "took longer than 4 s" in pages["/poison"].detail
    assert titles == ["Posting 01", "Posting 02"]
    assert len(origin.hits("/poison")) == 1
    assert run.tally.pages_failed == 1


@pytest.mark.fresh_readers
async def test_a_page_is_parsing_while_a_reader_has_it(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", SLOW_PAGE)

    async with going(quick_settings(tmp_path, origin, parse_timeout_seconds=4)) as service:
        source_id = await watch(service, origin.url + "/", recipe=SLOW_RECIPE)
        ask = ask_of(service)
        parsing = await until(lambda: _in_status(ask, "parsing"))
        stats = (await ask.get(f"{TASKS}/stats")).json["data"]["by_status"]
        await first_run(service, source_id)
        pages = await all_pages(service)

    assert [task["url"] for task in parsing] == [origin.url + "/"]
    assert {name: number for name, number in stats.items() if number} == {"parsing": 1}
    assert pages["/"].phase == "failed"


async def _in_status(ask: Ask, status: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await ask.get(TASKS, status=status)).json["data"]
    return found


@pytest.mark.fresh_readers
@pytest.mark.parametrize(
    "program", [pytest.param("/bin/false", id="dies at once"), pytest.param("/no/such/program", id="is not there")]
)
async def test_h5_pages_wait_while_no_reader_can_be_started_and_none_is_blamed(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    job_board(origin, postings=3, per_page=3)

    with structlog.testing.capture_logs() as said, monkeypatch.context() as broken:
        broken.setattr(sys, "executable", program)
        async with going(quick_settings(tmp_path, origin)) as service:
            source_id = await watch(service, origin.url + "/jobs")
            await until(lambda: _was_said(said, "parse.no_reader", times=2), patience=60)
            in_line = (await ask_of(service).get(TASKS, status="queued_parse")).json["data"]
            broken.undo()
            run = await first_run(service, source_id)
            pages = await all_pages(service)

    assert [task["url"] for task in in_line] == [origin.url + "/jobs"]
    assert (run.outcome, run.tally.records_inserted) == (RunOutcome.OK, 3), run.message
    assert {page.crash_count for page in pages.values()} == {0}
    assert [line["again_in_seconds"] for line in said if line["event"] == "parse.no_reader"][:2] == [1.0, 2.0]


@pytest.mark.fresh_readers
async def test_h3_pages_that_wait_for_a_reader_are_given_back_when_the_service_stops(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_board(origin, postings=3, per_page=3)

    with structlog.testing.capture_logs() as said, monkeypatch.context() as broken:
        broken.setattr(sys, "executable", "/bin/false")
        async with going(quick_settings(tmp_path, origin, lease_seconds=600)) as service:
            source_id = await watch(service, origin.url + "/jobs")
            await until(lambda: _was_said(said, "parse.no_reader", times=1), patience=60)
    async with going(quick_settings(tmp_path, origin)) as service:
        run = await first_run(service, source_id, patience=60)

    assert (run.outcome, run.tally.records_inserted) == (RunOutcome.OK, 3), run.message
    assert asked(origin).count("/jobs") == 1


async def _was_said(said: Sequence[Mapping[str, Any]], event: str, *, times: int) -> bool:
    return sum(line["event"] == event for line in said) >= times


async def test_a_body_gone_from_the_archive_is_asked_for_again(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", posting_html(1), etag='"1"')
    async with going(quick_settings(tmp_path, origin, parse_timeout_seconds=0.000_000_001)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=0)
    shutil.rmtree(tmp_path / "archive")

    async with going(quick_settings(tmp_path, origin)) as service:
        again = await crawl_again(service, run.source_id, number=2)

    assert [hit.status for hit in origin.hits("/jobs")] == [200, 304, 200]
    assert again.tally.records_inserted == 1, again.message


async def test_where_bodies_are_never_found_their_pages_are_given_up_and_the_site_is_left_alone(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/jobs", posting_html(1))
    elsewhere = (tmp_path / "elsewhere").as_uri()

    async with (
        going(quick_settings(tmp_path, origin, duties="fetch,schedule")) as service,
        going(quick_settings(tmp_path, origin, duties="parse", archive_url=elsewhere)),
    ):
        run = await first_run(service, await watch(service, origin.url + "/jobs", max_depth=0), patience=60)
        page = (await all_pages(service))["/jobs"]

    assert asked(origin) == ["/jobs"] * 2
    assert (page.phase, run.tally.pages_failed) == ("failed", 1)
    assert "LAMPLIGHTER_ARCHIVE_URL" in (run.message or "")


async def test_a_recipe_that_became_unusable_stops_its_own_source_only(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=3, per_page=3)
    origin.page("/other", posting_html(9))

    async with going(quick_settings(tmp_path, origin), schedule=False) as service:
        bad, good = [await watch(service, origin.url + path, max_depth=0) for path in ("/jobs", "/other")]
        spoil = sa.update(sources).where(sources.c.id == bad).values(recipe={"items": "[["})
        await service.db.write(lambda db: db.execute(spoil))
        await service.events.deliver.deliver_all()
        await service.leading.scheduler.open_due()
        run = await first_run(service, good)
        broken = await first_run(service, bad)

    assert run.tally.records_inserted == 1
    assert broken.outcome is not RunOutcome.OK


async def test_restarting_reads_what_was_downloaded_without_asking_again(origin: Origin, tmp_path: Path) -> None:
    job_board(origin, postings=4, per_page=4)
    settings = quick_settings(tmp_path, origin, parse_workers=1)
    async with going(settings) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))

    async with going(settings) as service:
        run = await first_run(service, source_id)
        found = await all_records(service)

    assert len(found) == 4
    assert run.outcome is RunOutcome.OK, run.message
    assert sorted(asked(origin)) == ["/job/0", "/job/1", "/job/2", "/job/3", "/jobs"]


@pytest.mark.parametrize("count", [1, 3])
async def test_any_number_of_readers_gives_the_same_records(origin: Origin, tmp_path: Path, count: int) -> None:
    job_board(origin, postings=20, per_page=10)

    async with going(quick_settings(tmp_path, origin, parse_workers=count, min_delay_ms=0)) as service:
        run = await crawl(service, origin.url + "/jobs")

    assert run.tally.records_inserted == 20


def test_a_reader_starts_without_what_few_pages_need() -> None:
    loaded = (
        "import sys, lamplighter.crawl.reading.reader; print({'numpy', 'feedparser', 'trafilatura'} & set(sys.modules))"
    )

    said = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout

    assert said.strip() == "set()"
