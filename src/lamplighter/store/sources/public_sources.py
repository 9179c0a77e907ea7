"""SQL for the public status page."""

from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.runs.last_runs import WITH_JOB
from lamplighter.store.schema.tables import crawl_jobs, sources
from lamplighter.store.sources.sources import IS_SHOWN


class PublicSource(NamedTuple):
    """What strangers may know of a source, and its URL, of which they may know the host."""

    name: str
    url: str
    created_at: datetime
    #: when it was last visited, and last found changed; None before that
    visited_at: datetime | None
    changed_at: datetime | None


_COLUMNS = (sources.c.name, sources.c.url, sources.c.created_at, crawl_jobs.c.visited_at, crawl_jobs.c.changed_at)
_WATCHED = (
    sa.select(*_COLUMNS)
    .select_from(WITH_JOB)
    .where(IS_SHOWN, sources.c.enabled, crawl_jobs.c.deleted_at.is_(None))
    .order_by(sources.c.name, sources.c.id)
    .limit(sa.bindparam("most"))
)


async def watched(db: Connection, *, most: int) -> list[PublicSource]:
    """The enabled sources by name, up to `most`."""
    return [PublicSource._make(row) for row in await db.execute(_WATCHED, {"most": most})]
