"""Queries for the planned load: how many jobs start in each load slot, and which of them can be moved."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs.crawl_jobs import CLAIMABLE
from lamplighter.store.schema.tables import crawl_jobs, hosts, source_tags, sources, tags

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_SECONDS = 24 * 3600
_INHERITS_WINDOWS = (
    sa.exists()
    .where(source_tags.c.source_id == crawl_jobs.c.source_id, source_tags.c.tag == tags.c.tag)
    .where(tags.c.windows.is_not(None), sa.cast(tags.c.windows, sa.Text).not_in(["[]", "null"]))
)


class SlotStarts(NamedTuple):
    """How many jobs with this pace start next in this slot."""

    slot: datetime
    pace: timedelta
    jobs: int


class MovableRow(NamedTuple):
    """A planned job that a rebalance may move."""

    id: int
    next_run_at: datetime
    pace_seconds: int
    moved_at: datetime | None


class MissedJob(NamedTuple):
    """A job that has run before and is due."""

    id: int
    next_run_at: datetime
    pace_seconds: int
    urgency: int


async def missed(db: Connection, *, now: datetime) -> list[MissedJob]:
    """Every due job, except those that never ran: they missed no run."""
    pace = sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds)
    query = sa.select(crawl_jobs.c.id, crawl_jobs.c.next_run_at, pace, crawl_jobs.c.urgency)
    rows = await db.execute(query.where(CLAIMABLE, crawl_jobs.c.next_run_at <= now, crawl_jobs.c.run_count > 0))
    return [MissedJob._make(row) for row in rows]


async def reasons(db: Connection, job_ids: Sequence[int]) -> dict[int, Mapping[str, Any] | None]:
    """Job -> the reason for its next run time; the jobs are locked until the transaction ends."""
    query = sa.select(crawl_jobs.c.id, crawl_jobs.c.next_run_reason).where(crawl_jobs.c.id.in_(job_ids))
    return {row.id: row.next_run_reason for row in await db.execute(query.order_by(crawl_jobs.c.id).with_for_update())}


async def starts(db: Connection, *, until: datetime, slot: timedelta) -> list[SlotStarts]:
    """The planned starts until then, by slot and pace; a pace of a slot or more is rounded to whole slots."""
    seconds = int(slot.total_seconds())
    number, pace = _slot_of(db, seconds), _rounded(_pace(), seconds)
    query = sa.select(number.label("number"), pace.label("pace"), sa.func.count().label("jobs"))
    rows = await db.execute(query.where(CLAIMABLE, crawl_jobs.c.next_run_at < until).group_by(number, pace))
    return [
        SlotStarts(_EPOCH + int(row.number) * slot, timedelta(seconds=int(row.pace)), int(row.jobs)) for row in rows
    ]


async def movable(db: Connection, *, since: datetime, until: datetime) -> list[MovableRow]:
    """Planned jobs of this span that have a pace, and no rule that forbids another time.

    A job that backs off must not run sooner; outside its windows it would have to wait for the next one; and what a
    person set stays.
    """
    columns = [crawl_jobs.c[name] for name in MovableRow._fields]
    between = sa.and_(crawl_jobs.c.next_run_at >= since, crawl_jobs.c.next_run_at < until)
    is_free = sa.and_(
        crawl_jobs.c.pace_seconds.is_not(None), crawl_jobs.c.backoff_until.is_(None), _is_without(sources.c.windows)
    )
    query = (
        sa.select(*columns)
        .join(sources, sources.c.id == crawl_jobs.c.source_id)
        .outerjoin(hosts, hosts.c.id == crawl_jobs.c.host_id)
        .where(CLAIMABLE, between, is_free, crawl_jobs.c.auto_managed, _is_without(hosts.c.windows), ~_INHERITS_WINDOWS)
        .order_by(crawl_jobs.c.next_run_at, crawl_jobs.c.id)
    )
    return [MovableRow._make(row) for row in await db.execute(query)]


_AS_SEEN = sa.and_(crawl_jobs.c.id == sa.bindparam("job"), crawl_jobs.c.next_run_at == sa.bindparam("from_at"))


class Postponed(NamedTuple):
    """A due job to postpone, until when, and why."""

    job: int
    from_at: datetime
    to_at: datetime
    why: Mapping[str, Any]


async def postpone(db: Connection, postponed: Sequence[Postponed], *, now: datetime) -> None:
    """Postpones due jobs; a job that was replanned in the meantime is not postponed."""
    await _replan(db, postponed, {"next_run_reason": sa.bindparam("why"), "updated_at": now})


class Moved(NamedTuple):
    """A planned job to run at another time."""

    job: int
    from_at: datetime
    to_at: datetime


async def move(db: Connection, moves: Iterable[Moved], *, now: datetime) -> None:
    """Moves planned jobs; a job that was replanned in the meantime is not moved."""
    await _replan(db, moves, {"moved_at": now, "updated_at": now})


async def _replan(db: Connection, changes: Iterable[Postponed | Moved], values: Mapping[str, Any]) -> None:
    if rows := [each._asdict() for each in changes]:
        # Like CLAIMABLE, whose list does not work in a statement for many rows.
        is_waiting = sa.or_(*(crawl_jobs.c.state == state for state in (JobState.PENDING, JobState.SCHEDULED)))
        later = sa.update(crawl_jobs).where(_AS_SEEN, is_waiting)
        await db.execute(later.values({"next_run_at": sa.bindparam("to_at"), **values}), rows)


def _slot_of(db: Connection, seconds: int) -> sa.ColumnElement[int]:
    """The number of the next run's slot, from 1970."""
    if db.dialect.name == "sqlite":  # integer microseconds
        return sa.type_coerce(crawl_jobs.c.next_run_at, sa.BigInteger) // (seconds * 1_000_000)
    return sa.cast(sa.func.floor(sa.extract("epoch", crawl_jobs.c.next_run_at) / seconds), sa.BigInteger)


def _pace() -> sa.ColumnElement[int]:
    """Seconds between runs, a day at most; a day for jobs that run only once."""
    seconds = sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds)
    return sa.case((sa.or_(seconds > _DAY_SECONDS, ~crawl_jobs.c.recurring), _DAY_SECONDS), else_=seconds)


def _rounded(pace: sa.ColumnElement[int], slot_seconds: int) -> sa.ColumnElement[int]:
    return sa.case((pace < slot_seconds, pace), else_=(pace + slot_seconds // 2) // slot_seconds * slot_seconds)


def _is_without(windows: sa.Column[Any]) -> sa.ColumnElement[bool]:
    """Whether there are no windows; JSON null is not SQL's NULL."""
    return sa.or_(windows.is_(None), sa.cast(windows, sa.Text).in_(["[]", "null"]))
