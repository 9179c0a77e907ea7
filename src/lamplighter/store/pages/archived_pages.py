"""SQL about the archived pages of a source: those with versions.

They are found through the pages of the source. For a source with very many pages, the newest versions of all
pages are searched instead.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import bodies, page_versions, pages

#: counting stops here: a larger number is of no use to operators
MOST_COUNTED = 1_000
#: how many pages of a source are searched; for a source with more, how many versions of all pages
MOST_PAGES, MOST_VERSIONS = 5_000, 50_000
_OWNER = pages.alias("owner")


class KeptPage(NamedTuple):
    """A page, and its latest version."""

    page_id: int
    url: str
    number: int
    fetched_at: datetime
    status: int
    size_bytes: int


async def not_looked_at(db: Connection, source_id: int) -> int | None:
    """The newest version too old to be searched; None when all the source's pages are searched."""
    mine = sa.select(pages.c.source_id).where(pages.c.source_id == source_id)
    if (await db.execute(mine.limit(1).offset(MOST_PAGES))).first() is None:
        return None
    newest = sa.select(page_versions.c.id).order_by(page_versions.c.id.desc())
    return int(await db.scalar(newest.limit(1).offset(MOST_VERSIONS)) or 0)


async def listed(
    db: Connection, source_id: int, *, search: str | None, limit: int, offset: int, after: int | None = None
) -> tuple[list[KeptPage], int]:
    """A source's pages that have versions, the last changed first; their total, up to MOST_COUNTED + 1.

    `after` comes from `not_looked_at`.
    """
    columns = (
        *(pages.c.id, pages.c.url, page_versions.c.number, page_versions.c.fetched_at, page_versions.c.status),
        bodies.c.size_bytes,
    )
    kept = (
        sa.select(*columns)
        .select_from(pages)
        .join(page_versions, sa.and_(page_versions.c.page_id == pages.c.id, page_versions.c.superseded_at.is_(None)))
        .join(bodies, bodies.c.id == page_versions.c.body_id)
    )
    if after is None:
        kept = kept.where(pages.c.source_id == source_id)
        order = [page_versions.c.fetched_at.desc(), pages.c.id.desc()]
    else:
        # Checked for each version: as a join condition, the database might start with all pages of the source.
        whose = sa.select(_OWNER.c.source_id).where(_OWNER.c.id == page_versions.c.page_id).scalar_subquery()
        kept = kept.where(page_versions.c.id > after, whose == source_id)
        order = [page_versions.c.id.desc()]
    if search:
        kept = kept.where(pages.c.url.icontains(search, autoescape=True))
    rows = await db.execute(kept.order_by(*order).limit(limit).offset(offset))
    total = await queries.count(db, kept.with_only_columns(pages.c.id).limit(MOST_COUNTED + 1).subquery())
    return [KeptPage._make(row) for row in rows], total


async def version_counts(db: Connection, page_ids: Iterable[int]) -> dict[int, int]:
    """Page -> its number of versions."""
    mine = page_versions.c.page_id.in_(sorted(page_ids))
    query = sa.select(page_versions.c.page_id, sa.func.count().label("kept")).where(mine)
    return {row.page_id: int(row.kept) for row in await db.execute(query.group_by(page_versions.c.page_id))}


async def url_of(db: Connection, source_id: int, page_id: int) -> str | None:
    """The URL of a page of this source; None when it has no such page."""
    mine = sa.and_(pages.c.id == page_id, pages.c.source_id == source_id)
    found: str | None = await db.scalar(sa.select(pages.c.url).where(mine))
    return found
