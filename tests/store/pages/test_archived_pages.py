"""Pages of which the archive keeps versions, in the database."""

from functools import partial

import pytest
import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import archived_pages
from lamplighter.store.schema.tables import pages
from tests.store.given_rows import write
from tests.store.pages.stored_bodies import become, pages_with
from tests.store.query_plans import plan_of


async def _two_pages(db: Connection) -> tuple[int, int, int]:
    """A page with two versions and one with one; the id of their source first."""
    first, second = await pages_with(db, "x", "y")
    await become(db, first, "z", hours=2)
    source_id = await db.scalar(sa.select(pages.c.source_id).where(pages.c.id == first))
    return source_id, first, second


async def test_what_changed_last_stands_first(db: Database) -> None:
    source_id, first, second = await write(db, _two_pages)

    async with db.read() as connection:
        found, total = await archived_pages.listed(connection, source_id, search=None, limit=5, offset=0)
        counts = await archived_pages.version_counts(connection, [first, second])
        none = await archived_pages.listed(connection, source_id + 1, search=None, limit=5, offset=0)
        missed = await archived_pages.listed(connection, source_id, search="100%", limit=5, offset=0)

    assert ([(page.page_id, page.number) for page in found], total) == ([(first, 2), (second, 1)], 2)
    assert counts == {first: 2, second: 1}
    assert (none, missed) == (([], 0), ([], 0))


async def test_a_page_belongs_to_its_source_alone(db: Database) -> None:
    source_id, first, _ = await write(db, _two_pages)

    async with db.read() as connection:
        mine = await archived_pages.url_of(connection, source_id, first)
        another_s = await archived_pages.url_of(connection, source_id + 1, first)

    assert (mine is not None, another_s) == (True, None)


async def test_latest_versions_are_looked_up_page_by_page(db: Database) -> None:
    source_id, _, _ = await write(db, _two_pages)

    plan = await plan_of(db, partial(archived_pages.listed, source_id=source_id, search=None, limit=5, offset=0))

    assert "ix_page_versions_latest" in plan


async def test_pages_are_counted_up_to_a_bound(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await write(db, pages_with, "x", "y", "z")
    monkeypatch.setattr(archived_pages, "MOST_COUNTED", 1)

    async with db.read() as connection:
        source_id = await connection.scalar(sa.select(pages.c.source_id).limit(1))
        found, total = await archived_pages.listed(connection, source_id, search=None, limit=5, offset=0)

    assert (len(found), total) == (3, 2)


async def test_of_a_source_with_very_many_pages_the_newest_versions_are_gone_through_one_by_one(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    source_id, first, _ = await write(db, _two_pages)
    none_left = await write(db, archived_pages.not_looked_at, source_id)
    monkeypatch.setattr(archived_pages, "MOST_PAGES", 1)
    monkeypatch.setattr(archived_pages, "MOST_VERSIONS", 1)

    after = await write(db, archived_pages.not_looked_at, source_id)
    latest = partial(archived_pages.listed, source_id=source_id, search=None, limit=5, offset=0, after=after)
    async with db.read() as connection:
        found, total = await latest(connection)
    plan = await plan_of(db, latest)

    assert none_left is None
    assert ([(page.page_id, page.number) for page in found], total) == ([(first, 2)], 1)
    assert "TEMP B-TREE" not in plan if db.is_sqlite else "pk_page_versions" in plan
