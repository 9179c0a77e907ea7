"""Takedowns: domains and URL prefixes that are never requested again."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.runs.run_finish import cancel_run
from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob, JobChange, JobState, PauseReason
from lamplighter.rules.hosts import takedown
from lamplighter.rules.schedule import lifecycle
from lamplighter.rules.schedule.lifecycle import JobStep
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import takedowns
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs

#: every worker has read the list anew by then for its first check of a URL (see fetch.barrier)
_HEARD_BY_ALL = timedelta(seconds=10)
#: what a takedown stops; a pause that ends by itself would otherwise end in a refused run
_STOPPED = (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Takedown:
    """An entry of the list."""

    entry: str
    reason: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TakedownAdded:
    """What putting an entry on the list did."""

    takedown: Takedown
    #: it stood there before
    was_listed: bool
    #: sources that are no longer crawled because of it
    sources_paused: int


async def add(db: Connection, domain_or_url: str, *, stamp: Stamp, reason: str | None = None) -> TakedownAdded:
    """Adds a domain or URL prefix to the takedown list and pauses the sources that start there."""
    entry = takedown.entry(domain_or_url)
    before = await takedowns.get(db, entry)
    await takedowns.add(db, entry, reason=reason, now=stamp.now)
    paused = 0
    for source_id, url in await takedowns.sources_near(db, takedown.hostname(entry)):
        if takedown.matching(url, [entry]) is not None:
            paused += await _stop(db, source_id, entry, now=stamp.now)
    if before is None or paused:
        await audit_log.write(db, stamp, "takedown.add", entry, after={"reason": reason, "sources_paused": paused})
    return TakedownAdded(takedown=await get(db, entry), was_listed=before is not None, sources_paused=paused)


async def get(db: Connection, domain_or_url: str) -> Takedown:
    """The entry; NotFound when it is not on the list."""
    entry = takedown.entry(domain_or_url)
    row = await takedowns.get(db, entry)
    if row is None:
        raise NotFound(f"{entry} is not on the takedown list", code="takedown_not_found")
    return _takedown(row)


async def covering(db: Connection, url: str) -> str | None:
    """The entry that covers this URL; None when it may be asked for."""
    return takedown.matching(urls.parse(url).href, await takedowns.all_of_them(db))


async def refuse_run(db: Connection, url: str) -> None:
    """Refuses a run from a URL on the takedown list: it would fail and count against its source."""
    entry = await covering(db, url)
    if entry is not None:
        message = f"{url} cannot run: {entry} is on the takedown list; lift the takedown first"
        raise NotPossible(message, code="taken_down")


async def listed(db: Connection, *, search: str | None, limit: int, offset: int) -> tuple[list[Takedown], int]:
    """One page of the list, the newest first, and how many entries there are."""
    rows, total = await takedowns.listed(db, search=search, limit=limit, offset=offset)
    return [_takedown(row) for row in rows], total


async def remove(db: Connection, domain_or_url: str, *, stamp: Stamp) -> int:
    """Removes an entry; sources that were paused for it alone are resumed. Returns how many."""
    found = await get(db, domain_or_url)
    await takedowns.remove(db, found.entry)
    left = await takedowns.all_of_them(db)
    resumed = 0
    for source_id, url in await takedowns.sources_near(db, takedown.hostname(found.entry)):
        if takedown.matching(url, [found.entry]) is not None and takedown.matching(url, left) is None:
            resumed += await _go_on(db, source_id, now=stamp.now)
    before = {"reason": found.reason, "created_at": found.created_at.isoformat()}
    await audit_log.write(db, stamp, "takedown.remove", found.entry, before=before, after={"sources_resumed": resumed})
    return resumed


def _takedown(row: Any) -> Takedown:
    return Takedown(entry=row.domain_or_url, reason=row.reason, created_at=row.created_at)


async def _job(db: Connection, source_id: int) -> CrawlJob | None:
    job = await crawl_jobs.of_source(db, source_id)
    return await crawl_jobs.lock(db, job.id) if job is not None else None


async def _stop(db: Connection, source_id: int, entry: str, *, now: datetime) -> bool:
    """Pauses the job of a source; one that a person paused stays theirs."""
    job = await _job(db, source_id)
    if job is None:
        return False
    wakes_by_itself = job.state is JobState.PAUSED and job.pause_reason in lifecycle.ENDING_BY_THEMSELVES
    if job.state not in _STOPPED and not wakes_by_itself:
        return False
    await crawl_jobs.change(db, job.id, lifecycle.taken_down(job, entry), now=now)
    going_on = await crawl_runs.open_of_job(db, job.id)
    if going_on is not None:
        await cancel_run(db, going_on, why=f"{entry} was added to the takedown list", now=now)
    return True


async def _go_on(db: Connection, source_id: int, *, now: datetime) -> bool:
    """Undoes what a takedown did, and nothing else."""
    job = await _job(db, source_id)
    if job is None or job.pause_reason is not PauseReason.TAKEDOWN:
        return False
    begun = JobChange(
        state=lifecycle.after(job.state, JobStep.BEGIN_AGAIN),
        pause_reason=None,
        # A worker that has not heard of it yet would refuse the run, and pause the job again.
        next_run_at=now + _HEARD_BY_ALL,
        next_run_reason={"why": "it was removed from the takedown list"},
    )
    await crawl_jobs.change(db, job.id, begun, now=now)
    return True
