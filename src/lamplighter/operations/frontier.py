"""The frontier: every page we know, and which of them are still to be asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.page import Stage
from lamplighter.model.reading import Role
from lamplighter.model.visit import Fault, Refusal
from lamplighter.operations import sources, task_lists, tasks
from lamplighter.operations.task_lists import Listing
from lamplighter.operations.tasks import Order
from lamplighter.rules import urls
from lamplighter.store import crawl_jobs, hosts, page_counts, page_lists, task_sources
from lamplighter.store.database import Connection
from lamplighter.store.page_lists import Wanted

#: the hosts with most pages that are named
_HOSTS_NAMED = 20
#: asking again would come to the same: what the site says of the page, what we may not ask, what nobody can read
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


class Status(StrEnum):
    """Where a page stands in the frontier."""

    PENDING = "pending"
    FETCHING = "fetching"
    FETCHED = "fetched"
    #: could not be had, which may be different another time
    FAILED = "failed"
    #: could not be had, and will not be
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
    #: somebody submitted it, or had it asked for again
    SUBMITTED = "submitted"


_ROLES: Mapping[PageKind, Role] = {
    PageKind.START: Role.SEED,
    PageKind.LISTING: Role.LISTING,
    PageKind.LINK: Role.LINK,
}
_STATUS: Mapping[Stage, Status] = {
    Stage.WAITING: Status.PENDING,
    Stage.PENDING: Status.PENDING,
    Stage.QUEUED: Status.PENDING,
    Stage.CRAWLING: Status.FETCHING,
    Stage.DOWNLOADED: Status.FETCHED,
    Stage.PARSING: Status.FETCHED,
    Stage.COMPLETED: Status.FETCHED,
    Stage.FAILED: Status.FAILED,
    Stage.PAUSED: Status.PAUSED,
    Stage.CANCELLED: Status.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many pages stand where, and the hosts that have most."""

    by_status: dict[Status, int]
    by_host: list[tuple[str, int]]


def status_of(page: Any) -> Status:
    """Where a page stands in the frontier."""
    status = _STATUS[Stage(page.stage)]
    return Status.DEAD if status is Status.FAILED and page.reason in DEAD_REASONS else status


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """Which pages of the frontier; what is None may be anything."""

    status: Status | None = None
    host: str | None = None
    source_id: UUID | None = None
    #: somewhere in the URL, in any case; looked for in the newest pages (see store.page_lists.MOST_SEARCHED)
    search: str | None = None
    #: why it was refused or failed: a stable word
    reason: str | None = None
    kind: PageKind | None = None
    #: found on another page
    is_found: bool = False


async def listed(db: Connection, which: Which, *, limit: int, offset: int, now: datetime) -> Listing:
    """A part of the frontier, the newest pages first."""
    wanted = await wanted_of(db, which)
    if wanted is None:
        return Listing(rows=[], total=0, is_exact=True)
    return await task_lists.listed(db, wanted, limit=limit, offset=offset, now=now)


async def wanted_of(db: Connection, which: Which) -> Wanted | None:
    """The same as the database is asked for it; None when there is no such host, which therefore has no page."""
    ids = await _narrowed(db, host=which.host, source_id=which.source_id)
    if ids is None:
        return None
    values = ids | _standing(which.status)
    if which.reason is not None:
        values["reasons"] = {which.reason} & set(values.get("reasons", {which.reason}))
    if which.search:
        after = await page_lists.not_searched(db, host_id=ids.get("host_id"), source_id=ids.get("source_id"))
        values |= {"search": which.search, "after_id": after}
    role = _ROLES.get(which.kind) if which.kind is not None else None
    return Wanted(**values, is_found=which.is_found, role=role, is_submitted=which.kind is PageKind.SUBMITTED)


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


def _standing(status: Status | None) -> dict[str, Any]:
    if status is None:
        return {}
    base = Status.FAILED if status is Status.DEAD else status
    stages = {"stages": [stage for stage, its_status in _STATUS.items() if its_status is base]}
    if status is Status.DEAD:
        return stages | {"reasons": DEAD_REASONS}
    return stages | {"other_reasons": DEAD_REASONS} if status is Status.FAILED else stages


async def one(db: Connection, page_id: int, *, now: datetime) -> Any:
    """The page with this id."""
    page = await page_lists.one(db, page_id, now=now)
    if page is None:
        raise NotFound("there is no such page in the frontier", code="page_not_found")
    return page


async def counts(db: Connection, *, now: datetime) -> Counts:
    """How many pages stand where."""
    by_status = dict.fromkeys(Status, 0)
    for stage, count in (await page_counts.by_stage(db, now=now)).items():
        by_status[_STATUS[stage]] += count
    dead = await page_counts.failed_for(db, {str(reason) for reason in DEAD_REASONS})
    by_status[Status.DEAD] = dead
    by_status[Status.FAILED] -= dead
    return Counts(by_status=by_status, by_host=await page_counts.by_host(db, limit=_HOSTS_NAMED))


async def submit(
    db: Connection,
    url: str,
    *,
    source_id: UUID | None,
    priority: int,
    actor: str,
    now: datetime,
    frequency: timedelta | None = None,
) -> int:
    """Has a page asked for as a page of this source or, without one, of its host's own; returns its id.

    Once, unless `frequency` says how often.
    """
    order = Order(priority=priority, frequency=frequency)
    if source_id is not None:
        return await tasks.submit(db, await _open_source(db, source_id), url, order, actor=actor, now=now)
    key = urls.parse(url).host_key
    await hosts.ensure(db, [key], now=now)
    host = await task_sources.by_key(db, key)
    assert host is not None
    return await tasks.submit(db, await tasks.implicit_source(db, host, now), url, order, actor=actor, now=now)


async def _open_source(db: Connection, public_id: UUID) -> int:
    """The source, held; refuses one that takes no pages at present."""
    source = await sources.hold(db, await sources.find(db, public_id))
    if not source.enabled:
        raise NotPossible(f"source {public_id} is disabled; enable it first", code="source_disabled")
    job = await crawl_jobs.of_source(db, source.id)
    if job is None or job.deleted_at is not None:
        raise NotPossible(f"source {public_id} has no crawl job; create one first", code="no_job")
    return source.id
