"""SQL for the restore reset: releases leases, resets running jobs and cancels old notifications."""

from datetime import datetime

import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.schema.tables import (
    crawl_jobs,
    crawl_runs,
    hosts,
    index_state,
    instances,
    leads,
    notices,
    notifications,
    pages,
)


async def release_leases(db: Connection) -> None:
    """Releases all leases; the fencing tokens of hosts keep their values."""
    nobody = {"lease_owner": None, "lease_until": None}
    await db.execute(sa.delete(leads))
    await db.execute(sa.delete(instances))
    await db.execute(sa.update(hosts).where(hosts.c.lease_until.is_not(None)).values(**nobody))
    await db.execute(sa.update(pages).where(pages.c.lease_owner.is_not(None)).values(**nobody))
    await db.execute(sa.update(index_state).values(**nobody))
    await db.execute(sa.update(notifications).where(notifications.c.lease_until.is_not(None)).values(lease_until=None))


async def open_runs(db: Connection) -> list[int]:
    """The runs that were open."""
    query = sa.select(crawl_runs.c.id).where(crawl_runs.c.finished_at.is_(None))
    return list(await db.scalars(query.order_by(crawl_runs.c.id)))


async def let_wait(db: Connection, *, now: datetime, why: str) -> int:
    """Sets running jobs to pending, to run again; returns how many."""
    mine = sa.update(crawl_jobs).where(crawl_jobs.c.state == JobState.RUNNING)
    due = sa.func.coalesce(crawl_jobs.c.next_run_at, sa.literal(now, crawl_jobs.c.next_run_at.type))
    values = {"state": JobState.PENDING, "state_since": now, "updated_at": now, "next_run_reason": {"why": why}}
    return rows_written(await db.execute(mine.values(next_run_at=due, **values)))


async def cancel_notifications(db: Connection, *, before: datetime, detail: str) -> int:
    """Cancels notifications and deletes notices from before then; returns how many."""
    waits = notifications.c.state.in_(["pending", "gathering"])
    old = sa.update(notifications).where(waits, notifications.c.created_at < before)
    cancelled = rows_written(await db.execute(old.values(state="cancelled", detail=detail)))
    return cancelled + rows_written(await db.execute(sa.delete(notices).where(notices.c.at < before)))
