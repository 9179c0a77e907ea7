"""The standing orders to crawl sources, and the runs that carry them out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any


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
    """Who paused a job; automation undoes only what automation did."""

    USER = "user"
    SOURCE_DISABLED = "source_disabled"
    BREAKER = "breaker"
    ROBOTS = "robots"
    TAKEDOWN = "takedown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlJob:
    """The standing order to crawl a source."""

    id: int
    public_id: str
    source_id: int
    state: JobState
    priority: int
    interval: timedelta
    pause_reason: PauseReason | None = None
    next_run_at: datetime | None = None
    #: the inputs and steps that led to next_run_at
    next_run_reason: Mapping[str, Any] | None = None
    #: runs in a row that finally failed
    failure_count: int = 0
    #: runs in a row that found nothing new
    unchanged_count: int = 0
    backoff_until: datetime | None = None
    #: runs opened so far
    run_count: int = 0


class Trigger(StrEnum):
    """What opened a run."""

    SCHEDULE = "schedule"
    MANUAL = "manual"


class Outcome(StrEnum):
    """How a run ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a run did; records found = inserted + updated + unchanged + skipped + failed."""

    pages_fetched: int = 0
    #: answered 304, or with the very bytes we have
    pages_unchanged: int = 0
    #: read differently from the last time
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
    #: pages it may ask for, and has taken on
    page_budget: int = 0
    page_count: int = 0
    #: records that the source's pages showed when it ended; None while it goes on
    records_shown: int | None = None
    #: whether that was so little that the extractor may be broken
    has_drifted: bool = False
