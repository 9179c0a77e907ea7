"""SQL about bodies that came for a page and were never read, because its run ended before."""

from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.database import Connection
from lamplighter.store.pages import body_values
from lamplighter.store.tables import page_versions, pages

#: ids looked at in one statement
RANGE = 5_000
#: a run that ends leaves neither hash nor time at a page that it did not get to read
_IS_UNREAD = sa.and_(
    pages.c.phase.in_((Phase.CANCELLED, Phase.FAILED)),
    pages.c.content_hash.is_(None),
    pages.c.fetched_at.is_(None),
    pages.c.body_key.is_not(None),
)


class Unread(NamedTuple):
    """A page's latest version, which nobody has read."""

    version_id: int
    page_id: int
    #: where its body is
    key: str
    #: what its answer asked of robots
    robots_tag: str | None


async def among(db: Connection, *, after: int) -> list[Unread]:
    """Those among the next versions."""
    some = sa.and_(page_versions.c.id > after, page_versions.c.id <= after + RANGE)
    query = (
        sa.select(page_versions.c.id, pages.c.id, pages.c.body_key, pages.c.robots_tag)
        .join(pages, pages.c.id == page_versions.c.page_id)
        .where(some, page_versions.c.superseded_at.is_(None), _IS_UNREAD)
    )
    return [Unread._make(row) for row in await db.execute(query)]


async def hold(db: Connection, unread: Unread) -> bool:
    """Keeps every run from taking up the page, until the transaction ends; False when one has done so meanwhile."""
    mine = sa.and_(pages.c.id == unread.page_id, pages.c.body_key == unread.key, _IS_UNREAD)
    return await db.scalar(sa.select(pages.c.id).where(mine).with_for_update()) is not None


async def take_away(db: Connection, page_id: int) -> None:
    """Lets a page have no body, so that it is asked for as if for the first time."""
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(**body_values(None)))
