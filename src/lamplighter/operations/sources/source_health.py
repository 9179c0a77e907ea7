"""The status of a source as one word with its reason."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lamplighter.model.crawl import CrawlJob, JobState, PauseReason, RunOutcome
from lamplighter.model.source import Source
from lamplighter.rules.pages import cut_short
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


def health_of(source: _Source, job: _Job | None, run: LastRun | None) -> SourceHealth:
    """The health of a source: what holds it back first, then an open run, then its last outcome."""
    if source.deleted_at is not None:
        why = "The source was deleted and is not crawled; its data stays until it is removed."
        return SourceHealth(word="deleted", tone=HealthTone.IDLE, why=why, since=source.deleted_at)
    if not source.enabled:
        return SourceHealth(word="disabled", tone=HealthTone.IDLE, why=_disabled(source), since=source.disabled_at)
    if job is None:
        return SourceHealth(word="new", tone=HealthTone.BUSY, why="It gets its crawl job within seconds.")
    if job.deleted_at is not None:
        why = "An operator deleted its crawl job; enabling the source creates a new one."
        return SourceHealth(word="without a job", tone=HealthTone.IDLE, why=why, since=job.deleted_at)
    match job.state:
        case JobState.PAUSED:
            return _paused(job)
        case JobState.RUNNING:
            return SourceHealth(word="running", tone=HealthTone.BUSY, why="A run is active.", since=job.state_since)
        case JobState.COMPLETED:
            return SourceHealth(
                word="completed", tone=HealthTone.GOOD, why="It ran once, as scheduled.", since=job.state_since
            )
        case JobState.CANCELLED:
            why = "An operator cancelled its crawl job; it does not run until it is started again."
            return SourceHealth(word="cancelled", tone=HealthTone.IDLE, why=why, since=job.state_since)
        case JobState.FAILED:
            why = f"It runs only once, and failed {_times(job.failure_count)}{_quoted(run)}."
            return SourceHealth(word="failed", tone=HealthTone.BAD, why=why, since=job.state_since)
    return _waiting(job, run)


def _waiting(job: _Job, run: LastRun | None) -> SourceHealth:
    """A job between two runs is what its last run says of it."""
    if job.failure_count:
        is_first = job.failure_count == 1
        failed = "Its last run failed" if is_first else f"Its runs failed {_times(job.failure_count)} in a row"
        return SourceHealth(word="failing", tone=HealthTone.BAD, why=f"{failed}{_quoted(run)}.")
    if job.retry_count:
        why = f"Its last run failed{_quoted(run)}; retry {job.retry_count} of {job.max_retries} follows."
        return SourceHealth(word="retrying", tone=HealthTone.FAIR, why=why)
    if run is None:
        return SourceHealth(word="waiting", tone=HealthTone.IDLE, why="It has not run yet.")
    if run.outcome is RunOutcome.WARN:
        return SourceHealth(
            word="warning", tone=HealthTone.FAIR, why=f"Its last run ended with a warning{_quoted(run)}."
        )
    if run.outcome is RunOutcome.FAIL:
        return SourceHealth(word="failed", tone=HealthTone.BAD, why=f"Its last run failed{_quoted(run)}.")
    note = cut_short.note_in(run.message)
    why = f"Its last run succeeded, {note}." if note else "Its last run succeeded."
    return SourceHealth(word="healthy", tone=HealthTone.GOOD, why=why)


def _paused(job: _Job) -> SourceHealth:
    word, tone, why = {
        PauseReason.BREAKER: (
            "paused",
            HealthTone.BAD,
            f"It failed {_times(job.failure_count)} in a row and is paused before the next retry.",
        ),
        PauseReason.ROBOTS: ("blocked", HealthTone.FAIR, "robots.txt disallows its URL; it is checked again later."),
        PauseReason.TAKEDOWN: (
            "blocked",
            HealthTone.IDLE,
            "Its URL is on the takedown list; nothing is fetched there.",
        ),
        PauseReason.TASKS: ("on request", HealthTone.IDLE, "It only has pages that were submitted one by one."),
        PauseReason.SOURCE_DISABLED: ("disabled", HealthTone.IDLE, "Its source was disabled."),
    }.get(job.pause_reason or PauseReason.USER, ("paused", HealthTone.IDLE, _by_a_person(job)))
    return SourceHealth(word=word, tone=tone, why=why, since=job.state_since, until=job.resume_at)


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
