"""SQL about what `/metrics` shows of the database: each answered from an index, or counted only so far."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.database import Connection
from lamplighter.store.job_standing import IS_UNWELL
from lamplighter.store.tables import crawl_jobs, events, index_outbox, notifications, pages, proxies

#: how far is counted what may be a great many; the reference says so
MOST_PAGES = 100_000
MOST_JOBS = 10_000
#: of how many entries the oldest is looked for
_MOST_ENTRIES = 10_000


class Level(NamedTuple):
    """Jobs of one priority: how many, and for how long their copies were watched and not up to date, in hours."""

    priority: int
    jobs: int
    watched: float
    expected_stale: float
    seen_stale: float


class Exits(NamedTuple):
    """How many proxies there are."""

    working: int
    resting: int
    off: int


async def jobs_by_priority(db: Connection) -> list[Level]:
    """All jobs, from one index."""
    sums = (crawl_jobs.c.watched_hours, crawl_jobs.c.expected_stale_hours, crawl_jobs.c.seen_stale_hours)
    query = sa.select(crawl_jobs.c.priority, sa.func.count(), *(sa.func.sum(hours) for hours in sums))
    return [Level._make(row) for row in await db.execute(query.group_by(crawl_jobs.c.priority))]


async def count_in_backoff(db: Connection, *, now: datetime) -> int:
    """Jobs that wait because their runs failed, as far as is counted."""
    waiting = sa.and_(IS_UNWELL, crawl_jobs.c.backoff_until > now, crawl_jobs.c.deleted_at.is_(None))
    return await _count(db, sa.select(crawl_jobs.c.id).where(waiting).limit(MOST_JOBS))


async def pages_waiting(db: Connection, phase: Phase) -> int:
    """Pages in one phase, as far as is counted."""
    # Written as the index has it: from a parameter, neither database sees that it applies.
    stands = pages.c.phase == sa.literal_column(f"'{phase}'")
    return await _count(db, sa.select(pages.c.id).where(stands).limit(MOST_PAGES))


async def oldest_waiting(db: Connection) -> Mapping[str, datetime | None]:
    """Since when the oldest entry of each outbox waits; None where nothing does."""
    untold = sa.select(events.c.created_at).where(events.c.delivered_at.is_(None))
    unsent = (
        sa.select(index_outbox.c.entered_at).where(index_outbox.c.parked_at.is_(None)).limit(_MOST_ENTRIES).subquery()
    )
    pending = sa.select(notifications.c.created_at).where(notifications.c.state == "pending")
    return {
        "events": await db.scalar(untold.order_by(events.c.id).limit(1)),
        "index": await db.scalar(sa.select(sa.func.min(unsent.c.entered_at))),
        "notifications": await db.scalar(pending.order_by(notifications.c.id).limit(1)),
    }


async def proxies_by_state(db: Connection, *, now: datetime) -> Exits:
    """How many proxies work, are left alone for a while, or are switched off."""
    is_resting = sa.and_(proxies.c.enabled, proxies.c.quarantined_until > now)

    resting, off = (sa.func.count(sa.case((which, 1))) for which in (is_resting, ~proxies.c.enabled))
    query = sa.select(sa.func.count(proxies.c.id).label("all"), resting.label("resting"), off.label("off"))
    row = (await db.execute(query)).one()
    return Exits(working=row.all - row.resting - row.off, resting=row.resting, off=row.off)


async def _count(db: Connection, some: sa.Select[Any]) -> int:
    return int(await db.scalar(sa.select(sa.func.count()).select_from(some.subquery())))
