"""What an operator can do with records."""

import pytest

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Stamp
from lamplighter.operations.records import records
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.crawl.runs.runs_without_site import SITE, Site, read
from tests.moments import NOON
from tests.store.given_rows import write
from tests.store.records.given_records import posting

HASH = f"{1:064}"


async def _site(db: Database) -> Site:
    site = Site(db)
    await site.run({"/": read([posting(1, quality=0.3)]), "/1": read([posting(1, content_hash="v2", quality=0.9)])})
    return site


async def test_a_record_is_shown_with_its_pages_and_its_history(db: Database) -> None:
    site = await _site(db)
    await site.run({"/1": read([posting(1, title="Senior", content_hash="v3", quality=0.9)])})

    async with db.read() as connection:
        shown = await records.show(connection, HASH)

    assert (shown["title"], shown["state"], shown["revision"], shown["told_by"]) == (
        "Senior",
        "present",
        2,
        f"{SITE}/1",
    )
    assert {page["url"]: page["is_own"] for page in shown["shown_on"]} == {f"{SITE}/": False, f"{SITE}/1": True}
    assert [(line["field"], line["after"]) for line in shown["history"]] == [("title", "Senior")]


async def test_a_removed_record_leaves_nothing_but_its_tombstone_and_the_audit_log(db: Database) -> None:
    site = await _site(db)

    stone = await write(db, records.remove, HASH, reason="asked for", stamp=Stamp("operator", NOON))

    left = [await site.rows(table) for table in (tables.records, tables.sightings, tables.record_changes)]
    (kept,) = await site.rows(tables.tombstones)
    *_, line = await site.rows(tables.audit_log)
    assert left == [[], [], []]
    assert (kept.canonical_hash, kept.reason) == (stone.canonical_hash, "asked for") == (HASH, "asked for")
    assert (line.actor, line.action, line.subject) == ("operator", "record.remove", HASH)


async def test_a_restored_record_is_stored_when_its_page_is_next_read_though_that_is_unchanged(db: Database) -> None:
    site = await _site(db)
    await write(db, records.remove, HASH, reason="a mistake", stamp=Stamp("test", NOON))

    await write(db, records.restore, HASH, stamp=Stamp("test", NOON))

    unread = [page.url for page in await site.rows(tables.pages) if page.content_hash is None]
    assert unread == [f"{SITE}/1"]
    await site.run({"/1": read([posting(1)])})
    assert [row.title for row in await site.rows(tables.records)] == ["Posting 1"]


async def test_what_does_not_exist_is_neither_shown_nor_removed_nor_restored(db: Database) -> None:
    async with db.read() as connection:
        with pytest.raises(NotFound, match="records list"):
            await records.show(connection, "nobody")
    with pytest.raises(NotFound, match="records list"):
        await write(db, records.remove, "nobody", reason="x", stamp=Stamp("test", NOON))
    with pytest.raises(NotFound, match="records remove"):
        await write(db, records.restore, "nobody", stamp=Stamp("test", NOON))


async def test_nothing_is_removed_without_a_reason(db: Database) -> None:
    site = await _site(db)

    with pytest.raises(BadInput, match="reason"):
        await write(db, records.remove, HASH, reason=" ", stamp=Stamp("test", NOON))

    assert len(await site.rows(tables.records)) == 1
