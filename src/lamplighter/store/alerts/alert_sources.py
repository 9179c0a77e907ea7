"""SQL about sources with problems: silent, drifting, paused by their breaker.

Each query is written so that an index finds its few rows.
"""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.model.alert_figures import BrokenSource, DriftingSource, SilentSource
from lamplighter.model.crawl import JobState, PauseReason, RunOutcome, Trigger
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs.job_conditions import HAS_FAILED, IS_DRIFTING, IS_UNWELL
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, sources
from lamplighter.store.schema.types import UtcTime, literal

# Hidden from the index of states: SQLite would prefer it, and scan most of the jobs.
_STATE, _REASON = (sa.func.coalesce(crawl_jobs.c[name], "") for name in ("state", "pause_reason"))
_PACE = sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds)
#: an operator wants it crawled
_IS_WANTED = sa.and_(
    sources.c.enabled, sources.c.deleted_at.is_(None), ~sources.c.is_implicit, crawl_jobs.c.deleted_at.is_(None)
)
#: the condition of ix_crawl_jobs_complained, word for word
_HAS_COMPLAINED = crawl_jobs.c.last_outcome.in_(literal(RunOutcome.WARN, RunOutcome.FAIL))
_LAST_SUCCESS = sa.case((crawl_jobs.c.last_outcome.in_([RunOutcome.OK, RunOutcome.WARN]), crawl_jobs.c.last_run_at))
_HAS_FAILED_LAST = crawl_jobs.c.last_outcome == RunOutcome.FAIL
_IS_BROKEN = sa.and_(IS_UNWELL, _REASON == PauseReason.BREAKER, _STATE == JobState.PAUSED)
# Hidden from the index of jobs by source: SQLite might scan all sources and look up the job of each.
_JOBS = crawl_jobs.join(sources, sources.c.id == sa.func.coalesce(crawl_jobs.c.source_id, 0))
#: runs of the source itself, not of tasks
_OWN_RUNS = sa.and_(crawl_runs.c.source_id == crawl_jobs.c.source_id, crawl_runs.c.trigger != Trigger.TASKS)


async def overdue(
    db: Connection, *, intervals: int, now: datetime, not_before: datetime | None, breaker_at: int, limit: int
) -> list[SilentSource]:
    """Sources that did not fail last and whose next run is so many intervals overdue; the longest first.

    `not_before` is when all crawling was last resumed: nothing was expected until then.
    """
    due = crawl_jobs.c.next_run_at
    query = _silent(_LAST_SUCCESS, due).where(
        _STATE.in_([JobState.PENDING, JobState.SCHEDULED]),
        due < now,
        _later(db, due, intervals * _PACE) < now,
        _since_resumed(intervals, not_before, now=now),
        sa.func.coalesce(crawl_jobs.c.last_outcome, "") != RunOutcome.FAIL,
        _may_be_fetched(breaker_at),
    )
    return [_silent_source(row) for row in await db.execute(query.order_by(due).limit(limit))]


async def held(
    db: Connection, *, intervals: int, now: datetime, not_before: datetime | None, breaker_at: int, limit: int
) -> list[SilentSource]:
    """Sources that were due so many intervals ago and whose host is held again and again, although its breaker is
    closed: it requests a wait, or its budget is used up. Their runs are postponed each time, and so never overdue."""
    since = crawl_jobs.c.held_since
    query = _silent(_LAST_SUCCESS, since).where(
        since.is_not(None),
        _STATE.in_([JobState.PENDING, JobState.SCHEDULED]),
        _later(db, since, intervals * _PACE) < now,
        _since_resumed(intervals, not_before, now=now),
        _may_be_fetched(breaker_at),
    )
    return [_silent_source(row) for row in await db.execute(query.order_by(since).limit(limit))]


async def unopened(
    db: Connection, *, intervals: int, now: datetime, not_before: datetime | None, limit: int
) -> list[SilentSource]:
    """Sources whose runs cannot be opened, for so many intervals after that of their last run.

    They are postponed each time, and so never overdue.
    """
    since: sa.ColumnElement[Any] = sa.func.coalesce(crawl_jobs.c.last_run_at, crawl_jobs.c.created_at, type_=UtcTime)
    if not_before is not None:
        since = sa.case((since < not_before, not_before), else_=since)
    query = _silent(_LAST_SUCCESS, since).where(
        IS_UNWELL,
        HAS_FAILED,
        _STATE.in_([JobState.PENDING, JobState.SCHEDULED]),
        sa.func.coalesce(crawl_jobs.c.last_outcome, "") != RunOutcome.FAIL,
        _later(db, since, (intervals + 1) * _PACE) < now,
    )
    return [_silent_source(row) for row in await db.execute(query.order_by(since).limit(limit))]


async def failing(
    db: Connection, *, intervals: int, now: datetime, not_before: datetime | None, breaker_at: int, limit: int
) -> list[SilentSource]:
    """Sources whose runs have failed for so many of their intervals; without those that a breaker paused.

    The first failed run counts, not the last success: there may be a night without a window between them. There may
    be one after it, too: so the latest run must have failed that much later, or the next be that much overdue. Neither
    applies to a source paused because of a robots.txt, which is not retried for long.
    """
    succeeded = sa.and_(_OWN_RUNS, crawl_runs.c.outcome.in_([RunOutcome.OK, RunOutcome.WARN]))
    last = sa.select(crawl_runs.c.started_at).where(succeeded).order_by(crawl_runs.c.started_at.desc()).limit(1)
    goes_on = _STATE.in_([JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING])
    rests = sa.and_(_STATE == JobState.PAUSED, _REASON == PauseReason.ROBOTS)
    overdue = _later(db, crawl_jobs.c.next_run_at, intervals * _PACE) < now
    latest = sa.case((sa.or_(rests, overdue), sa.literal(now, UtcTime)), else_=crawl_jobs.c.last_run_at)
    # Materialised, so that the runs of a source are searched for its last success once.
    failed = (
        _silent(last.correlate(crawl_jobs).scalar_subquery(), sa.null())
        .add_columns(crawl_jobs.c.source_id, sa.type_coerce(latest, UtcTime).label("latest"))
        .where(
            _HAS_COMPLAINED,
            _HAS_FAILED_LAST,
            sa.or_(goes_on, rests),
            _since_resumed(intervals, not_before, now=now),
            _may_be_fetched(breaker_at),
        )
        .cte("failed")
        .prefix_with("MATERIALIZED")
    )
    since = sa.or_(failed.c.last_success_at.is_(None), crawl_runs.c.started_at > failed.c.last_success_at)
    own = sa.and_(crawl_runs.c.source_id == failed.c.source_id, crawl_runs.c.trigger != Trigger.TASKS)
    first = sa.select(crawl_runs.c.started_at).where(own, since).order_by(crawl_runs.c.started_at).limit(1)
    columns = [failed.c[name] for name in ("public_id", "name", "last_success_at", "pace", "latest")]
    began = first.correlate(failed).scalar_subquery()
    found = sa.select(*columns, sa.type_coerce(began, UtcTime).label("expected_at")).subquery()
    query = sa.select(found).where(_later(db, found.c.expected_at, intervals * found.c.pace) <= found.c.latest)
    return [_silent_source(row) for row in await db.execute(query.limit(limit))]


async def drifting(db: Connection, *, limit: int) -> list[DriftingSource]:
    """Sources whose latest run showed so little that their extractor may be broken."""
    columns = (sources.c.public_id, sources.c.name, crawl_jobs.c.last_run_at)
    in_use = _REASON.not_in([PauseReason.USER, PauseReason.SOURCE_DISABLED])
    query = sa.select(*columns).select_from(_JOBS).where(IS_DRIFTING, in_use, _IS_WANTED)
    return [DriftingSource._make(row) for row in await db.execute(query.order_by(crawl_jobs.c.source_id).limit(limit))]


async def broken(db: Connection, *, breaker_at: int, limit: int) -> list[BrokenSource]:
    """Sources that their breaker paused, without those whose host's breaker is open."""
    columns = (sources.c.public_id, sources.c.name, crawl_jobs.c.failure_count, crawl_jobs.c.resume_at)
    is_host_alerted = sa.func.coalesce(sa.and_(hosts.c.enabled, _is_left_alone(breaker_at)), sa.false())
    jobs = _JOBS.outerjoin(hosts, hosts.c.id == crawl_jobs.c.host_id)
    query = sa.select(*columns).select_from(jobs).where(_IS_BROKEN, _IS_WANTED, ~is_host_alerted)
    return [BrokenSource._make(row) for row in await db.execute(query.order_by(crawl_jobs.c.source_id).limit(limit))]


async def newly_failed(db: Connection, *, since: datetime) -> int:
    """Counts jobs that failed for good since then and not before: one-time jobs, and first failures of others."""
    ended = sa.and_(_STATE == JobState.FAILED, crawl_jobs.c.state_since >= since)
    ran_at = sa.func.coalesce(crawl_jobs.c.last_run_at, sa.null(), type_=UtcTime)
    began = sa.and_(
        crawl_jobs.c.recurring, crawl_jobs.c.failure_count == 1, crawl_jobs.c.retry_count == 0, ran_at >= since
    )
    return await queries.count(db, crawl_jobs, IS_UNWELL, sa.or_(ended, began))


def _silent(last_success: sa.ColumnElement[Any], expected: sa.ColumnElement[Any]) -> sa.Select[Any]:
    return (
        sa.select(
            sources.c.public_id,
            sources.c.name,
            sa.type_coerce(last_success, UtcTime).label("last_success_at"),
            sa.type_coerce(expected, UtcTime).label("expected_at"),
            _PACE.label("pace"),
        )
        .select_from(_JOBS.outerjoin(hosts, hosts.c.id == crawl_jobs.c.host_id))
        .where(_IS_WANTED, crawl_jobs.c.recurring)
    )


def _may_be_fetched(breaker_at: int) -> sa.ColumnElement[bool]:
    """Its host is neither disabled nor blocked after failures, which has an alert of its own."""
    return sa.or_(hosts.c.id.is_(None), sa.and_(hosts.c.enabled, sa.not_(_is_left_alone(breaker_at))))


def _is_left_alone(breaker_at: int) -> sa.ColumnElement[bool]:
    return sa.and_(hosts.c.blocked_until.is_not(None), hosts.c.failure_count >= breaker_at)


def _since_resumed(intervals: int, not_before: datetime | None, *, now: datetime) -> sa.ColumnElement[bool]:
    """Whether so many intervals have passed since all crawling was resumed."""
    return sa.true() if not_before is None else intervals * _PACE < (now - not_before).total_seconds()


def _later(db: Connection, time: sa.ColumnElement[Any], seconds: sa.ColumnElement[Any]) -> sa.ColumnElement[datetime]:
    """So many seconds after a time."""
    if db.dialect.name == "sqlite":  # whole microseconds
        return sa.type_coerce(sa.type_coerce(time, sa.BigInteger) + seconds * 1_000_000, UtcTime)
    return sa.type_coerce(time + seconds * sa.literal_column("interval '1 second'"), UtcTime)


def _silent_source(row: Any) -> SilentSource:
    values = {name: getattr(row, name) for name in SilentSource._fields if name != "pace"}
    return SilentSource(**values, pace=timedelta(seconds=row.pace))
