"""Queries for current activity: open runs, hosts with pages to fetch, and due jobs."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.engine import queries
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs.crawl_jobs import CLAIMABLE
from lamplighter.store.pages.pages import OPEN_PHASES
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, pages, sources

#: counts on views that are refreshed all the time stop here; an exact higher number is of no use
MOST_COUNTED = 10_000
#: The open runs, in the order of the index that has only those. The limit keeps SQLite from reading all runs for the
#: sake of another order.
OPEN_RUNS = (
    sa.select(crawl_runs)
    .where(crawl_runs.c.finished_at.is_(None))
    .order_by(crawl_runs.c.deadline_at)
    .limit(MOST_COUNTED)
    .subquery("open_runs")
)


class OpenPages(NamedTuple):
    """Open pages of a run."""

    to_ask: int = 0
    to_read: int = 0


async def open_runs(db: Connection, *, limit: int) -> Sequence[Any]:
    """The open runs, with their sources, the oldest first."""
    query = (
        sa.select(OPEN_RUNS, sources.c.public_id.label("source_public_id"), sources.c.name.label("source_name"))
        .join(sources, sources.c.id == OPEN_RUNS.c.source_id)
        .order_by(OPEN_RUNS.c.started_at, OPEN_RUNS.c.id)
    )
    return (await db.execute(query.limit(limit))).all()


async def count_open(db: Connection) -> tuple[int, int]:
    """How many runs are open, and of how many jobs."""
    counts = (sa.func.count().label("runs"), sa.func.count(crawl_runs.c.job_id.distinct()).label("jobs"))
    row = (await db.execute(sa.select(*counts).where(crawl_runs.c.finished_at.is_(None)))).one()
    return int(row.runs), int(row.jobs)


async def open_pages(db: Connection, run_ids: Iterable[int]) -> dict[int, OpenPages]:
    """Run -> number of its open pages; runs without open pages are omitted."""
    query = (
        sa.select(pages.c.run_id, pages.c.phase, sa.func.count().label("pages"))
        .where(pages.c.run_id.in_(sorted(run_ids)), pages.c.phase.in_(OPEN_PHASES))
        .group_by(pages.c.run_id, pages.c.phase)
    )
    left: dict[int, OpenPages] = {}
    for row in await db.execute(query):
        field = "to_ask" if row.phase == Phase.PENDING else "to_read"
        left[row.run_id] = left.get(row.run_id, OpenPages())._replace(**{field: row.pages})
    return left


async def busy_hosts(db: Connection, *, now: datetime, limit: int) -> tuple[Sequence[Any], int]:
    """Hosts that are leased or have pages to fetch, leased and longest due first, and how many there are.

    Counted up to MOST_COUNTED + 1.
    """
    is_busy = sa.or_(hosts.c.due_at.is_not(None), hosts.c.lease_until > now)
    is_held = sa.case((hosts.c.lease_until > now, 0), else_=1)
    query = sa.select(hosts).where(is_busy).order_by(is_held, hosts.c.due_at, hosts.c.id).limit(limit)
    total = await queries.count(db, sa.select(hosts.c.id).where(is_busy).limit(MOST_COUNTED + 1).subquery())
    return (await db.execute(query)).all(), total


async def hosts_by_id(db: Connection, ids: Iterable[int]) -> Sequence[Any]:
    """The rows of these hosts."""
    return (await db.execute(sa.select(hosts).where(Among(hosts.c.id, "ids")), {"ids": sorted(ids)})).all()


async def due_jobs(db: Connection, *, now: datetime, limit: int) -> Sequence[Any]:
    """Due jobs without a run yet, with their sources and hosts, the longest due first."""
    columns = (
        *(crawl_jobs.c.next_run_at, crawl_jobs.c.host_id),
        *(sources.c.public_id.label("source_public_id"), sources.c.name.label("source_name")),
        *(hosts.c.key.label("host"), hosts.c.enabled, hosts.c.budget_free_at),
    )
    query = (
        sa.select(*columns)
        .join(sources, sources.c.id == crawl_jobs.c.source_id)
        .outerjoin(hosts, hosts.c.id == crawl_jobs.c.host_id)
        .where(CLAIMABLE, crawl_jobs.c.next_run_at <= now)
        .order_by(crawl_jobs.c.next_run_at)
    )
    return (await db.execute(query.limit(limit))).all()
