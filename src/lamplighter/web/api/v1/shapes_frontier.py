"""How pages look in the frontier and among discovered links."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from lamplighter.model.page import Phase
from lamplighter.operations.frontier import Status, status_of
from lamplighter.operations.task_actions import priority_of
from lamplighter.operations.task_lists import Listing
from lamplighter.web.api import page_ids
from lamplighter.web.api.paging import listed
from lamplighter.web.api.values import Line


class Submission(BaseModel):
    """A page to be asked for."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[Line, Field(min_length=1, max_length=10_000)]
    #: the source it becomes a page of; None for its host's own
    source_id: UUID | None = None
    #: 0 to 100, higher sooner
    priority: Annotated[int, Field(ge=0, le=100)] = 50


class Entry(BaseModel):
    """A page of the frontier."""

    id: UUID
    url: str
    host: str
    #: None when it was submitted for no source in particular
    source_id: UUID | None
    source_name: str | None
    #: links from the start page
    depth: int
    priority: int
    status: Status
    #: a stable word, such as too_many_redirects, and a sentence
    last_error: str | None
    last_error_detail: str | None
    retry_count: int
    #: not before this; None when it waits for nothing but its host's turn, or for nothing at all
    next_fetch_at: datetime | None
    discovered_at: datetime
    fetched_at: datetime | None
    #: the page on which it was found
    parent_url: str | None


class EntryList(BaseModel):
    """A part of the frontier."""

    urls: list[Entry]
    #: exact up to 100,000
    total: int
    total_is_exact: bool
    limit: int
    offset: int


class Link(BaseModel):
    """A page that was found on another."""

    id: UUID
    url: str
    host: str
    source_id: UUID | None
    source_name: str | None
    parent_url: str | None
    depth: int
    status: Status
    discovered_at: datetime
    fetched_at: datetime | None


class LinkList(BaseModel):
    """A part of the discovered links."""

    links: list[Link]
    #: exact up to 100,000
    total: int
    total_is_exact: bool
    limit: int
    offset: int


class HostCount(BaseModel):
    """How many pages of a host are known."""

    host: str
    count: int


class FrontierStats(BaseModel):
    """How many pages stand where."""

    total: int
    by_status: dict[Status, int]
    #: the twenty hosts with most pages
    by_host: list[HostCount]


def entry_of(page: Any) -> dict[str, Any]:
    """A page of the frontier."""
    is_error = page.phase in (Phase.FAILED, Phase.PENDING)
    return {
        "id": page_ids.shown(page.id),
        "url": page.url,
        "host": page.host,
        "source_id": None if page.is_implicit else page.source_public_id,
        "source_name": None if page.is_implicit else page.source_name,
        "depth": page.depth,
        "priority": priority_of(page),
        "status": status_of(page),
        "last_error": page.reason if is_error else None,
        "last_error_detail": page.detail if is_error else None,
        "retry_count": page.retry_count,
        "next_fetch_at": page.due_at if page.phase == Phase.PENDING else page.next_at,
        "discovered_at": page.created_at,
        "fetched_at": page.fetched_at,
        "parent_url": page.parent_url,
    }


def link_of(page: Any) -> dict[str, Any]:
    """A discovered link."""
    entry = entry_of(page)
    return {name: entry[name] for name in Link.model_fields}


def part(name: str, rows: list[dict[str, Any]], found: Listing, *, limit: int, offset: int) -> dict[str, Any]:
    """A part of a list that may be too long to be counted."""
    whole = listed(name, rows, total=found.total, limit=limit, offset=offset)
    return whole | {"total_is_exact": found.is_exact}


LINK_EXAMPLE = {
    "id": "70616765-7300-8000-8000-00000000002a",
    "url": "https://board.example/job/7",
    "host": "board.example",
    "source_id": "6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f",
    "source_name": "Board",
    "parent_url": "https://board.example/jobs",
    "depth": 1,
    "status": "failed",
    "discovered_at": "2026-03-02T12:00:00Z",
    "fetched_at": None,
}
ENTRY_EXAMPLE = LINK_EXAMPLE | {
    "priority": 50,
    "last_error": "timeout",
    "last_error_detail": "no answer within 20 s",
    "retry_count": 3,
    "next_fetch_at": None,
}
STATS_EXAMPLE = {
    "total": 120,
    "by_status": {"pending": 20, "fetching": 1, "fetched": 95, "failed": 1, "dead": 3, "paused": 0, "cancelled": 0},
    "by_host": [{"host": "board.example", "count": 120}],
}
