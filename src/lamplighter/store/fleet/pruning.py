"""SQL that deletes rows whose retention time is over, a few at a time.

Each function checks the next rows by id, which is about the order of age, and returns where the next call continues.
So no transaction waits long for a lock, and no statement reads more rows than its limit.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.fleet.samples import step_of
from lamplighter.store.schema.tables import (
    alerts,
    change_sets,
    crawl_jobs,
    crawl_runs,
    events,
    notifications,
    receipts,
    record_changes,
    run_log_lines,
    samples,
)
from lamplighter.store.schema.types import UtcTime

#: how many pages and log lines may change together with their runs
MOST_FOLLOWING = 5_000
_SUCCESS = (RunOutcome.OK, RunOutcome.WARN)
_FAILURE = (RunOutcome.FAIL,)


class PruneStep(NamedTuple):
    """The result of a call."""

    removed: int
    #: the last id checked, after which the next call continues; None when all old rows were checked
    last: int | None


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def old_runs(db: Connection, *, before: datetime, after: int, limit: int) -> PruneStep:
    """Deletes runs that began before then, except those that `_is_telling` keeps."""
    # Not `and`: SQLite would look up the outcomes of the job's other runs for every run, even a young one.
    goes = sa.case((crawl_runs.c.started_at < before, ~_is_telling()), else_=sa.false())
    columns = (crawl_runs.c.id, crawl_runs.c.started_at, goes.label("goes"), _following())
    query = sa.select(*columns).where(crawl_runs.c.id > after).order_by(crawl_runs.c.id).limit(limit)
    rows = (await db.execute(query)).all()
    taken = _bounded([row for row in rows if row.goes])
    await _remove_runs(db, [row.id for row in taken])
    if taken and len(taken) < sum(bool(row.goes) for row in rows):
        return PruneStep(len(taken), taken[-1].id)
    is_all = len(rows) < limit or all(row.started_at >= before for row in rows)
    return PruneStep(len(taken), None if is_all else rows[-1].id)


async def surplus_runs(db: Connection, *, keep: int, before: datetime, after: int, limit: int) -> PruneStep:
    """Deletes runs from before `before` beyond the newest `keep` of their job, for the jobs with the next ids."""
    some = sa.select(crawl_jobs.c.id, crawl_jobs.c.run_count).where(crawl_jobs.c.id > after)
    some = some.order_by(crawl_jobs.c.id).limit(limit)
    ids = list(await db.scalars(some))
    # Joined with these jobs only: with a range of job ids, SQLite would scan all of their runs.
    jobs = some.subquery()
    is_surplus = sa.and_(crawl_runs.c.job_id == jobs.c.id, crawl_runs.c.number <= jobs.c.run_count - keep)
    query = sa.select(crawl_runs.c.id, crawl_runs.c.job_id, _following()).join(jobs, is_surplus)
    query = query.where(crawl_runs.c.started_at < before, ~_is_telling()).limit(limit)
    rows = (await db.execute(query)).all()
    taken = _bounded(rows)
    await _remove_runs(db, [row.id for row in taken])
    if len(taken) < len(rows) or len(rows) == limit:
        # These jobs may have more surplus runs: the next call checks them again.
        return PruneStep(len(taken), min(row.job_id for row in rows) - 1)
    return PruneStep(len(taken), ids[-1] if len(ids) == limit else None)


def _is_telling() -> sa.ColumnElement[bool]:
    """Whether a run is open, or is its job's last that succeeded or last that failed."""
    return sa.or_(
        crawl_runs.c.finished_at.is_(None),
        *(crawl_runs.c.number == sa.func.coalesce(_last(outcomes), 0) for outcomes in (_SUCCESS, _FAILURE)),
    )


def _last(outcomes: Sequence[RunOutcome]) -> sa.ScalarSelect[int]:
    """The number of the job's last run with these outcomes."""
    others = crawl_runs.alias()
    same_job = sa.and_(others.c.job_id == crawl_runs.c.job_id, others.c.outcome.in_(outcomes))
    query = sa.select(others.c.number).where(same_job).order_by(others.c.number.desc()).limit(1)
    return query.correlate(crawl_runs).scalar_subquery()


def _following() -> sa.ColumnElement[int]:
    """About how many rows change with a run: its pages and its log lines."""
    return (crawl_runs.c.page_count + crawl_runs.c.log_lines).label("following")


def _bounded(rows: Sequence[Any]) -> list[Any]:
    """As many of the first runs as MOST_FOLLOWING allows; at least one, so that pruning makes progress."""
    taken: list[Any] = []
    following = 0
    for row in rows:
        following += row.following
        if taken and following > MOST_FOLLOWING:
            break
        taken.append(row)
    return taken


async def _remove_runs(db: Connection, ids: Sequence[int]) -> None:
    if ids:
        await db.execute(sa.delete(crawl_runs).where(crawl_runs.c.id.in_(ids)))


# ── logs, changes, events, notifications, alerts, receipts ───────────────────────────────────────────────────────────


async def log_lines(db: Connection, *, before: datetime, after: int, limit: int) -> PruneStep:
    """Deletes old run log lines."""
    is_old = run_log_lines.c.at < before
    return await _pass(db, run_log_lines, is_old, is_old, after=after, limit=limit)


async def changes(db: Connection, *, before: datetime, after: int, limit: int) -> PruneStep:
    """Deletes old record changes; the records stay."""
    is_old = record_changes.c.at < before
    return await _pass(db, record_changes, is_old, is_old, after=after, limit=limit)


async def old_change_sets(db: Connection, *, before: datetime, after: int, limit: int) -> PruneStep:
    """Deletes old change sets with their marks; the changes of the records stay."""
    is_old = change_sets.c.at < before
    return await _pass(db, change_sets, is_old, is_old, after=after, limit=limit)


async def delivered_events(db: Connection, *, before: datetime, after: int, limit: int) -> PruneStep:
    """Deletes events that were delivered before then."""
    # Other publishers' events may claim any creation time; for them `published_at` is when we received them.
    is_old = sa.func.coalesce(events.c.published_at, events.c.created_at, type_=UtcTime) < before
    return await _pass(db, events, is_old, events.c.delivered_at < before, after=after, limit=limit)


async def ended_notifications(db: Connection, *, before: datetime, after: int, limit: int) -> PruneStep:
    """Deletes old notifications that were sent, cancelled or dead."""
    is_old = notifications.c.created_at < before
    is_ended = notifications.c.state.in_(["sent", "dead", "cancelled"])
    return await _pass(db, notifications, is_old, is_ended, after=after, limit=limit)


async def cleared_alerts(db: Connection, *, before: datetime, after: int, limit: int) -> PruneStep:
    """Deletes alerts that cleared before then."""
    return await _pass(db, alerts, alerts.c.since < before, alerts.c.cleared_at < before, after=after, limit=limit)


async def old_receipts(db: Connection, *, before: datetime, limit: int) -> PruneStep:
    """Deletes the oldest receipts from before then; these have an index by age and no ids."""
    oldest = sa.select(receipts.c.event_id).where(receipts.c.processed_at < before)
    oldest = oldest.order_by(receipts.c.processed_at).limit(limit)
    removed = rows_written(await db.execute(sa.delete(receipts).where(receipts.c.event_id.in_(oldest))))
    return PruneStep(removed, None if removed < limit else 0)


async def old_samples(db: Connection, *, before: datetime) -> PruneStep:
    """Deletes the samples from before then: at most a few hundred since the last sweep but one."""
    removed = rows_written(await db.execute(sa.delete(samples).where(samples.c.step < step_of(before))))
    return PruneStep(removed, None)


async def _pass(
    db: Connection,
    table: sa.Table,
    is_old: sa.ColumnElement[bool],
    is_done: sa.ColumnElement[bool],
    *,
    after: int,
    limit: int,
) -> PruneStep:
    """Checks the next rows of a table and deletes those that are old and done."""
    query = sa.select(table.c.id, is_old.label("is_old"), is_done.label("is_done"))
    rows = (await db.execute(query.where(table.c.id > after).order_by(table.c.id).limit(limit))).all()
    ids = [row.id for row in rows if row.is_old and row.is_done]
    if ids:
        await db.execute(sa.delete(table).where(table.c.id.in_(ids)))
    # Ids and ages may differ slightly in order: one young row proves nothing, but a whole batch of young rows does.
    is_all = len(rows) < limit or not any(row.is_old for row in rows)
    return PruneStep(len(ids), None if is_all else rows[-1].id)
