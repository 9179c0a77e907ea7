"""Queries for lists of crawl runs, and for their totals."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs.crawl_runs import run_of
from lamplighter.store.schema.tables import crawl_runs
from lamplighter.store.schema.types import UtcTime

#: records that were new or changed
ARTICLES = crawl_runs.c.records_inserted + crawl_runs.c.records_updated
PAGES_HAD = crawl_runs.c.pages_fetched + crawl_runs.c.pages_unchanged
#: when an open run began: not the bare column, or SQLite would read every run in the order of its index
OPEN_SINCE = sa.func.coalesce(crawl_runs.c.started_at, crawl_runs.c.finished_at, type_=UtcTime)
_NEW_RECORDS = (
    sa.select(crawl_runs.c.source_id, sa.func.sum(ARTICLES))
    .where(
        crawl_runs.c.source_id.in_(sa.bindparam("ids", expanding=True)),
        crawl_runs.c.started_at >= sa.bindparam("since"),
    )
    .group_by(crawl_runs.c.source_id)
)


class RunSummary(NamedTuple):
    """Totals of runs."""

    runs: int
    running: int
    #: ended ok or with a warning
    ok: int
    failed: int
    cancelled: int
    pages: int
    articles: int
    #: of ended runs; None without any
    average_seconds: float | None
    last_started_at: datetime | None

    @property
    def success_rate(self) -> float | None:
        """The share of ended runs that did not fail, 0 to 1; None without any."""
        ended = self.ok + self.failed
        return self.ok / ended if ended else None


async def by_public_id(db: Connection, public_id: str) -> CrawlRun | None:
    """The run with this public id."""
    return await queries.one(db, sa.select(crawl_runs).where(crawl_runs.c.public_id == public_id), run_of)


async def by_number(db: Connection, job_id: int, number: int) -> CrawlRun | None:
    """The run of a job with this number."""
    query = sa.select(crawl_runs).where(crawl_runs.c.job_id == job_id, crawl_runs.c.number == number)
    return await queries.one(db, query, run_of)


async def of_job(db: Connection, job_id: int, *, limit: int, offset: int = 0) -> list[CrawlRun]:
    """The runs of a job, the latest first."""
    query = sa.select(crawl_runs).where(crawl_runs.c.job_id == job_id).order_by(crawl_runs.c.number.desc())
    return [run_of(row) for row in await db.execute(query.limit(limit).offset(offset))]


async def next_of_job(db: Connection, job_id: int, *, after: int) -> CrawlRun | None:
    """The run that followed the one with this number."""
    later = sa.select(crawl_runs).where(crawl_runs.c.job_id == job_id, crawl_runs.c.number > after)
    return await queries.one(db, later.order_by(crawl_runs.c.number).limit(1), run_of)


async def count_of_job(db: Connection, job_id: int) -> int:
    """How many runs of a job exist."""
    return await queries.count(db, crawl_runs, crawl_runs.c.job_id == job_id)


async def outcomes(db: Connection, job_id: int, *, first: int, last: int) -> dict[int, str | None]:
    """Number -> outcome of the runs of a job from the first to the last number."""
    between = sa.and_(crawl_runs.c.job_id == job_id, crawl_runs.c.number.between(first, last))
    rows = await db.execute(sa.select(crawl_runs.c.number, crawl_runs.c.outcome).where(between))
    return {row.number: row.outcome for row in rows}


async def summary(
    db: Connection,
    *,
    job_id: int | None = None,
    source_id: int | None = None,
    since: datetime | None = None,
    before: datetime | None = None,
) -> RunSummary:
    """Totals of the runs of a job, of a source, or of all, that began in this span, or ever."""
    which: list[sa.ColumnElement[bool]] = []
    if job_id is not None:
        which.append(crawl_runs.c.job_id == job_id)
    if source_id is not None:
        which.append(crawl_runs.c.source_id == source_id)
    if since is not None:
        which.append(crawl_runs.c.started_at >= since)
    if before is not None:
        which.append(crawl_runs.c.started_at < before)
    return await _summed_up(db, which)


async def summary_of_open(db: Connection, *, since: datetime) -> RunSummary:
    """Totals so far of the open runs that began since then."""
    return await _summed_up(db, [is_open_since(sa.literal(since, UtcTime))])


def is_open_since(moment: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """Whether a run began since then and is open; uses the index of the few open runs."""
    return sa.and_(crawl_runs.c.finished_at.is_(None), moment <= OPEN_SINCE)


async def _summed_up(db: Connection, which: Sequence[sa.ColumnElement[bool]]) -> RunSummary:
    row: Sequence[Any] = (await db.execute(sa.select(*_sums(db)).where(*which))).one()
    *counts, average, last_started_at = row
    return RunSummary._make((*(int(number or 0) for number in counts), average, last_started_at))


async def new_records(db: Connection, source_ids: Sequence[int], *, since: datetime) -> dict[int, int]:
    """Source -> number of new and changed records of its runs since then; sources without runs are omitted."""
    rows: Iterable[Sequence[Any]] = await db.execute(_NEW_RECORDS, {"ids": list(source_ids), "since": since})
    return {source_id: int(found) for source_id, found in rows}


def _sums(db: Connection) -> Sequence[sa.ColumnElement[Any]]:
    outcome = crawl_runs.c.outcome
    return (
        sa.func.count(),
        queries.count_if(crawl_runs.c.finished_at.is_(None)),
        queries.count_if(outcome.in_([RunOutcome.OK, RunOutcome.WARN])),
        queries.count_if(outcome == RunOutcome.FAIL),
        queries.count_if(outcome == RunOutcome.CANCELLED),
        sa.cast(sa.func.sum(PAGES_HAD), sa.BigInteger),
        sa.cast(sa.func.sum(ARTICLES), sa.BigInteger),
        sa.cast(sa.func.avg(_seconds(db)), sa.Float),
        sa.func.max(crawl_runs.c.started_at, type_=UtcTime),
    )


def _seconds(db: Connection) -> sa.ColumnElement[Any]:
    """A run's duration; NULL while it is open."""
    if db.dialect.name == "sqlite":  # integer microseconds
        began, ended = (sa.type_coerce(crawl_runs.c[name], sa.BigInteger) for name in ("started_at", "finished_at"))
        return (ended - began) / sa.literal(1_000_000.0)
    return sa.extract("epoch", crawl_runs.c.finished_at - crawl_runs.c.started_at)
