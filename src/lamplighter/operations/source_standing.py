"""How does a source stand, in one word, and why? For people: every word comes with its reason."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lamplighter.model.crawl import CrawlJob, JobState, Outcome, PauseReason
from lamplighter.store.source_glimpses import JobGlimpse, SourceGlimpse
from lamplighter.store.source_lists import LastRun
from lamplighter.store.sources import SourceRow

#: at a glance or in full: both say how they stand
_Source = SourceRow | SourceGlimpse
_Job = CrawlJob | JobGlimpse


class Tone(StrEnum):
    """What a word means to whoever looks after sources."""

    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"
    IDLE = "idle"
    BUSY = "busy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A word, what it means, and why it is so."""

    word: str
    tone: Tone
    why: str
    #: since when; None where nobody noted it
    since: datetime | None = None
    #: when it ends by itself; None where somebody has to act, or nothing is to end
    until: datetime | None = None


def standing_of(source: _Source, job: _Job | None, run: LastRun | None) -> Standing:
    """What holds a source back comes first, then what goes on, then how its last run ended."""
    if source.deleted_at is not None:
        why = "It was deleted and is left alone; what was found stays until somebody purges it."
        return Standing(word="deleted", tone=Tone.IDLE, why=why, since=source.deleted_at)
    if not source.enabled:
        return Standing(word="disabled", tone=Tone.IDLE, why=_disabled(source), since=source.disabled_at)
    if job is None:
        return Standing(word="new", tone=Tone.BUSY, why="It gets its crawl job within seconds.")
    if job.deleted_at is not None:
        why = "Somebody deleted its crawl job; enabling the source makes it anew."
        return Standing(word="without a job", tone=Tone.IDLE, why=why, since=job.deleted_at)
    match job.state:
        case JobState.PAUSED:
            return _paused(job)
        case JobState.RUNNING:
            return Standing(word="running", tone=Tone.BUSY, why="A run goes on.", since=job.state_since)
        case JobState.COMPLETED:
            return Standing(word="completed", tone=Tone.GOOD, why="It was to run once, and did.", since=job.state_since)
        case JobState.CANCELLED:
            why = "Somebody cancelled its crawl job; it runs no more until it is started again."
            return Standing(word="cancelled", tone=Tone.IDLE, why=why, since=job.state_since)
        case JobState.FAILED:
            why = f"It was to run once, and failed {_times(job.failure_count)}{_quoted(run)}."
            return Standing(word="failed", tone=Tone.BAD, why=why, since=job.state_since)
    return _waiting(job, run)


def _waiting(job: _Job, run: LastRun | None) -> Standing:
    """A job between two runs is what its last run says of it."""
    if job.failure_count:
        is_first = job.failure_count == 1
        failed = "Its last run failed" if is_first else f"Its runs failed {_times(job.failure_count)} in a row"
        return Standing(word="failing", tone=Tone.BAD, why=f"{failed}{_quoted(run)}.")
    if job.retry_count:
        why = f"Its last run failed{_quoted(run)}; it is tried again ({job.retry_count} of {job.max_retries})."
        return Standing(word="trying again", tone=Tone.FAIR, why=why)
    if run is None:
        return Standing(word="waiting", tone=Tone.IDLE, why="It has not run yet.")
    if run.outcome is Outcome.WARN:
        return Standing(word="warning", tone=Tone.FAIR, why=f"Its last run had a complaint{_quoted(run)}.")
    if run.outcome is Outcome.FAIL:
        return Standing(word="failed", tone=Tone.BAD, why=f"Its last run failed{_quoted(run)}.")
    return Standing(word="healthy", tone=Tone.GOOD, why="Its last run went well.")


def _paused(job: _Job) -> Standing:
    word, tone, why = {
        PauseReason.BREAKER: (
            "paused",
            Tone.BAD,
            f"It failed {_times(job.failure_count)} in a row and rests, so that its site does too.",
        ),
        PauseReason.ROBOTS: ("blocked", Tone.FAIR, "Its robots.txt does not allow its URL, which is checked again."),
        PauseReason.TAKEDOWN: ("blocked", Tone.IDLE, "Its URL is on the takedown list; nothing is asked for there."),
        PauseReason.TASKS: ("on request", Tone.IDLE, "It is only asked for pages that are submitted one by one."),
        PauseReason.SOURCE_DISABLED: ("disabled", Tone.IDLE, "Its source was disabled."),
    }.get(job.pause_reason or PauseReason.USER, ("paused", Tone.IDLE, _by_a_person(job)))
    return Standing(word=word, tone=tone, why=why, since=job.state_since, until=job.resume_at)


def _by_a_person(job: _Job) -> str:
    if job.resume_at is not None:
        return "Somebody paused it for a while; it goes on by itself."
    return "Somebody paused it; nothing runs until it is resumed."


def _disabled(source: _Source) -> str:
    by = f"by {source.disabled_by}" if source.disabled_by else "by somebody"
    return f"It was disabled {by}" + (f": {source.disabled_reason}" if source.disabled_reason else ".")


def _times(count: int) -> str:
    return "once" if count <= 1 else f"{count} times"


def _quoted(run: LastRun | None) -> str:
    return f": {run.message.rstrip('.')}" if run is not None and run.message else ""
