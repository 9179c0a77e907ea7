"""SQL about operators' actions on pages."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.engine import queries
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs, page_orders, pages
from lamplighter.store.schema.types import UtcTime, literal

_NO_LEASE: dict[str, Any] = {"lease_owner": None, "lease_until": None}
_WAITING: dict[str, Any] = _NO_LEASE | {"phase": Phase.WAITING, "due_at": None, "reason": None, "detail": None}


async def wait(db: Connection, page_id: int, *, rank: int, reset_retries: bool) -> None:
    """Makes the page wait for a run, with all its retries or with those that are left."""
    values = _WAITING | {"rank": rank} | ({"retry_count": 0} if reset_retries else {})
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(values))


async def hurry(db: Connection, page_id: int, *, rank: int, reset_retries: bool) -> None:
    """Makes a pending page due now, with all its retries or with those that are left."""
    values: dict[str, Any] = {"rank": rank, "due_at": None, "reason": None, "detail": None}
    values |= {"retry_count": 0} if reset_retries else {}
    is_pending = sa.and_(pages.c.id == page_id, pages.c.phase == Phase.PENDING)
    await db.execute(sa.update(pages).where(is_pending).values(values))


async def set_retries(db: Connection, page_id: int, max_retries: int) -> None:
    """Changes how often a page is tried again."""
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(max_retries=max_retries))


async def restart_many(db: Connection, page_ids: Sequence[int], *, now: datetime) -> None:
    """Makes these tasks due, with all their retries."""
    await wait_many(db, page_ids)
    for some in queries.chunks(page_ids):
        due = sa.update(page_orders).where(page_orders.c.page_id.in_(some))
        await db.execute(due.values(scheduled_at=now, next_at=now))
    signal(Signal.TASKS)


async def wait_many(db: Connection, page_ids: Sequence[int]) -> None:
    """Makes these pages wait for a run, with all their retries."""
    for some in queries.chunks(page_ids):
        await db.execute(sa.update(pages).where(pages.c.id.in_(some)).values(_WAITING | {"retry_count": 0}))


async def leave(db: Connection, page_id: int, *, phase: Phase, reason: str, detail: str) -> None:
    """Ends the work on a page; a body that was not parsed yet does not count as parsed."""
    unread = sa.case((pages.c.phase == Phase.DOWNLOADED, None), else_=pages.c.content_hash)
    left = {"phase": phase, "reason": reason, "detail": detail, "content_hash": unread, "due_at": None}
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(_NO_LEASE | left))
    signal(Signal.TASKS)


async def rank(db: Connection, page_id: int, new_rank: int) -> None:
    """Changes the page's place in the queue of its host."""
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(rank=new_rank))


async def remove(db: Connection, page_id: int) -> None:
    """Removes a page, its task and the sightings of records on it."""
    await db.execute(sa.delete(pages).where(pages.c.id == page_id))
    signal(Signal.TASKS)


async def failed_orders(
    db: Connection, *, host_id: int | None, failed_after: datetime | None, limit: int, now: datetime
) -> list[int]:
    """Tasks that failed since then, the oldest first; locked for this worker."""
    query = (
        sa.select(pages.c.id)
        .join(page_orders, page_orders.c.page_id == pages.c.id)
        .where(pages.c.phase.in_(literal(Phase.FAILED)))
        .order_by(pages.c.id)
        .limit(limit)
        .with_for_update(of=pages, skip_locked=True)
    )
    if host_id is not None:
        query = query.where(pages.c.host_id == host_id)
    if failed_after is not None:
        # The literal needs its type: SQLite would get text otherwise, which is greater than any number.
        ended_at = sa.func.coalesce(crawl_runs.c.finished_at, sa.literal(now, UtcTime), type_=UtcTime)
        # A page that was refused, or that its run did not reach, failed when the run ended.
        by_run = sa.or_(pages.c.failed_at.is_(None), pages.c.failed_at < crawl_runs.c.started_at)
        ended = sa.exists().where(crawl_runs.c.id == pages.c.run_id, ended_at >= failed_after, by_run)
        query = query.where(sa.or_(pages.c.failed_at >= failed_after, ended))
    return list(await db.scalars(query))
