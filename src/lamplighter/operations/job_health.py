"""How are the crawl jobs doing: each by itself, and all of them together?"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.model.crawl import CrawlJob, CrawlRun, Health, JobState, Outcome, PauseReason
from lamplighter.store import job_lists, run_lists, sources
from lamplighter.store.database import Connection
from lamplighter.store.job_lists import Standing
from lamplighter.store.run_lists import Summary

DAY = timedelta(days=1)
_SHOWN_RUNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHealth:
    """How one job is doing."""

    health: Health
    #: the latest first
    runs: list[CrawlRun]
    last_day: Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """How all jobs are doing."""

    sources: int
    #: state -> number of jobs
    jobs: dict[str, int]
    health: dict[Health, int]
    last_day: Summary


def judge(standing: Standing, *, last: Outcome | None) -> Health:
    """Failed for good, or stopped by its breaker: failed. Being tried again, refused, or ended oddly: warning."""
    if standing.state == JobState.FAILED or standing.pause_reason == PauseReason.BREAKER or standing.has_failed:
        return Health.FAILED
    is_refused = standing.pause_reason in (PauseReason.ROBOTS, PauseReason.TAKEDOWN)
    if standing.is_retrying or is_refused or last in (Outcome.WARN, Outcome.FAIL):
        return Health.WARNING
    return Health.HEALTHY


async def of_job(db: Connection, job: CrawlJob, *, now: datetime) -> JobHealth:
    """One job, with its latest runs."""
    runs = await run_lists.of_job(db, job.id, limit=_SHOWN_RUNS)
    ended = next((run.outcome for run in runs if run.outcome not in (None, Outcome.CANCELLED)), None)
    standing = Standing(job.state, job.pause_reason, job.failure_count > 0, job.retry_count > 0)
    last_day = await run_lists.summary(db, source_id=job.source_id, since=now - DAY)
    return JobHealth(health=judge(standing, last=ended), runs=runs, last_day=last_day)


async def overview(db: Connection, *, now: datetime) -> Overview:
    """All of them: by state, by health, and what the last day brought; cancelled jobs have no health."""
    by_state = await job_lists.count_by_state(db)
    return Overview(
        sources=await sources.count(db),
        jobs={str(state): by_state.get(state, 0) for state in JobState},
        health=await by_health(db, by_state),
        last_day=await run_lists.summary(db, since=now - DAY),
    )


async def by_health(db: Connection, by_state: Mapping[str, int]) -> dict[Health, int]:
    """How many jobs are how well, given how many are in which state; cancelled ones do not count."""
    health = dict.fromkeys(Health, 0)
    for standing, jobs in (await job_lists.unwell(db)).items():
        if standing.state != JobState.CANCELLED:
            health[judge(standing, last=None)] += jobs
    health[Health.WARNING] += await job_lists.count_complained(db)
    known = sum(jobs for state, jobs in by_state.items() if state != JobState.CANCELLED)
    health[Health.HEALTHY] = max(0, known - health[Health.WARNING] - health[Health.FAILED])
    return health
