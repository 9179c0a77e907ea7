"""Pages with bodies in the archive, and the versions that they become."""

from datetime import timedelta

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import bodies, page_versions
from lamplighter.store.pages.bodies import NewBody
from lamplighter.store.pages.page_versions import NewVersion
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages

HOUR = timedelta(hours=1)


def body(name: str, *, segment: str = "s1", size: int = 10) -> NewBody:
    """A body, and where it stands."""
    return NewBody(name, f"{segment}:{name}", segment, size, 3 * size)


async def pages_with(db: Connection, *contents: str) -> list[int]:
    """A page for each, that has this content since noon."""
    source_id, run_id = await a_run(db)
    paths = [f"/{number}" for number in range(len(contents))]
    ids = await some_pages(db, source_id, run_id, *paths)
    for page_id, content in zip(ids, contents, strict=True):
        await become(db, page_id, content)
    return ids


async def become(db: Connection, page_id: int, content: str, *, hours: int = 0, segment: str = "s1") -> None:
    """The page has this content from so many hours after noon on."""
    new = body(content, segment=segment)
    held = (await bodies.hold(db, [new], hashes=[content]))[content]
    await db.execute(
        sa.update(tables.pages).where(tables.pages.c.id == page_id).values(body_hash=content, body_key=held.key)
    )
    await page_versions.add(db, [NewVersion(page_id, held.id, 200, NOON + hours * HOUR)])
