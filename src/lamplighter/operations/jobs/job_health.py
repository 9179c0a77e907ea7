"""The health of crawl jobs: of one, and of all together."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.model.crawl import CrawlJob, CrawlRun, JobState, SourceState
from lamplighter.operations.jobs import job_waits
from lamplighter.rules.sources import source_state
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_lists, tallies
from lamplighter.store.jobs.job_lists import JobFilter
from lamplighter.store.runs import run_lists, run_tallies
from lamplighter.store.runs.run_lists import RunSummary
from lamplighter.store.sources import sources

DAY = timedelta(days=1)
_SHOWN_RUNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHealth:
    """How one job is doing."""

    state: SourceState
    #: the latest first
    runs: list[CrawlRun]
    last_day: RunSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOverview:
    """How all jobs are doing."""

    sources: int
    #: status -> number of jobs
    jobs: dict[JobState, int]
    #: state -> number of sources
    states: dict[SourceState, int]
    last_day: RunSummary


async def of_job(db: Connection, job: CrawlJob, *, now: datetime) -> JobHealth:
    """One job, with its latest runs."""
    runs = await run_lists.of_job(db, job.id, limit=_SHOWN_RUNS)
    last_day = await run_lists.summary(db, source_id=job.source_id, since=now - DAY)
    wait = await job_waits.of_source(db, job.source_id, now=now)
    return JobHealth(state=source_state.state_of_job(job, waits=wait is not None), runs=runs, last_day=last_day)


async def overview(db: Connection, *, now: datetime) -> JobOverview:
    """All of them: by status, by state, and what the last day brought."""
    number = await sources.count(db)
    jobs = await tallies.jobs_now(db, sources=number, now=now)
    return JobOverview(
        sources=number,
        jobs=source_state.by_status(jobs),
        states=source_state.by_state(jobs, sources=number),
        last_day=await run_tallies.summary(db, since=now - DAY),
    )


async def count(db: Connection, which: JobFilter) -> int:
    """How many jobs match."""
    if not which.is_by_status_only:
        return await job_lists.count(db, which)
    by_status = source_state.by_status(await tallies.jobs(db))
    return sum(number for status, number in by_status.items() if not which.statuses or status in which.statuses)
