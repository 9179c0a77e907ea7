"""Current activity: open runs with progress, busy hosts, due jobs, and what each waits for.

Made for a page that refreshes every few seconds: each list is bounded and has a total beside it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.crawl import CrawlRun
from lamplighter.model.fleet import CrawlPause, Lead
from lamplighter.model.host import HostPolicy
from lamplighter.rules.hosts import waiting
from lamplighter.rules.hosts.waiting import HostCase, JobCase, Wait
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import leads, scheduler_figures
from lamplighter.store.hosts import host_times, hosts
from lamplighter.store.jobs import pricing
from lamplighter.store.pages import page_waits
from lamplighter.store.pages.page_waits import WaitingPages
from lamplighter.store.runs import activity, crawl_runs, run_pages
from lamplighter.store.runs.activity import OpenPages

_NO_PAGES = WaitingPages(0, 0, None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveRun:
    """An open run."""

    run: CrawlRun
    source_id: str
    source_name: str
    left: OpenPages

    @property
    def done(self) -> int:
        """Pages of it that are done."""
        return max(0, self.run.page_count - self.left.to_ask - self.left.to_read)


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyHost:
    """A host with requests in flight or waiting pages."""

    key: str
    #: that wait to be asked for, counted up to MOST_WAITING + 1
    pages: int
    wait: Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class DueJob:
    """A job whose time has come."""

    source_id: str
    source_name: str
    due_since: datetime
    wait: Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlActivity:
    """All of it; the lists are bounded, and the numbers beside them counted up to MOST_COUNTED + 1."""

    runs: list[ActiveRun]
    run_count: int
    hosts: list[BusyHost]
    host_count: int
    due: list[DueJob]
    due_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlLimits:
    """How many runs may be open at once, and the default host policy."""

    runs: int
    runs_per_host: int
    host: HostPolicy


async def now_going_on(
    db: Connection, *, limits: CrawlLimits, stopped: CrawlPause | None, trouble: str | None, now: datetime, most: int
) -> CrawlActivity:
    """Up to `most` of each. `trouble` says why no process fetches, if none does."""
    runs = await _runs(db, most=most)
    run_count, _ = await activity.count_open(db)
    busy, host_count = await _hosts(db, limits, stopped=stopped, trouble=trouble, now=now, most=most)
    return CrawlActivity(
        runs=runs,
        run_count=run_count,
        hosts=busy,
        host_count=host_count,
        due=await _due(db, limits, stopped=stopped, now=now, most=most),
        due_count=await scheduler_figures.count_due(db, now=now, most=activity.MOST_COUNTED + 1),
    )


def turns(hosts: Iterable[BusyHost]) -> dict[str, datetime | None]:
    """The next turns of the hosts that are fetched, or wait for nothing but their delay; None as `lanes` has it."""
    return {host.key: host.wait.until for host in hosts if host.wait.word in ("being fetched", "delay")}


async def _runs(db: Connection, *, most: int) -> list[ActiveRun]:
    rows = await activity.open_runs(db, limit=most)
    left = await activity.open_pages(db, [row.id for row in rows])
    return [
        ActiveRun(
            run=crawl_runs.run_of(row),
            source_id=row.source_public_id,
            source_name=row.source_name,
            left=left.get(row.id, OpenPages()),
        )
        for row in rows
    ]


async def _hosts(
    db: Connection, limits: CrawlLimits, *, stopped: CrawlPause | None, trouble: str | None, now: datetime, most: int
) -> tuple[list[BusyHost], int]:
    rows, total = await activity.busy_hosts(db, now=now, limit=most)
    pages = await page_waits.at_hosts(db, [row.id for row in rows], now=now)
    return [
        BusyHost(
            key=row.key,
            pages=pages.get(row.id, _NO_PAGES).pages,
            wait=waiting.host_wait(
                host_case(row, pages.get(row.id, _NO_PAGES), limits.host), stopped=stopped, trouble=trouble, now=now
            ),
        )
        for row in rows
    ], total


def host_case(row: Any, pages: WaitingPages, defaults: HostPolicy) -> HostCase:
    """What bears on whether a host with these pages is requested now."""
    return HostCase(
        host=hosts.host_of(row, defaults),
        held_by=row.lease_owner,
        lease_until=row.lease_until,
        due_pages=pages.due,
        next_page_at=pages.next_at,
        detail=pages.detail,
        proxy_wait_until=row.proxy_wait_until,
        proxy_wait_reason=row.proxy_wait_reason,
    )


async def _due(
    db: Connection, limits: CrawlLimits, *, stopped: CrawlPause | None, now: datetime, most: int
) -> list[DueJob]:
    rows: Sequence[Any] = await activity.due_jobs(db, now=now, limit=most)
    going_on = await host_times.open_runs(db, now=now)
    budget_free_at = (await pricing.get(db)).budget_free_at
    is_scheduled = Lead.SCHEDULE in await leads.holders(db, now=now)

    def case(row: Any) -> JobCase:
        return JobCase(
            host=row.host,
            host_enabled=row.enabled is not False,
            host_free_at=row.budget_free_at,
            runs_on_host=going_on.by_host.get(row.host_id, 0) if row.host_id is not None else 0,
            runs=going_on.busy,
            most_on_host=limits.runs_per_host,
            most=limits.runs,
            budget_free_at=budget_free_at,
            is_scheduled=is_scheduled,
        )

    return [
        DueJob(
            source_id=row.source_public_id,
            source_name=row.source_name,
            due_since=row.next_run_at,
            wait=waiting.job_wait(case(row), stopped=stopped, now=now),
        )
        for row in rows
    ]


#: waits shorter than this are not shown
_SOON = timedelta(seconds=10)
#: states of a host that is or may be requested now
_GOING_ON = frozenset({"being fetched", "held", "ready"})


async def wait_of_run(db: Connection, run_id: int, *, defaults: HostPolicy, now: datetime) -> Wait | None:
    """Why a run fetches nothing now, by the host that continues first; None while it fetches."""
    pages = await page_waits.of_run(db, run_id, now=now)
    cases = [host_case(row, pages[row.id], defaults) for row in await activity.hosts_by_id(db, pages)]
    waits = [waiting.host_wait(case, stopped=None, trouble=None, now=now) for case in cases]
    if not waits or any(_goes_on(wait, now=now) for wait in waits) or await run_pages.is_being_read(db, run_id):
        return None
    return min(waits, key=lambda wait: (wait.until is None, wait.until or now))


def _goes_on(wait: Wait, *, now: datetime) -> bool:
    return wait.word in _GOING_ON or (wait.until is not None and wait.until - now < _SOON)
