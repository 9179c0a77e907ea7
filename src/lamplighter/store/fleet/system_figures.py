"""SQL about system figures: the page queues and the products found."""

from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.model.record import RecordKind
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.pages import stands
from lamplighter.store.schema.tables import hosts, pages, records


class PageQueue(NamedTuple):
    """Numbers of waiting pages, leased pages, and processes with leases."""

    ready: int = 0
    held: int = 0
    holders: int = 0
    #: False when counting stopped at its limit: there may be more
    is_exact: bool = True


async def to_fetch(db: Connection, *, now: datetime, ranks: tuple[int, int], most: int | None = None) -> PageQueue:
    """Counts the pages to fetch with a rank in these bounds, without the upper one; at most `most`."""
    is_due = sa.or_(pages.c.due_at.is_(None), pages.c.due_at <= now)
    is_held = hosts.c.lease_until > now
    query = (
        _holding(is_held, hosts.c.lease_owner)
        .select_from(pages.join(hosts, hosts.c.id == pages.c.host_id))
        .where(stands(Phase.PENDING), is_due, hosts.c.enabled)
        .where(pages.c.rank >= ranks[0], pages.c.rank < ranks[1])
    )
    return await _counted(db, query, most)


async def to_parse(db: Connection, *, now: datetime, most: int | None = None) -> PageQueue:
    """Counts the pages to parse; at most `most`."""
    query = _holding(pages.c.lease_until > now, pages.c.lease_owner).where(stands(Phase.DOWNLOADED))
    return await _counted(db, query, most)


async def products(db: Connection, *, since: datetime) -> tuple[int, int]:
    """The number of products, and how many of them were found since then."""
    is_new = sa.func.sum(sa.case((records.c.first_seen_at >= since, 1), else_=0))
    query = sa.select(sa.func.count().label("known"), is_new.label("new"))
    row = (await db.execute(query.where(records.c.kind == RecordKind.PRODUCT, records.c.gone_at.is_(None)))).one()
    return int(row.known), int(row.new or 0)


def _holding(is_held: sa.ColumnElement[bool], owner: sa.Column[Any]) -> sa.Select[Any]:
    """Whether each page is leased, and to whom."""
    return sa.select(sa.case((is_held, 1), else_=0).label("held"), sa.case((is_held, owner)).label("holder"))


async def _counted(db: Connection, query: sa.Select[Any], most: int | None) -> PageQueue:
    some = query.limit(most).subquery()
    held, holders = sa.func.sum(some.c.held).label("held"), sa.func.count(some.c.holder.distinct()).label("holders")
    row = (await db.execute(sa.select(sa.func.count().label("pages"), held, holders).select_from(some))).one()
    in_hand = int(row.held or 0)
    return PageQueue(row.pages - in_hand, in_hand, row.holders, is_exact=most is None or row.pages < most)
