"""Request and response models of sources for job boards."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from lamplighter.errors import BadInput
from lamplighter.model.crawl import PauseReason, RunOutcome
from lamplighter.model.schedule import OrganisationType, PolicyName
from lamplighter.model.source import Source, SourceStatus
from lamplighter.operations.sources.source_input import LONGEST_NAME, NewSource, input_of
from lamplighter.rules.schedule import baseline, reasons, window_text
from lamplighter.rules.schedule.window_text import EVERY_DAY
from lamplighter.store.sources.source_lists import ListedJob, ListedSource, SourceFilter, SourceSort
from lamplighter.web.api.admin.parser_hints import hint_from, recipe_from
from lamplighter.web.api.source_routes import Tag, Url
from lamplighter.web.values import Given, Limit, Line, Offset, Text

_DAY = timedelta(days=1)
_EXPECTS = {"html": None, "rss": "feed", "api": "json"}
_SOURCE_TYPES = {expected: name for name, expected in _EXPECTS.items()}
#: messages for sources that the service paused by itself
_STOPPED = {
    PauseReason.ROBOTS: "robots disallow",
    PauseReason.BREAKER: "auto-paused after failures",
    PauseReason.TAKEDOWN: "on the takedown list",
}
#: their field names -> ours
_WORDS = {"org_name": "name", "careers_url": "url", "org_type": "organisation_type", "time_window": "windows"}
_SORTS = {"org_name": SourceSort.NAME, "careers_url": SourceSort.URL, "last_crawled_at": SourceSort.LAST_RUN_AT}
SortWord = Literal["org_name", "careers_url", "status", "next_run_at", "last_crawled_at", "created_at", "updated_at"]


class BoardChanges(Given):
    """Fields of a source; omitted fields stay as they are. null resets a field."""

    org_name: Annotated[Line, Field(max_length=LONGEST_NAME)] | None = None
    careers_url: Url | None = None
    source_type: Literal["html", "rss", "api"] = "html"
    org_type: OrganisationType | None = None
    crawl_frequency_days: Annotated[float, Field(ge=0.5, le=366, allow_inf_nan=False)] | None = Field(
        default=None, description="By default that of the organisation type, else 3."
    )
    policy: PolicyName | None = Field(
        default=None,
        description="How the interval is chosen; yield_days (as job boards do) unless another is named. null leaves it "
        "to the tags and the installation.",
    )
    parser_hint: Annotated[Text, Field(max_length=100_000)] | None = Field(
        default=None, description="A recipe as JSON, or the CSS selector of the repeated element."
    )
    time_window: Annotated[Line, Field(max_length=4000)] | None = Field(
        default=None, description='Such as "22:00-05:00", on the clocks of the country if one is given, else in UTC.'
    )
    country: Annotated[Line, Field(min_length=2, max_length=2)] | None = None
    tags: Annotated[list[Tag], Field(max_length=50)] | None = None

    def said(self) -> dict[str, Any]:
        """The fields that the caller sent."""
        return self.model_dump(exclude_unset=True)


class BoardEdit(BoardChanges):
    """The same, and the status."""

    status: Literal["active", "paused"] | None = None


class BoardSource(BoardChanges):
    """A whole source; omitted fields take their defaults."""

    careers_url: Url


class BoardListIn(Given):
    """Filter, order and limit of a list."""

    search: Annotated[Line, Field(max_length=200)] | None = None
    status: SourceStatus | None = None
    org_type: OrganisationType | None = None
    tag: Tag | None = None
    host: Annotated[Line, Field(max_length=300)] | None = None
    has_failures: bool | None = None
    sort: SortWord = "org_name"
    order: Literal["asc", "desc"] = "asc"
    limit: Limit = 50
    offset: Offset = 0

    def which(self) -> SourceFilter:
        """The source filter."""
        same = ("search", "status", "tag", "host", "has_failures")
        return SourceFilter(organisation_type=self.org_type, **{name: getattr(self, name) for name in same})

    def sorted_by(self) -> SourceSort:
        """The sort field."""
        return _SORTS.get(self.sort) or SourceSort(self.sort)


class BoardSourceOut(BaseModel):
    """A source, its schedule and its last run."""

    id: UUID
    org_name: str
    careers_url: str
    source_type: str = Field(examples=["html"])
    org_type: str | None
    status: SourceStatus
    crawl_frequency_days: float | None
    policy: PolicyName | None = Field(description="How the interval is chosen; null leaves it open.")
    next_run_at: datetime | None
    #: why then, and what holds it back until then
    next_run_reason: str | None = Field(examples=["every 3 d for 0 records found · waits 6 h for its window to open"])
    last_crawled_at: datetime | None
    last_crawl_status: RunOutcome | None
    last_crawl_message: str | None
    #: failures in a row; the quick retries of one failed run count as one
    consecutive_failures: int
    #: quick retries of the failed run so far; 0 when none is due
    retry_count: int
    consecutive_nochange: int
    parser_hint: str | None = Field(examples=["li.job"])
    time_window: str | None = Field(examples=["22:00-05:00"])
    country: str | None
    tags: list[str]
    created_at: datetime
    updated_at: datetime

    @model_validator(mode="before")
    @classmethod
    def _in_their_words(cls, listed: ListedSource) -> dict[str, Any]:
        source, job, run = listed.source, listed.job, listed.run
        message = run.message if run is not None else None
        return board_row(input_of(source, listed.tags)) | {
            "id": source.public_id,
            "status": listed.status,
            "crawl_frequency_days": _days(source.interval or _usual(source, job)),
            "next_run_at": job.next_run_at if job is not None else None,
            "next_run_reason": reasons.sentence(job.next_run_reason) if job and job.next_run_at else None,
            "last_crawled_at": run.finished_at if run is not None else None,
            "last_crawl_status": run.outcome if run is not None else None,
            "last_crawl_message": _STOPPED.get(job.pause_reason, message) if job and job.pause_reason else message,
            "consecutive_failures": (job.failure_count or min(1, job.retry_count)) if job is not None else 0,
            "retry_count": job.retry_count if job is not None else 0,
            "consecutive_nochange": job.unchanged_count if job is not None else 0,
            "created_at": source.created_at,
            "updated_at": source.updated_at,
        }


class BoardFetchOut(BaseModel):
    """The site's response to a HEAD request."""

    ok: bool
    url: str
    final_url: str
    status: int | None
    size: int | None
    etag: str | None
    last_modified: str | None
    content_type: str | None
    took_ms: int | None
    message: str | None


def row_of(said: Mapping[str, Any], *, recipe: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Converts fields to ours; with `recipe`, the source's own, a new hint keeps what that expects."""
    row = {_WORDS.get(key, key): value for key, value in said.items() if key not in _TRANSLATED}
    if (days := said.get("crawl_frequency_days")) not in (None, ""):
        row["interval_minutes"] = _minutes(days)
    elif "crawl_frequency_days" in said:
        row["interval_minutes"] = None
    if "parser_hint" in said:
        expected = {"expects": recipe["expects"]} if recipe and recipe.get("expects") else {}
        row["recipe"] = expected | recipe_from(said["parser_hint"])
    if "source_type" in said:
        row["expects"] = _EXPECTS.get(str(said["source_type"]), said["source_type"])
    return row


_TRANSLATED = {"crawl_frequency_days": "interval_minutes", "parser_hint": "recipe", "source_type": "expects"}
#: our fields -> theirs
FIELDS = {ours: theirs for theirs, ours in (_WORDS | _TRANSLATED).items()}


@contextmanager
def in_their_words() -> Iterator[None]:
    """Names fields in errors as job boards do."""
    try:
        yield
    except BadInput as error:
        error.field = FIELDS.get(error.field or "", error.field)
        raise


def _minutes(days: Any) -> Any:
    """Days in minutes; other values are returned as they are."""
    try:
        return float(days) * 1440
    except (TypeError, ValueError):
        return days


def board_row(submitted: NewSource) -> dict[str, Any]:
    """A source as a job board's file row."""
    recipe = submitted.recipe
    return {
        "org_name": submitted.name,
        "careers_url": submitted.url,
        "source_type": _SOURCE_TYPES.get(recipe.get("expects"), "html"),
        "org_type": submitted.organisation_type,
        "crawl_frequency_days": _days(submitted.interval),
        "policy": submitted.policy,
        "parser_hint": hint_from(recipe),
        "time_window": _time_window(submitted),
        "country": submitted.country,
        "tags": list(submitted.tags),
    }


def _usual(source: Source, job: ListedJob | None) -> timedelta | None:
    """The default interval of the organisation type, else the one by which its crawl job is planned."""
    if source.organisation_type is not None:
        return baseline.BY_ORGANISATION[source.organisation_type]
    return timedelta(seconds=job.interval_seconds) if job is not None else None


def _days(interval: timedelta | None) -> float | None:
    return interval / _DAY if interval is not None else None


def _time_window(submitted: NewSource) -> str | None:
    """The windows as text, shortened for one daily window."""
    if not submitted.windows:
        return None
    only, *others = submitted.windows
    text = window_text.describe(submitted.windows)
    if others or only.days != EVERY_DAY or not text.startswith("allow "):
        return text
    return text.split()[1]
