"""Renaming tags and what they may say, on both databases."""

import pytest

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources, tags
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Database
from lamplighter.store.sources import tags as stored_tags
from tests.moments import NOON
from tests.store.given_rows import write


async def carried(db: Database) -> dict[str, tuple[int, str | None]]:
    async with db.read() as reading:
        found, _ = await tags.page(reading, limit=10, offset=0)
    return {each.settings.tag: (each.source_count, each.settings.policy) for each in found}


async def rename(db: Database, tag: str, to: str) -> int:
    return await write(db, tags.rename, tag, to, stamp=Stamp("test", NOON))


async def given(db: Database) -> None:
    """Two sources: one with both tags, one with the first alone; the first says something."""
    for number, labels in enumerate((("newz", "news"), ("newz",))):
        new = NewSource(url=f"https://a.example/{number}", tags=labels)
        await write(db, sources.add, new, stamp=Stamp("test", NOON))
    await write(db, tags.put, "newz", {"policy": "fixed"}, stamp=Stamp("test", NOON))


async def test_what_a_tag_says_goes_with_its_name(db: Database) -> None:
    await given(db)

    count = await rename(db, "newz", "tides")

    assert count == 2
    assert await carried(db) == {"news": (1, None), "tides": (2, "fixed")}


async def test_two_tags_that_become_one_are_on_the_sources_of_both(db: Database) -> None:
    await given(db)

    await rename(db, "newz", "news")

    assert await carried(db) == {"news": (2, "fixed")}


async def test_what_the_other_tag_says_holds(db: Database) -> None:
    await given(db)
    await write(db, tags.put, "news", {"policy": "priority"}, stamp=Stamp("test", NOON))

    await rename(db, "newz", "news")

    assert await carried(db) == {"news": (2, "priority")}


@pytest.mark.parametrize("pages", [0, 10_000_001, 2**31])
async def test_a_tag_says_no_more_pages_than_a_source_may(db: Database, pages: int) -> None:
    with pytest.raises(BadInput, match=f"max_pages {pages} is out of range; use 1 to 10000000"):
        await write(db, tags.put, "news", {"max_pages": pages}, stamp=Stamp("test", NOON))

    assert await carried(db) == {}


async def test_its_own_name_changes_nothing(db: Database) -> None:
    await given(db)

    await rename(db, "newz", " newz ")

    assert (await carried(db))["newz"] == (2, "fixed")


async def test_a_name_that_no_tag_can_have_is_refused(db: Database) -> None:
    await given(db)

    with pytest.raises(BadInput, match="cannot be used"):
        await rename(db, "newz", "a/b")
    assert (await write(db, stored_tags.count)) == 2


async def test_a_tag_that_nobody_carries_cannot_be_renamed(db: Database) -> None:
    with pytest.raises(NotFound):
        await rename(db, "nobody", "news")
