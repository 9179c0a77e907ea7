"""Lists of pages: by which index they are found, and how far back a text is looked for in their URLs."""

from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import page_lists
from lamplighter.store.pages.page_lists import PageFilter
from lamplighter.store.schema.tables import pages
from tests.moments import NOON
from tests.store.given_rows import a_source, some_pages, write
from tests.store.query_plans import plan_of


async def _known(db: Connection) -> Any:
    """Four pages of one source, and one of another on the same host; the first of them."""
    first, *_ = await some_pages(db, await a_source(db, "a"), None, "/1", "/2", "/3", "/4", reason="not_found")
    await some_pages(db, await a_source(db, "b"), None, "/1")
    return (
        await db.execute(sa.select(pages.c.id, pages.c.host_id, pages.c.source_id).where(pages.c.id == first))
    ).one()


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        pytest.param(PageFilter(host_id=1), "ix_pages_host", id="of one host"),
        pytest.param(PageFilter(reasons={"not_found"}), "ix_pages_reason", id="gone wrong in one way"),
    ],
)
async def test_pages_of_a_host_or_with_an_error_are_found_in_order_by_an_index(
    db: Database, wanted: PageFilter, index: str
) -> None:
    await write(db, _known)

    listed = await plan_of(db, lambda c: page_lists.listed(c, wanted, limit=20, offset=0, now=NOON))
    counted = await plan_of(db, lambda c: page_lists.count(c, wanted, now=NOON))

    assert index in listed
    assert "TEMP B-TREE" not in listed
    assert "Sort" not in listed
    assert index in counted


async def test_a_text_is_looked_for_in_the_newest_pages_of_what_is_named(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await write(db, _known)
    whole = await write(db, page_lists.not_searched, host_id=None, source_id=None)
    monkeypatch.setattr(page_lists, "MOST_SEARCHED", 4)
    of_all = await write(db, page_lists.not_searched, host_id=None, source_id=None)
    of_source = await write(db, page_lists.not_searched, host_id=None, source_id=page.source_id)
    of_host = await write(db, page_lists.not_searched, host_id=page.host_id, source_id=None)

    found = await write(db, page_lists.listed, PageFilter(search="/1", after_id=of_all), limit=9, offset=0, now=NOON)

    assert (whole, of_source) == (None, None)
    assert (of_all, of_host) == (page.id, page.id)
    assert [row.source_name for row in found] == ["b.example"]


async def test_a_text_is_looked_for_by_the_numbers_of_pages_and_not_in_all(db: Database) -> None:
    page = await write(db, _known)
    everywhere = PageFilter(search="/4", after_id=page.id)
    on_a_host = PageFilter(search="/4", after_id=page.id, host_id=page.host_id)

    plans = [
        await plan_of(db, lambda c, each=each: page_lists.listed(c, each, limit=9, offset=0, now=NOON))
        for each in (everywhere, on_a_host)
    ]

    assert ("INTEGER PRIMARY KEY (rowid>?)" if db.is_sqlite else "Index Cond: (id >") in plans[0]
    assert ("ix_pages_host (host_id=? AND id>?)" if db.is_sqlite else "ix_pages_host") in plans[1]
