"""Queries for the history of runs: lists, the crawl log, which runs found a change, and the pages of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome, Trigger
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs.activity import OPEN_RUNS
from lamplighter.store.schema.tables import crawl_runs, hosts, pages, sources

#: totals are exact up to here; users do not page further
MOST_COUNTED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs; None means any."""

    #: a source's public id
    source_id: str | None = None
    #: part of a source's name or URL
    search: str | None = None
    outcome: RunOutcome | None = None
    #: True: only open runs
    is_open: bool = False
    trigger: Trigger | None = None
    #: started at or after this
    since: datetime | None = None


class HistoryVisit(NamedTuple):
    """A run that got pages."""

    url: str
    priority: int
    started_at: datetime
    has_changed: bool


async def listed(db: Connection, wanted: RunFilter, *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """One page of matching runs, the latest first, and how many match, up to MOST_COUNTED."""
    runs = OPEN_RUNS if wanted.is_open else crawl_runs
    which = _conditions(wanted, runs)
    query = (
        sa.select(runs, sources.c.public_id.label("source_public_id"), sources.c.name.label("source_name"))
        .join(sources, sources.c.id == runs.c.source_id)
        .where(*which)
        .order_by(runs.c.started_at.desc(), runs.c.id.desc())
    )
    rows = (await db.execute(query.limit(limit).offset(offset))).all()
    bounded = sa.select(sa.literal(1).label("one")).select_from(runs).where(*which).limit(MOST_COUNTED)
    return rows, await queries.count(db, bounded.subquery())


async def ended(db: Connection, *, source_id: int | None, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """Ended runs, of one source or of all, the latest first, each with its source's public id."""
    has_ended = crawl_runs.c.finished_at.is_not(None)
    which = has_ended if source_id is None else sa.and_(has_ended, crawl_runs.c.source_id == source_id)
    query = (
        sa.select(crawl_runs, sources.c.public_id.label("source_public_id"))
        .join(sources, sources.c.id == crawl_runs.c.source_id)
        .where(which)
        .order_by(crawl_runs.c.started_at.desc(), crawl_runs.c.id.desc())
    )
    rows = await db.execute(query.limit(limit).offset(offset))
    return rows.all(), await queries.count(db, crawl_runs, which)


async def visits(db: Connection, *, since: datetime) -> list[HistoryVisit]:
    """The runs since then that fetched pages, by source, the oldest first."""
    had = crawl_runs.c.pages_fetched + crawl_runs.c.pages_unchanged > 0
    query = (
        sa.select(
            sources.c.url,
            sources.c.priority,
            crawl_runs.c.started_at,
            (crawl_runs.c.pages_changed > 0).label("has_changed"),
        )
        .join(sources, sources.c.id == crawl_runs.c.source_id)
        .where(crawl_runs.c.started_at >= since, had, crawl_runs.c.outcome.in_([RunOutcome.OK, RunOutcome.WARN]))
        .order_by(crawl_runs.c.source_id, crawl_runs.c.started_at)
    )
    return [HistoryVisit._make(row) for row in await db.execute(query)]


async def pages_of(db: Connection, run_id: int, *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """Pages whose current or latest run is this, the newest first, and how many; MOST_COUNTED + 1 when more."""
    mine = sa.select(pages.c.id).where(pages.c.run_id == run_id)
    # The data of pages is read only for those shown; the index has their ids in order.
    chosen = list(await db.scalars(mine.order_by(pages.c.id.desc()).limit(limit).offset(offset)))
    query = (
        sa.select(pages, hosts.c.key.label("host"))
        .join(hosts, hosts.c.id == pages.c.host_id)
        .where(pages.c.id.in_(chosen))
        .order_by(pages.c.id.desc())
    )
    rows = (await db.execute(query)).all()
    return rows, await queries.count(db, mine.limit(MOST_COUNTED + 1).subquery())


def _conditions(wanted: RunFilter, runs: sa.FromClause) -> list[sa.ColumnElement[bool]]:
    which: list[sa.ColumnElement[bool]] = []
    if wanted.source_id is not None:
        its = sa.select(sources.c.id).where(sources.c.public_id == wanted.source_id)
        which.append(runs.c.source_id == its.scalar_subquery())
    if wanted.search is not None:
        is_named = queries.contains(wanted.search, sources.c.name, sources.c.url)
        which.append(runs.c.source_id.in_(sa.select(sources.c.id).where(is_named)))
    if wanted.outcome is not None:
        which.append(runs.c.outcome == wanted.outcome)
    if wanted.trigger is not None:
        which.append(runs.c.trigger == wanted.trigger)
    if wanted.since is not None:
        which.append(runs.c.started_at >= wanted.since)
    return which
