"""Versions in the database: what a page was, in order, and which of it may go."""

from datetime import timedelta
from functools import partial

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import page_versions
from lamplighter.store.pages.page_versions import NewVersion, Version, VersionFilter
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import write
from tests.store.pages.stored_bodies import become, pages_with
from tests.store.query_plans import plan_of

HOUR = timedelta(hours=1)


async def _page_that_was(db: Connection, *contents: str) -> int:
    (page_id,) = await pages_with(db, contents[0])
    for hours, content in enumerate(contents[1:], start=1):
        await become(db, page_id, content, hours=hours)
    return page_id


async def _versions(db: Database, page_id: int) -> list[Version]:
    async with db.read() as connection:
        return (await page_versions.of_page(connection, page_id, limit=50, offset=0))[0]


async def test_versions_are_numbered_and_each_ends_when_the_next_begins(db: Database) -> None:
    page_id = await write(db, _page_that_was, "x", "y", "x")

    versions = await _versions(db, page_id)

    assert [(one.number, one.hash, one.fetched_at, one.superseded_at) for one in versions] == [
        (3, "x", NOON + 2 * HOUR, None),
        (2, "y", NOON + HOUR, NOON + 2 * HOUR),
        (1, "x", NOON, NOON + HOUR),
    ]
    assert len({one.key for one in versions}) == 2


async def test_the_body_of_the_latest_version_makes_no_new_one(db: Database) -> None:
    page_id = await write(db, _page_that_was, "x", "y", "y")

    assert [one.number for one in await _versions(db, page_id)] == [2, 1]


async def test_b7_what_was_no_version_is_taken_back_and_the_one_before_is_the_latest_again(db: Database) -> None:
    changed, same = await write(db, pages_with, "x", "z")
    await write(db, partial(become, hours=1), changed, "y")
    await write(db, partial(become, hours=1), same, "z")

    await write(db, page_versions.take_back, dict.fromkeys((changed, same), NOON + HOUR))

    assert [(one.number, one.hash, one.superseded_at) for one in await _versions(db, changed)] == [(1, "x", None)]
    assert [(one.number, one.hash, one.superseded_at) for one in await _versions(db, same)] == [(1, "z", None)]


async def test_only_what_others_took_the_place_of_may_go(db: Database) -> None:
    page_id = await write(db, _page_that_was, "x", "y", "z")

    async with db.read() as connection:
        old = await page_versions.superseded(connection, limit=10)
        since = await page_versions.superseded(connection, before=NOON + 2 * HOUR, limit=10)
        surplus = await page_versions.surplus(connection, keep=2, after=0)
        none = await page_versions.surplus(connection, keep=3, after=0)
    await write(db, page_versions.remove, old)

    assert (len(old), since, surplus, none) == (2, old[:1], old[:1], [])
    assert [one.number for one in await _versions(db, page_id)] == [3]


async def test_as_many_as_make_up_the_bytes_are_chosen(db: Database) -> None:
    await write(db, _page_that_was, "x", "y", "x", "z")

    async with db.read() as connection:
        old = await page_versions.superseded(connection, limit=10)
        counts = [await page_versions.how_many_make_up(connection, old, stored_bytes=size) for size in (1, 11, 99)]

    assert counts == [1, 2, 3]


async def test_numbers_go_on_after_the_first_versions_went(db: Database) -> None:
    page_id = await write(db, _page_that_was, "x", "y")
    async with db.read() as connection:
        old = await page_versions.superseded(connection, limit=10)
    await write(db, page_versions.remove, old)

    await write(db, become, page_id, "z", hours=9)

    assert [one.number for one in await _versions(db, page_id)] == [3, 2]


async def test_a_forgotten_page_has_no_versions(db: Database) -> None:
    page_id = await write(db, _page_that_was, "x", "y")

    had = await write(db, page_versions.forget_page, page_id)

    assert len(had) == 2
    assert await _versions(db, page_id) == []


async def test_versions_go_with_their_page(db: Database) -> None:
    page_id = await write(db, _page_that_was, "x", "y")

    await db.write(lambda c: c.execute(sa.delete(tables.pages).where(tables.pages.c.id == page_id)))

    async with db.read() as connection:
        assert await page_versions.count(connection) == 0


async def test_what_is_exported_is_what_is_wanted(db: Database) -> None:
    page_id = await write(db, _page_that_was, "x", "y")
    async with db.read() as connection:
        source_id = await connection.scalar(sa.select(tables.pages.c.source_id).where(tables.pages.c.id == page_id))

        async def keys(wanted: VersionFilter, after: int = 0) -> list[str]:
            assert after or await page_versions.count_wanted(connection, wanted) == len(
                await page_versions.exported(connection, wanted, after=0, limit=10)
            )
            return [one.key for one in await page_versions.exported(connection, wanted, after=after, limit=10)]

        everything = await page_versions.exported(connection, VersionFilter(), after=0, limit=10)
        assert await keys(VersionFilter()) == await keys(VersionFilter(source_id=source_id)) == ["s1:x", "s1:y"]
        assert await keys(VersionFilter(source_id=source_id + 1)) == []
        assert await keys(VersionFilter(since=NOON + HOUR)) == await keys(VersionFilter(only_latest=True)) == ["s1:y"]
        assert await keys(VersionFilter(), after=everything[0].id) == ["s1:y"]


async def test_no_look_at_versions_walks_them_all(db: Database) -> None:
    page_id = await write(db, _page_that_was, "x", "y")
    new = [NewVersion(page_id, 1, 200, NOON)]

    before = await plan_of(db, partial(page_versions.add, new=new))
    await write(db, become, page_id, "z", hours=2)
    ends = await plan_of(db, partial(page_versions.add, new=new), start="UPDATE")
    oldest = await plan_of(db, partial(page_versions.superseded, before=NOON, limit=5))
    one = await plan_of(db, partial(page_versions.one, page_id=page_id, number=1))

    assert "page_versions" in before
    assert "SCAN page_versions" not in before
    assert "Seq Scan on page_versions" not in before
    assert "ix_page_versions_latest" in ends
    assert "ix_page_versions_superseded" in oldest
    assert "SCAN" not in one.upper().replace("INDEX SCAN", "")
