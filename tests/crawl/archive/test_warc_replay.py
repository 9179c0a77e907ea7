"""A crawl can be made again from the WARC file of another, without the site."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from lamplighter.app import Service
from lamplighter.operations.archive import warc_export
from lamplighter.store.pages.page_versions import VersionFilter
from tests.origin import Origin
from tests.origin.replay import replay
from tests.service.in_process import all_records, crawl, going, quick_settings
from tests.service.sites import job_board

POSTINGS = 5
_OF_THE_DATABASE = {"id", "public_id", "first_seen_at", "last_seen_at", "provenance"}


async def _exported(service: Service, file: Path) -> None:
    pieces = warc_export.export(service.db, service.storing.archive, VersionFilter(), name=file.name)
    content = b"".join([piece.content async for piece in pieces])
    await asyncio.to_thread(file.write_bytes, content)


def _said(records: list[Any]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row._mapping.items() if name not in _OF_THE_DATABASE} for row in records]


@pytest.mark.parametrize("form", ["plain", "warc"])
async def test_what_was_crawled_is_read_from_its_warc_file_alike(origin: Origin, tmp_path: Path, form: str) -> None:
    job_board(origin, postings=POSTINGS, per_page=3)
    for folder in ("first", "second"):
        await asyncio.to_thread((tmp_path / folder).mkdir)
    async with going(quick_settings(tmp_path / "first", origin, archive_format=form)) as service:
        await crawl(service, origin.url + "/jobs")
        first = _said(await all_records(service))
        await _exported(service, tmp_path / "crawl.warc.gz")
    await origin.close()

    async with Origin(port=origin.port) as again:
        count = await asyncio.to_thread(replay, again, tmp_path / "crawl.warc.gz")
        async with going(quick_settings(tmp_path / "second", again)) as service:
            await crawl(service, again.url + "/jobs")
            second = _said(await all_records(service))

    assert count == POSTINGS + 2
    assert len(first) == POSTINGS
    assert first == second
