"""SQL that forgets what was kept long enough, a few rows at a time.

Each function looks at the next rows in the order of their ids, which is about that of their age, and says from where to
go on. So nobody waits long for a lock, and no statement looks at more rows than it was told to.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import Outcome
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import (
    alerts,
    crawl_jobs,
    crawl_runs,
    events,
    notifications,
    receipts,
    record_changes,
    run_log_lines,
)
from lamplighter.store.types import UtcTime

#: pages and log lines that may be changed together with the runs they belong to
_MOST_FOLLOWING = 5_000
_SUCCESS = (Outcome.OK, Outcome.WARN)
_FAILURE = (Outcome.FAIL,)


class Passed(NamedTuple):
    """What one look came to."""

    removed: int
    #: the last id looked at, from which the next look goes on; None when all that is old was looked at
    last: int | None


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def old_runs(db: Connection, *, before: datetime, after: int, limit: int) -> Passed:
    """Forgets runs that began before then, except what tells how their job stands (see `_is_telling`)."""
    # Not `and`: SQLite would ask of every run what the others of its job came to, however young it is.
    goes = sa.case((crawl_runs.c.started_at < before, ~_is_telling()), else_=sa.false())
    columns = (crawl_runs.c.id, crawl_runs.c.started_at, goes.label("goes"), _following())
    query = sa.select(*columns).where(crawl_runs.c.id > after).order_by(crawl_runs.c.id).limit(limit)
    rows = (await db.execute(query)).all()
    taken = _bounded([row for row in rows if row.goes])
    await _remove_runs(db, [row.id for row in taken])
    if taken and len(taken) < sum(bool(row.goes) for row in rows):
        return Passed(len(taken), taken[-1].id)
    is_all = len(rows) < limit or all(row.started_at >= before for row in rows)
    return Passed(len(taken), None if is_all else rows[-1].id)


async def surplus_runs(db: Connection, *, keep: int, before: datetime, after: int, limit: int) -> Passed:
    """Forgets runs beyond the newest `keep` of their job, for the jobs with the next ids; none since `before`."""
    some = sa.select(crawl_jobs.c.id, crawl_jobs.c.run_count).where(crawl_jobs.c.id > after)
    some = some.order_by(crawl_jobs.c.id).limit(limit)
    ids = list(await db.scalars(some))
    # Joined with these jobs alone: by a range of their ids, SQLite would walk through all of their runs.
    jobs = some.subquery()
    is_surplus = sa.and_(crawl_runs.c.job_id == jobs.c.id, crawl_runs.c.number <= jobs.c.run_count - keep)
    query = sa.select(crawl_runs.c.id, crawl_runs.c.job_id, _following()).join(jobs, is_surplus)
    query = query.where(crawl_runs.c.started_at < before, ~_is_telling()).limit(limit)
    rows = (await db.execute(query)).all()
    taken = _bounded(rows)
    await _remove_runs(db, [row.id for row in taken])
    if len(taken) < len(rows) or len(rows) == limit:
        # There may be more of theirs: they are looked at again.
        return Passed(len(taken), min(row.job_id for row in rows) - 1)
    return Passed(len(taken), ids[-1] if len(ids) == limit else None)


def _is_telling() -> sa.ColumnElement[bool]:
    """Whether a run goes on, or is the last of its job that went well, or the last that failed."""
    return sa.or_(
        crawl_runs.c.finished_at.is_(None),
        *(crawl_runs.c.number == sa.func.coalesce(_last(outcomes), 0) for outcomes in (_SUCCESS, _FAILURE)),
    )


def _last(outcomes: Sequence[Outcome]) -> sa.ScalarSelect[int]:
    """The number of the last run of the same job that ended so."""
    others = crawl_runs.alias()
    same_job = sa.and_(others.c.job_id == crawl_runs.c.job_id, others.c.outcome.in_(outcomes))
    query = sa.select(others.c.number).where(same_job).order_by(others.c.number.desc()).limit(1)
    return query.correlate(crawl_runs).scalar_subquery()


def _following() -> sa.ColumnElement[int]:
    """About how many rows change with a run: its pages forget it, its log goes with it."""
    return (crawl_runs.c.page_count + crawl_runs.c.log_lines).label("following")


def _bounded(rows: Sequence[Any]) -> list[Any]:
    """The first of the runs, so many that not too much changes with them; at least one, so that it goes on."""
    taken: list[Any] = []
    following = 0
    for row in rows:
        following += row.following
        if taken and following > _MOST_FOLLOWING:
            break
        taken.append(row)
    return taken


async def _remove_runs(db: Connection, ids: Sequence[int]) -> None:
    if ids:
        await db.execute(sa.delete(crawl_runs).where(crawl_runs.c.id.in_(ids)))


# ── what runs, events and people left behind ─────────────────────────────────────────────────────────────────────────


async def log_lines(db: Connection, *, before: datetime, after: int, limit: int) -> Passed:
    """Forgets lines of run logs."""
    is_old = run_log_lines.c.at < before
    return await _pass(db, run_log_lines, is_old, is_old, after=after, limit=limit)


async def changes(db: Connection, *, before: datetime, after: int, limit: int) -> Passed:
    """Forgets how records changed; the records stay as they are."""
    is_old = record_changes.c.at < before
    return await _pass(db, record_changes, is_old, is_old, after=after, limit=limit)


async def delivered_events(db: Connection, *, before: datetime, after: int, limit: int) -> Passed:
    """Forgets events that were passed on before then."""
    # Others' events may claim any time; when we heard of them is certain.
    is_old = sa.func.coalesce(events.c.published_at, events.c.created_at, type_=UtcTime) < before
    return await _pass(db, events, is_old, events.c.delivered_at < before, after=after, limit=limit)


async def ended_notifications(db: Connection, *, before: datetime, after: int, limit: int) -> Passed:
    """Forgets notifications that were sent, given up or cancelled."""
    is_old = notifications.c.created_at < before
    is_ended = notifications.c.state.in_(["sent", "dead", "cancelled"])
    return await _pass(db, notifications, is_old, is_ended, after=after, limit=limit)


async def cleared_alerts(db: Connection, *, before: datetime, after: int, limit: int) -> Passed:
    """Forgets alerts that were over before then."""
    return await _pass(db, alerts, alerts.c.since < before, alerts.c.cleared_at < before, after=after, limit=limit)


async def old_receipts(db: Connection, *, before: datetime, limit: int) -> Passed:
    """Forgets the oldest receipts from before then; they have no ids, and an index by age."""
    oldest = sa.select(receipts.c.event_id).where(receipts.c.processed_at < before)
    oldest = oldest.order_by(receipts.c.processed_at).limit(limit)
    removed = rows_written(await db.execute(sa.delete(receipts).where(receipts.c.event_id.in_(oldest))))
    return Passed(removed, None if removed < limit else 0)


async def _pass(
    db: Connection,
    table: sa.Table,
    is_old: sa.ColumnElement[bool],
    is_done: sa.ColumnElement[bool],
    *,
    after: int,
    limit: int,
) -> Passed:
    """Looks at the next rows of a table, and removes those that are old and done with."""
    query = sa.select(table.c.id, is_old.label("is_old"), is_done.label("is_done"))
    rows = (await db.execute(query.where(table.c.id > after).order_by(table.c.id).limit(limit))).all()
    ids = [row.id for row in rows if row.is_old and row.is_done]
    if ids:
        await db.execute(sa.delete(table).where(table.c.id.in_(ids)))
    # Ids and ages may be in a slightly different order, so one young row does not tell; a whole look of them does.
    is_all = len(rows) < limit or not any(row.is_old for row in rows)
    return Passed(len(ids), None if is_all else rows[-1].id)
