"""SQL about when sources were visited, and which visits found a change."""

from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import Outcome
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_runs, sources


class Visit(NamedTuple):
    """One run that had pages."""

    url: str
    priority: int
    started_at: datetime
    has_changed: bool


async def visits(db: Connection, *, since: datetime) -> list[Visit]:
    """The runs since then that had pages, source by source, the oldest first."""
    had = crawl_runs.c.pages_fetched + crawl_runs.c.pages_unchanged > 0
    query = (
        sa.select(
            sources.c.url,
            sources.c.priority,
            crawl_runs.c.started_at,
            (crawl_runs.c.pages_changed > 0).label("has_changed"),
        )
        .join(sources, sources.c.id == crawl_runs.c.source_id)
        .where(crawl_runs.c.started_at >= since, had, crawl_runs.c.outcome.in_([Outcome.OK, Outcome.WARN]))
        .order_by(crawl_runs.c.source_id, crawl_runs.c.started_at)
    )
    return [Visit._make(row) for row in await db.execute(query)]
