"""E4 in whole runs: what a page asks of robots about its body, its texts and its time, and what it may be used for."""

from pathlib import Path
from typing import NoReturn

import pytest

from lamplighter.crawl.reading.reader_pool import ReaderPool, Unreadable
from lamplighter.store.schema import tables
from tests.origin import Answer, Origin
from tests.service.in_process import (
    all_pages,
    all_records,
    all_rows,
    crawl,
    crawl_again,
    going,
    quick_settings,
    run_log_of,
)
from tests.service.sites import posting_html


@pytest.mark.parametrize("etag", [pytest.param('"1"', id="the site says so"), pytest.param(None, id="the same bytes")])
async def test_e4_noarchive_leaves_no_body_behind_and_an_unchanged_page_is_not_read_again(
    origin: Origin, tmp_path: Path, etag: str | None
) -> None:
    origin.page("/job", posting_html(1), etag=etag, headers={"X-Robots-Tag": "noarchive"})
    origin.page("/other", posting_html(2), etag='"2"')

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/job", max_depth=0)
        await crawl(service, origin.url + "/other", max_depth=0)
        found, pages = await all_records(service), await all_pages(service)
        kept = {path: await service.storing.archive.get(page.body_key) for path, page in pages.items()}
        again = await crawl_again(service, run.source_id, number=2)
        versions = await all_rows(service, tables.page_versions)

    assert [record.title for record in found] == ["Posting 01", "Posting 02"]
    assert kept["/job"] is None
    assert kept["/other"] is not None
    assert [version.page_id for version in versions] == [pages["/other"].id]
    assert [hit.status for hit in origin.hits("/job")] == [200, 304 if etag else 200]
    assert (again.tally.pages_unchanged, again.figures.pages_read) == (1, 0)


async def test_e4_noarchive_in_a_header_holds_for_a_page_that_cannot_be_read(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.page("/job", posting_html(1), headers={"X-Robots-Tag": "noarchive"})

    async with going(quick_settings(tmp_path, origin)) as service:

        async def fail(*_: object, **__: object) -> NoReturn:
            raise Unreadable("the reader died")

        monkeypatch.setattr(ReaderPool, "read", fail)
        await crawl(service, origin.url + "/job", max_depth=0)
        page = (await all_pages(service))["/job"]
        kept = await service.storing.archive.get(page.body_key)

    assert (page.phase, kept) == ("failed", None)


async def test_usage_preferences_of_header_robots_and_page_are_kept_with_the_record(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n")
    page = posting_html(1).replace("<head>", '<head><meta name="tdm-reservation" content="1">')
    origin.page("/job", page, headers={"Content-Usage": "train-ai=n"})

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/job", max_depth=0)
        (record,), pages = await all_records(service), await all_pages(service)

    assert record.fields["usage"] == {"search": "yes", "ai-train": "no", "train-ai": "n", "tdm-reservation": "1"}
    assert set(pages["/job"].usage.splitlines()) == {
        "header content-usage: train-ai=n",
        "robots content-signal: search=yes, ai-train=no",
        "meta tdm-reservation: 1",
    }


async def test_what_its_owner_does_not_want_searchable_is_not_kept(origin: Origin, tmp_path: Path) -> None:
    origin.page("/job", posting_html(1), headers={"Content-Usage": "search=n"})

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/job", max_depth=0)
        found, log = await all_records(service), await run_log_of(service, run.id)

    assert found == []
    assert any("does not want it searchable" in line for line in log)


@pytest.mark.parametrize("how", ["304", "200 with the same bytes", "robots.txt"])
async def test_e4_wishes_hold_from_the_answer_on_that_brings_them_though_the_page_stays_the_same(
    origin: Origin, tmp_path: Path, how: str
) -> None:
    body, head = posting_html(1).encode(), {"Content-Type": "text/html", "ETag": '"a"'}
    inputs = {"X-Robots-Tag": "noindex, noarchive"}
    origin.robots("User-agent: *\nAllow: /\n")
    origin.route("/job", Answer(headers=head, body=body))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/job", max_depth=0)
        if how == "304":
            origin.route("/job", Answer(status=304, headers={"ETag": '"a"'} | inputs))
        elif how == "robots.txt":
            origin.robots("User-agent: *\nAllow: /\nContent-Usage: search=n\n")
            await service.door.robots.fetch_now(origin.url)
        else:
            origin.route("/job", Answer(headers=head | inputs, body=body))
        for number in (2, 3):
            await crawl_again(service, run.source_id, number=number)
        page, versions = (await all_pages(service))["/job"], await all_rows(service, tables.page_versions)
        shown = await all_rows(service, tables.sightings)

    assert shown == []
    assert (page.usage, len(versions)) == (("robots content-usage: search=n", 1) if how == "robots.txt" else (None, 0))
