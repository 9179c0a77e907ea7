"""SQL about crawl jobs: which are due, where each stands, what was learnt."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.crawl import CrawlJob, JobState
from lamplighter.model.reading import Role
from lamplighter.model.schedule import Learnt
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.job_rows import job_of
from lamplighter.store.lists import Among
from lamplighter.store.tables import crawl_jobs, crawl_runs, pages
from lamplighter.store.types import UtcTime, literal

#: written into the statement, not bound: only then does SQLite see that the partial index applies
CLAIMABLE = crawl_jobs.c.state.in_(literal(JobState.PENDING, JobState.SCHEDULED))
_IS_RUNNING = sa.exists().where(crawl_runs.c.job_id == crawl_jobs.c.id, crawl_runs.c.finished_at.is_(None))


class Due(NamedTuple):
    """A job whose time has come, as far as choosing among many needs to know it."""

    id: int
    urgency: int
    next_run_at: datetime
    host_id: int | None
    cost: float


class NewJob(NamedTuple):
    """What is said of a crawl job when it begins."""

    source_id: int
    priority: int
    interval: timedelta
    next_run_at: datetime
    recurring: bool = True
    host_id: int | None = None
    urgency: int = 0


async def add(db: Connection, *, now: datetime, **said: Any) -> int:
    """Stores a new crawl job (see `NewJob`), waiting for its first run."""
    (job_id,) = await add_all(db, [NewJob(**said)], now=now)
    return job_id


async def add_all(db: Connection, new: Sequence[NewJob], *, now: datetime) -> list[int]:
    """Stores new crawl jobs, waiting for their first runs."""
    said = {"state": JobState.PENDING, "state_since": now, "created_at": now, "updated_at": now}
    rows = []
    for job in new:
        columns = job._asdict()
        seconds = int(columns.pop("interval").total_seconds())
        rows.append({"public_id": str(uuid4()), "interval_seconds": seconds, **columns, **said})
    result = await db.execute(sa.insert(crawl_jobs).returning(crawl_jobs.c.id), rows)
    return [int(job_id) for job_id in result.scalars()]


_LOCK = sa.select(crawl_jobs).where(crawl_jobs.c.id == sa.bindparam("job")).with_for_update()


async def get(db: Connection, job_id: int) -> CrawlJob | None:
    """The job with this id."""
    row = (await db.execute(sa.select(crawl_jobs).where(crawl_jobs.c.id == job_id))).one_or_none()
    return job_of(row) if row is not None else None


async def of_source(db: Connection, source_id: int) -> CrawlJob | None:
    """The crawl job of a source."""
    row = (await db.execute(sa.select(crawl_jobs).where(crawl_jobs.c.source_id == source_id))).one_or_none()
    return job_of(row) if row is not None else None


async def of_sources(db: Connection, source_ids: Iterable[int]) -> dict[int, CrawlJob]:
    """The crawl jobs of these sources, by the source's id."""
    rows = await db.execute(sa.select(crawl_jobs).where(crawl_jobs.c.source_id.in_(sorted(set(source_ids)))))
    return {row.source_id: job_of(row) for row in rows}


async def by_public_id(db: Connection, public_id: str) -> CrawlJob | None:
    """The job that the world outside knows by this name, held against other writers until the transaction ends."""
    query = sa.select(crawl_jobs).where(crawl_jobs.c.public_id == public_id).with_for_update()
    row = (await db.execute(query)).one_or_none()
    return job_of(row) if row is not None else None


async def lock(db: Connection, job_id: int) -> CrawlJob | None:
    """The job, held against other writers until the transaction ends."""
    row = (await db.execute(_LOCK, {"job": job_id})).one_or_none()
    return job_of(row) if row is not None else None


async def due(
    db: Connection, *, lanes: Iterable[int], now: datetime, limit: int, busy_hosts: Collection[int] = ()
) -> list[Due]:
    """From the head of each queue the `limit` longest overdue jobs, without those of busy hosts or already running."""
    parameters: dict[str, Any] = {"now": now, "most": limit} | ({"busy": sorted(busy_hosts)} if busy_hosts else {})
    heads = _heads(tuple(lanes), has_busy_hosts=bool(busy_hosts))
    async with _planned_once(db):
        return [Due._make(row) for row in await db.execute(heads, parameters)]


@asynccontextmanager
async def _planned_once(db: Connection) -> AsyncIterator[None]:
    """PostgreSQL would plan the statement anew each time, which for eleven queues takes longer than looking at them."""
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
    columns = [crawl_jobs.c[name] for name in Due._fields]
    is_due = crawl_jobs.c.next_run_at <= sa.bindparam("now", type_=crawl_jobs.c.next_run_at.type)
    # A job resumed while somebody's forced run of it goes on must not stand before those that could run.
    query = sa.select(*columns).where(CLAIMABLE, crawl_jobs.c.urgency == lane, is_due, ~_IS_RUNNING)
    if has_busy_hosts:
        is_free = crawl_jobs.c.host_id.not_in(sa.bindparam("busy", expanding=True))
        query = query.where(sa.or_(crawl_jobs.c.host_id.is_(None), is_free))
    head = query.order_by(crawl_jobs.c.next_run_at).limit(sa.bindparam("most", type_=sa.Integer)).subquery()
    return sa.select(*(head.c[name] for name in Due._fields))


async def claim(db: Connection, ids: Iterable[int], *, now: datetime) -> list[CrawlJob]:
    """Those of the jobs that nobody else takes at this moment, marked running; as they were before."""
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
    before = {"state": job.state, "state_since": job.state_since, "run_count": job.run_count}
    later = {"next_run_at": next_run_at, "next_run_reason": reason, "held_since": held_since}
    await change(db, job.id, now=now, **later, **before)


async def mark_running(db: Connection, job_ids: list[int], *, now: datetime) -> list[int]:
    """Marks jobs running and returns those that were not already."""
    if not job_ids:
        return []
    rows = await db.execute(
        sa.update(crawl_jobs)
        .where(crawl_jobs.c.id.in_(job_ids), CLAIMABLE, ~_IS_RUNNING)
        .values(state=JobState.RUNNING, state_since=now, run_count=crawl_jobs.c.run_count + 1, updated_at=now)
        .values(held_since=None)
        .returning(crawl_jobs.c.id)
    )
    return [row.id for row in rows]


async def change(db: Connection, job_id: int, *, now: datetime, **values: Any) -> None:
    """Changes a job's columns; with another state, also since when it is in it."""
    await change_all(db, [job_id], now=now, **values)


async def change_all(db: Connection, job_ids: list[int], *, now: datetime, **values: Any) -> None:
    """Changes the columns of several jobs alike; one that is planned anew is not held any more."""
    if "next_run_at" in values:
        values.setdefault("held_since", None)
    parameters = {f"new_{name}": value for name, value in values.items()}
    await db.execute(_change(tuple(values)), parameters | {"jobs": job_ids, "now": now})


@cache
def _change(names: tuple[str, ...]) -> sa.Update:
    """One for each set of columns that are changed together, of which there are a few dozen."""
    now = sa.bindparam("now", type_=UtcTime)
    values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in names} | {"updated_at": now}
    if "state" in names and "state_since" not in names:
        is_same = crawl_jobs.c.state == sa.bindparam("new_state")
        values["state_since"] = sa.case((is_same, crawl_jobs.c.state_since), else_=now)
    return sa.update(crawl_jobs).where(Among(crawl_jobs.c.id, "jobs")).values(values)


def learnt_values(learnt: Learnt) -> dict[str, Any]:
    """The columns that hold what was learnt."""
    return {
        "belief_a": learnt.belief.a,
        "belief_b": learnt.belief.b,
        "signal": learnt.signal,
        "rise": learnt.rise,
        "fall": learnt.fall,
        "visit_count": learnt.visit_count,
        "change_count": learnt.change_count,
        "visited_at": learnt.visited_at,
        "changed_at": learnt.changed_at,
        "watched_hours": learnt.watched_hours,
        "expected_stale_hours": learnt.expected_stale_hours,
        "seen_stale_hours": learnt.seen_stale_hours,
    }


async def starting_at(db: Connection, url_keys: Iterable[str]) -> list[tuple[int, str]]:
    """The jobs whose start page has one of these URL keys, and the key."""
    wanted = sorted(url_keys)
    found: list[tuple[int, str]] = []
    for start in range(0, len(wanted), 500):
        query = (
            sa.select(crawl_jobs.c.id, pages.c.url_key)
            .join(pages, pages.c.source_id == crawl_jobs.c.source_id)
            .where(pages.c.url_key.in_(wanted[start : start + 500]), pages.c.role == Role.SEED)
            .order_by(crawl_jobs.c.id)
        )
        found += [(row.id, row.url_key) for row in await db.execute(query)]
    return found


async def resume_rested(db: Connection, *, now: datetime) -> int:
    """Lets jobs go on that were paused for a while, by automation or by a person, once that is over."""
    rested = sa.and_(crawl_jobs.c.state == JobState.PAUSED, crawl_jobs.c.resume_at <= now)
    return rows_written(
        await db.execute(
            sa.update(crawl_jobs)
            .where(rested)
            .values(state=JobState.SCHEDULED, state_since=now, pause_reason=None, resume_at=None)
            .values(next_run_at=now, next_run_reason={"why": "its pause is over"}, held_since=None, updated_at=now)
        )
    )
