"""SQL about orders: the pages that somebody submitted, when each is due, and what became of it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, Trigger
from lamplighter.model.page import Phase
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.pages import AFRESH, OPEN_PHASES
from lamplighter.store.tables import crawl_jobs, crawl_runs, hosts, page_orders, pages, sources
from lamplighter.store.upsert import insert

_MANY = 500


class Due(NamedTuple):
    """An order whose time has come."""

    page_id: int
    source_id: int
    host_id: int
    priority: int
    depth: int


#: nobody has said that the page's host, source or job is to be left alone
_MAY_RUN = sa.and_(
    hosts.c.enabled,
    sources.c.enabled,
    sources.c.deleted_at.is_(None),
    crawl_jobs.c.deleted_at.is_(None),
    crawl_jobs.c.state != JobState.CANCELLED,
)
_IS_OPEN = pages.c.phase.in_(OPEN_PHASES)
_HAS_ORDER = sa.exists().where(page_orders.c.page_id == pages.c.id)
#: a page that waits keeps the retries that were used up unless somebody gave it new ones; any other begins afresh
_RETRIES = sa.case((pages.c.phase == Phase.WAITING, pages.c.retry_count), else_=0)


async def add(db: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Stores new orders; a page that got one meanwhile keeps it."""
    if rows:
        await db.execute(insert(db, page_orders).on_conflict_do_nothing(index_elements=["page_id"]), rows)


async def renew(db: Connection, page_id: int, *, at: datetime, priority: int, created_by: str) -> None:
    """Makes a page due at this time; one that nobody had submitted gets an order for this once."""
    again = {"priority": priority, "scheduled_at": at, "next_at": at}
    statement = insert(db, page_orders).values({"page_id": page_id, "created_by": created_by} | again)
    await db.execute(statement.on_conflict_do_update(index_elements=["page_id"], set_=again))


async def renew_many(db: Connection, page_ids: Sequence[int], *, at: datetime, created_by: str) -> None:
    """Makes pages due at this time, each with the priority it has; those without an order get one for this once."""
    given = (sa.literal(at, type_=page_orders.c.next_at.type), sa.literal(created_by))
    priority = 100 - pages.c.rank // 1000
    for start in range(0, len(page_ids), _MANY):
        some = pages.c.id.in_(page_ids[start : start + _MANY])
        rows = sa.select(pages.c.id, priority, given[0], given[0], given[1]).where(some)
        names = ["page_id", "priority", "scheduled_at", "next_at", "created_by"]
        statement = insert(db, page_orders).from_select(names, rows)
        again = {"scheduled_at": at, "next_at": at}
        await db.execute(statement.on_conflict_do_update(index_elements=["page_id"], set_=again))


async def withdraw(db: Connection, page_id: int) -> None:
    """A page with an order is not due any more; when it was to be asked for is kept."""
    was_due = sa.func.coalesce(page_orders.c.next_at, page_orders.c.scheduled_at)
    await db.execute(
        sa.update(page_orders).where(page_orders.c.page_id == page_id).values(scheduled_at=was_due, next_at=None)
    )


async def set_priority(db: Connection, page_id: int, priority: int) -> None:
    """Changes how soon an order is carried out."""
    await db.execute(sa.update(page_orders).where(page_orders.c.page_id == page_id).values(priority=priority))


async def among(db: Connection, page_ids: Iterable[int]) -> set[int]:
    """Which of these pages have an order."""
    wanted, found = sorted(page_ids), set[int]()
    for start in range(0, len(wanted), _MANY):
        some = page_orders.c.page_id.in_(wanted[start : start + _MANY])
        found |= set(await db.scalars(sa.select(page_orders.c.page_id).where(some)))
    return found


async def due(db: Connection, *, now: datetime, limit: int) -> list[Due]:
    """The due orders that may be carried out, by priority, then by how long they have been due; held by this worker."""
    columns = (pages.c.source_id, pages.c.host_id, page_orders.c.priority, pages.c.depth)
    # Sought from the orders on: the other way round SQLite would go through every page when it takes orders for many.
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
    return [Due._make(row) for row in await db.execute(query)]


async def postpone(db: Connection, page_ids: Iterable[int], *, until: datetime) -> None:
    """These orders are due then, and not before."""
    await db.execute(sa.update(page_orders).where(page_orders.c.page_id.in_(sorted(page_ids))).values(next_at=until))


async def begin(db: Connection, run_id: int, ranks: Mapping[int, int]) -> None:
    """Puts pages, by id with their ranks, into a run to be asked for; one that is in a run already stays in it."""
    readmitted = (
        sa.update(pages)
        .where(pages.c.id == sa.bindparam("page"), pages.c.phase != Phase.PENDING, pages.c.phase != Phase.DOWNLOADED)
        .values(AFRESH | {"run_id": run_id, "hops": 0, "rank": sa.bindparam("new_rank"), "retry_count": _RETRIES})
    )
    await db.execute(readmitted, [{"page": page_id, "new_rank": rank} for page_id, rank in sorted(ranks.items())])
    under_way = sa.update(page_orders).where(page_orders.c.page_id.in_(sorted(ranks)))
    await db.execute(under_way.values(scheduled_at=page_orders.c.next_at, next_at=None))


async def read_again(db: Connection, page_id: int, run_id: int, *, retry_count: int) -> None:
    """Puts a page into a run whose body is to be read once more, without asking the site for it."""
    values = AFRESH | {
        "phase": Phase.DOWNLOADED,
        "run_id": run_id,
        "hops": 0,
        "retry_count": retry_count,
        "lease_owner": None,
        "lease_until": None,
        # while a page waits to be read this says when it was had before (see crawl.resting): nothing is compared here
        "rest_until": None,
        # nor is it read for the sake of its links alone
        "links_due_at": None,
    }
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(values))


async def make_room(db: Connection, run_id: int, *, for_pages: int, bodies: int = 0) -> None:
    """Lets a run take on so many submitted pages more, and nothing else in their place.

    Pages whose bodies are held count as had when they are taken on: nobody will ask for them.
    """
    await db.execute(
        sa.update(crawl_runs)
        .where(crawl_runs.c.id == run_id)
        .values(
            page_budget=crawl_runs.c.page_budget + for_pages,
            page_count=crawl_runs.c.page_count + for_pages,
            pages_fetched=crawl_runs.c.pages_fetched + bodies,
        )
    )


async def settle(db: Connection, run_id: int, *, since: datetime, only_recurring: bool = False) -> None:
    """Plans the next visits of submitted pages that a run, begun at `since`, has done; failed ones get none."""
    done = (
        sa.select(page_orders.c.page_id, page_orders.c.frequency_seconds, pages.c.fetched_at)
        .join(pages, pages.c.id == page_orders.c.page_id)
        .where(pages.c.run_id == run_id, pages.c.phase == Phase.COMPLETED, page_orders.c.next_at.is_(None))
        .order_by(page_orders.c.page_id)
    )
    if only_recurring:
        done = done.where(page_orders.c.frequency_seconds.is_not(None))
    rows = [
        {
            "page": row.page_id,
            "next": _next_at(row.fetched_at or since, row.frequency_seconds),
            # a page that was only read again has not been visited
            "visits": int(row.fetched_at is not None and row.fetched_at >= since),
        }
        for row in await db.execute(done)
    ]
    if rows:
        planned = sa.update(page_orders).where(page_orders.c.page_id == sa.bindparam("page"))
        visits = page_orders.c.visit_count + sa.bindparam("visits")
        await db.execute(planned.values(next_at=sa.bindparam("next"), visit_count=visits), rows)


def _next_at(fetched_at: datetime, frequency_seconds: int | None) -> datetime | None:
    return fetched_at + timedelta(seconds=frequency_seconds) if frequency_seconds is not None else None


async def put_back(db: Connection, run_id: int, *, now: datetime) -> int:
    """Takes the submitted pages that a run has not done out of it: they are due again. Returns how many."""
    left = sa.select(pages.c.id).where(pages.c.run_id == run_id, _IS_OPEN, _HAS_ORDER).order_by(pages.c.id)
    return await put_back_pages(db, list(await db.scalars(left)), now=now)


async def put_back_pages(db: Connection, page_ids: Sequence[int], *, now: datetime) -> int:
    """Those of these pages that somebody submitted wait again, and are due; returns how many."""
    count = 0
    for start in range(0, len(page_ids), _MANY):
        some = page_ids[start : start + _MANY]
        # A body that was never read must not pass for read when the site says next time that it has not changed.
        unread = sa.case((pages.c.phase == Phase.DOWNLOADED, None), else_=pages.c.content_hash)
        waiting = {"phase": Phase.WAITING, "lease_owner": None, "lease_until": None, "content_hash": unread}
        nothing_wrong = {"due_at": None, "reason": None, "detail": None}
        cut = sa.update(pages).where(pages.c.id.in_(some), _HAS_ORDER).values(waiting | nothing_wrong)
        count += rows_written(await db.execute(cut))
        await db.execute(sa.update(page_orders).where(page_orders.c.page_id.in_(some)).values(next_at=now))
    return count


async def open_task_runs(db: Connection) -> dict[int, datetime]:
    """The runs of submitted pages that are going on, and when each began."""
    is_one = sa.and_(crawl_runs.c.finished_at.is_(None), crawl_runs.c.trigger == Trigger.TASKS)
    rows = await db.execute(sa.select(crawl_runs.c.id, crawl_runs.c.started_at).where(is_one))
    return {row.id: row.started_at for row in rows}


async def emptied_runs(db: Connection) -> list[int]:
    """Runs going on that have no page left to do, because the last of them was paused, cancelled or forgotten."""
    left = sa.exists().where(pages.c.run_id == crawl_runs.c.id, _IS_OPEN)
    query = sa.select(crawl_runs.c.id).where(crawl_runs.c.finished_at.is_(None), ~left)
    # Ordered here: SQLite would go through every run there ever was to find the open ones in order.
    return sorted(await db.scalars(query))
