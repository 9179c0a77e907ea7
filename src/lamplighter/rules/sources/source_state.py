"""The state of a source, by the facts of its job.

`store.jobs.job_conditions` has the same rule as SQL conditions.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from lamplighter.model.crawl import JobFacts, JobState, PauseReason, RunOutcome, SourceState


class JobLike(Protocol):
    """A job, or the part of it that a list shows."""

    @property
    def state(self) -> JobState: ...
    @property
    def pause_reason(self) -> PauseReason | None: ...
    @property
    def deleted_at(self) -> datetime | None: ...
    @property
    def failure_count(self) -> int: ...
    @property
    def retry_count(self) -> int: ...
    @property
    def held_since(self) -> datetime | None: ...
    @property
    def last_outcome(self) -> RunOutcome | None: ...


_PAUSED = {
    PauseReason.SOURCE_DISABLED: SourceState.DISABLED,
    PauseReason.BREAKER: SourceState.FAILING,
    PauseReason.ROBOTS: SourceState.BLOCKED,
    PauseReason.TAKEDOWN: SourceState.BLOCKED,
}


def state_of(job: JobFacts | None) -> SourceState:
    """The state; a source without a job has never run."""
    if job is None:
        return SourceState.NEVER_RUN
    if job.is_deleted:
        return SourceState.DISABLED
    match job.state:
        case JobState.RUNNING:
            return SourceState.WAITING if job.waits else SourceState.RUNNING
        case JobState.PAUSED if job.pause_reason:
            return _PAUSED.get(PauseReason(job.pause_reason), SourceState.PAUSED)
        case JobState.PAUSED | JobState.CANCELLED:
            return SourceState.PAUSED
        case JobState.FAILED:
            return SourceState.FAILING
    return _between_runs(job)


def _between_runs(job: JobFacts) -> SourceState:
    if job.has_failed or job.is_retrying or job.last_outcome == RunOutcome.FAIL:
        return SourceState.FAILING
    if job.is_held or job.waits:
        return SourceState.WAITING
    if not job.last_outcome:
        return SourceState.NEVER_RUN
    return SourceState.WARNING if job.last_outcome == RunOutcome.WARN else SourceState.HEALTHY


def state_of_job(job: JobLike | None, *, waits: bool, enabled: bool = True) -> SourceState:
    """The state of a source with this job; `waits` says whether its host keeps it from running.

    A source that is disabled from the start has no job.
    """
    if job is None and not enabled:
        return SourceState.DISABLED
    return state_of(_facts(job)._replace(waits=waits) if job is not None else None)


def status_of(job: JobFacts) -> JobState:
    """The status of a job that people see: a job whose runs fail is failed, whenever it is tried again."""
    return JobState.FAILED if state_of(job) is SourceState.FAILING else JobState(job.state)


def status_of_job(job: JobLike) -> JobState:
    """The same of one job."""
    return status_of(_facts(job))


def by_status(jobs: Mapping[JobFacts, int]) -> dict[JobState, int]:
    """Status -> number of listed jobs."""
    found = dict.fromkeys(JobState, 0)
    for job, number in jobs.items():
        if job.is_shown and not job.is_deleted:
            found[status_of(job)] += number
    return found


def by_state(jobs: Mapping[JobFacts, int], *, sources: int) -> dict[SourceState, int]:
    """State -> number of sources; the numbers add up to `sources`."""
    found = dict.fromkeys(SourceState, 0)
    for job, number in jobs.items():
        if job.is_shown:
            found[state_of(job)] += number
    found[state_of(None)] += sources - sum(found.values())
    return found


def _facts(job: JobLike) -> JobFacts:
    return JobFacts(
        state=job.state,
        pause_reason=job.pause_reason or "",
        is_shown=True,
        is_deleted=job.deleted_at is not None,
        has_failed=job.failure_count > 0,
        is_retrying=job.retry_count > 0,
        is_held=job.held_since is not None,
        last_outcome=job.last_outcome or "",
    )
