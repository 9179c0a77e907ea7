"""Queries for the response times of runs: the latest runs, and the latest of one host, found along indexes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.run_figures import Times, loaded
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts

#: runs that are read, the latest; of a host, those of so many sources
MOST_RUNS = 1_000
_MOST_SOURCES = 200
_COLUMNS = (crawl_runs.c.started_at, crawl_runs.c.figures, hosts.c.key)
_BY_HOST = crawl_runs.join(crawl_jobs, crawl_jobs.c.id == crawl_runs.c.job_id).join(
    hosts, hosts.c.id == crawl_jobs.c.host_id
)


class RunResponses(NamedTuple):
    """The response times of a run."""

    started_at: datetime
    host: str
    times: Times


async def latest(db: Connection, *, since: datetime) -> list[RunResponses]:
    """Of the latest runs that began since then, up to MOST_RUNS, the latest first."""
    # First the runs alone, along their index; then what belongs to them.
    some = sa.select(crawl_runs.c.id).where(crawl_runs.c.started_at >= since)
    some = some.order_by(crawl_runs.c.started_at.desc()).limit(MOST_RUNS)
    query = sa.select(*_COLUMNS).select_from(_BY_HOST).where(crawl_runs.c.id.in_(some))
    return _found((await db.execute(query)).all())


async def of_host(db: Connection, host_id: int, *, since: datetime) -> list[RunResponses]:
    """Of the latest runs of a host's sources that began since then, up to MOST_RUNS, the latest first."""
    watched = sa.select(crawl_jobs.c.source_id).where(
        crawl_jobs.c.host_id == host_id, crawl_jobs.c.last_run_at >= since
    )
    watched = watched.order_by(crawl_jobs.c.last_run_at.desc()).limit(_MOST_SOURCES)
    query = sa.select(*_COLUMNS).select_from(_BY_HOST)
    query = query.where(crawl_runs.c.source_id.in_(watched), crawl_runs.c.started_at >= since)
    rows = await db.execute(query.order_by(crawl_runs.c.started_at.desc()).limit(MOST_RUNS))
    return _found(rows.all())


def _found(rows: Sequence[Any]) -> list[RunResponses]:
    read = ((row, loaded(row.figures)) for row in rows)
    found = [RunResponses(row.started_at, row.key, figures.response_ms) for row, figures in read if figures is not None]
    return sorted(found, key=lambda run: run.started_at, reverse=True)
