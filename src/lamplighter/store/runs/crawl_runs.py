"""SQL for crawl runs: open, count, close and find."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model import run_figures
from lamplighter.model.crawl import CrawlRun, RunOutcome, RunTally, Trigger
from lamplighter.model.fields import loaded
from lamplighter.model.page import Phase
from lamplighter.model.run_figures import RunFigures
from lamplighter.store.engine import queries
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.pages import OPEN_PHASES
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, pages, sources
from lamplighter.store.schema.types import Json, UtcTime

COUNTERS = tuple(field.name for field in fields(RunTally))
_ADDABLE = (*COUNTERS, "page_count", "revisit_changes", "revisit_hours", "log_lines")
_ADD_UP = (
    sa.update(crawl_runs)
    .where(crawl_runs.c.id == sa.bindparam("run"))
    .values({name: crawl_runs.c[name] + sa.bindparam(f"more_{name}") for name in _ADDABLE})
    .values(heartbeat_at=sa.bindparam("beat"))
)
_ADD_UP_WITH_FIGURES = _ADD_UP.values(figures=sa.bindparam("new_figures", type_=Json))


#: when a worker last worked on a run
_last_sign = sa.func.coalesce(crawl_runs.c.heartbeat_at, crawl_runs.c.started_at, type_=UtcTime)
#: whether a run has a pending page on a disabled host
WAITS_FOR_DISABLED_HOST = (
    sa.exists()
    .where(pages.c.run_id == crawl_runs.c.id, pages.c.phase.in_(OPEN_PHASES), pages.c.phase == Phase.PENDING)
    .where(hosts.c.id == pages.c.host_id, ~hosts.c.enabled)
)


class OpenRun(NamedTuple):
    """An open run, as the page sink needs it."""

    id: int
    job_id: int
    source_id: int
    page_budget: int
    page_count: int
    public_id: str
    #: as stored (see model.run_figures); None before its first response
    figures: Mapping[str, Any] | None
    #: lines written to its log, including those no longer kept
    log_lines: int
    started_at: datetime
    trigger: str


class GoingOn(NamedTuple):
    """An open run and its start time."""

    id: int
    started_at: datetime


class RunOwner(NamedTuple):
    """The source and the host of a run."""

    source: str
    #: None when not yet known
    host: str | None
    #: False for an implicit source
    is_named: bool
    #: the public id of the source
    source_id: str


class ShownRecords(NamedTuple):
    """How many records a source showed at a run's end."""

    records: int
    has_drifted: bool


_LOCK_OPEN = (
    sa.select(*(crawl_runs.c[name] for name in OpenRun._fields))
    .where(Among(crawl_runs.c.id, "runs"), crawl_runs.c.finished_at.is_(None))
    .order_by(crawl_runs.c.id)
    .with_for_update()
)


async def add(
    db: Connection,
    *,
    job_id: int,
    source_id: int,
    number: int,
    trigger: Trigger,
    now: datetime,
    deadline_at: datetime,
    page_budget: int,
    page_count: int = 1,
    log_lines: int = 0,
) -> int:
    """Opens a run and returns its id; `log_lines` is the initial number of lines."""
    row = {"job_id": job_id, "source_id": source_id, "number": number, "trigger": trigger, "started_at": now}
    row |= {"deadline_at": deadline_at, "page_budget": page_budget, "page_count": page_count, "log_lines": log_lines}
    new = sa.insert(crawl_runs).values(public_id=str(uuid4()), **row).returning(crawl_runs.c.id)
    return int((await db.execute(new)).scalar_one())


async def lock_open(db: Connection, ids: Iterable[int]) -> dict[int, OpenRun]:
    """Those of the runs that are open, locked until the transaction ends so that their counts are exact."""
    rows = await db.execute(_LOCK_OPEN, {"runs": sorted(set(ids))})
    return {row.id: OpenRun._make(row) for row in rows}


async def add_up(
    db: Connection,
    counts: Mapping[int, Mapping[str, float]],
    *,
    now: datetime,
    figures: Mapping[int, RunFigures] | None = None,
) -> None:
    """Adds to the counters of runs (run id -> counter -> by how much), and sets their heartbeat.

    `figures`, of all these runs or of none, replace those stored: the caller must have locked the rows.
    """
    rows: list[dict[str, Any]] = [
        {"run": run_id, "beat": now} | {f"more_{name}": by.get(name, 0) for name in _ADDABLE}
        for run_id, by in sorted(counts.items())
    ]
    if not rows:
        return
    if figures is None:
        await db.execute(_ADD_UP, rows)
        return
    for row in rows:
        row["new_figures"] = run_figures.stored(figures[row["run"]])
    await db.execute(_ADD_UP_WITH_FIGURES, rows)


_WHOSE = (
    sa.select(sources.c.name, hosts.c.key, ~sources.c.is_implicit, sources.c.public_id)
    .select_from(
        crawl_runs.join(sources, sources.c.id == crawl_runs.c.source_id)
        .join(crawl_jobs, crawl_jobs.c.id == crawl_runs.c.job_id)
        .outerjoin(hosts, hosts.c.id == crawl_jobs.c.host_id)
    )
    .where(crawl_runs.c.id == sa.bindparam("run"))
)
_COUNT_LINES = (
    sa.update(crawl_runs)
    .where(crawl_runs.c.id == sa.bindparam("run"))
    .values(log_lines=crawl_runs.c.log_lines + sa.bindparam("more"))
)
_SHOWN_BEFORE = (
    sa.select(crawl_runs.c.records_shown, crawl_runs.c.has_drifted)
    .where(crawl_runs.c.source_id == sa.bindparam("source"), crawl_runs.c.id != sa.bindparam("run"))
    .where(crawl_runs.c.finished_at.is_not(None), crawl_runs.c.records_shown.is_not(None))
    .where(crawl_runs.c.pages_fetched + crawl_runs.c.pages_unchanged > 0)
    .order_by(crawl_runs.c.started_at.desc(), crawl_runs.c.id.desc())
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_WITHOUT_OPEN_PAGES = (
    sa.select(crawl_runs.c.id)
    .where(Among(crawl_runs.c.id, "runs"), crawl_runs.c.finished_at.is_(None))
    .where(~sa.exists().where(pages.c.run_id == crawl_runs.c.id, pages.c.phase.in_(OPEN_PHASES)))
    .order_by(crawl_runs.c.id)
)
_BY_ID = sa.select(crawl_runs).where(crawl_runs.c.id == sa.bindparam("run"))
_CLOSED = ("finished_at", "outcome", "message", "records_shown", "has_drifted")
_CLOSE = (
    sa.update(crawl_runs)
    .where(crawl_runs.c.id == sa.bindparam("run"))
    .values({name: sa.bindparam(f"new_{name}") for name in _CLOSED})
)


async def close(
    db: Connection,
    run_id: int,
    *,
    now: datetime,
    outcome: RunOutcome,
    message: str,
    records_shown: int,
    has_drifted: bool = False,
) -> None:
    """Stores how a run ended."""
    values = (now, outcome, message, records_shown, has_drifted)
    new_values = {f"new_{name}": value for name, value in zip(_CLOSED, values, strict=True)}
    await db.execute(_CLOSE, {"run": run_id} | new_values)
    signal(Signal.FINISHED)


async def whose(db: Connection, run_id: int) -> RunOwner:
    """The source and the host of a run."""
    return RunOwner._make((await db.execute(_WHOSE, {"run": run_id})).one())


async def count_lines(db: Connection, run_id: int, lines: int) -> None:
    """Adds to the number of lines in a run's log."""
    await db.execute(_COUNT_LINES, {"run": run_id, "more": lines})


async def shown_before(db: Connection, run_id: int, *, source_id: int, limit: int) -> list[ShownRecords]:
    """What other runs of a source showed, the latest first, without runs that fetched no page."""
    rows = await db.execute(_SHOWN_BEFORE, {"source": source_id, "run": run_id, "most": limit})
    return [ShownRecords._make(row) for row in rows]


async def without_open_pages(db: Connection, ids: Iterable[int]) -> list[int]:
    """Those open runs that have no open page."""
    return list(await db.scalars(_WITHOUT_OPEN_PAGES, {"runs": sorted(ids)}))


async def get(db: Connection, run_id: int) -> CrawlRun | None:
    """The run with this id."""
    return await queries.one(db, _BY_ID, run_of, {"run": run_id})


async def open_of_job(db: Connection, job_id: int) -> int | None:
    """The id of this job's open run."""
    query = sa.select(crawl_runs.c.id).where(crawl_runs.c.job_id == job_id, crawl_runs.c.finished_at.is_(None))
    found: int | None = await db.scalar(query)
    return found


async def open_of_jobs(db: Connection, job_ids: Iterable[int]) -> dict[int, GoingOn]:
    """Job -> its open run, for these jobs."""
    is_open = sa.and_(crawl_runs.c.job_id.in_(sorted(job_ids)), crawl_runs.c.finished_at.is_(None))
    rows = await db.execute(sa.select(crawl_runs.c.job_id, crawl_runs.c.id, crawl_runs.c.started_at).where(is_open))
    return {row.job_id: GoingOn(row.id, row.started_at) for row in rows}


async def last_complete(db: Connection, source_ids: Iterable[int]) -> dict[int, datetime]:
    """Source -> when its latest run began that ended with outcome ok."""
    query = (
        sa.select(crawl_runs.c.source_id, sa.func.max(crawl_runs.c.started_at, type_=UtcTime).label("began_at"))
        .where(crawl_runs.c.source_id.in_(sorted(source_ids)), crawl_runs.c.outcome == RunOutcome.OK)
        .group_by(crawl_runs.c.source_id)
    )
    return {row.source_id: row.began_at for row in await db.execute(query)}


async def latest_start(db: Connection) -> datetime | None:
    """When the latest run of all began; None before the first."""
    began: datetime | None = await db.scalar(sa.select(sa.func.max(crawl_runs.c.started_at, type_=UtcTime)))
    return began


async def overdue(db: Connection, *, now: datetime, limit: int) -> list[int]:
    """Open runs that are past their deadline, without runs that wait for a disabled host."""
    is_late = sa.and_(crawl_runs.c.finished_at.is_(None), crawl_runs.c.deadline_at <= now)
    query = sa.select(crawl_runs.c.id).where(is_late, ~WAITS_FOR_DISABLED_HOST)
    return list(await db.scalars(query.order_by(crawl_runs.c.deadline_at).limit(limit)))


async def silent(db: Connection, *, since: datetime, now: datetime, limit: int) -> list[int]:
    """Open runs without a heartbeat since then that do not wait for their host."""
    is_silent = sa.and_(crawl_runs.c.finished_at.is_(None), _last_sign < since)
    # The wider condition is that of ix_pages_open: without its exact words SQLite does not use the index.
    waits_for_turn = (
        sa.exists()
        .where(pages.c.run_id == crawl_runs.c.id, pages.c.phase.in_(OPEN_PHASES), pages.c.phase == Phase.PENDING)
        .where(hosts.c.id == pages.c.host_id, sa.or_(hosts.c.free_at > now, hosts.c.blocked_until > now))
    )
    query = sa.select(crawl_runs.c.id).where(is_silent, ~WAITS_FOR_DISABLED_HOST, ~waits_for_turn)
    return list(await db.scalars(query.order_by(crawl_runs.c.deadline_at).limit(limit)))


async def lengthen(db: Connection, run_id: int, *, deadline_at: datetime) -> None:
    """Sets a run's deadline."""
    await db.execute(sa.update(crawl_runs).where(crawl_runs.c.id == run_id).values(deadline_at=deadline_at))


async def make_up_for(db: Connection, lost: timedelta, *, now: datetime, silent_since: datetime | None = None) -> None:
    """Extends open runs by time in which no worker could crawl: those without a heartbeat since then, or all."""
    query = sa.select(crawl_runs.c.id, crawl_runs.c.started_at, crawl_runs.c.deadline_at)
    query = query.where(crawl_runs.c.finished_at.is_(None))
    if silent_since is not None:
        query = query.where(_last_sign < silent_since)
    rows = await db.execute(query.order_by(crawl_runs.c.id).with_for_update())
    later = [{"run": row.id, "later": row.deadline_at + min(lost, now - row.started_at), "beat": now} for row in rows]
    if later:
        statement = sa.update(crawl_runs).where(crawl_runs.c.id == sa.bindparam("run"))
        values: dict[str, Any] = {"deadline_at": sa.bindparam("later"), "heartbeat_at": sa.bindparam("beat")}
        await db.execute(statement.values(values), later)


def run_of(row: Any) -> CrawlRun:
    """Converts a row to a run."""
    tally = RunTally(**{name: getattr(row, name) for name in COUNTERS})
    values = loaded(row._mapping, CrawlRun, but=("tally", "figures"))
    return CrawlRun(**values, tally=tally, figures=run_figures.loaded(row.figures))
