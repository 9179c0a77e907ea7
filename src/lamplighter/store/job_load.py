"""SQL about the load to come: how many jobs start in which quarter of an hour, and which of them could be moved."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.store.crawl_jobs import CLAIMABLE
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_jobs, hosts, source_tags, sources, tags

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_SECONDS = 24 * 3600


_INHERITS_WINDOWS = (
    sa.exists()
    .where(source_tags.c.source_id == crawl_jobs.c.source_id, source_tags.c.tag == tags.c.tag)
    .where(tags.c.windows.is_not(None), sa.cast(tags.c.windows, sa.Text).not_in(["[]", "null"]))
)


class Starts(NamedTuple):
    """So many jobs begin next in this slot, and have this pace from there on."""

    slot: datetime
    pace: timedelta
    jobs: int


class Movable(NamedTuple):
    """A planned job that a rebalance may look at."""

    id: int
    next_run_at: datetime
    pace_seconds: int
    moved_at: datetime | None


class Missed(NamedTuple):
    """A job that has run before and is due."""

    id: int
    next_run_at: datetime
    pace_seconds: int
    urgency: int


async def missed(db: Connection, *, now: datetime) -> list[Missed]:
    """Every job that is due, except those that never ran: nothing of theirs was missed."""
    pace = sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds)
    query = sa.select(crawl_jobs.c.id, crawl_jobs.c.next_run_at, pace, crawl_jobs.c.urgency)
    rows = await db.execute(query.where(CLAIMABLE, crawl_jobs.c.next_run_at <= now, crawl_jobs.c.run_count > 0))
    return [Missed._make(row) for row in rows]


async def reasons(db: Connection, job_ids: Sequence[int]) -> dict[int, Mapping[str, Any] | None]:
    """Why each of these jobs runs next when it does, held against other writers until the transaction ends."""
    query = sa.select(crawl_jobs.c.id, crawl_jobs.c.next_run_reason).where(crawl_jobs.c.id.in_(job_ids))
    return {row.id: row.next_run_reason for row in await db.execute(query.order_by(crawl_jobs.c.id).with_for_update())}


async def starts(db: Connection, *, until: datetime, slot: timedelta) -> list[Starts]:
    """The planned starts until then, grouped by slot and by pace: to the nearest slot, unless it is less than one."""
    seconds = int(slot.total_seconds())
    number, pace = _slot_of(db, seconds), _rounded(_pace(), seconds)
    query = sa.select(number.label("number"), pace.label("pace"), sa.func.count().label("jobs"))
    rows = await db.execute(query.where(CLAIMABLE, crawl_jobs.c.next_run_at < until).group_by(number, pace))
    return [Starts(_EPOCH + int(row.number) * slot, timedelta(seconds=int(row.pace)), int(row.jobs)) for row in rows]


async def movable(db: Connection, *, since: datetime, until: datetime) -> list[Movable]:
    """Planned jobs of this stretch of time that have a pace, and nothing that another time could go against.

    After a failure a job must not come sooner; outside of its windows it would have to wait for the next; and what a
    person set stays as it was set.
    """
    columns = [crawl_jobs.c[name] for name in Movable._fields]
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
    return [Movable._make(row) for row in await db.execute(query)]


async def postpone(db: Connection, rows: Sequence[Mapping[str, Any]], *, now: datetime) -> None:
    """Lets due jobs wait: rows of job, from_at, to_at, why. One that was planned anew meanwhile stays where it is."""
    if rows:
        as_seen = sa.and_(crawl_jobs.c.id == sa.bindparam("job"), crawl_jobs.c.next_run_at == sa.bindparam("from_at"))
        values: dict[str, Any] = {"next_run_at": sa.bindparam("to_at"), "next_run_reason": sa.bindparam("why")}
        await db.execute(
            sa.update(crawl_jobs).where(as_seen, _is_waiting()).values(values).values(updated_at=now), rows
        )


async def move(db: Connection, moves: Iterable[Mapping[str, object]], *, now: datetime) -> None:
    """Moves planned jobs: rows of job, from_at, to_at. One that was planned anew meanwhile stays where it is."""
    rows = [{"job": row["job"], "from": row["from_at"], "to": row["to_at"]} for row in moves]
    if rows:
        as_seen = sa.and_(crawl_jobs.c.id == sa.bindparam("job"), crawl_jobs.c.next_run_at == sa.bindparam("from"))
        moved = sa.update(crawl_jobs).where(as_seen, _is_waiting())
        await db.execute(moved.values(next_run_at=sa.bindparam("to"), moved_at=now, updated_at=now), rows)


def _is_waiting() -> sa.ColumnElement[bool]:
    """As CLAIMABLE, whose list cannot stand in a statement that is executed for many rows."""
    return sa.or_(*(crawl_jobs.c.state == state for state in (JobState.PENDING, JobState.SCHEDULED)))


def _slot_of(db: Connection, seconds: int) -> sa.ColumnElement[int]:
    """The number of the slot since 1970 in which the next run lies."""
    if db.dialect.name == "sqlite":  # whole microseconds
        return sa.type_coerce(crawl_jobs.c.next_run_at, sa.BigInteger) // (seconds * 1_000_000)
    return sa.cast(sa.func.floor(sa.extract("epoch", crawl_jobs.c.next_run_at) / seconds), sa.BigInteger)


def _pace() -> sa.ColumnElement[int]:
    """Seconds between runs, a day at most; what runs only once does not come back within one."""
    seconds = sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds)
    return sa.case((sa.or_(seconds > _DAY_SECONDS, ~crawl_jobs.c.recurring), _DAY_SECONDS), else_=seconds)


def _rounded(pace: sa.ColumnElement[int], slot_seconds: int) -> sa.ColumnElement[int]:
    return sa.case((pace < slot_seconds, pace), else_=(pace + slot_seconds // 2) // slot_seconds * slot_seconds)


def _is_without(windows: sa.Column[Any]) -> sa.ColumnElement[bool]:
    """Whether there are no windows; a JSON null is not the database's."""
    return sa.or_(windows.is_(None), sa.cast(windows, sa.Text).in_(["[]", "null"]))
