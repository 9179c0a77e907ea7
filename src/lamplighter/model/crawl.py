"""The standing orders to crawl sources, and the runs that carry them out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from lamplighter.model.run_figures import RunFigures
from lamplighter.model.schedule import Learnt


class JobState(StrEnum):
    """Where a crawl job stands."""

    PENDING = "pending"
    SCHEDULED = "scheduled"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    PAUSED = "paused"
    CANCELLED = "cancelled"


class PauseReason(StrEnum):
    """Who paused or cancelled a job; automation undoes only what automation did."""

    USER = "user"
    SOURCE_DISABLED = "source_disabled"
    BREAKER = "breaker"
    ROBOTS = "robots"
    TAKEDOWN = "takedown"
    #: its source is only asked for pages that were submitted one by one
    TASKS = "tasks"
    #: cancelled because its source was deleted; begins again when that is restored
    SOURCE_DELETED = "source_deleted"


class Health(StrEnum):
    """How a job is doing, in one word."""

    HEALTHY = "healthy"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What a person set for a job, over what its source says; None leaves that to the source."""

    interval: timedelta | None = None
    #: 0 to 100
    priority: int | None = None
    #: False keeps to the interval as given
    adaptive: bool | None = None
    #: as stored (see `rules.window_text`); an empty list means at any time
    windows: list[dict[str, Any]] | None = None
    recurring: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlJob:
    """The standing order to crawl a source."""

    id: int
    public_id: str
    source_id: int
    state: JobState
    priority: int
    #: between runs, before anything was observed
    interval: timedelta
    #: watched again and again, or once
    recurring: bool = True
    #: between runs as the policy last chose it; None before the first run
    pace: timedelta | None = None
    #: whom its start page is asked of; None before the first run
    host_id: int | None = None
    pause_reason: PauseReason | None = None
    #: since when it is in this state; None for jobs of old
    state_since: datetime | None = None
    #: when a pause ends by itself; None when somebody has to end it, or it is not paused
    resume_at: datetime | None = None
    #: False when a person set its schedule
    auto_managed: bool = True
    override: Override | None = None
    #: when a person deleted it; it is kept for its history, and automation leaves it alone
    deleted_at: datetime | None = None
    #: quick tries of a failing run, and the wait before the first of them
    max_retries: int = 3
    retry_backoff: timedelta = timedelta(seconds=60)
    next_run_at: datetime | None = None
    #: the inputs and steps that led to next_run_at
    next_run_reason: Mapping[str, Any] | None = None
    #: since when it is due and its host may not be asked, hours outside its windows left out; None while that is not so
    held_since: datetime | None = None
    #: when it was last moved to balance the load
    moved_at: datetime | None = None
    #: tries so far of a run that goes on failing
    retry_count: int = 0
    #: runs in a row that failed for good, tries and all
    failure_count: int = 0
    #: runs in a row that failed, each try counted and what we may not ask for left out
    failed_runs: int = 0
    #: runs in a row that the site turned away
    turned_away_runs: int = 0
    #: runs in a row that found nothing new
    unchanged_count: int = 0
    backoff_until: datetime | None = None
    #: runs opened so far
    run_count: int = 0
    #: pages asked for in a run, on average
    cost: float = 1.0
    #: how often it changes; None before the first visit
    learnt: Learnt | None = None
    #: of its linked pages: changes found on later visits, and the hours between those
    page_changes: float = 0.0
    page_hours: float = 0.0


class Trigger(StrEnum):
    """What opened a run."""

    SCHEDULE = "schedule"
    MANUAL = "manual"
    #: submitted pages that are due; the source's own URL is not asked for, and nothing is followed
    TASKS = "tasks"


class Outcome(StrEnum):
    """How a run ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    #: stopped by an operator; says nothing about the source
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a run did; records found = inserted + updated + unchanged + skipped + failed."""

    pages_fetched: int = 0
    #: answered 304, or with the very bytes we have
    pages_unchanged: int = 0
    #: had before, and with something new on them
    pages_changed: int = 0
    pages_refused: int = 0
    pages_failed: int = 0
    records_found: int = 0
    records_inserted: int = 0
    records_updated: int = 0
    records_unchanged: int = 0
    #: not kept, each for a reason that the run's log tells
    records_skipped: int = 0
    #: read, but the database would not take them
    records_failed: int = 0
    #: of the skipped, those without a title
    empty_titles: int = 0
    bytes_fetched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRun:
    """One carrying-out of a crawl job."""

    id: int
    public_id: str
    job_id: int
    source_id: int
    number: int
    trigger: Trigger
    started_at: datetime
    deadline_at: datetime
    finished_at: datetime | None = None
    outcome: Outcome | None = None
    message: str | None = None
    tally: Tally = Tally()
    #: when a worker last did something for it
    heartbeat_at: datetime | None = None
    #: of linked pages that were had before: those that read differently, and the hours since
    revisit_changes: int = 0
    revisit_hours: float = 0.0
    #: pages it may ask for, and has taken on
    page_budget: int = 0
    page_count: int = 0
    #: records that the source's pages showed when it ended; None while it goes on
    records_shown: int | None = None
    #: whether that was so little that the extractor may be broken
    has_drifted: bool = False
    #: None before its first answer, and of runs of old
    figures: RunFigures | None = None
