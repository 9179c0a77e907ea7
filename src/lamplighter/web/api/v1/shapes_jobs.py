"""Crawl jobs in the words of /api/v1: what may be asked of one, and what is answered."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self
from uuid import UUID

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from lamplighter.model.crawl import JobState
from lamplighter.operations.job_bulk import MOST_NAMED, Done
from lamplighter.operations.job_orders import Wish
from lamplighter.rules import window_text
from lamplighter.store.job_lists import Filter
from lamplighter.web.api.paging import Limit, Offset
from lamplighter.web.api.values import Line

#: minutes of the longest interval, a leap year
MOST_MINUTES = 366 * 24 * 60
_MINUTES = {"minutes": 1, "hours": 60, "days": 24 * 60}
_MOST_METADATA_BYTES = 16 * 1024

Hour = Annotated[int, Field(ge=0, le=23)]
Priority = Annotated[int, Field(ge=0, le=100)]
Count = Annotated[int, Field(ge=1, le=MOST_MINUTES)]


def _storable(value: dict[str, Any]) -> dict[str, Any]:
    """JSON that every database takes."""
    try:
        stored = orjson.dumps(value)
    except (TypeError, ValueError):
        raise ValueError("holds what cannot be stored: a broken character, or a number of more than 64 bits") from None
    if len(stored) > _MOST_METADATA_BYTES:
        raise ValueError(f"is {len(stored)} bytes long; {_MOST_METADATA_BYTES} are the most")
    if b"\\u0000" in stored:
        raise ValueError("holds the character U+0000, which is no text; leave it out")
    return value


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Schedule(_Given):
    """What may be said of a job's schedule; what is left out stays as it is."""

    interval_minutes: Count | None = Field(default=None, description="Between two runs; null means once.")
    interval_value: Count | None = Field(default=None, description="The same in units of interval_type.")
    interval_type: Literal["minutes", "hours", "days"] = Field(
        default="minutes", description="Other units than minutes need interval_value; interval_minutes is in minutes."
    )
    schedule_enabled: bool | None = Field(default=None, description="false runs once; true again and again.")
    adaptive_scheduling: bool | None = Field(
        default=None, description="false keeps exactly to the interval; true lets it follow how often pages change."
    )
    priority: Priority | None = Field(default=None, description="Higher runs sooner.")
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
        if (self.crawl_window_start is None) != (self.crawl_window_end is None):
            raise ValueError("crawl_window_start and crawl_window_end belong together; give both or neither")
        return self

    @property
    def _value_in_minutes(self) -> int | None:
        return self.interval_value * _MINUTES[self.interval_type] if self.interval_value is not None else None

    def schedule(self) -> dict[str, Any]:
        """What was said, as fields of an override."""
        said: dict[str, Any] = {}
        given = self.model_fields_set
        if given & {"interval_minutes", "interval_value"}:
            minutes = self._value_in_minutes if self.interval_value is not None else self.interval_minutes
            said["interval"] = timedelta(minutes=minutes) if minutes is not None else None
            said["recurring"] = minutes is not None
        if self.schedule_enabled is not None:
            said["recurring"] = self.schedule_enabled
        if "adaptive_scheduling" in given:
            said["adaptive"] = self.adaptive_scheduling
        if "priority" in given:
            said["priority"] = self.priority
        if given & {"crawl_window_start", "crawl_window_end"}:
            said["windows"] = self._windows()
        return said

    def _windows(self) -> Any:
        if self.crawl_window_start is None or self.crawl_window_end is None:
            return None
        return window_text.from_hours(self.crawl_window_start, self.crawl_window_end, None)


class JobChanges(Schedule):
    """What may be changed of a job; what is left out stays as it is."""

    max_retries: Annotated[int, Field(ge=0, le=10)] | None = None
    retry_backoff_seconds: Annotated[int, Field(ge=1, le=3600)] | None = None
    metadata: Annotated[dict[str, Any], AfterValidator(_storable)] | None = None

    def wish(self) -> Wish:
        """What was said, as the operations take it."""
        seconds = self.retry_backoff_seconds
        return Wish(
            schedule=self.schedule(),
            max_retries=self.max_retries,
            retry_backoff=timedelta(seconds=seconds) if seconds is not None else None,
            metadata=self.metadata,
        )


class JobIn(JobChanges):
    """A standing order; without an interval, and without schedule_enabled, the source is crawled once."""

    source_id: UUID
    url: Annotated[Line, Field(min_length=1, max_length=4096)] | None = Field(
        default=None, description="The source's own; another is refused."
    )

    def schedule(self) -> dict[str, Any]:
        """An order says whether it is for once."""
        return {"recurring": False} | Schedule.schedule(self)


class JobFilterIn(_Given):
    """Which jobs."""

    status: list[JobState] = Field(default=[], max_length=len(JobState))
    source_id: UUID | None = None
    search: Annotated[Line, Field(max_length=200)] | None = Field(default=None, description="Part of name or URL.")
    priority_min: Priority | None = None
    priority_max: Priority | None = None
    auto_managed: bool | None = None
    host: Annotated[Line, Field(max_length=300)] | None = None

    def which(self) -> Filter:
        """The filter."""
        return Filter(
            states=tuple(self.status),
            source=str(self.source_id) if self.source_id is not None else None,
            search=self.search,
            priority_min=self.priority_min,
            priority_max=self.priority_max,
            auto_managed=self.auto_managed,
            host=self.host,
        )


class JobListIn(JobFilterIn):
    """Which jobs, in which order, and how many."""

    sort: Literal["created_at", "updated_at", "next_run_at", "priority", "status", "failure_count", "source_name"] = (
        "created_at"
    )
    order: Literal["asc", "desc"] = "desc"
    limit: Limit = 50
    offset: Offset = 0


class BulkIn(_Given):
    """One action for many jobs: those named, or all that match a filter."""

    action: Literal["pause", "resume", "cancel", "retry", "force-run", "delete", "auto"]
    ids: Annotated[list[UUID], Field(min_length=1, max_length=MOST_NAMED)] | None = None
    filter: JobFilterIn | None = None
    preview: bool = Field(default=False, description="Only counts whom it would concern.")

    @model_validator(mode="after")
    def _names_jobs(self) -> Self:
        if (self.ids is None) == (self.filter is None):
            raise ValueError("give either ids or filter; an empty filter means all jobs")
        return self


class BulkResult(BaseModel):
    """What became of one job."""

    id: UUID
    result: Literal["done", "error"]
    error: str | None
    code: str | None


class BulkOut(BaseModel):
    """What became of all of them."""

    action: str
    preview: bool
    total: int
    succeeded: int
    failed: int
    results: list[BulkResult]


def bulk_out(action: str, *, total: int, done: list[Done] | None) -> dict[str, Any]:
    """A report; a preview has done nothing."""
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


class DeletedOut(BaseModel):
    """What a deletion left."""

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
