"""SQL about what operators do with single pages."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_runs, page_orders, pages
from lamplighter.store.types import UtcTime, literal

_MANY = 500
_NO_LEASE: dict[str, Any] = {"lease_owner": None, "lease_until": None}


async def wait(db: Connection, page_id: int, *, rank: int, **values: int) -> None:
    """The page waits to be taken into a run."""
    afresh = {"phase": Phase.WAITING, "due_at": None, "reason": None, "detail": None, "rank": rank}
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(_NO_LEASE | afresh | values))


async def restart_many(db: Connection, page_ids: Sequence[int], *, now: datetime) -> None:
    """These pages, all of which were submitted, wait with all their tries, and are due."""
    await wait_many(db, page_ids)
    for start in range(0, len(page_ids), _MANY):
        some = page_ids[start : start + _MANY]
        due = sa.update(page_orders).where(page_orders.c.page_id.in_(some))
        await db.execute(due.values(scheduled_at=now, next_at=now))


async def wait_many(db: Connection, page_ids: Sequence[int]) -> None:
    """These pages wait to be taken into a run, with all their tries."""
    afresh = {"phase": Phase.WAITING, "due_at": None, "reason": None, "detail": None, "retry_count": 0}
    for start in range(0, len(page_ids), _MANY):
        some = pages.c.id.in_(page_ids[start : start + _MANY])
        await db.execute(sa.update(pages).where(some).values(_NO_LEASE | afresh))


async def leave(db: Connection, page_id: int, *, phase: Phase, reason: str, detail: str) -> None:
    """Nothing more is done with the page; a body that was not read yet does not pass for read."""
    unread = sa.case((pages.c.phase == Phase.DOWNLOADED, None), else_=pages.c.content_hash)
    left = {"phase": phase, "reason": reason, "detail": detail, "content_hash": unread, "due_at": None}
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(_NO_LEASE | left))


async def rank(db: Connection, page_id: int, new_rank: int) -> None:
    """Changes the page's place in the line of its host."""
    await db.execute(sa.update(pages).where(pages.c.id == page_id).values(rank=new_rank))


async def remove(db: Connection, page_id: int) -> None:
    """Removes a page, its order and the sightings of records on it."""
    await db.execute(sa.delete(pages).where(pages.c.id == page_id))


async def failed_orders(
    db: Connection, *, host_id: int | None, failed_after: datetime | None, limit: int, now: datetime
) -> list[int]:
    """Submitted pages that failed, the oldest first, in runs that ended since then or go on; held by this worker."""
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
        # The time says what it is: on SQLite it would be text otherwise, which is greater than any number.
        ended_at = sa.func.coalesce(crawl_runs.c.finished_at, sa.literal(now, UtcTime), type_=UtcTime)
        since = sa.exists().where(crawl_runs.c.id == pages.c.run_id, ended_at >= failed_after)
        query = query.where(since)
    return list(await db.scalars(query))
