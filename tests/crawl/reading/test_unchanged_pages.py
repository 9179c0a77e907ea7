"""Pages that stay as they are still lead to others: what they link to is asked for again, what they list stays."""

import asyncio
import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lamplighter.app import Service
from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.reading.reader_messages import PageWork
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.model.access import Stamp
from lamplighter.model.reading import PageRole
from lamplighter.operations.pages import discovered_links
from lamplighter.operations.sources import sources
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from lamplighter.store.sources import sources as stored_sources
from tests.changing import set_source
from tests.origin import Answer, Origin
from tests.origin.wire import Wire
from tests.service.in_process import (
    age,
    all_pages,
    all_records,
    all_rows,
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


def _counted_readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that are read from now on."""
    read, as_before = list[str](), ReaderPool.read

    async def counted(pool: ReaderPool, batch: list[PageWork], **how: Any) -> Any:
        read.extend(work.url for work in batch)
        return await as_before(pool, batch, **how)

    monkeypatch.setattr(ReaderPool, "read", counted)
    return read


async def _gone(service: Service) -> list[str]:
    return [record.title for record in await all_records(service) if record.gone_at is not None]


# Linked pages


@pytest.mark.parametrize("etag", [None, '"list"'], ids=["200 with the same bytes", "304"])
async def test_linked_pages_are_asked_for_again_though_the_list_stays_as_it_is(
    origin: Origin, tmp_path: Path, etag: str | None
) -> None:
    origin.page("/jobs", links_html("/job/1"), etag=etag)
    origin.page("/job/1", posting_html(1, title="Before"))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=1)
        origin.page("/job/1", posting_html(1, title="After"))
        await age(service, days=2)
        again = await crawl_again(service, run.source_id, number=2)
        titles = [record.title for record in await all_records(service)]

    assert asked(origin) == ["/jobs", "/job/1"] * 2
    assert titles == ["After"]
    assert (again.tally.pages_unchanged, again.tally.pages_fetched, again.tally.pages_changed) == (1, 1, 1)


async def test_a_list_that_stays_as_it_is_is_not_read_again_while_all_that_it_links_to_rests(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.page("/jobs", links_html("/job/1"), etag='"list"')
    origin.page("/job/1", posting_html(1), etag='"job"')

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=1)
        read, readings = _counted_readings(monkeypatch), []
        for number, hours in enumerate([2, 23, 2, 2], start=2):
            await age(service, hours=hours)
            await crawl_again(service, run.source_id, number=number)
            readings.append(len(read))

    assert asked(origin) == ["/jobs", "/job/1", "/jobs", "/jobs", "/job/1", "/jobs", "/jobs"]
    # The third reading found out how long the linked page rests after its second visit: there is no need for a fourth.
    assert readings == [0, 1, 2, 2]


async def test_a_page_that_leads_nowhere_is_not_read_again(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.page("/job/1", posting_html(1), etag='"job"')

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/job/1", max_depth=0)
        read = _counted_readings(monkeypatch)
        await age(service, days=40)
        again = await crawl_again(service, run.source_id, number=2)

    assert (again.tally.pages_unchanged, read) == (1, [])


@pytest.mark.parametrize("shared", [False, True], ids=["its own next page", "the next page of another, too"])
async def test_a_page_that_leads_only_to_its_next_page_is_read_again_only_if_another_led_there_first(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    following = '<a rel="next" href="/jobs?page=2">Next</a>'
    origin.page("/", links_html("/jobs", "/archive"), etag='"home"')
    for number, path in enumerate(["/jobs", "/archive"]):
        leads_on = following if shared or path == "/jobs" else ""
        origin.page(path, f"<html><body>{posting_html(number)}{leads_on}</body></html>", etag='"list"')
    origin.page("/jobs?page=2", posting_html(3), etag='"next"')

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/", max_depth=1)
        read = _counted_readings(monkeypatch)
        await age(service, days=2)
        await crawl_again(service, run.source_id, number=2)

    assert sorted(asked(origin)) == sorted(["/", "/jobs", "/archive", "/jobs?page=2"] * 2)
    assert len([url for url in read if url != origin.url + "/"]) == (1 if shared else 0)


# Lists


def _list_behind_a_link(origin: Origin, *, version: int = 1, has_next: bool = True) -> None:
    """Two pages of a list, to which the start page only links."""
    for number, postings in enumerate([range(1, 9), range(9, 13)], start=1):
        shown = [
            {
                "@context": "https://schema.org",
                "@type": "JobPosting",
                "title": f"Posting {each:02}",
                "url": f"{origin.url}/job/{each}",
                "hiringOrganization": {"@type": "Organization", "name": "Lantern Works"},
            }
            for each in postings
        ]
        data = f'<script type="application/ld+json">{json.dumps(shown)}</script>'
        items = "".join(f'<li><a href="/job/{each}">Posting {each:02}</a></li>' for each in postings)
        following = '<a rel="next" href="/jobs?page=2">Next</a>' if number == 1 and has_next else ""
        path = "/jobs" if number == 1 else "/jobs?page=2"
        html = f"<html><body><p>Version {version}</p>{data}<ul>{items}</ul>{following}</body></html>"
        origin.page(path, html, etag=f'"{version}-{number}"')
    for each in range(1, 13):
        origin.page(f"/job/{each}", posting_html(each), etag=f'"job-{each}"')


def _home(origin: Origin, number: int, *links: str) -> None:
    origin.page("/", f"<html><body><h1>Visitor {number}</h1>{links_html(*links)}</body></html>")


async def test_a_list_that_rests_still_shows_what_stands_on_its_further_pages(origin: Origin, tmp_path: Path) -> None:
    _home(origin, 1, "/jobs")
    _list_behind_a_link(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/", kind="job")
        before = len(asked(origin))
        for number in (2, 3, 4):
            _home(origin, number, "/jobs")
            await crawl_again(service, run.source_id, number=number)
        gone = await _gone(service)

    assert asked(origin)[before:] == ["/"] * 3
    assert gone == []


async def test_a_further_page_is_fallen_once_the_page_that_led_there_no_longer_does(
    origin: Origin, tmp_path: Path
) -> None:
    _home(origin, 1, "/jobs")
    _list_behind_a_link(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/", kind="job")
        for number in (2, 3):
            await age(service, days=3)
            _home(origin, number, "/jobs")
            _list_behind_a_link(origin, version=number, has_next=False)
            await crawl_again(service, run.source_id, number=number)
        gone = await _gone(service)

    assert gone == [f"Posting {number:02}" for number in range(9, 13)]


async def test_a_page_that_becomes_the_start_of_its_source_leads_on_as_one(origin: Origin, tmp_path: Path) -> None:
    _home(origin, 1, "/jobs")
    _list_behind_a_link(origin)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/", kind="job")

        async def move(db: Connection) -> None:
            row = (await stored_sources.many(db, [run.source_id]))[run.source_id]
            await sources.change(
                db,
                row,
                lambda submitted: replace(submitted, url=origin.url + "/jobs"),
                source_defaults=service.source_defaults,
                stamp=Stamp("test", service.clock.now()),
            )

        await service.db.write(move)
        for number in (2, 3, 4):
            await crawl_again(service, run.source_id, number=number)
        gone, role = await _gone(service), (await all_pages(service))["/jobs"].role

    assert asked(origin)[-6:] == ["/jobs", "/jobs?page=2"] * 3
    assert (gone, role) == ([], PageRole.SEED)


async def test_a_next_page_that_a_person_put_aside_stays_there_and_keeps_what_it_shows(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=4, per_page=2)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=0)
        page = (await all_pages(service))["/jobs?page=2"]
        await service.db.write(
            lambda db: discovered_links.ignore(db, page.id, stamp=Stamp("test", service.clock.now()))
        )
        before = len(asked(origin))
        for number in (2, 3):
            await crawl_again(service, run.source_id, number=number)
        gone, page = await _gone(service), (await all_pages(service))["/jobs?page=2"]

    assert asked(origin)[before:] == ["/jobs"] * 2
    assert (gone, page.phase, page.reason) == ([], "paused", "ignored")


# Answers that come too late


async def test_an_answer_of_a_run_that_is_over_says_nothing_about_the_page_in_the_next_run(
    origin: Origin, tmp_path: Path
) -> None:
    arrived = asyncio.Event()
    body = posting_html(1).encode()

    async def late(wire: Wire) -> None:
        await arrived.wait()
        await wire.send(Answer(headers={"Content-Type": "text/html"}).head(length=len(body)) + body)

    origin.route("/jobs", Answer(perform=late))

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", max_depth=0)
        await until(lambda: asked_for(origin, pages=1))

        async def switch(db: Connection, *, enabled: bool) -> None:
            now = service.clock.now()
            await set_source(db, source_id, now=now, enabled=enabled)
            await job_keeper.match(db, source_id, source_defaults=service.source_defaults, now=now)

        for enabled in (False, True):
            await service.db.write(lambda db, enabled=enabled: switch(db, enabled=enabled))  # type: ignore[misc]
        service.bells.jobs.ring()
        await until(lambda: _runs(service, 2))
        arrived.set()
        second = await first_run(service, source_id, number=2)

    assert (second.outcome, second.tally.pages_fetched) == ("ok", 1), second.message
    assert asked(origin) == ["/jobs"] * 2


async def _runs(service: Service, count: int) -> bool:
    return len(await all_rows(service, tables.crawl_runs)) == count


# Pages that say the same in other bytes


def _stamped(origin: Origin, path: str, html: str, *, head: str = "") -> None:
    """A page that is different in each response, in what nobody reads."""
    numbers = count()

    def respond(_: Any) -> Answer:
        token = f"<!-- {next(numbers)} --><input type=hidden name=csrf value={next(numbers)}>"
        return Answer(headers={"Content-Type": "text/html"}, body=f"{head}{html}{token}".encode())

    origin.route(path, respond)


async def test_a_page_that_says_the_same_in_other_bytes_is_unchanged(origin: Origin, tmp_path: Path) -> None:
    _stamped(origin, "/job/1", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/job/1", max_depth=0)
        again = await crawl_again(service, run.source_id, number=2)
        _stamped(origin, "/job/1", posting_html(1, title="Another"))
        changed = await crawl_again(service, run.source_id, number=3)
        titles = [record.title for record in await all_records(service)]

    assert (again.tally.pages_unchanged, again.tally.pages_fetched) == (1, 0)
    assert (changed.tally.pages_unchanged, changed.tally.pages_fetched, changed.tally.pages_changed) == (0, 1, 1)
    assert "Another" in titles


async def test_such_a_page_is_read_when_pages_that_it_links_to_are_due(origin: Origin, tmp_path: Path) -> None:
    _stamped(origin, "/jobs", links_html("/job/1"))
    origin.page("/job/1", posting_html(1, title="Before"))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=1)
        await crawl_again(service, run.source_id, number=2)
        origin.page("/job/1", posting_html(1, title="After"))
        await age(service, days=2)
        await crawl_again(service, run.source_id, number=3)
        titles = [record.title for record in await all_records(service)]

    assert asked(origin) == ["/jobs", "/job/1", "/jobs", "/jobs", "/job/1"]
    assert titles == ["After"]


async def test_such_a_page_is_not_archived_against_its_will(origin: Origin, tmp_path: Path) -> None:
    _stamped(origin, "/job/1", posting_html(1), head="<meta name=robots content=noarchive>")

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/job/1", max_depth=0)
        await crawl_again(service, run.source_id, number=2)
        (page,) = (await all_pages(service)).values()
        kept = await service.storing.archive.get(page.body_key)

    assert kept is None
