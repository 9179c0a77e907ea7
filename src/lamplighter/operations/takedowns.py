"""Takedowns: domains and URL prefixes that are never asked again, and what is stored of them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.finish import cancel_run
from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.crawl import CrawlJob, JobState, PauseReason
from lamplighter.rules import lifecycle, takedown, urls
from lamplighter.rules.lifecycle import Step
from lamplighter.store import audit_log, crawl_jobs, crawl_runs, takedowns
from lamplighter.store.database import Connection

#: every worker has read the list anew by then (see fetch.barrier)
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
class Added:
    """What putting an entry on the list did."""

    takedown: Takedown
    #: it stood there before
    was_listed: bool
    #: sources that are no longer crawled because of it
    sources_paused: int


async def add(db: Connection, domain_or_url: str, *, actor: str, now: datetime, reason: str | None = None) -> Added:
    """Never asks this domain or URL prefix again, and pauses the sources that start there."""
    entry = takedown.entry(domain_or_url)
    before = await takedowns.get(db, entry)
    await takedowns.add(db, entry, reason=reason, now=now)
    paused = 0
    for source_id, url in await takedowns.sources_near(db, takedown.hostname(entry)):
        if takedown.matching(url, [entry]) is not None:
            paused += await _stop(db, source_id, entry, now=now)
    if before is None or paused:
        after = {"reason": reason, "sources_paused": paused}
        await audit_log.write(db, actor=actor, action="takedown.add", subject=entry, now=now, after=after)
    return Added(takedown=await get(db, entry), was_listed=before is not None, sources_paused=paused)


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
    """Refuses a run from this URL if it would ask for nothing, fail, and count against its source."""
    entry = await covering(db, url)
    if entry is not None:
        message = f"{url} cannot be run: {entry} is on the list of takedowns; lift that first"
        raise NotPossible(message, code="taken_down")


async def listed(db: Connection, *, search: str | None, limit: int, offset: int) -> tuple[list[Takedown], int]:
    """One page of the list, the newest first, and how many entries there are."""
    rows, total = await takedowns.listed(db, search=search, limit=limit, offset=offset)
    return [_takedown(row) for row in rows], total


async def remove(db: Connection, domain_or_url: str, *, actor: str, now: datetime) -> int:
    """Takes an entry off the list; sources that were paused for it alone go on. Returns how many do."""
    found = await get(db, domain_or_url)
    await takedowns.remove(db, found.entry)
    left = await takedowns.all_of_them(db)
    resumed = 0
    for source_id, url in await takedowns.sources_near(db, takedown.hostname(found.entry)):
        if takedown.matching(url, [found.entry]) is not None and takedown.matching(url, left) is None:
            resumed += await _go_on(db, source_id, now=now)
    before = {"reason": found.reason, "created_at": found.created_at.isoformat()}
    after = {"sources_resumed": resumed}
    await audit_log.write(
        db, actor=actor, action="takedown.remove", subject=found.entry, now=now, before=before, after=after
    )
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
    await crawl_jobs.change(
        db,
        job.id,
        now=now,
        state=lifecycle.after(job.state, Step.REST),
        pause_reason=PauseReason.TAKEDOWN,
        resume_at=None,
        next_run_at=None,
        next_run_reason={"why": f"{entry} is on the takedown list"},
    )
    going_on = await crawl_runs.open_of_job(db, job.id)
    if going_on is not None:
        await cancel_run(db, going_on, why=f"{entry} was put on the takedown list", now=now)
    return True


async def _go_on(db: Connection, source_id: int, *, now: datetime) -> bool:
    """Undoes what a takedown did, and nothing else."""
    job = await _job(db, source_id)
    if job is None or job.pause_reason is not PauseReason.TAKEDOWN:
        return False
    await crawl_jobs.change(
        db,
        job.id,
        now=now,
        state=lifecycle.after(job.state, Step.BEGIN_AGAIN),
        pause_reason=None,
        # A worker that has not heard of it yet would refuse the run, and pause the job again.
        next_run_at=now + _HEARD_BY_ALL,
        next_run_reason={"why": "it was taken off the takedown list"},
    )
    return True
