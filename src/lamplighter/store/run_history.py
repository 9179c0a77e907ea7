"""SQL about the history of runs: which were, of whom, how they ended, and the pages of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.crawl import Outcome, Trigger
from lamplighter.store.activity import OPEN_RUNS
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_runs, hosts, pages, sources

#: totals are exact up to here; nobody pages further
MOST_COUNTED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which runs; None means any."""

    #: a source's public id
    source_id: str | None = None
    #: somewhere in a source's name or URL
    search: str | None = None
    outcome: Outcome | None = None
    #: those that go on, whatever the outcome
    is_open: bool = False
    trigger: Trigger | None = None
    #: begun from this moment on
    since: datetime | None = None


async def listed(db: Connection, wanted: Wanted, *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """A part of the runs wanted, the latest first, and how many there are, up to MOST_COUNTED."""
    runs = OPEN_RUNS if wanted.is_open else crawl_runs
    which = _conditions(wanted, runs)
    query = (
        sa.select(runs, sources.c.public_id.label("source_public_id"), sources.c.name.label("source_name"))
        .join(sources, sources.c.id == runs.c.source_id)
        .where(*which)
        .order_by(runs.c.started_at.desc(), runs.c.id.desc())
    )
    rows = (await db.execute(query.limit(limit).offset(offset))).all()
    bounded = sa.select(sa.literal(1).label("one")).select_from(runs).where(*which).limit(MOST_COUNTED).subquery()
    return rows, int(await db.scalar(sa.select(sa.func.count()).select_from(bounded)))


async def pages_of(db: Connection, run_id: int, *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """Pages that are in this run, or were last in it, the newest first, and how many; MOST_COUNTED + 1 when more."""
    mine = sa.select(pages.c.id).where(pages.c.run_id == run_id)
    # What surrounds a page is looked up for those shown; the index has their numbers in order.
    chosen = list(await db.scalars(mine.order_by(pages.c.id.desc()).limit(limit).offset(offset)))
    query = (
        sa.select(pages, hosts.c.key.label("host"))
        .join(hosts, hosts.c.id == pages.c.host_id)
        .where(pages.c.id.in_(chosen))
        .order_by(pages.c.id.desc())
    )
    rows = (await db.execute(query)).all()
    bounded = mine.limit(MOST_COUNTED + 1).subquery()
    return rows, int(await db.scalar(sa.select(sa.func.count()).select_from(bounded)))


def _conditions(wanted: Wanted, runs: sa.FromClause) -> list[sa.ColumnElement[bool]]:
    which: list[sa.ColumnElement[bool]] = []
    if wanted.source_id is not None:
        its = sa.select(sources.c.id).where(sources.c.public_id == wanted.source_id)
        which.append(runs.c.source_id == its.scalar_subquery())
    if wanted.search is not None:
        named = (sources.c[name].icontains(wanted.search, autoescape=True) for name in ("name", "url"))
        which.append(runs.c.source_id.in_(sa.select(sources.c.id).where(sa.or_(*named))))
    if wanted.outcome is not None:
        which.append(runs.c.outcome == wanted.outcome)
    if wanted.trigger is not None:
        which.append(runs.c.trigger == wanted.trigger)
    if wanted.since is not None:
        which.append(runs.c.started_at >= wanted.since)
    return which
