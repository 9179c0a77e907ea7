"""SQL about the history of runs: which were, of whom, how they ended, and the pages of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.crawl import Outcome, Trigger
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
    which = _conditions(wanted)
    query = (
        sa.select(crawl_runs, sources.c.public_id.label("source_public_id"), sources.c.name.label("source_name"))
        .join(sources, sources.c.id == crawl_runs.c.source_id)
        .where(*which)
        .order_by(crawl_runs.c.started_at.desc(), crawl_runs.c.id.desc())
    )
    rows = (await db.execute(query.limit(limit).offset(offset))).all()
    bounded = sa.select(sa.literal(1).label("one")).select_from(crawl_runs).where(*which).limit(MOST_COUNTED).subquery()
    return rows, int(await db.scalar(sa.select(sa.func.count()).select_from(bounded)))


async def pages_of(db: Connection, run_id: int, *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """Pages that are in this run, or were last in it, as they were taken on, and how many there are."""
    query = (
        sa.select(pages, hosts.c.key.label("host"))
        .join(hosts, hosts.c.id == pages.c.host_id)
        .where(pages.c.run_id == run_id)
        .order_by(pages.c.depth, pages.c.id)
    )
    rows = (await db.execute(query.limit(limit).offset(offset))).all()
    total = await db.scalar(sa.select(sa.func.count()).select_from(pages).where(pages.c.run_id == run_id))
    return rows, int(total)


def _conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    which: list[sa.ColumnElement[bool]] = []
    if wanted.source_id is not None:
        its = sa.select(sources.c.id).where(sources.c.public_id == wanted.source_id)
        which.append(crawl_runs.c.source_id == its.scalar_subquery())
    if wanted.search is not None:
        text = wanted.search.lower()
        named = (sa.func.lower(sources.c[name]).contains(text, autoescape=True) for name in ("name", "url"))
        which.append(crawl_runs.c.source_id.in_(sa.select(sources.c.id).where(sa.or_(*named))))
    if wanted.outcome is not None:
        which.append(crawl_runs.c.outcome == wanted.outcome)
    if wanted.is_open:
        which.append(crawl_runs.c.finished_at.is_(None))
    if wanted.trigger is not None:
        which.append(crawl_runs.c.trigger == wanted.trigger)
    if wanted.since is not None:
        which.append(crawl_runs.c.started_at >= wanted.since)
    return which
