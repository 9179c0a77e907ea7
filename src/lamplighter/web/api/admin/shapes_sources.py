"""Sources in the words of job boards: what may be said of one, and what is answered."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.errors import BadInput
from lamplighter.model.crawl import Outcome, PauseReason
from lamplighter.model.schedule import OrganisationType
from lamplighter.model.source import SourceStatus
from lamplighter.operations.source_wish import LONGEST_NAME, NewSource
from lamplighter.rules import baseline, window_text
from lamplighter.rules.window_text import EVERY_DAY
from lamplighter.store.source_lists import ListedSource, Sort, SourceFilter
from lamplighter.store.sources import SourceRow
from lamplighter.web.api.admin.parser_hints import hint_from, recipe_from
from lamplighter.web.api.paging import Limit, Offset
from lamplighter.web.api.shapes_source_verbs import Given, Tag, Url
from lamplighter.web.api.values import Line, Text

_DAY = timedelta(days=1)
_EXPECTS = {"html": None, "rss": "feed", "api": "json"}
_SOURCE_TYPES = {expected: name for name, expected in _EXPECTS.items()}
#: what is told of a source that somebody else than its operator stopped
_STOPPED = {
    PauseReason.ROBOTS: "robots disallow",
    PauseReason.BREAKER: "auto-paused after failures",
    PauseReason.TAKEDOWN: "on the takedown list",
}
#: their words for what ours call otherwise
_WORDS = {"org_name": "name", "careers_url": "url", "org_type": "organisation_type", "time_window": "windows"}
_SORTS = {"org_name": Sort.NAME, "careers_url": Sort.URL, "last_crawled_at": Sort.LAST_RUN_AT}
SortWord = Literal["org_name", "careers_url", "status", "next_run_at", "last_crawled_at", "created_at", "updated_at"]


class BoardChanges(Given):
    """What may be said of a source; what is left out stays as it is. null takes a choice back."""

    org_name: Annotated[Line, Field(max_length=LONGEST_NAME)] | None = None
    careers_url: Url | None = None
    source_type: Literal["html", "rss", "api"] = "html"
    org_type: OrganisationType | None = None
    crawl_frequency_days: Annotated[float, Field(ge=0.5, le=366, allow_inf_nan=False)] | None = None
    parser_hint: Annotated[Text, Field(max_length=100_000)] | None = Field(
        default=None, description="A recipe as JSON, or the CSS selector of the repeated element."
    )
    time_window: Annotated[Line, Field(max_length=4000)] | None = Field(
        default=None, description='Such as "22:00-05:00", on the clocks of the country if one is given, else in UTC.'
    )
    country: Annotated[Line, Field(min_length=2, max_length=2)] | None = None
    tags: Annotated[list[Tag], Field(max_length=50)] | None = None

    def said(self) -> dict[str, Any]:
        """What was said, and nothing that was not."""
        return self.model_dump(exclude_unset=True)


class BoardEdit(BoardChanges):
    """The same, and whether it is crawled."""

    status: Literal["active", "paused"] | None = None


class BoardSource(BoardChanges):
    """A whole source; what is left out is as it is by default."""

    careers_url: Url


class BoardListIn(Given):
    """Which sources, in which order, and how many."""

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
        """The same in our words."""
        same = ("search", "status", "tag", "host", "has_failures")
        return SourceFilter(organisation_type=self.org_type, **{name: getattr(self, name) for name in same})

    def sorted_by(self) -> Sort:
        """The same in our words."""
        return _SORTS.get(self.sort) or Sort(self.sort)


class BoardSourceOut(BaseModel):
    """A source, when it is crawled, and what came of it last."""

    id: UUID
    org_name: str
    careers_url: str
    source_type: str
    org_type: str | None
    status: SourceStatus
    crawl_frequency_days: float | None
    next_run_at: datetime | None
    last_crawled_at: datetime | None
    last_crawl_status: Outcome | None
    last_crawl_message: str | None
    consecutive_failures: int
    consecutive_nochange: int
    parser_hint: str | None
    time_window: str | None
    country: str | None
    tags: list[str]
    created_at: datetime
    updated_at: datetime


class BoardListOut(BaseModel):
    """A part of the list."""

    sources: list[BoardSourceOut]
    total: int
    limit: int
    offset: int


class BoardFetchOut(BaseModel):
    """What the site answered to a request for headers alone."""

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
    """What job boards say, in our words; `recipe` is the source's own, of which a new hint keeps what it expects."""
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
    """What is refused inside names the field as job boards call it."""
    try:
        yield
    except BadInput as error:
        error.field = FIELDS.get(error.field or "", error.field)
        raise


def _minutes(days: Any) -> Any:
    """A number of days in minutes; what is no number is left for others to refuse."""
    try:
        return float(days) * 1440
    except (TypeError, ValueError):
        return days


def board_row(wish: NewSource) -> dict[str, Any]:
    """A source as files of job boards say it."""
    recipe = dict(wish.recipe or {})
    return {
        "org_name": wish.name,
        "careers_url": wish.url,
        "source_type": _SOURCE_TYPES.get(recipe.get("expects"), "html"),
        "org_type": wish.organisation_type,
        "crawl_frequency_days": _days(wish.interval),
        "parser_hint": hint_from(recipe),
        "time_window": _time_window(wish),
        "country": wish.country,
        "tags": list(wish.tags),
    }


def source_out(listed: ListedSource, wish: NewSource) -> dict[str, Any]:
    """A source in the words of job boards."""
    source, job, run = listed.source, listed.job, listed.run
    message = run.message if run is not None else None
    return board_row(wish) | {
        "id": source.public_id,
        "status": listed.status,
        "crawl_frequency_days": _days(source.interval or _usual(source)),
        "next_run_at": job.next_run_at if job is not None else None,
        "last_crawled_at": run.finished_at if run is not None else None,
        "last_crawl_status": run.outcome if run is not None else None,
        "last_crawl_message": _STOPPED.get(job.pause_reason, message) if job and job.pause_reason else message,
        "consecutive_failures": job.failure_count if job is not None else 0,
        "consecutive_nochange": job.unchanged_count if job is not None else 0,
        "created_at": source.created_at,
        "updated_at": source.updated_at,
    }


def _usual(source: SourceRow) -> timedelta | None:
    """The rhythm of those who publish, where nobody said another."""
    return baseline.BY_ORGANISATION[OrganisationType(source.organisation_type)] if source.organisation_type else None


def _days(interval: timedelta | None) -> float | None:
    return interval / _DAY if interval is not None else None


def _time_window(wish: NewSource) -> str | None:
    """As short as it was written, where it is one window of every day."""
    windows = wish.windows if wish.windows and not isinstance(wish.windows, str) else ()
    if not windows:
        return None
    only, *others = windows
    text = window_text.describe(windows)
    if others or only.days != EVERY_DAY or not text.startswith("allow "):
        return text
    return text.split()[1]
