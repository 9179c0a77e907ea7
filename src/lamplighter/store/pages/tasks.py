"""SQL about tasks: pages that operators or programs submitted, and when each is due."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, Trigger
from lamplighter.model.page import Phase
from lamplighter.store.engine import queries
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.pages.pages import AFRESH, OPEN_PHASES
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, page_orders, pages, sources


class DueTask(NamedTuple):
    """A task that is due."""

    page_id: int
    source_id: int
    host_id: int
    priority: int
    depth: int


#: the page's host, source and job are neither disabled, deleted nor cancelled
_MAY_RUN = sa.and_(
    hosts.c.enabled,
    sources.c.enabled,
    sources.c.deleted_at.is_(None),
    crawl_jobs.c.deleted_at.is_(None),
    crawl_jobs.c.state != JobState.CANCELLED,
)
_IS_OPEN = pages.c.phase.in_(OPEN_PHASES)
#: None for a task that is fetched once
_INTERVAL = sa.case((page_orders.c.is_recurring, page_orders.c.frequency_seconds))
_HAS_ORDER = sa.exists().where(page_orders.c.page_id == pages.c.id)
#: a waiting page keeps its count of retries, which an operator may have reset; any other page starts from 0
_RETRIES = sa.case((pages.c.phase == Phase.WAITING, pages.c.retry_count), else_=0)


class NewOrder(NamedTuple):
    """A task to fetch a page, once or repeatedly."""

    page_id: int
    priority: int
    #: between visits, if it recurs; None when it was not given
    frequency_seconds: int | None
    is_recurring: bool
    scheduled_at: datetime
    next_at: datetime
    created_by: str
    #: the task for which it was submitted, the batch with which, and the channel of its webhook
    parent_page_id: int | None = None
    batch_id: str | None = None
    channel_id: int | None = None


async def add(db: Connection, new: Sequence[NewOrder]) -> None:
    """Stores new tasks; a page that has a task keeps it."""
    rows = [order._asdict() for order in new]
    if rows:
        await db.execute(insert(db, page_orders).on_conflict_do_nothing(index_elements=["page_id"]), rows)
        signal(Signal.TASKS)


async def renew(db: Connection, page_id: int, *, at: datetime, priority: int, created_by: str) -> None:
    """Makes a page due at this time; a page without a task gets one for a single fetch."""
    again = {"priority": priority, "scheduled_at": at, "next_at": at}
    statement = insert(db, page_orders).values({"page_id": page_id, "created_by": created_by} | again)
    await db.execute(statement.on_conflict_do_update(index_elements=["page_id"], set_=again))
    signal(Signal.TASKS)


async def renew_many(db: Connection, page_ids: Sequence[int], *, at: datetime, created_by: str) -> None:
    """Makes pages due at this time, with their priorities; pages without a task get one for a single fetch."""
    when, priority = sa.literal(at, type_=page_orders.c.next_at.type), 100 - pages.c.rank // 1000
    names = ["page_id", "priority", "scheduled_at", "next_at", "created_by"]
    for some in queries.chunks(page_ids):
        rows = sa.select(pages.c.id, priority, when, when, sa.literal(created_by)).where(pages.c.id.in_(some))
        statement = insert(db, page_orders).from_select(names, rows)
        again = {"scheduled_at": at, "next_at": at}
        await db.execute(statement.on_conflict_do_update(index_elements=["page_id"], set_=again))
    signal(Signal.TASKS)


async def withdraw(db: Connection, page_id: int) -> None:
    """Makes a task no longer due; keeps the time for which it was scheduled."""
    was_due = sa.func.coalesce(page_orders.c.next_at, page_orders.c.scheduled_at)
    await db.execute(
        sa.update(page_orders).where(page_orders.c.page_id == page_id).values(scheduled_at=was_due, next_at=None)
    )


async def set_priority(db: Connection, page_id: int, priority: int) -> None:
    """Changes the priority of a task."""
    await db.execute(sa.update(page_orders).where(page_orders.c.page_id == page_id).values(priority=priority))


async def reschedule(db: Connection, page_id: int, *, at: datetime) -> None:
    """Moves the time for which a task under way is scheduled."""
    await db.execute(sa.update(page_orders).where(page_orders.c.page_id == page_id).values(scheduled_at=at))


async def set_frequency(
    db: Connection,
    page_id: int,
    frequency: timedelta | None,
    *,
    is_recurring: bool,
    next_at: datetime | None,
    is_planned: bool,
) -> None:
    """Changes the interval of a task; `next_at` is written if its next visit is already planned."""
    seconds = int(frequency.total_seconds()) if frequency is not None else None
    values: dict[str, object] = {"frequency_seconds": seconds, "is_recurring": is_recurring}
    values |= {"next_at": next_at} if is_planned else {}
    await db.execute(sa.update(page_orders).where(page_orders.c.page_id == page_id).values(values))
    signal(Signal.TASKS)


async def of_batch(db: Connection, batch_id: str, *, ended_only: bool = False) -> list[int]:
    """The tasks of a batch, in order; those that are not under way, if `ended_only`."""
    query = sa.select(pages.c.id).join(page_orders, page_orders.c.page_id == pages.c.id)
    query = query.where(page_orders.c.batch_id == batch_id).order_by(pages.c.id)
    if ended_only:
        query = query.where(pages.c.phase.not_in((Phase.PENDING, Phase.DOWNLOADED))).with_for_update(of=pages)
    return list(await db.scalars(query))


async def among(db: Connection, page_ids: Iterable[int]) -> set[int]:
    """Which of these pages are tasks."""
    query = sa.select(page_orders.c.page_id)
    parts = [await db.scalars(query.where(page_orders.c.page_id.in_(some))) for some in queries.chunks(page_ids)]
    return {page_id for part in parts for page_id in part}


async def due(db: Connection, *, now: datetime, limit: int) -> list[DueTask]:
    """The due tasks that may run, locked: by priority, then by how long they have been due."""
    columns = (pages.c.source_id, pages.c.host_id, page_orders.c.priority, pages.c.depth)
    # The coalesce makes SQLite start with the tasks: if it expects many, it would scan every page instead.
    query = (
        sa.select(page_orders.c.page_id, *columns)
        .join(pages, pages.c.id == sa.func.coalesce(page_orders.c.page_id, 0))
        .join(hosts, hosts.c.id == pages.c.host_id)
        .join(sources, sources.c.id == pages.c.source_id)
        .join(crawl_jobs, crawl_jobs.c.source_id == pages.c.source_id)
        .where(page_orders.c.next_at <= now, _MAY_RUN)
        .order_by(page_orders.c.priority.desc(), page_orders.c.next_at, page_orders.c.page_id)
        .limit(limit)
        .with_for_update(of=page_orders, skip_locked=True)
    )
    return [DueTask._make(row) for row in await db.execute(query)]


async def postpone(db: Connection, page_ids: Iterable[int], *, until: datetime) -> None:
    """Makes these tasks due at that time."""
    await db.execute(sa.update(page_orders).where(page_orders.c.page_id.in_(sorted(page_ids))).values(next_at=until))


async def begin(db: Connection, run_id: int, ranks: Mapping[int, int]) -> None:
    """Puts pages, by id with their ranks, into a run to be fetched; a page in an open run stays there."""
    readmitted = (
        sa.update(pages)
        .where(pages.c.id == sa.bindparam("page"), pages.c.phase != Phase.PENDING, pages.c.phase != Phase.DOWNLOADED)
        .values(AFRESH | {"run_id": run_id, "hops": 0, "rank": sa.bindparam("new_rank"), "retry_count": _RETRIES})
    )
    await db.execute(readmitted, [{"page": page_id, "new_rank": rank} for page_id, rank in sorted(ranks.items())])
    under_way = sa.update(page_orders).where(page_orders.c.page_id.in_(sorted(ranks)))
    await db.execute(under_way.values(scheduled_at=page_orders.c.next_at, next_at=None))


async def read_again(db: Connection, page_id: int, run_id: int, *, retry_count: int) -> None:
    """Puts a page into a run to parse its body once more, without a request."""
    # `rest_until` holds when a waiting page was fetched before (see crawl.fetching.page_revisits), and `links_due_at`
    # that it is parsed only for its links: neither applies here.
    nothing = dict.fromkeys(("lease_owner", "lease_until", "rest_until", "links_due_at"))
    values = {"phase": Phase.DOWNLOADED, "run_id": run_id, "hops": 0, "retry_count": retry_count}
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(AFRESH | nothing | values))
    signal(Signal.DOWNLOADS)


async def make_room(db: Connection, run_id: int, *, for_pages: int, bodies: int = 0) -> None:
    """Raises a run's page budget by so many tasks, which use all of it.

    Pages whose bodies are stored count as fetched at once: no request is sent for them.
    """
    more = {"page_budget": for_pages, "page_count": for_pages, "pages_fetched": bodies}
    values = {name: crawl_runs.c[name] + number for name, number in more.items()}
    await db.execute(sa.update(crawl_runs).where(crawl_runs.c.id == run_id).values(values))


async def settle(db: Connection, run_id: int, *, since: datetime, only_recurring: bool = False) -> None:
    """Plans the next visits of submitted pages that a run, begun at `since`, has done; failed ones get none."""
    done = (
        sa.select(page_orders.c.page_id, _INTERVAL.label("interval_seconds"), pages.c.fetched_at)
        .join(pages, pages.c.id == page_orders.c.page_id)
        .where(pages.c.run_id == run_id, pages.c.phase == Phase.COMPLETED, page_orders.c.next_at.is_(None))
        .order_by(page_orders.c.page_id)
    )
    if only_recurring:
        done = done.where(page_orders.c.is_recurring)
    rows = [
        {
            "page": row.page_id,
            "next": _next_at(row.fetched_at or since, row.interval_seconds),
            # a page that was only parsed again has not been visited
            "visits": int(row.fetched_at is not None and row.fetched_at >= since),
        }
        for row in await db.execute(done)
    ]
    if rows:
        planned = sa.update(page_orders).where(page_orders.c.page_id == sa.bindparam("page"))
        visits = page_orders.c.visit_count + sa.bindparam("visits")
        await db.execute(planned.values(next_at=sa.bindparam("next"), visit_count=visits), rows)


def _next_at(fetched_at: datetime, interval_seconds: int | None) -> datetime | None:
    return fetched_at + timedelta(seconds=interval_seconds) if interval_seconds is not None else None


async def put_back(db: Connection, run_id: int, *, now: datetime) -> int:
    """Makes the tasks that a run has not done wait again, due now or when they were to be retried; returns how many."""
    left = sa.select(pages.c.id).where(pages.c.run_id == run_id, _IS_OPEN, _HAS_ORDER).order_by(pages.c.id)
    return await put_back_pages(db, list(await db.scalars(left)), now=now)


async def put_back_pages(db: Connection, page_ids: Sequence[int], *, now: datetime) -> int:
    """Makes those of these pages that are tasks wait again, and due; returns how many."""
    # A body that was never parsed must not count as parsed when the site says next time that it has not changed.
    unread = sa.case((pages.c.phase == Phase.DOWNLOADED, None), else_=pages.c.content_hash)
    nothing = dict.fromkeys(("lease_owner", "lease_until", "due_at", "reason", "detail"))
    count = 0
    for some in queries.chunks(page_ids):
        await db.execute(sa.update(page_orders).where(page_orders.c.page_id.in_(some)).values(next_at=_next_try(now)))
        cut = sa.update(pages).where(pages.c.id.in_(some), _HAS_ORDER)
        count += rows_written(await db.execute(cut.values(nothing | {"phase": Phase.WAITING, "content_hash": unread})))
    return count


def _next_try(now: datetime) -> sa.ColumnElement[datetime]:
    """When a task is due that waits again: now, or when its retry was planned."""
    planned = sa.select(pages.c.due_at).where(pages.c.id == page_orders.c.page_id, pages.c.due_at > now)
    return sa.func.coalesce(planned.scalar_subquery(), sa.literal(now, type_=page_orders.c.next_at.type))


async def open_task_runs(db: Connection) -> dict[int, datetime]:
    """The open runs of tasks, and when each began."""
    is_one = sa.and_(crawl_runs.c.finished_at.is_(None), crawl_runs.c.trigger == Trigger.TASKS)
    rows = await db.execute(sa.select(crawl_runs.c.id, crawl_runs.c.started_at).where(is_one))
    return {row.id: row.started_at for row in rows}


async def emptied_runs(db: Connection) -> list[int]:
    """Open runs without open pages, because the last page was paused, cancelled or removed."""
    left = sa.exists().where(pages.c.run_id == crawl_runs.c.id, _IS_OPEN)
    query = sa.select(crawl_runs.c.id).where(crawl_runs.c.finished_at.is_(None), ~left)
    # Sorted here: to find the open runs in order, SQLite would scan every run.
    return sorted(await db.scalars(query))
