"""Crawl jobs and their runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from lamplighter.model.fields import UNSET, PartialChange, Unset
from lamplighter.model.run_figures import RunFigures
from lamplighter.model.schedule import Learnt, PolicyName, Window


class JobState(StrEnum):
    """The state of a crawl job."""

    PENDING = "pending"
    SCHEDULED = "scheduled"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    PAUSED = "paused"
    CANCELLED = "cancelled"


class PauseReason(StrEnum):
    """Who or what paused or cancelled a job; the service undoes only its own pauses."""

    USER = "user"
    SOURCE_DISABLED = "source_disabled"
    BREAKER = "breaker"
    ROBOTS = "robots"
    TAKEDOWN = "takedown"
    #: its source only holds tasks
    TASKS = "tasks"
    #: cancelled because its source was deleted; starts again when that is restored
    SOURCE_DELETED = "source_deleted"


class RunOutcome(StrEnum):
    """How a run ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    #: stopped by an operator; says nothing about the source
    CANCELLED = "cancelled"


class RunAdvice(StrEnum):
    """What a run that did not fail advises the operator to change in its source."""

    #: the page budget cut it short
    MAX_PAGES = "max_pages"
    #: the start page redirects for good
    MOVED = "moved"


class SourceState(StrEnum):
    """How a source is doing, in one word: the same word on pages, in the APIs, in commands and metrics."""

    NEVER_RUN = "never_run"
    RUNNING = "running"
    #: due or running, but its host is blocked, disabled or waits for a proxy
    WAITING = "waiting"
    #: its last run succeeded
    HEALTHY = "healthy"
    #: its last run succeeded, but an operator should look
    WARNING = "warning"
    #: its last run failed; it is retried, backs off, or has failed for good
    FAILING = "failing"
    #: by robots.txt or a takedown
    BLOCKED = "blocked"
    #: an operator paused or cancelled it
    PAUSED = "paused"
    DISABLED = "disabled"


class JobFacts(NamedTuple):
    """What the state of a job's source depends on."""

    state: str
    #: empty without a reason
    pause_reason: str
    #: its source is neither deleted nor implicit
    is_shown: bool
    #: an operator deleted the job
    is_deleted: bool
    #: runs failed with all their retries
    has_failed: bool
    is_retrying: bool
    #: due, but its host is blocked
    is_held: bool
    #: of its latest run that was not cancelled; empty before the first
    last_outcome: str
    #: due or running, and its host gets no requests now
    waits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What an operator set for a job, overriding its source; None keeps what the source says."""

    interval: timedelta | None = None
    #: 0 to 100
    priority: int | None = None
    #: False keeps the interval as given
    adaptive: bool | None = None
    #: as stored (see `model.window_json`); an empty list means at any time
    windows: list[dict[str, Any]] | None = None
    recurring: bool | None = None
    #: how the interval is chosen, by name
    policy: PolicyName | None = None
    #: the unit in which the interval was given: minutes, hours or days
    interval_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideChange(PartialChange):
    """A change of what an operator set for a job; None takes the source's value again."""

    interval: timedelta | Unset | None = UNSET
    priority: int | Unset | None = UNSET
    adaptive: bool | Unset | None = UNSET
    #: an empty tuple means at any time
    windows: tuple[Window, ...] | Unset | None = UNSET
    recurring: bool | Unset | None = UNSET
    policy: PolicyName | Unset | None = UNSET
    interval_type: str | Unset | None = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlJob:
    """The schedule of a source: crawled repeatedly or once."""

    id: int
    public_id: str
    source_id: int
    state: JobState
    priority: int
    #: time between runs, before anything was observed
    interval: timedelta
    #: crawled repeatedly, or once
    recurring: bool = True
    #: time between runs as the policy last chose it; None before the first run
    pace: timedelta | None = None
    #: the host of its start page; None before the first run
    host_id: int | None = None
    pause_reason: PauseReason | None = None
    #: since when it is in this state; None for jobs of older versions
    state_since: datetime | None = None
    #: when a pause ends by itself; None when an operator must end it, or it is not paused
    resume_at: datetime | None = None
    #: False when an operator set its schedule
    auto_managed: bool = True
    override: Override | None = None
    #: when an operator deleted it; it is kept for its history, and the service does not touch it
    deleted_at: datetime | None = None
    #: quick retries of a failing run, and the wait before the first of them
    max_retries: int = 3
    retry_backoff: timedelta = timedelta(seconds=60)
    next_run_at: datetime | None = None
    #: the inputs and steps that led to next_run_at
    next_run_reason: Mapping[str, Any] | None = None
    #: since when it is due and its host is blocked, without hours outside its windows; None otherwise
    held_since: datetime | None = None
    #: when it was last moved to balance the load
    moved_at: datetime | None = None
    #: retries so far of a run that keeps failing
    retry_count: int = 0
    #: runs in a row that failed for good, with all their retries
    failure_count: int = 0
    #: runs in a row that failed, each retry counted and refusals by our own rules left out
    failed_runs: int = 0
    #: runs in a row that the site blocked
    turned_away_runs: int = 0
    #: when its first complete run ended, with which later ones are compared; None before
    baseline_at: datetime | None = None
    #: runs in a row that found nothing new
    unchanged_count: int = 0
    backoff_until: datetime | None = None
    #: of its latest run that was not cancelled; None before the first
    last_outcome: RunOutcome | None = None
    #: runs opened so far
    run_count: int = 0
    #: pages fetched in a run, on average
    cost: float = 1.0
    #: how often it changes; None before the first visit
    learnt: Learnt | None = None
    #: of its linked pages: changes found on later visits, and the hours between those
    page_changes: float = 0.0
    page_hours: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobChange(PartialChange):
    """A change of a crawl job; the fields mean what those of `CrawlJob` mean."""

    state: JobState | Unset = UNSET
    state_since: datetime | Unset | None = UNSET
    pause_reason: PauseReason | Unset | None = UNSET
    resume_at: datetime | Unset | None = UNSET
    next_run_at: datetime | Unset | None = UNSET
    next_run_reason: Mapping[str, Any] | Unset | None = UNSET
    held_since: datetime | Unset | None = UNSET
    priority: int | Unset = UNSET
    #: the queue in which it waits (see `rules.schedule.urgency`)
    urgency: int | Unset = UNSET
    interval: timedelta | Unset = UNSET
    recurring: bool | Unset = UNSET
    host_id: int | Unset = UNSET
    pace: timedelta | Unset = UNSET
    cost: float | Unset = UNSET
    #: all that was learnt, or only the signal
    learnt: Learnt | Unset = UNSET
    signal: float | Unset = UNSET
    unchanged_count: int | Unset = UNSET
    retry_count: int | Unset = UNSET
    failure_count: int | Unset = UNSET
    failed_runs: int | Unset = UNSET
    turned_away_runs: int | Unset = UNSET
    baseline_at: datetime | Unset = UNSET
    backoff_until: datetime | Unset | None = UNSET
    page_changes: float | Unset = UNSET
    page_hours: float | Unset = UNSET
    run_count: int | Unset = UNSET
    #: when its last run began, and its outcome
    last_run_at: datetime | Unset = UNSET
    last_outcome: RunOutcome | Unset = UNSET
    last_drifted: bool | Unset = UNSET
    last_advice: RunAdvice | Unset | None = UNSET
    deleted_at: datetime | Unset | None = UNSET
    auto_managed: bool | Unset = UNSET
    override: Override | Unset | None = UNSET
    max_retries: int | Unset = UNSET
    retry_backoff: timedelta | Unset = UNSET
    #: notes of other programs
    metadata: Mapping[str, Any] | Unset = UNSET


class Trigger(StrEnum):
    """What opened a run."""

    SCHEDULE = "schedule"
    MANUAL = "manual"
    #: submitted pages that are due; the source's own URL is not fetched, and no links are followed
    TASKS = "tasks"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTally:
    """The counters of a run; records found = inserted + updated + unchanged + skipped + failed."""

    pages_fetched: int = 0
    #: the response was a 304, or exactly the bytes we have
    pages_unchanged: int = 0
    #: fetched before, with something new on them
    pages_changed: int = 0
    pages_refused: int = 0
    pages_failed: int = 0
    records_found: int = 0
    records_inserted: int = 0
    records_updated: int = 0
    records_unchanged: int = 0
    #: not kept, each for a reason in the run's log
    records_skipped: int = 0
    #: parsed, but the database refused them
    records_failed: int = 0
    #: of the skipped, those without a title
    empty_titles: int = 0
    bytes_fetched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRun:
    """One run of a crawl job."""

    id: int
    public_id: str
    job_id: int
    source_id: int
    number: int
    trigger: Trigger
    started_at: datetime
    deadline_at: datetime
    finished_at: datetime | None = None
    outcome: RunOutcome | None = None
    message: str | None = None
    tally: RunTally = RunTally()
    #: when a worker last did something for it
    heartbeat_at: datetime | None = None
    #: of linked pages that were fetched before: those that changed, and the hours since
    revisit_changes: int = 0
    revisit_hours: float = 0.0
    #: pages it may fetch, and has taken
    page_budget: int = 0
    page_count: int = 0
    #: records that the source's pages showed when it ended; None while it is running
    records_shown: int | None = None
    #: whether that was so few that the extractor may be broken
    has_drifted: bool = False
    #: None before its first response, and for runs of older versions
    figures: RunFigures | None = None
