"""SQL about when hosts may be visited: windows, blocks, budgets."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import Trigger
from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Phase
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.pages import OPEN_PHASES
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, pages


class HostTimes(NamedTuple):
    """A host's columns that decide when runs may start."""

    id: int
    key: str
    #: as stored
    windows: Any
    blocked_until: datetime | None
    block_reason: str | None
    #: None means the installation's default
    budget_per_hour: float | None
    budget_free_at: datetime | None
    min_delay_ms: int | None
    crawl_delay_ms: int | None
    learnt_delay_ms: int
    max_concurrency: int | None

    def delay(self, defaults: HostPolicy) -> timedelta:
        """The least time between requests."""
        own = defaults.min_delay if self.min_delay_ms is None else timedelta(milliseconds=self.min_delay_ms)
        return max(own, timedelta(milliseconds=max(self.crawl_delay_ms or 0, self.learnt_delay_ms)))


_COLUMNS = [hosts.c[name] for name in HostTimes._fields]
_BY_ID = sa.select(*_COLUMNS).where(Among(hosts.c.id, "ids"))
_LOCKED_BY_ID = _BY_ID.order_by(hosts.c.id).with_for_update()
#: far longer than a worker keeps a host's lease without renewing it
_LONGEST_LEASE = timedelta(minutes=5)
#: a run whose host has its next turn later than this is not busy
_IN_A_WHILE = timedelta(minutes=10)


async def many(db: Connection, ids: Iterable[int | None]) -> dict[int, HostTimes]:
    """These hosts by id."""
    wanted = sorted({host_id for host_id in ids if host_id is not None})
    rows = await db.execute(_BY_ID, {"ids": wanted})
    return {row.id: HostTimes._make(row) for row in rows}


async def lock(db: Connection, ids: Iterable[int]) -> dict[int, HostTimes]:
    """These hosts by id, locked until the transaction ends."""
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    return {row.id: HostTimes._make(row) for row in await db.execute(_LOCKED_BY_ID, {"ids": wanted})}


class OpenRuns(NamedTuple):
    """The numbers of open runs, without runs of tasks."""

    #: by the host of their start page
    by_host: dict[int | None, int]
    #: of all hosts, without runs whose host has its next turn much later: they take up no capacity
    busy: int


async def open_runs(db: Connection, *, now: datetime) -> OpenRuns:
    """Counts the open runs."""
    query = (
        sa.select(crawl_jobs.c.host_id, hosts.c.free_at, hosts.c.blocked_until, sa.func.count().label("runs"))
        .join(crawl_runs, crawl_runs.c.job_id == crawl_jobs.c.id)
        .outerjoin(hosts, hosts.c.id == crawl_jobs.c.host_id)
        .where(crawl_runs.c.finished_at.is_(None), crawl_runs.c.trigger != Trigger.TASKS)
    )
    rows = (await db.execute(query.group_by(crawl_jobs.c.host_id, hosts.c.free_at, hosts.c.blocked_until))).all()
    soon = now + _IN_A_WHILE
    busy = sum(row.runs for row in rows if all(at is None or at <= soon for at in (row.free_at, row.blocked_until)))
    return OpenRuns({row.host_id: row.runs for row in rows}, busy)


class AwaitedHost(NamedTuple):
    """A host from which a run has pages to fetch."""

    host: HostTimes
    #: as last stored; not before a block of the host ends
    next_turn_at: datetime
    #: whether the run's start page is on this host
    has_start_page: bool
    #: when the job's next run would be due, counted from the start of this run
    next_run_at: datetime


async def awaited(db: Connection, run_id: int) -> list[AwaitedHost]:
    """The hosts whose next turns a run waits for."""
    # OPEN_PHASES repeats the condition of ix_pages_open word for word: otherwise SQLite does not use that index.
    waiting = sa.select(pages.c.host_id).where(
        pages.c.run_id == run_id, pages.c.phase.in_(OPEN_PHASES), pages.c.phase == Phase.PENDING
    )
    query = (
        sa.select(
            *_COLUMNS,
            hosts.c.free_at,
            (hosts.c.id == crawl_jobs.c.host_id).label("has_start_page"),
            crawl_runs.c.started_at,
            sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds).label("pace_seconds"),
        )
        .select_from(crawl_runs.join(crawl_jobs, crawl_jobs.c.id == crawl_runs.c.job_id))
        .join(hosts, hosts.c.id.in_(waiting))
        .where(crawl_runs.c.id == run_id, sa.or_(hosts.c.free_at.is_not(None), hosts.c.blocked_until.is_not(None)))
    )
    return [
        AwaitedHost(
            host=HostTimes._make(row[: len(_COLUMNS)]),
            next_turn_at=max(at for at in (row.free_at, row.blocked_until) if at is not None),
            has_start_page=bool(row.has_start_page),
            next_run_at=row.started_at + timedelta(seconds=row.pace_seconds),
        )
        for row in await db.execute(query)
    ]


async def disabled(db: Connection) -> set[int]:
    """The hosts that an operator disabled."""
    return set(await db.scalars(sa.select(hosts.c.id).where(~hosts.c.enabled)))


async def set_budget_free_at(db: Connection, free_at: Mapping[int, datetime]) -> None:
    """Stores when these hosts' budgets are free again."""
    if free_at:
        statement = sa.update(hosts).where(hosts.c.id == sa.bindparam("host"))
        rows = [{"host": host_id, "free": moment} for host_id, moment in sorted(free_at.items())]
        await db.execute(statement.values(budget_free_at=sa.bindparam("free")), rows)


async def set_back(db: Connection, *, by: timedelta, now: datetime, defaults: HostPolicy) -> int:
    """Moves future times of hosts back by so much, after the clock was set back.

    Times may have been written since: so each host keeps its delay, and each worker its lease.
    """
    times = (hosts.c.free_at, hosts.c.due_at, hosts.c.lease_until)
    ahead = sa.select(*_COLUMNS, *times).where(sa.or_(*(time > now for time in times))).with_for_update()
    rows = (await db.execute(ahead)).all()
    for row in rows:
        delay = HostTimes._make(row[: len(_COLUMNS)]).delay(defaults)
        least = {"free_at": delay, "due_at": delay, "lease_until": _LONGEST_LEASE}
        known = {time.name: getattr(row, time.name) for time in times}
        nearer = {
            name: max(time - by, min(time, now + least[name]))
            for name, time in known.items()
            if time is not None and time > now
        }
        await db.execute(sa.update(hosts).where(hosts.c.id == row.id).values(nearer))
    return len(rows)
