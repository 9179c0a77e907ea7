"""Queries for the crawl log: ended runs, one line each, and the number of open runs."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs, sources


async def listed(db: Connection, *, source_id: int | None, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """Ended runs, of one source or of all, the latest first, each with its source's public id."""
    ended = crawl_runs.c.finished_at.is_not(None)
    which = ended if source_id is None else sa.and_(ended, crawl_runs.c.source_id == source_id)
    query = (
        sa.select(crawl_runs, sources.c.public_id.label("source_public_id"))
        .join(sources, sources.c.id == crawl_runs.c.source_id)
        .where(which)
        .order_by(crawl_runs.c.started_at.desc(), crawl_runs.c.id.desc())
    )
    rows = await db.execute(query.limit(limit).offset(offset))
    total = await db.scalar(sa.select(sa.func.count()).select_from(crawl_runs).where(which))
    return rows.all(), int(total)


async def count_open(db: Connection) -> tuple[int, int]:
    """How many runs are open, and of how many jobs."""
    counts = (sa.func.count().label("runs"), sa.func.count(crawl_runs.c.job_id.distinct()).label("jobs"))
    row = (await db.execute(sa.select(*counts).where(crawl_runs.c.finished_at.is_(None)))).one()
    return int(row.runs), int(row.jobs)
