"""SQL about the pages of a source of which the archive keeps versions."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import bodies, page_versions, pages

#: counts go this far; beyond, the number tells nobody more
MOST_COUNTED = 1_000


class KeptPage(NamedTuple):
    """A page, and the latest of its versions."""

    page_id: int
    url: str
    number: int
    fetched_at: datetime
    status: int
    size_bytes: int


async def listed(
    db: Connection, source_id: int, *, search: str | None, limit: int, offset: int
) -> tuple[list[KeptPage], int]:
    """The pages of a source that have versions, what changed last first, and how many, up to MOST_COUNTED + 1."""
    columns = (
        *(pages.c.id, pages.c.url, page_versions.c.number, page_versions.c.fetched_at, page_versions.c.status),
        bodies.c.size_bytes,
    )
    kept = (
        sa.select(*columns)
        .select_from(pages)
        .join(page_versions, sa.and_(page_versions.c.page_id == pages.c.id, page_versions.c.superseded_at.is_(None)))
        .join(bodies, bodies.c.id == page_versions.c.body_id)
        .where(pages.c.source_id == source_id)
    )
    if search:
        kept = kept.where(pages.c.url.icontains(search, autoescape=True))
    order = (page_versions.c.fetched_at.desc(), pages.c.id.desc())
    rows = await db.execute(kept.order_by(*order).limit(limit).offset(offset))
    some = kept.with_only_columns(pages.c.id).limit(MOST_COUNTED + 1).subquery()
    total = await db.scalar(sa.select(sa.func.count()).select_from(some))
    return [KeptPage._make(row) for row in rows], int(total)


async def version_counts(db: Connection, page_ids: Iterable[int]) -> dict[int, int]:
    """How many versions of each of these pages are kept."""
    mine = page_versions.c.page_id.in_(sorted(page_ids))
    query = sa.select(page_versions.c.page_id, sa.func.count().label("kept")).where(mine)
    return {row.page_id: int(row.kept) for row in await db.execute(query.group_by(page_versions.c.page_id))}


async def url_of(db: Connection, source_id: int, page_id: int) -> str | None:
    """The URL of a page of this source; None when it has no such page."""
    mine = sa.and_(pages.c.id == page_id, pages.c.source_id == source_id)
    found: str | None = await db.scalar(sa.select(pages.c.url).where(mine))
    return found
