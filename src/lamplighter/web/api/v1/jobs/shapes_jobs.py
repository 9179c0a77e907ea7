"""Request models of crawl jobs, and responses to bulk actions and deletions."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self
from uuid import UUID

import orjson
from pydantic import AfterValidator, BaseModel, Field, model_validator

from lamplighter.model.crawl import JobState, OverrideChange
from lamplighter.model.schedule import PolicyName, Window
from lamplighter.operations.jobs.job_bulk import MOST_NAMED, JobActionResult
from lamplighter.operations.jobs.job_overrides import JobOverride
from lamplighter.operations.sources.source_words import priority_number
from lamplighter.rules.schedule import window_text
from lamplighter.store.jobs.job_lists import JobFilter
from lamplighter.web.api.source_routes import Priority as NamedPriority
from lamplighter.web.values import Given, Limit, Line, Offset

#: the longest interval: a leap year
MOST_MINUTES = 366 * 24 * 60
_MINUTES = {"minutes": 1, "hours": 60, "days": 24 * 60}
_MOST_METADATA_BYTES = 16 * 1024

Hour = Annotated[int, Field(ge=0, le=23)]
Priority = Annotated[int, Field(ge=0, le=100)]
Count = Annotated[int, Field(ge=1, le=MOST_MINUTES)]


def _storable(value: dict[str, Any]) -> dict[str, Any]:
    """JSON that all databases accept."""
    try:
        stored = orjson.dumps(value)
    except (TypeError, ValueError):
        raise ValueError("holds what cannot be stored: a broken character, or a number of more than 64 bits") from None
    if len(stored) > _MOST_METADATA_BYTES:
        raise ValueError(f"is {len(stored)} bytes long; {_MOST_METADATA_BYTES} are the most")
    if b"\\u0000" in stored:
        raise ValueError("holds the character U+0000, which is no text; leave it out")
    return value


class ScheduleIn(Given):
    """The schedule of a job; omitted fields stay as they are."""

    interval_minutes: Count | None = Field(default=None, description="Between two runs; null means once.")
    interval_value: Count | None = Field(default=None, description="The same in units of interval_type.")
    interval_type: Literal["minutes", "hours", "days"] = Field(
        default="minutes", description="Other units than minutes need interval_value; interval_minutes is in minutes."
    )
    schedule_enabled: bool | None = Field(default=None, description="false runs once; true repeats.")
    adaptive_scheduling: bool | None = Field(
        default=None,
        description="false keeps exactly to the interval; true doubles it while nothing changes, up to 24 h.",
    )
    policy: PolicyName | None = Field(
        default=None, description="By name, over adaptive_scheduling; null: the source's."
    )
    priority: NamedPriority | None = Field(default=None, description="A name, or 0 to 100; higher runs sooner.")
    max_concurrent: int | None = Field(
        default=None, description="Only 1: a job has one run at a time. A host's policy limits requests at a time."
    )
    crawl_window_start: Hour | None = Field(default=None, description="UTC; with crawl_window_end.")
    crawl_window_end: Hour | None = None

    @model_validator(mode="after")
    def _is_clear(self) -> Self:
        if self.interval_type != "minutes" and self.interval_value is None:
            raise ValueError(
                f"interval_type {self.interval_type!r} needs interval_value, the number of {self.interval_type}; "
                "interval_minutes is always in minutes"
            )
        both = self.interval_minutes is not None and self.interval_value is not None
        if both and self.interval_minutes != self._value_in_minutes:
            raise ValueError(
                f"interval_minutes {self.interval_minutes} and interval_value {self.interval_value} "
                f"{self.interval_type} are not the same; give one of them"
            )
        if self.max_concurrent not in (None, 1):
            raise ValueError(
                f"max_concurrent {self.max_concurrent} is not possible: a crawl job has one run at a time. "
                "Leave it out. How many requests a host gets at a time is max_concurrency of its policy"
            )
        if (self.crawl_window_start is None) != (self.crawl_window_end is None):
            raise ValueError("crawl_window_start and crawl_window_end belong together; give both or neither")
        return self

    @property
    def _value_in_minutes(self) -> int | None:
        return self.interval_value * _MINUTES[self.interval_type] if self.interval_value is not None else None

    def schedule(self) -> OverrideChange:
        """The given fields as an override change."""
        said = OverrideChange()
        given = self.model_fields_set
        if given & {"interval_minutes", "interval_value"}:
            minutes = self._value_in_minutes if self.interval_value is not None else self.interval_minutes
            interval = timedelta(minutes=minutes) if minutes is not None else None
            unit = self.interval_type if interval is not None else None
            said |= OverrideChange(interval=interval, interval_type=unit, recurring=minutes is not None)
        if self.schedule_enabled is not None:
            said |= OverrideChange(recurring=self.schedule_enabled)
        if "adaptive_scheduling" in given:
            said |= OverrideChange(adaptive=self.adaptive_scheduling)
        if "policy" in given:
            said |= OverrideChange(policy=self.policy)
        if "priority" in given:
            said |= OverrideChange(priority=priority_number(self.priority) if self.priority is not None else None)
        if given & {"crawl_window_start", "crawl_window_end"}:
            said |= OverrideChange(windows=self._windows())
        return said

    def _windows(self) -> tuple[Window, ...] | None:
        if self.crawl_window_start is None or self.crawl_window_end is None:
            return None
        return window_text.from_hours(self.crawl_window_start, self.crawl_window_end, None)


class JobChanges(ScheduleIn):
    """Fields of a job to change; omitted fields stay as they are."""

    max_retries: Annotated[int, Field(ge=0, le=10)] | None = None
    retry_backoff_seconds: Annotated[int, Field(ge=1, le=3600)] | None = None
    metadata: Annotated[dict[str, Any], AfterValidator(_storable)] | None = None

    def submitted(self) -> JobOverride:
        """The given fields as a job override."""
        seconds = self.retry_backoff_seconds
        return JobOverride(
            schedule=self.schedule(),
            max_retries=self.max_retries,
            retry_backoff=timedelta(seconds=seconds) if seconds is not None else None,
            metadata=self.metadata,
        )


class JobIn(JobChanges):
    """A new job; without an interval and schedule_enabled, the source is crawled once."""

    source_id: UUID
    url: Annotated[Line, Field(min_length=1, max_length=4096)] | None = Field(
        default=None, description="The source's own; another is refused."
    )

    def schedule(self) -> OverrideChange:
        """The override; by default runs once."""
        return OverrideChange(recurring=False) | ScheduleIn.schedule(self)


class JobFilterIn(Given):
    """A filter."""

    status: list[JobState] = Field(default=[], max_length=len(JobState))
    source_id: UUID | None = None
    search: Annotated[Line, Field(max_length=200)] | None = Field(default=None, description="Part of name or URL.")
    priority_min: Priority | None = None
    priority_max: Priority | None = None
    auto_managed: bool | None = None
    host: Annotated[Line, Field(max_length=300)] | None = None

    def which(self) -> JobFilter:
        """The filter."""
        source = str(self.source_id) if self.source_id is not None else None
        same = ("search", "priority_min", "priority_max", "auto_managed", "host")
        return JobFilter(statuses=tuple(self.status), source=source, **{name: getattr(self, name) for name in same})


class JobListIn(JobFilterIn):
    """Filter, order and limit of a list."""

    sort: Literal["created_at", "updated_at", "next_run_at", "priority", "status", "failure_count", "source_name"] = (
        "created_at"
    )
    order: Literal["asc", "desc"] = "desc"
    limit: Limit = 50
    offset: Offset = 0


class JobBulkIn(Given):
    """One action for many jobs: those named, or all that match a filter."""

    action: Literal["pause", "stop", "resume", "cancel", "retry", "force-run", "delete", "auto"]
    ids: Annotated[list[UUID], Field(min_length=1, max_length=MOST_NAMED)] | None = None
    filter: JobFilterIn | None = None
    preview: bool = Field(default=False, description="Only counts whom it would concern.")

    @model_validator(mode="after")
    def _names_jobs(self) -> Self:
        if (self.ids is None) == (self.filter is None):
            raise ValueError("give either ids or filter; an empty filter means all jobs")
        return self


class BulkResult(BaseModel):
    """The result for one job."""

    id: UUID
    result: Literal["done", "error"]
    error: str | None = Field(examples=["cannot pause a crawl job that is running; from here it can only cancel"])
    code: str | None = Field(examples=["not_possible"])


class JobBulkOut(BaseModel):
    """The result for all jobs."""

    action: str
    preview: bool
    total: int
    succeeded: int
    failed: int
    results: list[BulkResult]


def bulk_out(action: str, *, total: int, done: list[JobActionResult] | None) -> dict[str, Any]:
    """A report; empty for a preview."""
    results = [
        {"id": each.id, "result": "done" if each.error is None else "error", "error": each.error, "code": each.code}
        for each in done or ()
    ]
    failed = sum(each["result"] == "error" for each in results)
    return {
        "action": action,
        "preview": done is None,
        "total": total,
        "succeeded": len(results) - failed,
        "failed": failed,
        "results": results,
    }


class JobDeletedOut(BaseModel):
    """A deleted job."""

    id: UUID
    status: JobState
    deleted_at: datetime


class StatusCountsOut(BaseModel):
    """How many jobs are in each state."""

    pending: int
    scheduled: int
    running: int
    completed: int
    failed: int
    paused: int
    cancelled: int
    total: int
