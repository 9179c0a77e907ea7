"""The status of a source as one word with its reason."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lamplighter.model.crawl import CrawlJob, JobState, PauseReason, SourceState
from lamplighter.model.source import Source
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.rules.pages import cut_short
from lamplighter.rules.schedule import reasons
from lamplighter.rules.sources import source_state
from lamplighter.store.sources.source_lists import LastRun
from lamplighter.store.sources.source_summaries import SummaryJob, SummarySource

#: summary or full row: both have what the health depends on
_Source = Source | SummarySource
_Job = CrawlJob | SummaryJob


class HealthTone(StrEnum):
    """How good or bad a health word is."""

    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"
    IDLE = "idle"
    BUSY = "busy"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHealth:
    """A word, what it means, and why it is so."""

    word: str
    tone: HealthTone
    why: str
    #: since when; None where nobody noted it
    since: datetime | None = None
    #: when it ends by itself; None where somebody has to act, or nothing is to end
    until: datetime | None = None


def health_of(source: _Source, job: _Job | None, run: LastRun | None, *, wait: Wait | None = None) -> SourceHealth:
    """The state of a source, and why it is in it.

    `wait` is what a job waits for that should run, such as its host.
    """
    if source.deleted_at is not None:
        why = "The source was deleted and is not crawled; its data stays until it is removed."
        return SourceHealth(word="deleted", tone=HealthTone.IDLE, why=why, since=source.deleted_at)
    if not source.enabled:
        return SourceHealth(word="disabled", tone=HealthTone.IDLE, why=_disabled(source), since=source.disabled_at)
    state = source_state.state_of_job(job, waits=wait is not None)
    word, tone = state.replace("_", " "), _TONES[state]
    if job is None:
        return SourceHealth(word=word, tone=tone, why="It gets its crawl job within seconds.")
    if wait is not None and state is not SourceState.FAILING:
        why = f"{wait.why[:1].upper()}{wait.why[1:]}."
        tone = _TONES[SourceState.WAITING]
        return SourceHealth(word=wait.word, tone=tone, why=why, since=job.state_since, until=wait.until)
    if job.deleted_at is None and job.state in (JobState.PENDING, JobState.SCHEDULED):
        until = job.next_run_at if state in (SourceState.FAILING, SourceState.WAITING) else None
        return SourceHealth(word=word, tone=tone, why=_between_runs(state, job, run), until=until)
    since = job.deleted_at or job.state_since
    return SourceHealth(word=word, tone=tone, why=_without_plan(state, job, run), since=since, until=job.resume_at)


_TONES = {
    SourceState.NEVER_RUN: HealthTone.IDLE,
    SourceState.RUNNING: HealthTone.BUSY,
    SourceState.WAITING: HealthTone.FAIR,
    SourceState.HEALTHY: HealthTone.GOOD,
    SourceState.WARNING: HealthTone.FAIR,
    SourceState.FAILING: HealthTone.BAD,
    SourceState.BLOCKED: HealthTone.FAIR,
    SourceState.PAUSED: HealthTone.IDLE,
    SourceState.DISABLED: HealthTone.IDLE,
}


def _between_runs(state: SourceState, job: _Job, run: LastRun | None) -> str:
    """Why a job that waits for its next run is in this state."""
    match state:
        case SourceState.NEVER_RUN:
            return "It has not run yet."
        case SourceState.WAITING:
            return f"It is due, but waits: {reasons.sentence(job.next_run_reason)}."
        case SourceState.WARNING:
            return f"Its last run ended with a warning{_quoted(run)}."
        case SourceState.HEALTHY:
            note = cut_short.note_in(run.message) if run is not None else None
            return f"Its last run succeeded, {note}." if note else "Its last run succeeded."
    if job.failure_count > 1:
        return f"Its runs failed {_times(job.failure_count)} in a row{_quoted(run)}."
    retry = f"; retry {job.retry_count} of {job.max_retries} follows" if job.retry_count else ""
    return f"Its last run failed{_quoted(run)}{retry}."


def _without_plan(state: SourceState, job: _Job, run: LastRun | None) -> str:
    """Why a job that runs now, or has no next run, is in this state."""
    if job.deleted_at is not None:
        return "An operator deleted its crawl job; enabling the source creates a new one."
    match job.state:
        case JobState.RUNNING:
            return "A run is active."
        case JobState.COMPLETED if state is SourceState.HEALTHY:
            return "It ran once, as scheduled."
        case JobState.COMPLETED | JobState.FAILED if state is SourceState.FAILING:
            return f"It runs only once, and failed {_times(job.failure_count)}{_quoted(run)}."
        case JobState.COMPLETED:
            return f"It runs only once, and ended with a warning{_quoted(run)}."
        case JobState.CANCELLED:
            return "An operator cancelled its crawl job; it does not run until it is started again."
    match job.pause_reason:
        case PauseReason.BREAKER:
            return f"It failed {_times(job.failure_count)} in a row and is paused before the next retry."
        case PauseReason.ROBOTS:
            return "robots.txt disallows its URL; it is checked again later."
        case PauseReason.TAKEDOWN:
            return "Its URL is on the takedown list; nothing is fetched there."
        case PauseReason.TASKS:
            return "It only has pages that were submitted one by one."
        case PauseReason.SOURCE_DISABLED:
            return "Its source was disabled."
    return _by_a_person(job)


def _by_a_person(job: _Job) -> str:
    if job.resume_at is not None:
        return "An operator paused it for a while; it resumes automatically."
    return "An operator paused it; it does not run until it is resumed."


def _disabled(source: _Source) -> str:
    by = f"by {source.disabled_by}" if source.disabled_by else "by an operator"
    return f"It was disabled {by}" + (f": {source.disabled_reason}" if source.disabled_reason else ".")


def _times(count: int) -> str:
    return "once" if count <= 1 else f"{count} times"


def _quoted(run: LastRun | None) -> str:
    return f": {run.message.rstrip('.')}" if run is not None and run.message else ""
