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


async def open_runs(db: Connection) -> dict[int | None, int]:
    """How many runs are going on, by the host of their start page; those of submitted pages take nobody's place."""
    query = sa.select(crawl_jobs.c.host_id, sa.func.count().label("runs")).join(
        crawl_runs, crawl_runs.c.job_id == crawl_jobs.c.id
    )
    is_open = sa.and_(crawl_runs.c.finished_at.is_(None), crawl_runs.c.trigger != Trigger.TASKS)
    rows = await db.execute(query.where(is_open).group_by(crawl_jobs.c.host_id))
    return {row.host_id: row.runs for row in rows}


async def awaited(db: Connection, run_id: int) -> list[tuple[HostTimes, datetime]]:
    """The hosts of which pages of this run are to be asked, each with its next turn as it was last known."""
    waits = sa.exists().where(pages.c.run_id == run_id, pages.c.phase == Phase.PENDING, pages.c.host_id == hosts.c.id)
    query = sa.select(*_COLUMNS, hosts.c.free_at).where(waits, hosts.c.free_at.is_not(None))
    return [(HostTimes._make(row[:-1]), row.free_at) for row in await db.execute(query)]


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
