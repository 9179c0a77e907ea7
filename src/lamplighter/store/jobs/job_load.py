"""Queries for the planned load: how many jobs start in each load slot, and which of them can be moved."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.model.schedule import PolicyName
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
    #: a person set its interval: it is moved only to a later time
    has_set_interval: bool


class HeldJobs(NamedTuple):
    """How many planned jobs of a span may not be moved, and why."""

    planned: int = 0
    #: they are retried at their time
    backing_off: int = 0
    has_window: int = 0
    #: a person wants exactly this interval
    is_exact: int = 0
    never_ran: int = 0
    imminent: int = 0
    moved_lately: int = 0


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

    A job that backs off must not run sooner; outside its windows it would have to wait for the next one; and an
    interval that is to be kept exactly stays.
    """
    columns = [crawl_jobs.c[name] for name in MovableRow._fields[:-1]]
    query = sa.select(*columns, _HAS_SET_INTERVAL).select_from(_PLANNED)
    is_free = sa.and_(crawl_jobs.c.pace_seconds.is_not(None), crawl_jobs.c.backoff_until.is_(None), ~_IS_EXACT)
    query = query.where(CLAIMABLE, _between(since, until), is_free, ~_HAS_WINDOW)
    rows = await db.execute(query.order_by(crawl_jobs.c.next_run_at, crawl_jobs.c.id))
    return [MovableRow._make(row) for row in rows]


async def held(
    db: Connection, *, since: datetime, until: datetime, imminent_until: datetime, moved_since: datetime
) -> HeldJobs:
    """Why planned jobs of this span are not moved; one may be held for several reasons."""
    reasons = {
        "planned": sa.true(),
        "backing_off": crawl_jobs.c.backoff_until.is_not(None),
        "has_window": _HAS_WINDOW,
        "is_exact": _IS_EXACT,
        "never_ran": crawl_jobs.c.pace_seconds.is_(None),
        "imminent": crawl_jobs.c.next_run_at <= imminent_until,
        "moved_lately": sa.func.coalesce(crawl_jobs.c.moved_at > moved_since, sa.false()),
    }
    sums = [sa.func.coalesce(sa.func.sum(sa.case((reasons[name], 1), else_=0)), 0) for name in HeldJobs._fields]
    query = sa.select(*sums).select_from(_PLANNED).where(CLAIMABLE, _between(since, until))
    return HeldJobs._make((await db.execute(query)).one())


_PLANNED = crawl_jobs.join(sources, sources.c.id == crawl_jobs.c.source_id).outerjoin(
    hosts, hosts.c.id == crawl_jobs.c.host_id
)


def _between(since: datetime, until: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(crawl_jobs.c.next_run_at >= since, crawl_jobs.c.next_run_at < until)


_AS_SEEN = sa.and_(crawl_jobs.c.id == sa.bindparam("job"), crawl_jobs.c.next_run_at == sa.bindparam("from_at"))


class Postponed(NamedTuple):
    """A planned job to run at another time, and why."""

    job: int
    from_at: datetime
    to_at: datetime
    why: Mapping[str, Any]


async def postpone(db: Connection, postponed: Sequence[Postponed], *, now: datetime) -> None:
    """Postpones due jobs; a job that was replanned in the meantime is not postponed."""
    await _replan(db, postponed, {"next_run_reason": sa.bindparam("why"), "updated_at": now})


async def move(db: Connection, moves: Iterable[Postponed], *, now: datetime) -> None:
    """Moves planned jobs; a job that was replanned in the meantime is not moved."""
    await _replan(db, moves, {"next_run_reason": sa.bindparam("why"), "moved_at": now, "updated_at": now})


async def _replan(db: Connection, changes: Iterable[Postponed], values: Mapping[str, Any]) -> None:
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


_HAS_WINDOW = sa.or_(~_is_without(sources.c.windows), ~_is_without(hosts.c.windows), _INHERITS_WINDOWS)
#: the person who asked for a fixed interval by name, or for a job that is not adaptive, wants exactly that
_IS_EXACT = sa.or_(
    sa.func.coalesce(sources.c.policy == PolicyName.FIXED, sa.false()),
    sa.func.coalesce(crawl_jobs.c.override["adaptive"].as_boolean().is_(False), sa.false()),
)
_HAS_SET_INTERVAL = sa.func.coalesce(
    sa.or_(
        sources.c.interval_seconds.is_not(None),
        crawl_jobs.c.override["interval_seconds"].as_integer().is_not(None),
        sa.cast(crawl_jobs.c.next_run_reason, sa.Text).contains('"set_seconds"'),
    ),
    sa.false(),
)
