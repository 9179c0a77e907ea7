"""Queries for the Redis mirror (see `model.mirror`)."""

import hashlib
from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome
from lamplighter.model.mirror import MirrorPace, StartPage
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, pages, sources
from lamplighter.store.schema.types import UtcTime, literal


class MirrorRun(NamedTuple):
    """A run, with the public id of its job."""

    id: int
    source_id: int
    finished_at: datetime | None
    job: str


async def runs(db: Connection, run_ids: Collection[int]) -> list[MirrorRun]:
    """Those of these runs that still exist."""
    query = sa.select(
        crawl_runs.c.id, crawl_runs.c.source_id, crawl_runs.c.finished_at, crawl_jobs.c.public_id.label("job")
    ).join(crawl_jobs, crawl_jobs.c.id == crawl_runs.c.job_id)
    rows = await db.execute(query.where(crawl_runs.c.id.in_(sorted(run_ids))))
    return [MirrorRun._make(row) for row in rows]


async def waiting(db: Connection, run_id: int, *, limit: int) -> tuple[str, ...]:
    """The URLs that a run has yet to fetch, in the order of fetching."""
    open_pages = pages.c.phase.in_(literal(Phase.PENDING))
    query = sa.select(pages.c.url).where(pages.c.run_id == run_id, open_pages).order_by(pages.c.rank, pages.c.id)
    return tuple(await db.scalars(query.limit(limit)))


async def start_pages(db: Connection, source_ids: Collection[int]) -> list[StartPage]:
    """The content hashes of these sources' start pages."""
    query = (
        sa.select(sources.c.public_id.label("source"), pages.c.url_key, pages.c.content_hash)
        .join(sources, sources.c.id == pages.c.source_id)
        .where(pages.c.source_id.in_(sorted(source_ids)), pages.c.role.in_(literal(PageRole.SEED)))
        .where(pages.c.content_hash.is_not(None))
    )
    return [StartPage(**row._mapping) for row in await db.execute(query)]


async def paces(db: Connection, source_ids: Collection[int]) -> list[MirrorPace]:
    """The intervals and changes of these sources."""
    hashes: dict[str, list[str]] = defaultdict(list)
    for page in await start_pages(db, source_ids):
        hashes[page.source].append(page.content_hash)
    changes = await _changes(db, source_ids)
    query = sa.select(
        sources.c.id,
        sources.c.public_id,
        crawl_jobs.c.unchanged_count,
        sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds).label("seconds"),
    ).join(sources, sources.c.id == crawl_jobs.c.source_id)
    return [
        MirrorPace(
            source=row.public_id,
            last_hash=_together(hashes[row.public_id]),
            last_change_at=changes.get(row.id),
            unchanged_count=row.unchanged_count,
            interval=timedelta(seconds=row.seconds),
        )
        for row in await db.execute(query.where(crawl_jobs.c.source_id.in_(sorted(source_ids))))
    ]


async def _changes(db: Connection, source_ids: Collection[int]) -> dict[int, datetime]:
    """Source -> when a visit found its start pages other than an earlier visit had; what is not known is left out.

    The first visit is no change: only what came after a run that succeeded is one.
    """
    ids = sorted(source_ids)
    seen = (
        sa.select(pages.c.source_id, sa.func.max(pages.c.changed_at, type_=UtcTime).label("at"))
        .where(pages.c.source_id.in_(ids), pages.c.role.in_(literal(PageRole.SEED)))
        .group_by(pages.c.source_id)
        .subquery()
    )
    first = (
        sa.select(crawl_runs.c.source_id, sa.func.min(crawl_runs.c.finished_at, type_=UtcTime).label("at"))
        .where(crawl_runs.c.source_id.in_(ids), crawl_runs.c.outcome.in_([RunOutcome.OK, RunOutcome.WARN]))
        .group_by(crawl_runs.c.source_id)
        .subquery()
    )
    query = sa.select(seen.c.source_id, seen.c.at).join(first, first.c.source_id == seen.c.source_id)
    return {row.source_id: row.at for row in await db.execute(query.where(seen.c.at > first.c.at))}


def _together(hashes: list[str]) -> str | None:
    """Combines hashes into one that does not depend on their order."""
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest() if hashes else None
