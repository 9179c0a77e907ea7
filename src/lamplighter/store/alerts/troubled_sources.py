"""SQL about sources that need a person: the few columns that tell why, in chunks of one statement each."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from lamplighter.model.alert import TroubledSource
from lamplighter.model.crawl import JobState, PauseReason, RunAdvice, RunOutcome
from lamplighter.model.reading import PageRole
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs.last_runs import WITH_JOB_AND_RUN
from lamplighter.store.runs.run_pages import FOR_GOOD
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, pages, sources
from lamplighter.store.schema.types import literal

_OF_JOB = ("state", "pause_reason", "failure_count", "last_drifted", "last_advice", "visited_at")
_OF_RUN = ("outcome", "message", "records_shown", "page_budget")
_IDS: sa.BindParameter[list[int]] = sa.bindparam("ids", expanding=True)
_ROWS = (
    sa.select(
        *(sources.c[name] for name in ("id", "public_id", "name", "url")),
        hosts.c.key,
        *(crawl_jobs.c[name] for name in _OF_JOB),
        *(crawl_runs.c[name] for name in _OF_RUN),
    )
    .select_from(WITH_JOB_AND_RUN.outerjoin(hosts, hosts.c.id == crawl_jobs.c.host_id))
    .where(sources.c.id.in_(_IDS), crawl_jobs.c.id.is_not(None))
)
_MOVED = sa.select(pages.c.source_id, pages.c.redirected_to).where(
    pages.c.source_id.in_(_IDS),
    pages.c.role.in_(literal(PageRole.SEED)),
    pages.c.hops == sa.literal_column("0"),
    pages.c.redirected_to.is_not(None),
    pages.c.status.in_(FOR_GOOD),
)


async def of(db: Connection, ids: Sequence[int]) -> list[TroubledSource]:
    """These sources, in this order."""
    found: dict[int, TroubledSource] = {}
    for some in queries.chunks(ids):
        found |= {row[0]: _source(row) for row in await db.execute(_ROWS, {"ids": list(some)})}
    moved = [source.id for source in found.values() if source.last_advice is RunAdvice.MOVED]
    for source_id, target in (await moved_to(db, moved)).items():
        found[source_id] = found[source_id]._replace(moved_to=target)
    return [found[source_id] for source_id in ids if source_id in found]


async def moved_to(db: Connection, ids: Sequence[int]) -> dict[int, str]:
    """Source -> where its start page redirects to for good; sources whose start page does not are left out."""
    found: dict[int, str] = {}
    for some in queries.chunks(ids):
        found |= {row.source_id: row.redirected_to for row in await db.execute(_MOVED, {"ids": list(some)})}
    return found


def _source(row: Any) -> TroubledSource:
    source = TroubledSource._make((*row, None))
    return source._replace(
        state=JobState(source.state),
        pause_reason=PauseReason(source.pause_reason) if source.pause_reason else None,
        last_advice=RunAdvice(source.last_advice) if source.last_advice else None,
        outcome=RunOutcome(source.outcome) if source.outcome else None,
    )
