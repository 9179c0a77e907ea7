"""SQL for the latest runs of sources, as strips of bars: found along the index of each source."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, sources

#: runs in a strip
RUNS = 30


class RunBar(NamedTuple):
    """One run of a strip."""

    started_at: datetime
    #: None while it goes on
    finished_at: datetime | None
    outcome: str | None
    #: records that the source showed after it; None when that is not known
    records: int | None


def _first_shown() -> sa.ScalarSelect[Any]:
    """When the first run of a source's strip began; NULL when it has fewer runs."""
    older = crawl_runs.alias()
    mine = sa.select(older.c.started_at).where(older.c.source_id == sources.c.id)
    return mine.order_by(older.c.started_at.desc()).limit(1).offset(RUNS - 1).correlate(sources).scalar_subquery()


_BARS = tuple(crawl_runs.c[name] for name in ("started_at", "finished_at", "outcome", "records_shown"))
_SINCE = sa.func.coalesce(
    _first_shown(), sa.literal(datetime.fromisoformat("1970-01-01T00:00:00+00:00"), _BARS[0].type)
)
_STRIPS = (
    sa.select(crawl_runs.c.source_id, *_BARS)
    .select_from(sources.join(crawl_runs, crawl_runs.c.source_id == sources.c.id))
    .where(crawl_runs.c.started_at >= _SINCE)
    .order_by(crawl_runs.c.source_id, crawl_runs.c.started_at)
)


async def of_sources(db: Connection, ids: Sequence[int]) -> dict[int, list[RunBar]]:
    """The latest runs of each of these sources, the oldest first."""
    found: dict[int, list[RunBar]] = {}
    for some in queries.chunks(ids):
        for row in await db.execute(_STRIPS.where(sources.c.id.in_(some))):
            found.setdefault(row.source_id, []).append(RunBar._make(row[1:]))
    return found


async def of_host(db: Connection, host_id: int) -> list[RunBar]:
    """The latest runs of a host's sources together, the oldest first."""
    # The latest runs of all its sources are runs of those that ran last.
    jobs = sa.select(crawl_jobs.c.source_id).where(crawl_jobs.c.host_id == host_id)
    latest = jobs.order_by(crawl_jobs.c.last_run_at.desc().nulls_last()).limit(RUNS)
    bars = await of_sources(db, list(await db.scalars(latest)))
    return sorted((bar for strip in bars.values() for bar in strip), key=lambda bar: bar.started_at)[-RUNS:]
