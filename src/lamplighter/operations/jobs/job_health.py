"""The health of crawl jobs: of one, and of all together."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.model.crawl import CrawlJob, CrawlRun, JobHealthState, JobState, PauseReason, RunOutcome
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import tallies
from lamplighter.store.jobs.tallies import JobTallyKey
from lamplighter.store.runs import run_lists, run_tallies
from lamplighter.store.runs.run_lists import RunSummary
from lamplighter.store.sources import sources
from lamplighter.store.sources.source_lists import ListedJob

DAY = timedelta(days=1)
_SHOWN_RUNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHealth:
    """How one job is doing."""

    health: JobHealthState
    #: the latest first
    runs: list[CrawlRun]
    last_day: RunSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOverview:
    """How all jobs are doing."""

    sources: int
    #: state -> number of jobs
    jobs: dict[str, int]
    health: dict[JobHealthState, int]
    last_day: RunSummary


def judge(key: JobTallyKey) -> JobHealthState:
    """Failed for good, or stopped by its breaker: failed. Being tried again, refused, or ended oddly: warning."""
    if key.state == JobState.FAILED or key.pause_reason == PauseReason.BREAKER or key.has_failed:
        return JobHealthState.FAILED
    is_refused = key.pause_reason in (PauseReason.ROBOTS, PauseReason.TAKEDOWN)
    if key.is_retrying or is_refused or key.ended_badly:
        return JobHealthState.WARNING
    return JobHealthState.HEALTHY


def health_of(job: CrawlJob | ListedJob, ended: RunOutcome | None) -> JobHealthState:
    """How one job is doing, whose latest run ended so."""
    return judge(
        JobTallyKey(
            state=job.state,
            pause_reason=job.pause_reason or "",
            is_listed=True,
            has_failed=job.failure_count > 0,
            is_retrying=job.retry_count > 0,
            ended_badly=ended in (RunOutcome.WARN, RunOutcome.FAIL),
        )
    )


async def of_job(db: Connection, job: CrawlJob, *, now: datetime) -> JobHealth:
    """One job, with its latest runs."""
    runs = await run_lists.of_job(db, job.id, limit=_SHOWN_RUNS)
    ended = next((run.outcome for run in runs if run.outcome not in (None, RunOutcome.CANCELLED)), None)
    last_day = await run_lists.summary(db, source_id=job.source_id, since=now - DAY)
    return JobHealth(health=health_of(job, ended), runs=runs, last_day=last_day)


async def overview(db: Connection, *, now: datetime) -> JobOverview:
    """All of them: by state, by health, and what the last day brought; cancelled jobs have no health."""
    job_tallies = await tallies.jobs(db)
    by_state = tallies.listed_by_state(job_tallies)
    return JobOverview(
        sources=await sources.count(db),
        jobs={str(state): by_state.get(state, 0) for state in JobState},
        health=by_health(job_tallies),
        last_day=await run_tallies.summary(db, since=now - DAY),
    )


def by_health(job_tallies: Mapping[JobTallyKey, int]) -> dict[JobHealthState, int]:
    """The number of jobs by health; cancelled and unlisted jobs do not count."""
    health = dict.fromkeys(JobHealthState, 0)
    for key, jobs in job_tallies.items():
        if key.is_listed and key.state != JobState.CANCELLED:
            health[judge(key)] += jobs
    return health
