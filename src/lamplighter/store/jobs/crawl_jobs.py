"""Queries for crawl jobs: add, find, claim due jobs, change, and resume."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.crawl import CrawlJob, JobChange, JobState, Override
from lamplighter.model.reading import PageRole
from lamplighter.model.schedule import Learnt
from lamplighter.store.engine import queries
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.jobs.job_rows import job_of, learnt_values, override_values
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, pages
from lamplighter.store.schema.types import UtcTime, literal

#: literals, not parameters: only then does SQLite see that the partial index applies
CLAIMABLE = crawl_jobs.c.state.in_(literal(JobState.PENDING, JobState.SCHEDULED))
_IS_RUNNING = sa.exists().where(crawl_runs.c.job_id == crawl_jobs.c.id, crawl_runs.c.finished_at.is_(None))


class ClaimableJob(NamedTuple):
    """A due job, with the columns needed to choose among many."""

    id: int
    urgency: int
    next_run_at: datetime
    host_id: int | None
    cost: float


class NewJob(NamedTuple):
    """The values of a new crawl job."""

    source_id: int
    priority: int
    interval: timedelta
    next_run_at: datetime
    recurring: bool = True
    host_id: int | None = None
    urgency: int = 0
    next_run_reason: Mapping[str, Any] | None = None


async def add(db: Connection, new: NewJob, *, now: datetime) -> int:
    """Stores a new crawl job, waiting for its first run."""
    return (await add_all(db, [new], now=now))[0]


async def add_all(db: Connection, new: Sequence[NewJob], *, now: datetime) -> list[int]:
    """Stores new crawl jobs, waiting for their first runs."""
    same = {"state": JobState.PENDING, "state_since": now, "created_at": now, "updated_at": now}
    rows = []
    for job in new:
        columns = job._asdict()
        seconds = int(columns.pop("interval").total_seconds())
        rows.append({"public_id": str(uuid4()), "interval_seconds": seconds, **columns, **same})
    result = await db.execute(sa.insert(crawl_jobs).returning(crawl_jobs.c.id), rows)
    signal(Signal.JOBS)
    return [int(job_id) for job_id in result.scalars()]


async def get(db: Connection, job_id: int) -> CrawlJob | None:
    """The job with this id."""
    return await queries.one(db, sa.select(crawl_jobs).where(crawl_jobs.c.id == job_id), job_of)


async def of_source(db: Connection, source_id: int) -> CrawlJob | None:
    """The crawl job of a source."""
    return await queries.one(db, sa.select(crawl_jobs).where(crawl_jobs.c.source_id == source_id), job_of)


async def of_sources(db: Connection, source_ids: Iterable[int]) -> dict[int, CrawlJob]:
    """The crawl jobs of these sources, by the source's id."""
    rows = await db.execute(sa.select(crawl_jobs).where(crawl_jobs.c.source_id.in_(sorted(set(source_ids)))))
    return {row.source_id: job_of(row) for row in rows}


async def by_public_id(db: Connection, public_id: str) -> CrawlJob | None:
    """The job with this public id, locked until the transaction ends."""
    query = sa.select(crawl_jobs).where(crawl_jobs.c.public_id == public_id).with_for_update()
    return await queries.one(db, query, job_of)


async def lock(db: Connection, job_id: int) -> CrawlJob | None:
    """The job, locked until the transaction ends."""
    query = sa.select(crawl_jobs).where(crawl_jobs.c.id == job_id).with_for_update()
    return await queries.one(db, query, job_of)


async def due(
    db: Connection, *, lanes: Iterable[int], now: datetime, limit: int, busy_hosts: Collection[int] = ()
) -> list[ClaimableJob]:
    """From the head of each queue the `limit` longest overdue jobs, without those of busy hosts or already running."""
    parameters: dict[str, Any] = {"now": now, "most": limit} | ({"busy": sorted(busy_hosts)} if busy_hosts else {})
    heads = _heads(tuple(lanes), has_busy_hosts=bool(busy_hosts))
    async with _planned_once(db):
        return [ClaimableJob._make(row) for row in await db.execute(heads, parameters)]


@asynccontextmanager
async def _planned_once(db: Connection) -> AsyncIterator[None]:
    """Uses a generic plan: PostgreSQL's planning for eleven queues takes longer than reading them."""
    if db.dialect.name == "sqlite":
        yield
        return
    await db.execute(sa.text("SET LOCAL plan_cache_mode = force_generic_plan"))
    yield
    await db.execute(sa.text("SET LOCAL plan_cache_mode = auto"))


@cache
def _heads(lanes: tuple[int, ...], *, has_busy_hosts: bool) -> sa.CompoundSelect[Any]:
    """The heads of the queues. Building this takes far longer than running it, so it is built once."""
    return sa.union_all(*(_head(lane, has_busy_hosts=has_busy_hosts) for lane in lanes))


def _head(lane: int, *, has_busy_hosts: bool) -> sa.Select[Any]:
    """The head of one queue, as a sub-select so that each has an order and a limit of its own."""
    columns = [crawl_jobs.c[name] for name in ClaimableJob._fields]
    is_due = crawl_jobs.c.next_run_at <= sa.bindparam("now", type_=crawl_jobs.c.next_run_at.type)
    # A job that was resumed during a forced run must not block the head of the queue for jobs that could run.
    query = sa.select(*columns).where(CLAIMABLE, crawl_jobs.c.urgency == lane, is_due, ~_IS_RUNNING)
    if has_busy_hosts:
        is_free = crawl_jobs.c.host_id.not_in(sa.bindparam("busy", expanding=True))
        query = query.where(sa.or_(crawl_jobs.c.host_id.is_(None), is_free))
    head = query.order_by(crawl_jobs.c.next_run_at).limit(sa.bindparam("most", type_=sa.Integer)).subquery()
    return sa.select(*(head.c[name] for name in ClaimableJob._fields))


async def next_due_at(db: Connection, *, now: datetime, until: datetime) -> datetime | None:
    """When the first of the jobs becomes due that are not due now, up to this time; None when none does."""
    between = (crawl_jobs.c.next_run_at > now, crawl_jobs.c.next_run_at <= until)
    query = sa.select(crawl_jobs.c.next_run_at).where(CLAIMABLE, *between).order_by(crawl_jobs.c.next_run_at)
    at: datetime | None = await db.scalar(query.limit(1))
    return at


async def claim(db: Connection, ids: Iterable[int], *, now: datetime) -> list[CrawlJob]:
    """Marks those jobs running that no other process claims now; returns them as they were before."""
    wanted = sorted(ids)
    if not wanted:
        return []
    mine = sa.select(crawl_jobs).where(crawl_jobs.c.id.in_(wanted), CLAIMABLE).with_for_update(skip_locked=True)
    held = {row.id: row for row in await db.execute(mine)}
    return [job_of(held[job_id]) for job_id in await mark_running(db, list(held), now=now)]


async def put_back(
    db: Connection,
    job: CrawlJob,
    *,
    next_run_at: datetime,
    reason: Mapping[str, Any],
    held_since: datetime | None,
    now: datetime,
) -> None:
    """Undoes a claim, and sets another time."""
    before = JobChange(state=job.state, state_since=job.state_since, run_count=job.run_count)
    later = JobChange(next_run_at=next_run_at, next_run_reason=reason, held_since=held_since)
    await change(db, job.id, before | later, now=now)


async def mark_running(db: Connection, job_ids: list[int], *, now: datetime) -> list[int]:
    """Marks jobs running and returns those that were not already."""
    if not job_ids:
        return []
    values = {"state": JobState.RUNNING, "state_since": now, "run_count": crawl_jobs.c.run_count + 1}
    marked = sa.update(crawl_jobs).where(crawl_jobs.c.id.in_(job_ids), CLAIMABLE, ~_IS_RUNNING)
    marked = marked.values({**values, "updated_at": now, "held_since": None})
    return list(await db.scalars(marked.returning(crawl_jobs.c.id)))


async def change(db: Connection, job_id: int, change: JobChange, *, now: datetime) -> None:
    """Changes a job; a new state also sets `state_since`."""
    await change_all(db, [job_id], change, now=now)


async def change_all(db: Connection, job_ids: list[int], change: JobChange, *, now: datetime) -> None:
    """Changes several jobs alike; a new `next_run_at` clears `held_since`."""
    values = change.columns()
    if isinstance(learnt := values.pop("learnt", None), Learnt):
        values |= learnt_values(learnt)
    if isinstance(override := values.get("override"), Override):
        values["override"] = override_values(override)
    await write_columns(db, job_ids, values, now=now)


async def write_columns(db: Connection, job_ids: list[int], values: Mapping[str, Any], *, now: datetime) -> None:
    """Writes raw columns."""
    if "next_run_at" in values:
        values = {"held_since": None, **values}
    parameters = {f"new_{name}": value for name, value in values.items()}
    await db.execute(_change(tuple(values)), parameters | {"jobs": job_ids, "now": now})
    if _may_be_due(values, now=now):
        signal(Signal.JOBS)


def _may_be_due(values: Mapping[str, Any], *, now: datetime) -> bool:
    """Whether a job with these new values may run now; most are planned for later."""
    if "next_run_at" in values:
        return values["next_run_at"] is not None and values["next_run_at"] <= now
    return values.get("state") in (JobState.PENDING, JobState.SCHEDULED)


@cache
def _change(names: tuple[str, ...]) -> sa.Update:
    """Builds one UPDATE for each set of changed columns; there are a few dozen sets."""
    now = sa.bindparam("now", type_=UtcTime)
    values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in names} | {"updated_at": now}
    if "state" in names and "state_since" not in names:
        is_same = crawl_jobs.c.state == sa.bindparam("new_state")
        values["state_since"] = sa.case((is_same, crawl_jobs.c.state_since), else_=now)
    return sa.update(crawl_jobs).where(Among(crawl_jobs.c.id, "jobs")).values(values)


async def starting_at(db: Connection, url_keys: Iterable[str]) -> list[tuple[int, str]]:
    """The jobs whose start page has one of these URL keys, and the key."""
    query = sa.select(crawl_jobs.c.id, pages.c.url_key).join(pages, pages.c.source_id == crawl_jobs.c.source_id)
    found: list[tuple[int, str]] = []
    for keys in queries.chunks(sorted(url_keys)):
        those = query.where(pages.c.url_key.in_(keys), pages.c.role == PageRole.SEED).order_by(crawl_jobs.c.id)
        found += [(row.id, row.url_key) for row in await db.execute(those)]
    return found


async def resume_paused(db: Connection, *, now: datetime) -> int:
    """Resumes jobs whose pause, set by the service or an operator, is over; returns how many."""
    is_over = sa.and_(crawl_jobs.c.state == JobState.PAUSED, crawl_jobs.c.resume_at <= now)
    resumed = (
        sa.update(crawl_jobs)
        .where(is_over)
        .values(state=JobState.SCHEDULED, state_since=now, pause_reason=None, resume_at=None)
        .values(next_run_at=now, next_run_reason={"why": "its pause is over"}, held_since=None, updated_at=now)
    )
    count = rows_written(await db.execute(resumed))
    if count:
        signal(Signal.JOBS)
    return count
