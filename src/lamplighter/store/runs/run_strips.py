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


def _of_hosts() -> sa.Select[Any]:
    """The latest runs of the sources of each host together.

    They are runs of those sources that ran last. If these are as many as runs in a strip, nothing in it is older than
    their last runs.
    """
    place = sa.func.row_number().over(partition_by=crawl_jobs.c.host_id, order_by=crawl_jobs.c.last_run_at.desc())
    jobs = sa.select(crawl_jobs.c.host_id, crawl_jobs.c.source_id, crawl_jobs.c.last_run_at, place.label("place"))
    each = jobs.where(crawl_jobs.c.host_id.in_(_HOSTS), crawl_jobs.c.last_run_at.is_not(None)).subquery()
    oldest = sa.func.max(sa.case((each.c.place == RUNS, each.c.last_run_at))).over(partition_by=each.c.host_id)
    ranked = sa.select(each, oldest.label("oldest")).where(each.c.place <= RUNS).subquery()
    late = sa.func.row_number().over(partition_by=ranked.c.host_id, order_by=crawl_runs.c.started_at.desc())
    runs = (
        sa.select(ranked.c.host_id, *_BARS, late.label("late"))
        .select_from(ranked.join(sources, sources.c.id == ranked.c.source_id).join(crawl_runs, _IS_OF_SOURCE))
        .where(crawl_runs.c.started_at >= sa.func.coalesce(ranked.c.oldest, _SINCE))
        .subquery()
    )
    shown = (runs.c[name] for name in ("host_id", "started_at", "finished_at", "outcome", "records_shown"))
    return sa.select(*shown).where(runs.c.late <= RUNS).order_by(runs.c.host_id, runs.c.started_at)


_HOSTS: sa.BindParameter[list[int]] = sa.bindparam("hosts", expanding=True)
_IS_OF_SOURCE = crawl_runs.c.source_id == sources.c.id
_STRIPS_OF_HOSTS = _of_hosts()


async def of_hosts(db: Connection, ids: Sequence[int]) -> dict[int, list[RunBar]]:
    """The latest runs of the sources of each of these hosts together, the oldest first."""
    found: dict[int, list[RunBar]] = {}
    for row in await db.execute(_STRIPS_OF_HOSTS, {"hosts": list(ids)}):
        found.setdefault(row.host_id, []).append(RunBar._make(row[1:]))
    return found
