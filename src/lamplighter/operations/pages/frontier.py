"""The frontier: lists and counts known pages by status, and submits pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.page import PageStage
from lamplighter.model.reading import PageRole
from lamplighter.model.visit import Fault, Refusal
from lamplighter.operations.pages import task_lists, tasks
from lamplighter.operations.pages.task_lists import Listing
from lamplighter.operations.pages.tasks import TaskOrder
from lamplighter.operations.sources import sources
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import page_counts, page_lists
from lamplighter.store.pages.page_lists import PageFilter
from lamplighter.store.sources import task_sources

#: the hosts with most pages that are named
_HOSTS_NAMED = 20
#: fetching again would not help: permanent errors of the site, forbidden URLs, unreadable content
DEAD_REASONS = frozenset(
    {
        Refusal.ROBOTS,
        Refusal.TAKEDOWN,
        Refusal.ADDRESS,
        Fault.NOT_FOUND,
        Fault.GONE,
        Fault.CLIENT_ERROR,
        Fault.TOO_MANY_REDIRECTS,
        Fault.BAD_REDIRECT,
        Fault.TOO_LARGE,
        Fault.CONTENT_TYPE,
        Fault.UNREADABLE,
    }
)


class FrontierStatus(StrEnum):
    """The status of a page in the frontier."""

    PENDING = "pending"
    FETCHING = "fetching"
    FETCHED = "fetched"
    #: could not be fetched; a later try may succeed
    FAILED = "failed"
    #: could not be fetched, and a later try would not help
    DEAD = "dead"
    PAUSED = "paused"
    CANCELLED = "cancelled"


class PageKind(StrEnum):
    """What a page is there for."""

    #: a source's own URL
    START = "start"
    #: a further page of a list
    LISTING = "listing"
    LINK = "link"
    #: submitted, or restarted by an operator
    SUBMITTED = "submitted"


_ROLES: Mapping[PageKind, PageRole] = {
    PageKind.START: PageRole.SEED,
    PageKind.LISTING: PageRole.LISTING,
    PageKind.LINK: PageRole.LINK,
}
_STATUS: Mapping[PageStage, FrontierStatus] = {
    PageStage.WAITING: FrontierStatus.PENDING,
    PageStage.PENDING: FrontierStatus.PENDING,
    PageStage.QUEUED: FrontierStatus.PENDING,
    PageStage.CRAWLING: FrontierStatus.FETCHING,
    PageStage.DOWNLOADED: FrontierStatus.FETCHED,
    PageStage.QUEUED_PARSE: FrontierStatus.FETCHED,
    PageStage.PARSING: FrontierStatus.FETCHED,
    PageStage.COMPLETED: FrontierStatus.FETCHED,
    PageStage.FAILED: FrontierStatus.FAILED,
    PageStage.PAUSED: FrontierStatus.PAUSED,
    PageStage.CANCELLED: FrontierStatus.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierCounts:
    """The number of pages by status, and the hosts with most pages."""

    by_status: dict[FrontierStatus, int]
    by_host: list[tuple[str, int]]


def status_of(page: Any) -> FrontierStatus:
    """The status of a page in the frontier."""
    status = _STATUS[PageStage(page.stage)]
    return FrontierStatus.DEAD if status is FrontierStatus.FAILED and page.reason in DEAD_REASONS else status


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierFilter:
    """Which pages of the frontier; what is None may be anything."""

    status: FrontierStatus | None = None
    host: str | None = None
    source_id: UUID | None = None
    #: somewhere in the URL, in any case; looked for in the newest pages (see store.page_lists.MOST_SEARCHED)
    search: str | None = None
    #: why it was refused or failed: a stable word
    reason: str | None = None
    kind: PageKind | None = None
    #: found on another page
    is_found: bool = False


async def listed(db: Connection, which: FrontierFilter, *, limit: int, offset: int, now: datetime) -> Listing:
    """A part of the frontier, the newest pages first."""
    wanted = await wanted_of(db, which)
    if wanted is None:
        return Listing(rows=[], total=0, is_exact=True)
    return await task_lists.listed(db, wanted, limit=limit, offset=offset, now=now)


async def wanted_of(db: Connection, which: FrontierFilter) -> PageFilter | None:
    """The filter for the database; None when there is no such host, which therefore has no page."""
    ids = await _narrowed(db, host=which.host, source_id=which.source_id)
    if ids is None:
        return None
    values = ids | _stages(which.status)
    if which.reason is not None:
        values["reasons"] = {which.reason} & set(values.get("reasons", {which.reason}))
    if which.search:
        after = await page_lists.not_searched(db, host_id=ids.get("host_id"), source_id=ids.get("source_id"))
        values |= {"search": which.search, "after_id": after}
    role = _ROLES.get(which.kind) if which.kind is not None else None
    return PageFilter(**values, is_found=which.is_found, role=role, is_submitted=which.kind is PageKind.SUBMITTED)


async def _narrowed(db: Connection, *, host: str | None, source_id: UUID | None) -> dict[str, Any] | None:
    """The host and the source as we number them; None when there is no such host, which therefore has no page."""
    ids: dict[str, Any] = {}
    if source_id is not None:
        ids["source_id"] = (await sources.find(db, source_id)).id
    if host is not None:
        known = await task_sources.id_of(db, host.lower())
        if known is None:
            return None
        ids["host_id"] = known
    return ids


def _stages(status: FrontierStatus | None) -> dict[str, Any]:
    if status is None:
        return {}
    base = FrontierStatus.FAILED if status is FrontierStatus.DEAD else status
    stages = {"stages": [stage for stage, its_status in _STATUS.items() if its_status is base]}
    if status is FrontierStatus.DEAD:
        return stages | {"reasons": DEAD_REASONS}
    return stages | {"other_reasons": DEAD_REASONS} if status is FrontierStatus.FAILED else stages


async def one(db: Connection, page_id: int, *, now: datetime) -> Any:
    """The page with this id."""
    page = await page_lists.one(db, page_id, now=now)
    if page is None:
        raise NotFound("there is no such page in the frontier", code="page_not_found")
    return page


async def counts(db: Connection, *, now: datetime) -> FrontierCounts:
    """Counts pages by status and host."""
    by_status = dict.fromkeys(FrontierStatus, 0)
    for stage, count in (await page_counts.by_stage(db, now=now)).items():
        by_status[_STATUS[stage]] += count
    dead = await page_counts.failed_for(db, {str(reason) for reason in DEAD_REASONS})
    by_status[FrontierStatus.DEAD] = dead
    by_status[FrontierStatus.FAILED] -= dead
    return FrontierCounts(by_status=by_status, by_host=await page_counts.by_host(db, limit=_HOSTS_NAMED))


async def submit(
    db: Connection, url: str, *, source_id: UUID | None, priority: int, stamp: Stamp, frequency: timedelta | None = None
) -> int:
    """Submits a page for this source or, without one, for its host's implicit source; returns its id.

    Once, unless `frequency` says how often.
    """
    order = TaskOrder(priority=priority, frequency=frequency)
    if source_id is not None:
        return await tasks.submit(db, await _open_source(db, source_id), url, order, stamp=stamp)
    key = urls.parse(url).host_key
    await hosts.ensure(db, [key], now=stamp.now)
    host = await task_sources.by_key(db, key)
    assert host is not None
    return await tasks.submit(db, await tasks.implicit_source(db, host, stamp.now), url, order, stamp=stamp)


async def _open_source(db: Connection, public_id: UUID) -> int:
    """The source, held; refuses one that takes no pages at present."""
    source = await sources.hold(db, await sources.find(db, public_id))
    if not source.enabled:
        raise NotPossible(f"source {public_id} is disabled; enable it first", code="source_disabled")
    job = await crawl_jobs.of_source(db, source.id)
    if job is None or job.deleted_at is not None:
        raise NotPossible(f"source {public_id} has no crawl job; create one first", code="no_job")
    return source.id
