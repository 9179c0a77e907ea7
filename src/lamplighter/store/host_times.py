"""SQL about when hosts may be visited at all: windows, blocks, budgets."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import Trigger
from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Phase
from lamplighter.store.database import Connection
from lamplighter.store.lists import Among
from lamplighter.store.pages import OPEN_PHASES
from lamplighter.store.tables import crawl_jobs, crawl_runs, hosts, pages


class HostTimes(NamedTuple):
    """What bears on the time of a run, whatever its pages are."""

    id: int
    key: str
    #: as stored
    windows: Any
    blocked_until: datetime | None
    block_reason: str | None
    #: None leaves it to the installation
    budget_per_hour: float | None
    budget_free_at: datetime | None
    min_delay_ms: int | None
    crawl_delay_ms: int | None
    learnt_delay_ms: int
    max_concurrency: int | None

    def delay(self, defaults: HostPolicy) -> timedelta:
        """Least time between two requests."""
        own = defaults.min_delay if self.min_delay_ms is None else timedelta(milliseconds=self.min_delay_ms)
        return max(own, timedelta(milliseconds=max(self.crawl_delay_ms or 0, self.learnt_delay_ms)))


_COLUMNS = [hosts.c[name] for name in HostTimes._fields]
_BY_ID = sa.select(*_COLUMNS).where(Among(hosts.c.id, "ids"))
_LOCKED_BY_ID = _BY_ID.order_by(hosts.c.id).with_for_update()
#: far longer than anybody holds a host without renewing the lease
_LONGEST_LEASE = timedelta(minutes=5)
#: a run whose host has its next turn later than that does nothing meanwhile
_IN_A_WHILE = timedelta(minutes=10)


async def many(db: Connection, ids: Iterable[int | None]) -> dict[int, HostTimes]:
    """These hosts by id."""
    wanted = sorted({host_id for host_id in ids if host_id is not None})
    rows = await db.execute(_BY_ID, {"ids": wanted})
    return {row.id: HostTimes._make(row) for row in rows}


async def lock(db: Connection, ids: Iterable[int]) -> dict[int, HostTimes]:
    """These hosts by id, held against other writers until the transaction ends."""
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    return {row.id: HostTimes._make(row) for row in await db.execute(_LOCKED_BY_ID, {"ids": wanted})}


class OpenRuns(NamedTuple):
    """The runs that are going on; those of submitted pages take nobody's place."""

    #: by the host of their start page
    by_host: dict[int | None, int]
    #: without those whose host has its next turn only in a while: they, too, take nobody's place
    busy: int


async def open_runs(db: Connection, *, now: datetime) -> OpenRuns:
    """How many runs are going on."""
    query = (
        sa.select(crawl_jobs.c.host_id, hosts.c.free_at, sa.func.count().label("runs"))
        .join(crawl_runs, crawl_runs.c.job_id == crawl_jobs.c.id)
        .outerjoin(hosts, hosts.c.id == crawl_jobs.c.host_id)
        .where(crawl_runs.c.finished_at.is_(None), crawl_runs.c.trigger != Trigger.TASKS)
    )
    rows = (await db.execute(query.group_by(crawl_jobs.c.host_id, hosts.c.free_at))).all()
    soon = now + _IN_A_WHILE
    busy = sum(row.runs for row in rows if row.free_at is None or row.free_at <= soon)
    return OpenRuns({row.host_id: row.runs for row in rows}, busy)


class Awaited(NamedTuple):
    """A host of which pages of a run are to be asked."""

    host: HostTimes
    #: as it was last known
    next_turn_at: datetime
    #: whether the start page of the run is there
    has_start_page: bool
    #: when the job would have its next run, if this one had ended in no time
    next_run_at: datetime


async def awaited(db: Connection, run_id: int) -> list[Awaited]:
    """The hosts for whose next turns a run waits."""
    # The wider condition is that of ix_pages_open: without its very words SQLite does not see that it applies.
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
        .where(crawl_runs.c.id == run_id, hosts.c.free_at.is_not(None))
    )
    return [
        Awaited(
            host=HostTimes._make(row[: len(_COLUMNS)]),
            next_turn_at=row.free_at,
            has_start_page=bool(row.has_start_page),
            next_run_at=row.started_at + timedelta(seconds=row.pace_seconds),
        )
        for row in await db.execute(query)
    ]


async def disabled(db: Connection) -> set[int]:
    """The hosts that may not be asked until somebody enables them."""
    return set(await db.scalars(sa.select(hosts.c.id).where(~hosts.c.enabled)))


async def set_budget_free_at(db: Connection, free_at: Mapping[int, datetime]) -> None:
    """Writes when the budgets of these hosts are free again."""
    if free_at:
        statement = sa.update(hosts).where(hosts.c.id == sa.bindparam("host"))
        rows = [{"host": host_id, "free": moment} for host_id, moment in sorted(free_at.items())]
        await db.execute(statement.values(budget_free_at=sa.bindparam("free")), rows)


async def set_back(db: Connection, *, by: timedelta, now: datetime, defaults: HostPolicy) -> int:
    """Brings times of hosts that lie ahead nearer by so much: the clock by which they were written was set back.

    What may have been written since holds all the same: nobody is asked sooner than his delay, nobody loses a lease.
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
