"""Keeps to the budgets of fetches: charged what a run will cost when it opens, and what it did cost when it ends."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from lamplighter.crawl.norms import Norms
from lamplighter.crawl.planner import requests
from lamplighter.model.crawl import CrawlJob, CrawlRun, Trigger
from lamplighter.rules import budget
from lamplighter.store import host_times, pricing
from lamplighter.store.crawl_jobs import Due
from lamplighter.store.database import Connection

#: one look at the queues may spend this much time's worth in advance: nobody looks at every moment
AHEAD = timedelta(minutes=1)


def affordable(wanted: Iterable[Due], *, free_at: datetime | None, per_hour: float | None, now: datetime) -> list[Due]:
    """The first of them, as many as the installation's budget has fetches for; all of them when it has none."""
    if per_hour is None:
        return list(wanted)
    if free_at is not None and free_at > now:
        return []
    chosen: list[Due] = []
    for job in wanted:
        if free_at is not None and free_at > now + AHEAD:
            break
        free_at = budget.charged(free_at, fetches=job.cost, per_hour=per_hour, now=now)
        chosen.append(job)
    return chosen


async def charge(db: Connection, opened: Iterable[CrawlJob], *, norms: Norms, now: datetime) -> None:
    """Charges what runs of these jobs will cost, as far as one knows."""
    total, by_host = 0.0, dict[int, float]()
    for job in opened:
        total += job.cost
        if job.host_id is not None:
            by_host[job.host_id] = by_host.get(job.host_id, 0.0) + job.cost
    if total:
        await _charge(db, total, by_host, norms=norms, now=now)


async def settle(db: Connection, job: CrawlJob, run: CrawlRun, *, norms: Norms, now: datetime) -> None:
    """Charges what a run really cost in place of what was expected; one that somebody forced was not charged yet."""
    charged = job.cost if run.trigger is Trigger.SCHEDULE else 0.0
    difference = requests(run) - charged
    by_host = {job.host_id: difference} if job.host_id is not None else {}
    await _charge(db, difference, by_host, norms=norms, now=now)


async def _charge(db: Connection, total: float, by_host: Mapping[int, float], *, norms: Norms, now: datetime) -> None:
    """Hosts first, then the installation: always in this order, so that two who charge never wait for each other."""
    known = await host_times.many(db, by_host)
    limited = {host.id: per_hour for host in known.values() if (per_hour := norms.host_budget(host)) is not None}
    held = await host_times.lock(db, limited)
    free = {
        host.id: budget.charged(host.budget_free_at, fetches=by_host[host.id], per_hour=limited[host.id], now=now)
        for host in held.values()
    }
    await host_times.set_budget_free_at(db, free)
    if norms.budget_per_hour is not None:
        spent = (await pricing.lock(db)).budget_free_at
        common = budget.charged(spent, fetches=total, per_hour=norms.budget_per_hour, now=now)
        await pricing.save(db, budget_free_at=common)
