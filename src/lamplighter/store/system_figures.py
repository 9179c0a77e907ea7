"""SQL about the system as a whole: what waits, what is in hand, what was found."""

from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.model.record import RecordKind
from lamplighter.store.database import Connection
from lamplighter.store.tables import hosts, pages, records


class Queue(NamedTuple):
    """Pages that wait for somebody, pages that somebody has, and how many that are."""

    ready: int = 0
    held: int = 0
    holders: int = 0


async def to_fetch(db: Connection, *, now: datetime, ranks: tuple[int, int]) -> Queue:
    """Pages to be asked for whose rank is in these bounds, the upper one not included."""
    is_due = sa.or_(pages.c.due_at.is_(None), pages.c.due_at <= now)
    is_held = hosts.c.lease_until > now
    query = (
        sa.select(
            sa.func.sum(sa.case((is_held, 0), else_=1)).label("ready"),
            sa.func.sum(sa.case((is_held, 1), else_=0)).label("held"),
            sa.func.count(sa.case((is_held, hosts.c.lease_owner)).distinct()).label("holders"),
        )
        .select_from(pages.join(hosts, hosts.c.id == pages.c.host_id))
        .where(_stands(Phase.PENDING), is_due, hosts.c.enabled)
        .where(pages.c.rank >= ranks[0], pages.c.rank < ranks[1])
    )
    return _queue((await db.execute(query)).one())


async def to_parse(db: Connection, *, now: datetime) -> Queue:
    """Pages to be read."""
    is_held = pages.c.lease_until > now
    query = sa.select(
        sa.func.sum(sa.case((is_held, 0), else_=1)).label("ready"),
        sa.func.sum(sa.case((is_held, 1), else_=0)).label("held"),
        sa.func.count(sa.case((is_held, pages.c.lease_owner)).distinct()).label("holders"),
    ).where(_stands(Phase.DOWNLOADED))
    return _queue((await db.execute(query)).one())


async def products(db: Connection, *, since: datetime) -> tuple[int, int]:
    """How many products there are, and how many of them were found since then."""
    is_new = sa.func.sum(sa.case((records.c.first_seen_at >= since, 1), else_=0))
    query = sa.select(sa.func.count().label("known"), is_new.label("new"))
    row = (await db.execute(query.where(records.c.kind == RecordKind.PRODUCT, records.c.gone_at.is_(None)))).one()
    return int(row.known), int(row.new or 0)


def _stands(phase: Phase) -> sa.ColumnElement[bool]:
    """Written as the indexes of such pages have it: from a list of one, SQLite does not see that they apply."""
    return pages.c.phase == sa.literal_column(f"'{phase}'")


def _queue(row: sa.Row[tuple[int, ...]]) -> Queue:
    return Queue(*(int(value or 0) for value in row))
