"""Versions in whole runs: what a page was is kept, each content once, and nothing of who does not want it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources import source_states
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from lamplighter.store.sources import sources
from tests.origin import Answer, Origin
from tests.service.in_process import all_pages, all_rows, crawl, crawl_again, first_run, going, quick_settings, watch
from tests.service.sites import links_html, posting_html
from tests.service.waiting import until

HTML = {"Content-Type": "text/html; charset=utf-8"}


async def _versions(service: Service) -> list[tuple[int, bytes | None]]:
    """Number and body of every version, in the order in which they came."""
    query = sa.select(tables.page_versions.c.number, tables.bodies.c.key).join(tables.bodies)
    async with service.db.read() as db:
        rows = (await db.execute(query.order_by(tables.page_versions.c.id))).all()
    return [(row.number, await service.storing.archive.get(row.key)) for row in rows]


async def _downloaded(service: Service) -> bool:
    return any(page.phase == "downloaded" for page in await all_rows(service, tables.pages))


async def _toggle(
    service: Service, source_id: int, verb: Callable[[Connection, Source, SourceChangeContext], Awaitable[bool]]
) -> None:
    toggle = SourceChangeContext(stamp=Stamp("test", service.clock.now()), source_defaults=service.source_defaults)

    async def work(db: Connection) -> bool:
        source = await sources.get(db, source_id)
        assert source is not None
        return await verb(db, source, toggle)

    await service.db.write(work)


def _on_disk(folder: Path) -> int:
    return sum(file.stat().st_size for file in (folder / "archive").iterdir())


async def test_a_page_that_changes_back_has_three_versions_and_two_bodies(origin: Origin, tmp_path: Path) -> None:
    first, second = posting_html(1), posting_html(1, title="Posting with another title")

    async with going(quick_settings(tmp_path, origin)) as service:
        origin.page("/job", first)
        run = await crawl(service, origin.url + "/job", max_depth=0)
        for number, html in ((2, second), (3, second), (4, first)):
            origin.page("/job", html)
            await crawl_again(service, run.source_id, number=number)
        versions, bodies = await _versions(service), await all_rows(service, tables.bodies)

    assert versions == [(1, first.encode()), (2, second.encode()), (3, first.encode())]
    assert len(bodies) == 2


async def test_the_same_content_of_many_pages_and_sources_is_kept_once(
    origin: Origin, origin_factory: Any, tmp_path: Path
) -> None:
    other = await origin_factory("127.0.0.2")
    same = "<html><body><p>Nothing here yet</p></body></html>"
    for site in (origin, other):
        site.page("/", links_html("/1", "/2", "/3"))
        for number in (1, 2, 3):
            site.page(f"/{number}", same)

    async with going(quick_settings(tmp_path, origin, other)) as service:
        await crawl(service, origin.url + "/", max_depth=1)
        await crawl(service, other.url + "/", max_depth=1)
        pages, versions = await all_rows(service, tables.pages), await _versions(service)
        bodies = await all_rows(service, tables.bodies)

    assert len(pages) == len(versions) == 8
    assert [body for _, body in versions].count(same.encode()) == 6
    assert len(bodies) == 2
    assert len({page.body_key for page in pages}) == 2


async def test_what_the_site_said_with_a_page_is_kept_and_its_cookies_are_not(origin: Origin, tmp_path: Path) -> None:
    headers = HTML | {"Set-Cookie": "id=secret", "X-Powered-By": "oil"}
    origin.route("/job", Answer(headers=headers, body=posting_html(1).encode()))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/job", max_depth=0)
        page = (await all_pages(service))["/job"]
        capture = await service.storing.archive.capture(page.body_key)

    assert capture is not None
    assert (capture.url, capture.status, capture.fetched_at) == (page.url, 200, page.fetched_at)
    assert dict(capture.headers)["X-Powered-By"] == "oil"
    assert "Set-Cookie" not in dict(capture.headers)


async def test_e4_a_page_that_comes_to_ask_for_noarchive_takes_its_earlier_versions_along(
    origin: Origin, tmp_path: Path
) -> None:
    async with going(quick_settings(tmp_path, origin)) as service:
        origin.page("/job", posting_html(1))
        run = await crawl(service, origin.url + "/job", max_depth=0)
        had = (await all_pages(service))["/job"].body_key
        origin.page("/job", posting_html(2), headers={"X-Robots-Tag": "noarchive"})
        await crawl_again(service, run.source_id, number=2)
        has = (await all_pages(service))["/job"].body_key
        left = [await service.storing.archive.get(key) for key in (had, has)]
        rows = await all_rows(service, tables.page_versions) + await all_rows(service, tables.bodies)

    assert left == [None, None]
    assert rows == []


async def test_e4_noarchive_of_one_page_leaves_the_same_content_of_another_alone(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/open", posting_html(1))
    origin.page("/closed", posting_html(1), headers={"X-Robots-Tag": "noarchive"})

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/open", max_depth=0)
        await crawl(service, origin.url + "/closed", max_depth=0)
        versions = await _versions(service)

    assert versions == [(1, posting_html(1).encode())]


async def test_e4_what_one_source_may_not_keep_is_asked_for_whole_by_another(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job", posting_html(1), etag='"1"', headers={"X-Robots-Tag": "noarchive"})
    origin.page("/start", links_html("/job"))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/job", max_depth=0)
        run = await crawl(service, origin.url + "/start", max_depth=1)

    assert [hit.status for hit in origin.hits("/job")] == [200, 304, 200]
    assert (run.tally.pages_fetched, run.tally.pages_failed) == (2, 0)


@pytest.mark.parametrize("says", ["in its answer", "in itself", "nothing"])
async def test_e4_noarchive_holds_where_a_run_was_cancelled_before_the_page_was_read(
    origin: Origin, tmp_path: Path, says: str
) -> None:
    html = posting_html(1)
    if says == "in itself":
        html = html.replace("<head>", '<head><meta name="robots" content="NoArchive">')
    origin.page("/job", html, etag='"1"', headers={"X-Robots-Tag": "noarchive"} if says == "in its answer" else {})
    settings = quick_settings(tmp_path, origin)

    async with going(settings.model_copy(update={"duties": "fetch,schedule"})) as service:
        source_id = await watch(service, origin.url + "/job", max_depth=0)
        await until(lambda: _downloaded(service))
        await _toggle(service, source_id, source_states.disable)
        key = (await all_pages(service))["/job"].body_key
        swept = await service.storing.retention.sweep()
        left = await service.storing.archive.get(key), await _versions(service)
    async with going(settings) as service:
        await _toggle(service, source_id, source_states.enable)
        run = await first_run(service, source_id, number=2)

    kept = says == "nothing"
    assert left == ((html.encode(), [(1, html.encode())]) if kept else (None, []))
    assert swept.bodies_forgotten == (0 if kept else 1)
    assert [hit.status for hit in origin.hits("/job")] == [200, 304 if kept else 200]
    assert run.tally.records_inserted == 1


async def test_e4_what_another_page_has_too_stays_where_a_run_was_cancelled(origin: Origin, tmp_path: Path) -> None:
    html = posting_html(1)
    origin.page("/open", html)
    origin.page("/closed", html, headers={"X-Robots-Tag": "noarchive"})
    settings = quick_settings(tmp_path, origin)

    async with going(settings) as service:
        await crawl(service, origin.url + "/open", max_depth=0)
    async with going(settings.model_copy(update={"duties": "fetch,schedule"})) as service:
        source_id = await watch(service, origin.url + "/closed", max_depth=0)
        await until(lambda: _downloaded(service))
        await _toggle(service, source_id, source_states.disable)
        await service.storing.retention.sweep()
        left = await _versions(service)

    assert left == [(1, html.encode())]


async def test_a_body_that_is_lost_is_asked_for_again_and_its_hash_is_not_taken_for_it(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/1", posting_html(1))
    origin.page("/2", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/1", max_depth=0)
        for segment in await service.storing.archive.segments():
            await service.storing.archive.remove(segment.name)
        await service.storing.archive.get(
            (await all_pages(service))["/1"].body_key
        )  # what is read is remembered no longer
        run = await crawl(service, origin.url + "/2", max_depth=0)
        versions = await _versions(service)

    assert len(origin.hits("/2")) == 2
    assert run.tally.pages_fetched >= 1
    assert versions == [(1, posting_html(1).encode())]


async def test_the_same_answer_again_takes_no_room(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job", posting_html(1))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/job", max_depth=0)
        before = await asyncio.to_thread(_on_disk, tmp_path)
        await crawl_again(service, run.source_id, number=2)
        after = await asyncio.to_thread(_on_disk, tmp_path)

    assert before == after
