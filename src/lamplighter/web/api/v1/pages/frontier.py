"""The frontier: the known pages, and which are still to be fetched."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Query
from pydantic import BaseModel, Field

from lamplighter.model.page import Phase
from lamplighter.operations.pages import frontier, task_actions
from lamplighter.operations.pages.frontier import FrontierStatus, status_of
from lamplighter.operations.pages.task_actions import TaskRestart
from lamplighter.rules.pages.frontier import priority_of
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.page_lists import MOST_SEARCHED
from lamplighter.web import page_ids
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Limit, Line, Offset
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/v1/frontier", tag="frontier")
_Word = Annotated[Line, Query(min_length=1, max_length=500)]
_ABOUT_SEARCH = (
    f"A part of the URL, looked for in the newest {MOST_SEARCHED:,} pages of the host or source, or of all; "
    "`total_is_exact` is false when there are older ones."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Query parameters."""

    source_id: UUID | None = None
    host: _Word | None = None
    search: Annotated[Line | None, Query(min_length=1, max_length=500, description=_ABOUT_SEARCH)] = None
    limit: Limit = 50
    offset: Offset = 0


PageQuery = Annotated[Wanted, Depends()]


class Submission(Given):
    """A page to fetch."""

    url: Annotated[Line, Field(min_length=1, max_length=10_000)]
    #: the source that it becomes a page of; None for the host's implicit source
    source_id: UUID | None = None
    #: 0 to 100, higher sooner
    priority: Annotated[int, Field(ge=0, le=100)] = 50


class DiscoveredLinkOut(BaseModel):
    """A page found on another page."""

    id: UUID
    url: str
    host: str
    #: null when it belongs to its host's implicit source
    source_id: UUID | None
    source_name: str | None
    #: the page on which it was found
    parent_url: str | None
    #: links from the start page
    depth: int
    status: FrontierStatus
    discovered_at: datetime
    fetched_at: datetime | None


class FrontierEntry(DiscoveredLinkOut):
    """A page of the frontier."""

    priority: int
    #: a stable code, such as too_many_redirects, and a sentence
    last_error: str | None = Field(examples=["timeout"])
    last_error_detail: str | None = Field(examples=["no answer within 20 s"])
    retry_count: int
    #: not fetched before this; null when it waits only for its host's turn, or is not waiting
    next_fetch_at: datetime | None


#: totals are exact up to 100,000
LinkList = part_of("links", DiscoveredLinkOut, total_is_exact=bool)
EntryList = part_of("urls", FrontierEntry, total_is_exact=bool)


class HostCount(BaseModel):
    """A host's number of known pages."""

    host: str
    count: int


class FrontierStats(BaseModel):
    """Page counts by status."""

    total: int
    by_status: dict[FrontierStatus, int]
    #: the twenty hosts with most pages
    by_host: list[HostCount]


def entry_of(page: Any) -> dict[str, Any]:
    """A page of the frontier."""
    is_error = page.phase in (Phase.FAILED, Phase.PENDING)
    same = ("url", "host", "depth", "retry_count", "fetched_at", "parent_url")
    return {
        "id": page_ids.shown(page.id),
        "source_id": None if page.is_implicit else page.source_public_id,
        "source_name": None if page.is_implicit else page.source_name,
        "priority": priority_of(page.rank),
        "status": status_of(page),
        "last_error": page.reason if is_error else None,
        "last_error_detail": page.detail if is_error else None,
        "next_fetch_at": page.due_at if page.phase == Phase.PENDING else page.next_at,
        "discovered_at": page.created_at,
        **{name: getattr(page, name) for name in same},
    }


async def page_list(view: ServiceView, wanted: Wanted, name: str, **more: Any) -> dict[str, Any]:
    """A part of the list of pages, the newest first, under this key."""
    limit, offset = wanted.limit, wanted.offset
    now = view.clock.now()
    which = frontier.FrontierFilter(source_id=wanted.source_id, host=wanted.host, search=wanted.search, **more)
    found = await view.db.look(lambda db: frontier.listed(db, which, limit=limit, offset=offset, now=now))
    part = listed(name, [entry_of(page) for page in found.rows], total=found.total, limit=limit, offset=offset)
    return part | {"total_is_exact": found.is_exact}


@ROUTES.get("", errors=(404,), response_model=EntryList)
async def list_pages(view: View, wanted: PageQuery, status: FrontierStatus | None = None) -> Any:
    """Pages, the newest first; `search` matches in their URLs."""
    return await page_list(view, wanted, "urls", status=status)


@ROUTES.get("/stats", response_model=FrontierStats)
async def stats(view: View) -> Any:
    """Page counts by status, and the hosts with most pages."""
    counts = await view.read(lambda db: frontier.counts(db, now=view.clock.now()))
    by_host = [{"host": host, "count": count} for host, count in counts.by_host]
    return {"total": sum(counts.by_status.values()), "by_status": counts.by_status, "by_host": by_host}


@ROUTES.post("", status=201, errors=(404, 409), response_model=FrontierEntry, name="submit")
@ROUTES.post("/submit", status=201, errors=(404, 409), response_model=FrontierEntry, name="submit_submit")
async def submit(new: Submission, view: View, caller: Asking) -> Any:
    """Fetch a page once, as a page of a source or for itself; its links are not followed."""
    stamp = view.stamp(caller)

    async def work(db: Connection) -> Any:
        page_id = await frontier.submit(db, new.url, source_id=new.source_id, priority=new.priority, stamp=stamp)
        return await frontier.one(db, page_id, now=stamp.now)

    page = await view.db.write(work)
    return entry_of(page)


@ROUTES.get("/{page_id}", response_model=FrontierEntry)
async def show(page_id: UUID, view: View) -> Any:
    """One page."""
    return entry_of(await view.read(lambda db: frontier.one(db, page_ids.number_of(page_id), now=view.clock.now())))


@ROUTES.post("/{page_id}/retry", errors=(409,), response_model=FrontierEntry)
async def retry(page_id: UUID, view: View, caller: Asking) -> Any:
    """Fetch a page again that was fetched, failed, was paused or cancelled; a queued page stays as it is."""
    number, stamp = page_ids.number_of(page_id), view.stamp(caller)

    async def work(db: Connection) -> Any:
        await frontier.one(db, number, now=stamp.now)
        return await task_actions.restart(db, number, TaskRestart(), stamp=stamp)

    page = await view.db.write(work)
    return entry_of(page)


@ROUTES.delete("/{page_id}", status=204, errors=(409,), response_model=None)
async def forget(page_id: UUID, view: View, caller: Asking) -> None:
    """Delete a page, unless it is being fetched or parsed; a crawl may find it again."""
    number, stamp = page_ids.number_of(page_id), view.stamp(caller)

    async def work(db: Connection) -> None:
        await frontier.one(db, number, now=stamp.now)
        await task_actions.forget(db, number, stamp=stamp)

    await view.db.write(work)
