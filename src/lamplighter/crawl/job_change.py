"""What is to become of the crawl job of a source, so that it says what the source says? Decided without asking."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from lamplighter.crawl.norms import Norms
from lamplighter.crawl.retiming import retimed
from lamplighter.model.crawl import CrawlJob, JobState, PauseReason
from lamplighter.model.schedule import PolicyName
from lamplighter.rules import lifecycle
from lamplighter.rules.lifecycle import Action, Step
from lamplighter.rules.policies import learned, priority
from lamplighter.rules.urgency import urgency
from lamplighter.store.crawl_jobs import NewJob
from lamplighter.store.host_times import HostTimes
from lamplighter.store.sources import SourceRow

#: states that a job does not leave by itself
ENDED = (JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)
RECURS = "it is to run again and again"
_RESTORED = "its source was restored"
_DISABLED = "its source was disabled"


class Became(StrEnum):
    """What became of a job."""

    CREATED = "created"
    RETIMED = "retimed"
    PAUSED = "paused"
    RESUMED = "resumed"
    #: its source was deleted, and it was still alive
    ORPHANED = "orphaned"
    #: its run was ended, and it rests as before
    STOPPED = "stopped"


class Change(NamedTuple):
    """What is written into a job."""

    became: Became
    values: Mapping[str, Any]
    #: why a run that goes on is ended; None lets it go on
    ends_run: str | None = None


def wants_job(source: SourceRow, norms: Norms) -> bool:
    """Whether a source that has no job is to get one."""
    return source.enabled and source.deleted_at is None and norms.auto_manage


def new_job(source: SourceRow, host_id: int, host: HostTimes | None, *, norms: Norms, now: datetime) -> NewJob:
    """The crawl job of a new source, due at once, or after the initial delay of its priority."""
    is_by_priority = (source.policy or norms.policy) == PolicyName.PRIORITY
    delay = priority.initial_delay(source.priority) if is_by_priority else timedelta(0)
    return NewJob(
        source_id=source.id,
        priority=source.priority,
        interval=norms.baseline(source, host),
        recurring=source.recurring,
        host_id=host_id,
        urgency=urgency(weight=learned.weight(source.priority), learnt=None, due_at=now),
        next_run_at=now + delay,
    )


def change_of(
    job: CrawlJob,
    source: SourceRow,
    host_id: int,
    host: HostTimes | None,
    *,
    run_since: datetime | None,
    norms: Norms,
    now: datetime,
) -> Change | None:
    """What the job must become for a source as it holds for this job; None when all is as it should be.

    A job that a person deleted is left alone; so is a pause that is a person's. `run_since` is when the run was opened
    that goes on; None when none does.
    """
    if job.deleted_at is not None:
        return None
    if source.deleted_at is not None:
        return _ended(job)
    timing = retimed(job, source, host_id, host, norms=norms, now=now)
    moved = _stopped(job, source, run_since) if not source.enabled else _going_on(job, source, now=now)
    if moved is not None:
        return moved._replace(values={**timing, **moved.values})
    return Change(Became.RETIMED, timing) if timing else None


def is_to_recur(job: CrawlJob, source: SourceRow) -> bool:
    """Whether a job that was to run once, and did, is by now to run again and again."""
    return job.state is JobState.COMPLETED and source.recurring


def begun_again(job: CrawlJob, *, why: str, now: datetime) -> dict[str, Any]:
    """The columns of a job that rested or had ended and begins from the start, at once."""
    anew = {"state": lifecycle.after(job.state, Step.BEGIN_AGAIN), "pause_reason": None, "resume_at": None}
    return anew | {"next_run_at": now, "next_run_reason": {"why": why}}


def _going_on(job: CrawlJob, source: SourceRow, *, now: datetime) -> Change | None:
    """Its source may be crawled: what automation had stopped for the source's sake begins again."""
    if is_to_recur(job, source):
        return Change(Became.RESUMED, begun_again(job, why=RECURS, now=now))
    if job.pause_reason is PauseReason.SOURCE_DISABLED:
        return Change(Became.RESUMED, begun_again(job, why="its source was enabled", now=now))
    if job.pause_reason is PauseReason.SOURCE_DELETED:
        return Change(Became.RESUMED, begun_again(job, why=_RESTORED, now=now))
    if job.state is JobState.CANCELLED and job.pause_reason is PauseReason.USER:
        # A person had paused it before its source was deleted: it comes back with that pause.
        anew = begun_again(job, why=_RESTORED, now=now)
        paused = {"state": lifecycle.after(anew["state"], Action.PAUSE), "pause_reason": PauseReason.USER}
        return Change(Became.PAUSED, anew | paused)
    return None


def _stopped(job: CrawlJob, source: SourceRow, run_since: datetime | None) -> Change | None:
    """A source that is disabled is not asked any more, not even by the run that goes on."""
    # What rests until automation wakes it must not be woken while its source is disabled.
    is_to_be_woken = job.state is JobState.PAUSED and job.pause_reason in lifecycle.ENDING_BY_THEMSELVES
    if job.state in (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING) or is_to_be_woken:
        state = lifecycle.after(job.state, Step.REST)
        values = {"state": state, "pause_reason": PauseReason.SOURCE_DISABLED, "resume_at": None}
        return Change(Became.PAUSED, values, _DISABLED)
    # What rests anyway may have been made to run: before, and that ends; or since then, and that is wanted.
    is_to_end = run_since is not None and source.disabled_at is not None and run_since < source.disabled_at
    return Change(Became.STOPPED, {}, _DISABLED) if is_to_end else None


def _ended(job: CrawlJob) -> Change | None:
    """The job of a deleted source is cancelled; what had ended before stays as it ended."""
    if job.state in ENDED:
        return None
    nothing = {"next_run_at": None, "next_run_reason": None, "resume_at": None}
    # That a person had paused it is remembered: restoring the source must not undo that.
    reason = PauseReason.USER if job.pause_reason is PauseReason.USER else PauseReason.SOURCE_DELETED
    values = {"state": lifecycle.after(job.state, Action.CANCEL), "pause_reason": reason}
    return Change(Became.ORPHANED, values | nothing, "its source was deleted")
