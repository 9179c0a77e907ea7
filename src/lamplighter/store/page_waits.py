"""SQL about what pages wait for that are to be asked of hosts: their turn, a later time, a proxy."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.model.visit import Refusal
from lamplighter.store.database import Connection
from lamplighter.store.host_lists import MOST_WAITING
from lamplighter.store.pages import OPEN_PHASES, in_frontier, in_turn
from lamplighter.store.tables import pages
from lamplighter.store.types import UtcTime

_COLUMNS = (pages.c.host_id, pages.c.due_at, pages.c.detail, pages.c.reason)


class Waiting(NamedTuple):
    """Pages that are to be asked of a host."""

    pages: int
    #: those that may be asked for now
    due: int
    #: when the first of the others may; None without any
    next_at: datetime | None
    #: why one of them is tried again; None when none is
    detail: str | None
    #: whether one of them waits for a proxy
    waits_for_proxy: bool = False


async def at_hosts(db: Connection, host_ids: Iterable[int], *, now: datetime) -> dict[int, Waiting]:
    """What is to be asked of these hosts; those of whom nothing is are left out.

    Of each the MOST_WAITING + 1 pages are looked at that come first: what lies behind them changes nothing for now.
    """
    each = [_first_pages(host_id) for host_id in sorted(host_ids)]
    if not each:
        return {}
    return await _by_host(db, sa.union_all(*(sa.select(some) for some in each)).subquery(), now=now)


async def of_run(db: Connection, run_id: int, *, now: datetime) -> dict[int, Waiting]:
    """What is to be asked of hosts for a run."""
    # The wider condition is that of ix_pages_open: without its very words SQLite does not see that it applies.
    is_mine = sa.and_(pages.c.run_id == run_id, pages.c.phase.in_(OPEN_PHASES), pages.c.phase == Phase.PENDING)
    return await _by_host(db, sa.select(*_COLUMNS).where(is_mine).subquery(), now=now)


def _first_pages(host_id: int) -> sa.Subquery:
    mine = sa.select(*_COLUMNS).where(in_frontier(host_id))
    return mine.order_by(*in_turn()).limit(MOST_WAITING + 1).subquery()


async def _by_host(db: Connection, some: sa.Subquery, *, now: datetime) -> dict[int, Waiting]:
    is_later = some.c.due_at > now
    is_exitless = sa.and_(is_later, some.c.reason == Refusal.NO_PROXY)
    # Where one waits for a proxy all do, whatever else some of them may wait for.
    why = sa.func.coalesce(
        sa.func.min(sa.case((is_exitless, some.c.detail))), sa.func.min(sa.case((is_later, some.c.detail)))
    )
    query = sa.select(
        some.c.host_id,
        sa.func.count().label("pages"),
        sa.func.sum(sa.case((is_later, 0), else_=1)).label("due"),
        sa.func.min(sa.case((is_later, some.c.due_at)), type_=UtcTime).label("next_at"),
        why.label("detail"),
        sa.func.max(sa.case((is_exitless, 1), else_=0)).label("exitless"),
    ).group_by(some.c.host_id)
    return {
        row.host_id: Waiting(row.pages, int(row.due), row.next_at, row.detail, bool(row.exitless))
        for row in await db.execute(query)
    }
