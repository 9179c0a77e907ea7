"""Lists tasks and counts them by stage."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.errors import NotFound
from lamplighter.model.page import PageStage
from lamplighter.operations.proxies.domain_proxies import host_of
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import page_counts, page_lists
from lamplighter.store.pages.page_counts import VisitCounts
from lamplighter.store.pages.page_lists import MOST_COUNTED, PageFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A part of a list, and how long the whole is."""

    rows: Sequence[Any]
    total: int
    #: False if counting stopped at a limit, or only the newest pages were searched
    is_exact: bool
    #: False when a text was looked for in the newest pages alone (see store.page_lists.MOST_SEARCHED)
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFigures:
    """Figures of tasks."""

    by_stage: Counter[PageStage]
    #: of the time that was asked about
    visits: VisitCounts
    #: visits beyond the first, ever
    revisits: int


async def one(db: Connection, page_id: int, *, now: datetime) -> Any:
    """The task with this id."""
    page = await page_lists.one(db, page_id, now=now)
    if page is None:
        raise NotFound(f"there is no task {page_id}", code="task_not_found")
    return page


async def acted_at(db: Connection, page_id: int) -> datetime | None:
    """When an operator last acted on a task; None if never."""
    last = await audit_log.listed(db, audit_log.AuditFilter(subject=f"task {page_id}"), limit=1, offset=0)
    return last[0].at if last else None


async def listed(
    db: Connection,
    wanted: PageFilter,
    *,
    limit: int,
    offset: int,
    now: datetime,
    sort: str = "created_at",
    descending: bool = True,
) -> Listing:
    """A part of the tasks wanted, and how many those are."""
    rows = await page_lists.listed(db, wanted, sort=sort, descending=descending, limit=limit, offset=offset, now=now)
    counted = await page_lists.count(db, wanted, now=now)
    is_whole = wanted.after_id is None
    is_exact = is_whole and counted <= MOST_COUNTED
    return Listing(rows=rows, total=min(counted, MOST_COUNTED), is_exact=is_exact, is_whole=is_whole)


async def figures(db: Connection, *, host_id: int | None, span: timedelta, now: datetime) -> TaskFigures:
    """Figures of tasks, of one host or of all: by stage, and the visits of the last `span`."""
    if host_id is not None:
        await host_of(db, host_id)
    return TaskFigures(
        by_stage=await page_counts.by_stage(db, host_id=host_id, now=now),
        visits=await page_counts.visits_since(db, now - span, host_id=host_id),
        revisits=await page_counts.revisits(db, host_id=host_id),
    )
