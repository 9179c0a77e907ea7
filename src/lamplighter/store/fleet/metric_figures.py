"""SQL about the database gauges of `/metrics`: each is read from an index or counted up to a limit."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs.job_conditions import IS_UNWELL
from lamplighter.store.pages.pages import stands
from lamplighter.store.schema.tables import crawl_jobs, events, index_outbox, notifications, pages

#: counting stops at these limits; the reference says so
MOST_PAGES = 100_000
MOST_JOBS = 10_000
#: the oldest is looked for among this many entries
_MOST_ENTRIES = 10_000


class PriorityGauges(NamedTuple):
    """The jobs of one priority: their number, and the hours that their copies were watched and stale."""

    priority: int
    jobs: int
    watched: float
    expected_stale: float
    seen_stale: float


async def jobs_by_priority(db: Connection) -> list[PriorityGauges]:
    """Gauges of all jobs."""
    sums = (crawl_jobs.c.watched_hours, crawl_jobs.c.expected_stale_hours, crawl_jobs.c.seen_stale_hours)
    query = sa.select(crawl_jobs.c.priority, sa.func.count(), *(sa.func.sum(hours) for hours in sums))
    return [PriorityGauges._make(row) for row in await db.execute(query.group_by(crawl_jobs.c.priority))]


async def count_in_backoff(db: Connection, *, now: datetime) -> int:
    """The number of jobs in back-off, up to MOST_JOBS."""
    waiting = sa.and_(IS_UNWELL, crawl_jobs.c.backoff_until > now, crawl_jobs.c.deleted_at.is_(None))
    return await queries.count(db, sa.select(crawl_jobs.c.id).where(waiting).limit(MOST_JOBS).subquery())


async def pages_waiting(db: Connection, phase: Phase) -> int:
    """Counts pages of a phase up to MOST_PAGES."""
    return await queries.count(db, sa.select(pages.c.id).where(stands(phase)).limit(MOST_PAGES).subquery())


async def oldest_waiting(db: Connection) -> Mapping[str, datetime | None]:
    """Outbox -> when its oldest waiting entry was added; None if it is empty."""
    undelivered = sa.select(events.c.created_at).where(events.c.delivered_at.is_(None))
    unsent = (
        sa.select(index_outbox.c.entered_at).where(index_outbox.c.parked_at.is_(None)).limit(_MOST_ENTRIES).subquery()
    )
    pending = sa.select(notifications.c.created_at).where(notifications.c.state == "pending")
    return {
        "events": await db.scalar(undelivered.order_by(events.c.id).limit(1)),
        "index": await db.scalar(sa.select(sa.func.min(unsent.c.entered_at))),
        "notifications": await db.scalar(pending.order_by(notifications.c.id).limit(1)),
    }
