"""Queries for the visits of sources, and which of them found a change."""

from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs, sources


class HistoryVisit(NamedTuple):
    """A run that got pages."""

    url: str
    priority: int
    started_at: datetime
    has_changed: bool


async def visits(db: Connection, *, since: datetime) -> list[HistoryVisit]:
    """The runs since then that fetched pages, by source, the oldest first."""
    had = crawl_runs.c.pages_fetched + crawl_runs.c.pages_unchanged > 0
    query = (
        sa.select(
            sources.c.url,
            sources.c.priority,
            crawl_runs.c.started_at,
            (crawl_runs.c.pages_changed > 0).label("has_changed"),
        )
        .join(sources, sources.c.id == crawl_runs.c.source_id)
        .where(crawl_runs.c.started_at >= since, had, crawl_runs.c.outcome.in_([RunOutcome.OK, RunOutcome.WARN]))
        .order_by(crawl_runs.c.source_id, crawl_runs.c.started_at)
    )
    return [HistoryVisit._make(row) for row in await db.execute(query)]
