"""SQL about crawl jobs: which are due, where each stands."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.crawl import CrawlJob, JobState, PauseReason
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import crawl_jobs, crawl_runs
from lamplighter.store.types import literal

#: written into the statement, not bound: only then does SQLite see that the partial index applies
_CLAIMABLE = crawl_jobs.c.state.in_(literal(JobState.PENDING, JobState.SCHEDULED))
_IS_RUNNING = sa.exists().where(crawl_runs.c.job_id == crawl_jobs.c.id, crawl_runs.c.finished_at.is_(None))


async def add(
    db: Connection, *, source_id: int, priority: int, interval: timedelta, next_run_at: datetime, now: datetime
) -> int:
    """Stores a new crawl job, waiting for its first run."""
    result = await db.execute(
        sa.insert(crawl_jobs)
        .values(
            public_id=str(uuid4()),
            source_id=source_id,
            state=JobState.PENDING,
            priority=priority,
            interval_seconds=int(interval.total_seconds()),
            next_run_at=next_run_at,
            created_at=now,
            updated_at=now,
        )
        .returning(crawl_jobs.c.id)
    )
    return int(result.scalar_one())


async def of_source(db: Connection, source_id: int) -> CrawlJob | None:
    """The crawl job of a source."""
    row = (await db.execute(sa.select(crawl_jobs).where(crawl_jobs.c.source_id == source_id))).one_or_none()
    return _job(row) if row is not None else None


async def lock(db: Connection, job_id: int) -> CrawlJob | None:
    """The job, held against other writers until the transaction ends."""
    row = (await db.execute(sa.select(crawl_jobs).where(crawl_jobs.c.id == job_id).with_for_update())).one_or_none()
    return _job(row) if row is not None else None


async def claim_due(db: Connection, *, now: datetime, limit: int) -> list[CrawlJob]:
    """Up to `limit` jobs whose time has come, marked running; the higher priority first among the most overdue."""
    due = sa.and_(_CLAIMABLE, crawl_jobs.c.next_run_at <= now, ~_IS_RUNNING)
    rows = await db.execute(
        sa.select(crawl_jobs)
        .where(due)
        .order_by(crawl_jobs.c.next_run_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    chosen = {row.id: row for row in rows}
    taken = await mark_running(db, list(chosen), now=now)
    return sorted((_job(chosen[job_id]) for job_id in taken), key=lambda job: -job.priority)


async def mark_running(db: Connection, job_ids: list[int], *, now: datetime) -> list[int]:
    """Marks jobs running and returns those that were not already."""
    if not job_ids:
        return []
    rows = await db.execute(
        sa.update(crawl_jobs)
        .where(crawl_jobs.c.id.in_(job_ids), _CLAIMABLE, ~_IS_RUNNING)
        .values(state=JobState.RUNNING, run_count=crawl_jobs.c.run_count + 1, updated_at=now)
        .returning(crawl_jobs.c.id)
    )
    return [row.id for row in rows]


async def change(db: Connection, job_id: int, *, now: datetime, **values: Any) -> None:
    """Changes a job's columns."""
    await db.execute(sa.update(crawl_jobs).where(crawl_jobs.c.id == job_id).values(updated_at=now, **values))


async def resume_rested(db: Connection, *, now: datetime) -> int:
    """Lets jobs that automation paused try again once their rest is over."""
    rested = sa.and_(crawl_jobs.c.state == JobState.PAUSED, crawl_jobs.c.resume_at <= now)
    return rows_written(
        await db.execute(
            sa.update(crawl_jobs)
            .where(rested)
            .values(state=JobState.SCHEDULED, pause_reason=None, resume_at=None, next_run_at=now, updated_at=now)
        )
    )


async def count_due(db: Connection, *, now: datetime) -> int:
    """How many jobs wait to be opened."""
    due = sa.and_(_CLAIMABLE, crawl_jobs.c.next_run_at <= now)
    return int((await db.execute(sa.select(sa.func.count()).select_from(crawl_jobs).where(due))).scalar_one())


def _job(row: Any) -> CrawlJob:
    return CrawlJob(
        id=row.id,
        public_id=row.public_id,
        source_id=row.source_id,
        state=JobState(row.state),
        pause_reason=PauseReason(row.pause_reason) if row.pause_reason else None,
        priority=row.priority,
        interval=timedelta(seconds=row.interval_seconds),
        next_run_at=row.next_run_at,
        next_run_reason=row.next_run_reason,
        failure_count=row.failure_count,
        unchanged_count=row.unchanged_count,
        backoff_until=row.backoff_until,
        run_count=row.run_count,
    )
