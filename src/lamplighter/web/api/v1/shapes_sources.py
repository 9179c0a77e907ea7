"""Sources in the words of /api/v1: what may be said of one, and what is answered."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.model.crawl import JobState, Outcome
from lamplighter.model.schedule import OrganisationType, PolicyName
from lamplighter.model.source import SourceStatus
from lamplighter.operations import job_health
from lamplighter.operations.source_files import FileFormat
from lamplighter.operations.source_rows import row_from, selectors_of
from lamplighter.operations.source_wish import LONGEST_NAME, MOST_PAGES, MOST_TAGS, wish_of
from lamplighter.rules.window_text import MOST_WINDOWS
from lamplighter.store.source_lists import ListedSource, Sort
from lamplighter.web.api.paging import Limit, Offset
from lamplighter.web.api.shapes_source_verbs import Given, Kind, Minutes, Priority, SourceFilterIn, Tag, Url
from lamplighter.web.api.values import Line

Hour = Annotated[int, Field(ge=0, le=23)]


class SourceChanges(Given):
    """What may be said of a source; what is left out stays as it is. null takes a choice back."""

    name: Annotated[Line, Field(max_length=LONGEST_NAME)] | None = None
    url: Url | None = None
    enabled: bool = True
    priority: Priority = Field(default="normal", description="A name, or 0 to 100; higher runs sooner.")
    rate_limit: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] | None = Field(
        default=None, description="Requests per second at most; the host's policy and robots.txt may allow fewer."
    )
    max_depth: int = Field(default=3, ge=-1, le=100, description="Links to follow; 0 means 3, -1 as deep as it goes.")
    selectors: dict[str, Any] | None = Field(default=None, description="Field → CSS selector, put into the recipe.")
    recipe: dict[str, Any] | None = None
    kind: Kind | None = None
    max_pages: Annotated[int, Field(ge=1, le=MOST_PAGES)] | None = None
    interval_minutes: Minutes | None = None
    min_interval_minutes: Minutes | None = None
    max_interval_minutes: Minutes | None = None
    policy: PolicyName | None = None
    windows: (
        Annotated[Line, Field(max_length=4000)] | Annotated[list[dict[str, Any]], Field(max_length=MOST_WINDOWS)] | None
    ) = Field(default=None, description='In words ("mon-fri 22:00-05:00 Europe/Berlin"), or as a list of windows.')
    crawl_window_start: Hour | None = Field(default=None, description="UTC; with crawl_window_end.")
    crawl_window_end: Hour | None = None
    country: Annotated[Line, Field(min_length=2, max_length=2)] | None = None
    organisation_type: OrganisationType | None = None
    recurring: bool = True
    tags: Annotated[list[Tag], Field(max_length=MOST_TAGS)] = Field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """What was said, and nothing that was not."""
        return self.model_dump(exclude_unset=True)


class SourceIn(SourceChanges):
    """A whole source; what is left out is as it is by default."""

    url: Url


class SourceListIn(SourceFilterIn):
    """Which sources, in which order, and how many."""

    sort: Sort = Field(default=Sort.NAME, description="`status` sorts by where the crawl job stands.")
    order: Literal["asc", "desc"] = "asc"
    limit: Limit = 50
    offset: Offset = 0


class SourceExportIn(SourceFilterIn):
    """Which sources, and in what kind of file."""

    format: FileFormat = FileFormat.JSON


class SourceOut(BaseModel):
    """A source, its job and its latest run."""

    id: UUID
    name: str
    url: str
    enabled: bool
    priority: str | int
    rate_limit: float | None
    max_depth: int
    selectors: dict[str, Any]
    recipe: dict[str, Any] | None
    kind: str | None
    max_pages: int | None
    interval_minutes: float | None
    min_interval_minutes: float | None
    max_interval_minutes: float | None
    policy: str | None
    windows: list[dict[str, Any]]
    country: str | None
    organisation_type: str | None
    recurring: bool
    tags: list[str]
    status: SourceStatus
    #: how its job is doing, as GET /jobs/by-source says and /jobs/stats counts it; unknown before the first run
    health: Literal["healthy", "warning", "failed", "unknown"]
    job_id: UUID | None
    job_status: JobState | None
    pause_reason: str | None
    failure_count: int
    next_run_at: datetime | None
    last_run_at: datetime | None
    last_run_status: Outcome | None
    last_run_message: str | None
    disabled_reason: str | None
    disabled_at: datetime | None
    disabled_by: str | None
    deleted_at: datetime | None
    created_at: datetime
    updated_at: datetime


class SourceListOut(BaseModel):
    """A part of the list."""

    sources: list[SourceOut]
    total: int
    limit: int
    offset: int


def source_out(listed: ListedSource) -> dict[str, Any]:
    """A source in the words of this family."""
    source, job, run = listed.source, listed.job, listed.run
    wish = wish_of(source, listed.tags)
    stored = ("disabled_reason", "disabled_at", "disabled_by", "deleted_at", "created_at", "updated_at")
    return row_from(wish) | {
        "id": source.public_id,
        "windows": source.windows,
        "selectors": selectors_of(wish),
        "status": listed.status,
        "health": job_health.health_of(job, run.outcome) if job is not None and run is not None else "unknown",
        "job_id": job.public_id if job is not None else None,
        "job_status": job.state if job is not None else None,
        "pause_reason": job.pause_reason if job is not None else None,
        "failure_count": job.failure_count if job is not None else 0,
        "next_run_at": job.next_run_at if job is not None else None,
        "last_run_at": run.started_at if run is not None else None,
        "last_run_status": run.outcome if run is not None else None,
        "last_run_message": run.message if run is not None else None,
        **{name: getattr(source, name) for name in stored},
    }
