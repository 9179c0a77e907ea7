"""Enforces fetch budgets: charges a run's expected cost when it opens, and its actual cost when it ends."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from lamplighter.crawl.planning.planner import requests
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.crawl import CrawlJob, CrawlRun, Trigger
from lamplighter.rules.schedule import budget
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_times
from lamplighter.store.jobs import pricing
from lamplighter.store.jobs.crawl_jobs import ClaimableJob

#: one scheduler round may spend this much of the budget in advance, because rounds are not continuous
AHEAD = timedelta(minutes=1)


def affordable(
    wanted: Iterable[ClaimableJob], *, free_at: datetime | None, per_hour: float | None, now: datetime
) -> list[ClaimableJob]:
    """The first jobs that the installation's budget has fetches for; all of them without a budget."""
    if per_hour is None:
        return list(wanted)
    if free_at is not None and free_at > now:
        return []
    chosen: list[ClaimableJob] = []
    for job in wanted:
        if free_at is not None and free_at > now + AHEAD:
            break
        free_at = budget.charged(free_at, fetches=job.cost, per_hour=per_hour, now=now)
        chosen.append(job)
    return chosen


async def charge(db: Connection, opened: Iterable[CrawlJob], *, source_defaults: SourceDefaults, now: datetime) -> None:
    """Charges the expected cost of runs of these jobs."""
    total, by_host = 0.0, dict[int, float]()
    for job in opened:
        total += job.cost
        if job.host_id is not None:
            by_host[job.host_id] = by_host.get(job.host_id, 0.0) + job.cost
    if total:
        await _charge(db, total, by_host, source_defaults=source_defaults, now=now)


async def settle(
    db: Connection, job: CrawlJob, run: CrawlRun, *, source_defaults: SourceDefaults, now: datetime
) -> None:
    """Charges a run's actual cost in place of the expected one; a forced run was not charged before."""
    charged = job.cost if run.trigger is Trigger.SCHEDULE else 0.0
    difference = requests(run) - charged
    by_host = {job.host_id: difference} if job.host_id is not None else {}
    await _charge(db, difference, by_host, source_defaults=source_defaults, now=now)


async def _charge(
    db: Connection, total: float, by_host: Mapping[int, float], *, source_defaults: SourceDefaults, now: datetime
) -> None:
    """Charges hosts first, then the installation: always in this order, so that two processes cannot deadlock."""
    known = await host_times.many(db, by_host)
    limited = {
        host.id: per_hour for host in known.values() if (per_hour := source_defaults.host_budget(host)) is not None
    }
    held = await host_times.lock(db, limited)
    free = {
        host.id: budget.charged(host.budget_free_at, fetches=by_host[host.id], per_hour=limited[host.id], now=now)
        for host in held.values()
    }
    await host_times.set_budget_free_at(db, free)
    if source_defaults.budget_per_hour is not None:
        spent = (await pricing.lock(db)).budget_free_at
        common = budget.charged(spent, fetches=total, per_hour=source_defaults.budget_per_hour, now=now)
        await pricing.save_budget_free_at(db, common)
