"""Queries for recent totals of all runs: from the tallies of ended runs, and from the open runs.

A span may begin within a step; runs of that partial step are counted.
"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import run_lists
from lamplighter.store.runs.run_lists import RunSummary
from lamplighter.store.schema.tables import crawl_runs, run_tallies
from lamplighter.store.schema.tally_ddl import STEP_SECONDS
from lamplighter.store.schema.types import UtcTime

_SUMS = ("runs", "ok", "failed", "cancelled", "pages", "records", "took_ms")
_SINCE = sa.select(*(sa.func.sum(run_tallies.c[name]) for name in _SUMS)).where(
    run_tallies.c.step >= sa.bindparam("first")
)
_LATEST = sa.select(sa.func.max(crawl_runs.c.started_at, type_=UtcTime)).where(
    crawl_runs.c.started_at >= sa.bindparam("since", type_=UtcTime)
)


def step_of(moment: datetime) -> int:
    """The number of the step that contains a time."""
    return int(moment.timestamp() // STEP_SECONDS)


def time_of(step: int) -> datetime:
    """Start of a step."""
    return datetime.fromtimestamp(step * STEP_SECONDS, UTC)


async def summary(db: Connection, *, since: datetime) -> RunSummary:
    """Totals of all runs that began since then."""
    first = step_of(since + timedelta(seconds=STEP_SECONDS) - timedelta.resolution)
    edge = time_of(first)
    begun = await run_lists.summary(db, since=since, before=edge)
    going = await run_lists.summary_of_open(db, since=edge)
    row = (await db.execute(_SINCE, {"first": first})).one()
    runs, ok, failed, cancelled, pages, records, took_ms = (int(number or 0) for number in row)
    ended = begun.runs - begun.running + runs
    took = (begun.average_seconds or 0.0) * (begun.runs - begun.running) + took_ms / 1000
    return RunSummary(
        runs=begun.runs + going.runs + runs,
        running=begun.running + going.running,
        ok=begun.ok + ok,
        failed=begun.failed + failed,
        cancelled=begun.cancelled + cancelled,
        pages=begun.pages + going.pages + pages,
        articles=begun.articles + going.articles + records,
        average_seconds=took / ended if ended else None,
        last_started_at=await db.scalar(_LATEST, {"since": since}),
    )


async def forget(db: Connection, *, before: datetime) -> None:
    """Deletes the tallies of steps before this time."""
    await db.execute(sa.delete(run_tallies).where(run_tallies.c.step < step_of(before)))
