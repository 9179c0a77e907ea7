"""Queries for hourly totals of runs: a week is read quickly, for any number of runs.

An hour is written once, when every run that began in it has ended. Later hours are read from the run tallies and the
open runs, so that readers get correct totals even before an hour is written.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import RunOutcome
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.runs.run_lists import ARTICLES, OPEN_SINCE, PAGES_HAD, is_open_since
from lamplighter.store.schema.tables import crawl_runs, run_hours, run_tallies
from lamplighter.store.schema.tally_ddl import STEP_SECONDS
from lamplighter.store.schema.types import UtcTime

HOUR = timedelta(hours=1)
#: how far back unwritten hours are searched, and how many are written at once
_LOOK_BACK = timedelta(days=8)
_AT_ONCE = 24
#: clocks of processes may differ
_SLACK = timedelta(minutes=10)


class RunTotals(NamedTuple):
    """Totals of the runs that began in a span."""

    runs: int = 0
    #: ended ok or with a warning
    ok: int = 0
    failed: int = 0
    #: fetched, changed or not
    pages: int = 0
    #: new or changed
    records: int = 0

    @property
    def success_rate(self) -> float | None:
        """The share of ended runs that did not fail, 0 to 1; None without any."""
        ended = self.ok + self.failed
        return self.ok / ended if ended else None

    def with_(self, other: "RunTotals") -> "RunTotals":
        """Adds both up."""
        return RunTotals._make(mine + theirs for mine, theirs in zip(self, other, strict=True))


class RunYield(NamedTuple):
    """What the runs that began in a span came to, by outcome."""

    pages_fetched: int = 0
    pages_unchanged: int = 0
    pages_failed: int = 0
    pages_refused: int = 0
    records_inserted: int = 0
    records_updated: int = 0
    records_unchanged: int = 0
    bytes_fetched: int = 0

    @property
    def requests(self) -> int:
        """Pages that were requested."""
        return self.pages_fetched + self.pages_unchanged + self.pages_failed


async def write_next(db: Connection, *, now: datetime) -> int:
    """Writes hours whose runs have all ended, the oldest first; returns how many."""
    latest, oldest = await _latest(db), hour_of(now - _LOOK_BACK)
    start = oldest if latest is None else max(oldest, latest + 1)
    began = crawl_runs.c.started_at
    first = await db.scalar(sa.select(sa.func.min(began, type_=began.type)).where(began >= time_of(start)))
    if first is None or hour_of(first) >= hour_of(now - _SLACK):
        return 0
    open_since = sa.select(sa.func.min(OPEN_SINCE, type_=UtcTime)).where(crawl_runs.c.finished_at.is_(None))
    end = hour_of(min(now - _SLACK, await db.scalar(open_since) or now))
    end = min(end, hour_of(first) + _AT_ONCE)
    hour = _bucket(db.dialect.name, 3600).label("hour")
    some = sa.select(hour, *_sums(), *_YIELD_SUMS).where(began >= first, began < time_of(end)).group_by(hour)
    # Two processes may write the same hours at once, with the same values.
    names = ["hour", *RunTotals._fields, *RunYield._fields]
    written = insert(db, run_hours).from_select(names, some.order_by(hour))
    return rows_written(await db.execute(written.on_conflict_do_nothing()))


async def settled_until(db: Connection, *, now: datetime) -> datetime:
    """Runs that began before this are no longer read: their hours are written, or never will be."""
    latest, oldest = await _latest(db), now - _LOOK_BACK
    return oldest if latest is None else max(oldest, time_of(latest + 1))


async def by_hour(db: Connection, *, since: datetime) -> dict[datetime, RunTotals]:
    """Hour -> totals of its runs, from the hour that contains `since`; hours without runs are omitted."""
    latest = await _latest(db)
    first = hour_of(since)
    rows = (await db.execute(_WRITTEN, {"first": first})).all()
    written = {time_of(row[0]): RunTotals._make(row[1:]) for row in rows}
    later = first if latest is None else max(first, latest + 1)
    return written | await by_span(db, since=time_of(later), span=HOUR)


async def by_span(db: Connection, *, since: datetime, span: timedelta) -> dict[datetime, RunTotals]:
    """The same by spans, multiples of a `run_tallies` step, from the one that contains `since`."""
    seconds = int(span.total_seconds())
    first = int(since.timestamp() // seconds) * seconds
    ended = await db.execute(_ended_by_span(seconds // STEP_SECONDS), {"first": first // STEP_SECONDS})
    going = await db.execute(_open_by_span(db.dialect.name, seconds), {"since": _time(first)})
    found: dict[datetime, RunTotals] = {}
    for row in (*ended.all(), *going.all()):
        time = _time(row[0] * seconds)
        found[time] = found.get(time, RunTotals()).with_(RunTotals._make(map(int, row[1:])))
    return {time: came for time, came in found.items() if came.runs}


async def yields(db: Connection, *, since: datetime, span: timedelta) -> dict[datetime, RunYield | None]:
    """Start of a span -> what its runs came to, from the one that contains `since`; None if that is not known.

    Hours that are written are read from there, later runs one by one. Spans without runs are omitted.
    """
    seconds = int(span.total_seconds())
    found: dict[datetime, RunYield | None] = {}
    start = _time(int(since.timestamp() // seconds) * seconds)
    if span >= HOUR and (latest := await _latest(db)) is not None:
        for row in await db.execute(_YIELDS, {"first": hour_of(start)}):
            time = _time(row[0] * 3600 // seconds * seconds)
            before = found.get(time, RunYield())
            is_known = before is not None and None not in row[1:]
            found[time] = RunYield._make(map(sum, zip(before or (), row[1:], strict=True))) if is_known else None
        start = max(start, time_of(latest + 1))
    for row in await db.execute(_later_yields(db.dialect.name, seconds), {"since": start}):
        time = _time(row[0] * seconds)
        before = found.get(time, RunYield())
        if before is not None:
            found[time] = RunYield._make(map(sum, zip(before, row[1:], strict=True)))
    return found


@cache
def _later_yields(dialect: str, seconds: int) -> sa.Select[Any]:
    bucket = _bucket(dialect, seconds).label("bucket")
    since = sa.bindparam("since", type_=UtcTime)
    return sa.select(bucket, *_YIELD_SUMS).where(crawl_runs.c.started_at >= since).group_by(bucket)


@cache
def _ended_by_span(steps: int) -> sa.Select[Any]:
    bucket = (run_tallies.c.step // sa.literal_column(str(steps), sa.Integer)).label("bucket")
    sums = (sa.func.sum(run_tallies.c[name]) for name in RunTotals._fields)
    return sa.select(bucket, *sums).where(run_tallies.c.step >= sa.bindparam("first")).group_by(bucket)


@cache
def _open_by_span(dialect: str, seconds: int) -> sa.Select[Any]:
    bucket = _bucket(dialect, seconds).label("bucket")
    return sa.select(bucket, *_sums()).where(is_open_since(sa.bindparam("since", type_=UtcTime))).group_by(bucket)


def hour_of(moment: datetime) -> int:
    """Hours since 1970."""
    return int(moment.timestamp() // 3600)


def time_of(hour: int) -> datetime:
    """Start of an hour."""
    return _time(hour * 3600)


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


_LATEST = sa.select(sa.func.max(run_hours.c.hour))
_WRITTEN = sa.select(run_hours.c.hour, *(run_hours.c[name] for name in RunTotals._fields)).where(
    run_hours.c.hour >= sa.bindparam("first")
)


_YIELD_SUMS: Sequence[sa.ColumnElement[Any]] = tuple(
    sa.cast(sa.func.sum(crawl_runs.c[name]), sa.BigInteger) for name in RunYield._fields
)
_YIELDS = sa.select(run_hours.c.hour, *(run_hours.c[name] for name in RunYield._fields)).where(
    run_hours.c.hour >= sa.bindparam("first")
)


async def _latest(db: Connection) -> int | None:
    latest: int | None = await db.scalar(_LATEST)
    return latest


def _bucket(dialect: str, seconds: int) -> sa.ColumnElement[int]:
    """The number of the span in which a run began, from 1970."""
    began = crawl_runs.c.started_at
    if dialect == "sqlite":  # integer microseconds, and integer division
        return sa.type_coerce(began, sa.BigInteger).op("/")(sa.literal_column(f"{seconds}000000"))
    return sa.cast(sa.func.floor(sa.extract("epoch", began) / sa.literal_column(str(seconds))), sa.Integer)


def _sums() -> Sequence[sa.ColumnElement[Any]]:
    outcome = crawl_runs.c.outcome
    return (
        sa.func.count(),
        queries.count_if(outcome.in_([RunOutcome.OK, RunOutcome.WARN])),
        queries.count_if(outcome == RunOutcome.FAIL),
        sa.cast(sa.func.sum(PAGES_HAD), sa.BigInteger),
        sa.cast(sa.func.sum(ARTICLES), sa.BigInteger),
    )
