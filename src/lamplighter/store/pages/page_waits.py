"""SQL about what pending pages wait for: their turn, a later time, a proxy."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.model.visit import Refusal
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.hosts.host_lists import MOST_WAITING
from lamplighter.store.pages.pages import OPEN_PHASES, in_frontier, in_turn, stands
from lamplighter.store.schema.tables import pages
from lamplighter.store.schema.types import UtcTime

_COLUMNS = (pages.c.host_id, pages.c.due_at, pages.c.detail)


class WaitingPages(NamedTuple):
    """The pending pages of a host."""

    pages: int
    #: pages that may be fetched now
    due: int
    #: when the first of the others may be fetched; None without any
    next_at: datetime | None
    #: why a page is retried; None without a retry
    detail: str | None


async def at_hosts(db: Connection, host_ids: Iterable[int], *, now: datetime) -> dict[int, WaitingPages]:
    """Host -> its pending pages; without hosts that have none.

    Only the first MOST_WAITING + 1 pages of each host are read: the later ones change nothing for now.
    """
    each = [_first_pages(host_id) for host_id in sorted(host_ids)]
    if not each:
        return {}
    return await _by_host(db, sa.union_all(*(sa.select(some) for some in each)).subquery(), now=now)


async def of_run(db: Connection, run_id: int, *, now: datetime) -> dict[int, WaitingPages]:
    """Host -> the pending pages of a run."""
    # OPEN_PHASES repeats the condition of ix_pages_open word for word: otherwise SQLite does not use that index.
    is_mine = sa.and_(pages.c.run_id == run_id, pages.c.phase.in_(OPEN_PHASES), pages.c.phase == Phase.PENDING)
    return await _by_host(db, sa.select(*_COLUMNS).where(is_mine).subquery(), now=now)


async def end_proxy_waits(db: Connection, host_ids: Iterable[int] | None) -> list[int]:
    """Makes pages due that wait for a proxy, of these hosts or of all; returns their hosts."""
    await hosts.end_proxy_waits(db, host_ids)
    waits = sa.and_(stands(Phase.PENDING), pages.c.reason == str(Refusal.NO_PROXY))
    if host_ids is not None:
        waits = sa.and_(waits, pages.c.host_id.in_(sorted(host_ids)))
    found = sorted(await db.scalars(sa.select(pages.c.host_id).where(waits).distinct()))
    if found:
        await db.execute(sa.update(pages).where(waits).values(due_at=None))
    return found


def _first_pages(host_id: int) -> sa.Subquery:
    mine = sa.select(*_COLUMNS).where(in_frontier(host_id))
    return mine.order_by(*in_turn()).limit(MOST_WAITING + 1).subquery()


async def _by_host(db: Connection, some: sa.Subquery, *, now: datetime) -> dict[int, WaitingPages]:
    is_later = some.c.due_at > now
    query = sa.select(
        some.c.host_id,
        sa.func.count().label("pages"),
        sa.func.sum(sa.case((is_later, 0), else_=1)).label("due"),
        sa.func.min(sa.case((is_later, some.c.due_at)), type_=UtcTime).label("next_at"),
        sa.func.min(sa.case((is_later, some.c.detail))).label("detail"),
    ).group_by(some.c.host_id)
    return {
        row.host_id: WaitingPages(row.pages, int(row.due), row.next_at, row.detail) for row in await db.execute(query)
    }
