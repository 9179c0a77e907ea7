"""What goes on now: which runs, and how far; which hosts, and why each waits; what is due, and why it has not run.

Made for a page that is renewed every few seconds: each part is bounded, and says how much there is in all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.model.crawl import CrawlRun
from lamplighter.model.fleet import Lead, Standstill
from lamplighter.model.host import HostPolicy
from lamplighter.rules import waiting
from lamplighter.rules.waiting import HostCase, JobCase, Wait
from lamplighter.store import (
    activity,
    crawl_log,
    crawl_runs,
    host_times,
    hosts,
    leads,
    page_waits,
    pricing,
    scheduler_figures,
)
from lamplighter.store.activity import OpenPages
from lamplighter.store.database import Connection
from lamplighter.store.page_waits import Waiting

_NO_PAGES = Waiting(0, 0, None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """A run that goes on."""

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
    """A host that is asked, or is to be."""

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
class Activity:
    """All of it; the lists are bounded, and the numbers beside them counted up to MOST_COUNTED + 1."""

    runs: list[OpenRun]
    run_count: int
    hosts: list[BusyHost]
    host_count: int
    due: list[DueJob]
    due_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many runs may go on at once, and how hosts are asked whose operator said nothing."""

    runs: int
    runs_per_host: int
    host: HostPolicy


async def now_going_on(
    db: Connection,
    *,
    limits: Limits,
    stopped: Standstill | None,
    trouble: str | None,
    now: datetime,
    most: int,
) -> Activity:
    """Up to `most` of each. `trouble` is what keeps all fetching from going on, in words."""
    runs = await _runs(db, most=most)
    run_count, _ = await crawl_log.count_open(db)
    busy, host_count = await _hosts(db, limits, stopped=stopped, trouble=trouble, now=now, most=most)
    return Activity(
        runs=runs,
        run_count=run_count,
        hosts=busy,
        host_count=host_count,
        due=await _due(db, limits, stopped=stopped, now=now, most=most),
        due_count=await scheduler_figures.count_due(db, now=now, most=activity.MOST_COUNTED + 1),
    )


async def _runs(db: Connection, *, most: int) -> list[OpenRun]:
    rows = await activity.open_runs(db, limit=most)
    left = await activity.open_pages(db, [row.id for row in rows])
    return [
        OpenRun(
            run=crawl_runs.run_of(row),
            source_id=row.source_public_id,
            source_name=row.source_name,
            left=left.get(row.id, OpenPages()),
        )
        for row in rows
    ]


async def _hosts(
    db: Connection, limits: Limits, *, stopped: Standstill | None, trouble: str | None, now: datetime, most: int
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


def host_case(row: Any, pages: Waiting, defaults: HostPolicy) -> HostCase:
    """What bears on whether a host with these pages is asked now."""
    return HostCase(
        host=hosts.host_of(row, defaults),
        held_by=row.lease_owner,
        lease_until=row.lease_until,
        due_pages=pages.due,
        next_page_at=pages.next_at,
        detail=pages.detail,
        waits_for_proxy=pages.waits_for_proxy,
    )


async def _due(db: Connection, limits: Limits, *, stopped: Standstill | None, now: datetime, most: int) -> list[DueJob]:
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
