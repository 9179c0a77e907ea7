"""What is never asked again, and what is forgotten of it."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter.adapters.archive.file_archive import FileArchive
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.errors import BadUrl
from lamplighter.model.access import Stamp
from lamplighter.model.page import Phase
from lamplighter.model.run_log import LogAction
from lamplighter.operations.hosts import purge, takedowns
from lamplighter.operations.hosts.purge import StoredOfSite
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import record_changes, sightings
from lamplighter.store.runs import run_log
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.records.given_records import found, posting, stored


async def test_a_takedown_is_kept_once_in_one_spelling(db: Database) -> None:
    for spelling in ("Example.ORG", "example.org", " example.org "):
        await db.write(lambda c, spelling=spelling: takedowns.add(c, spelling, stamp=Stamp("test", NOON)))  # type: ignore[misc]

    async with db.read() as connection:
        assert list(await connection.scalars(sa.select(tables.takedowns.c.domain_or_url))) == ["example.org"]


async def test_a_takedown_that_is_neither_domain_nor_url_is_refused(db: Database) -> None:
    with pytest.raises(BadUrl, match=r"'\*\.org' is neither.*example\.org"):
        await db.write(lambda c: takedowns.add(c, "*.org", stamp=Stamp("test", NOON)))


async def _a_site(db: Connection) -> None:
    """Two pages under /a/, one under /A/, each with a record and a history, and a line about each."""
    source_id, run_id = await a_run(db)
    paths = ("/a/1", "/a/2", "/A/3")
    page_ids = await some_pages(db, source_id, run_id, *paths, phase=Phase.COMPLETED)
    for number, (path, page_id) in enumerate(zip(paths, page_ids, strict=True)):
        record_id = await stored(db, found(source_id, page_id, posting(number)))
        await sightings.become(db, {page_id: {record_id: True}}, now=NOON)
        change = {"record_id": record_id, "run_id": run_id, "page_id": page_id, "at": NOON, "field": "title"}
        await record_changes.write(db, [change | {"before": "x", "after": "y"}])
        url = f"https://a.example{path}"
        await run_log.write(db, [run_log.line(run_id, LogAction.PAGE_FAILED, f"{url} is odd", at=NOON, url=url)])


async def test_a_url_prefix_is_purged_to_the_letter_and_no_further(db: Database, tmp_path: Path) -> None:
    await write(db, _a_site)
    await write(db, takedowns.add, "https://a.example/a/", stamp=Stamp("test", NOON))

    counted = await purge.preview(db, "https://a.example/a/")
    done = await purge.purge(db, FileArchive(tmp_path), "https://a.example/a/", actor="test", clock=DatabaseClock())

    assert (counted.pages, counted.records, counted.log_lines) == (2, 2, 2)
    assert (done.pages, done.records, done.log_lines) == (2, 2, 2)
    async with db.read() as connection:
        left = list(await connection.scalars(sa.select(tables.pages.c.url)))
        messages = list(await connection.scalars(sa.select(tables.run_log_lines.c.message)))
        counts = [
            await connection.scalar(sa.select(sa.func.count()).select_from(table))
            for table in (tables.records, tables.record_changes, tables.sightings)
        ]
    assert left == ["https://a.example/A/3"]
    assert counts == [1, 1, 1]
    assert [message for message in messages if "/a/" in message] == []


async def test_a_purge_of_what_is_not_stored_changes_nothing(db: Database, tmp_path: Path) -> None:
    await write(db, _a_site)
    await write(db, takedowns.add, "b.example", stamp=Stamp("test", NOON))

    done = await purge.purge(db, FileArchive(tmp_path), "b.example", actor="test", clock=DatabaseClock())

    assert done == StoredOfSite()
