"""How are the crawl jobs doing: each by itself, and all of them together?"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.model.crawl import CrawlJob, CrawlRun, Health, JobState, Outcome, PauseReason
from lamplighter.store import run_lists, run_tallies, sources, tallies
from lamplighter.store.database import Connection
from lamplighter.store.run_lists import Summary
from lamplighter.store.source_lists import JobGlance
from lamplighter.store.tallies import Standing

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


def judge(standing: Standing) -> Health:
    """Failed for good, or stopped by its breaker: failed. Being tried again, refused, or ended oddly: warning."""
    if standing.state == JobState.FAILED or standing.pause_reason == PauseReason.BREAKER or standing.has_failed:
        return Health.FAILED
    is_refused = standing.pause_reason in (PauseReason.ROBOTS, PauseReason.TAKEDOWN)
    if standing.is_retrying or is_refused or standing.ended_badly:
        return Health.WARNING
    return Health.HEALTHY


def health_of(job: CrawlJob | JobGlance, ended: Outcome | None) -> Health:
    """How one job is doing, whose latest run ended so."""
    return judge(
        Standing(
            state=job.state,
            pause_reason=job.pause_reason or "",
            is_listed=True,
            has_failed=job.failure_count > 0,
            is_retrying=job.retry_count > 0,
            ended_badly=ended in (Outcome.WARN, Outcome.FAIL),
        )
    )


async def of_job(db: Connection, job: CrawlJob, *, now: datetime) -> JobHealth:
    """One job, with its latest runs."""
    runs = await run_lists.of_job(db, job.id, limit=_SHOWN_RUNS)
    ended = next((run.outcome for run in runs if run.outcome not in (None, Outcome.CANCELLED)), None)
    last_day = await run_lists.summary(db, source_id=job.source_id, since=now - DAY)
    return JobHealth(health=health_of(job, ended), runs=runs, last_day=last_day)


async def overview(db: Connection, *, now: datetime) -> Overview:
    """All of them: by state, by health, and what the last day brought; cancelled jobs have no health."""
    standings = await tallies.jobs(db)
    by_state = tallies.listed_by_state(standings)
    return Overview(
        sources=await sources.count(db),
        jobs={str(state): by_state.get(state, 0) for state in JobState},
        health=by_health(standings),
        last_day=await run_tallies.summary(db, since=now - DAY),
    )


def by_health(standings: Mapping[Standing, int]) -> dict[Health, int]:
    """How many jobs are how well, given how many stand how; cancelled ones and those in no list do not count."""
    health = dict.fromkeys(Health, 0)
    for standing, jobs in standings.items():
        if standing.is_listed and standing.state != JobState.CANCELLED:
            health[judge(standing)] += jobs
    return health
