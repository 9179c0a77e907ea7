"""Queries for live updates: what changed since the last poll, found by keys, never by full scans."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import audit_log, crawl_jobs, crawl_runs, events, sources

#: the prefix of actions on jobs in the audit log
_ABOUT_JOBS = "job."
#: at most this many per poll; further ones come with the next
_MOST = 500
_OF_SOURCE = {"source": sources.c.public_id, "source_name": sources.c.name}


class ReadMarks(NamedTuple):
    """How far the reader of live updates has read."""

    run: int
    action: int
    event: int


class SeenRun(NamedTuple):
    """Summary of a run."""

    id: int
    public_id: str
    source_id: int
    number: int
    trigger: str
    started_at: datetime
    finished_at: datetime | None
    outcome: str | None
    message: str | None
    #: their public ids
    job: str
    source: str
    source_name: str


class SeenJob(NamedTuple):
    """State of a job."""

    source_id: int
    public_id: str
    state: str
    state_since: datetime | None
    pause_reason: str | None
    next_run_at: datetime | None
    #: the source's public id
    source: str
    source_name: str


async def at_one_moment(db: Connection) -> None:
    """Makes all later reads a snapshot: a job must not be seen as running before its run is.

    Must be a connection's first statement; SQLite always reads a snapshot.
    """
    if db.dialect.name == "postgresql":
        await db.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))


async def marks(db: Connection) -> ReadMarks:
    """The newest ids at present."""
    tables = (crawl_runs, audit_log, events)
    return ReadMarks._make([await queries.greatest_id(db, table) for table in tables])


async def open_runs(db: Connection) -> set[int]:
    """Ids of open runs."""
    return set(await db.scalars(sa.select(crawl_runs.c.id).where(crawl_runs.c.finished_at.is_(None))))


async def runs_after(db: Connection, mark: int) -> list[int]:
    """The runs that began after the one with this id."""
    query = sa.select(crawl_runs.c.id).where(crawl_runs.c.id > mark).order_by(crawl_runs.c.id)
    return list(await db.scalars(query.limit(_MOST)))


async def runs(db: Connection, ids: Collection[int]) -> list[SeenRun]:
    """These runs, in the order in which they began."""
    named = {"job": crawl_jobs.c.public_id, **_OF_SOURCE}
    columns = [named[name].label(name) if name in named else crawl_runs.c[name] for name in SeenRun._fields]
    query = sa.select(*columns).join(crawl_jobs, crawl_jobs.c.id == crawl_runs.c.job_id)
    query = query.join(sources, sources.c.id == crawl_runs.c.source_id).where(crawl_runs.c.id.in_(sorted(ids)))
    return [SeenRun._make(row) for row in await db.execute(query.order_by(crawl_runs.c.id))]


async def sources_acted_on(db: Connection, marks: ReadMarks) -> tuple[set[int], ReadMarks]:
    """Sources that were changed, or whose jobs were, since the marks, and the new marks."""
    acted = sa.select(audit_log.c.id, audit_log.c.action, sources.c.id.label("source_id"))
    acted = acted.outerjoin(sources, sources.c.url == audit_log.c.subject).where(audit_log.c.id > marks.action)
    actions = (await db.execute(acted.order_by(audit_log.c.id).limit(_MOST))).all()
    query = sa.select(events.c.id, events.c.source_id).where(events.c.id > marks.event).order_by(events.c.id)
    facts = (await db.execute(query.limit(_MOST))).all()
    found = {row.source_id for row in actions if row.action.startswith(_ABOUT_JOBS)} | {row.source_id for row in facts}
    read = marks._replace(
        action=actions[-1].id if actions else marks.action, event=facts[-1].id if facts else marks.event
    )
    return {source_id for source_id in found if source_id is not None}, read


async def jobs(db: Connection, source_ids: Collection[int]) -> list[SeenJob]:
    """The state of these sources' jobs."""
    columns = [_OF_SOURCE[name].label(name) if name in _OF_SOURCE else crawl_jobs.c[name] for name in SeenJob._fields]
    query = sa.select(*columns).join(sources).where(crawl_jobs.c.source_id.in_(sorted(source_ids)))
    return [SeenJob._make(row) for row in await db.execute(query.order_by(crawl_jobs.c.source_id))]
