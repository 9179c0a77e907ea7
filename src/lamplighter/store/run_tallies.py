"""SQL about what everybody's runs came to lately: from the tallies of those that have ended, and those that go on.

The first minutes of a span may be a part of a step only; what began in those is counted.
"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from lamplighter.store import run_lists
from lamplighter.store.database import Connection
from lamplighter.store.run_lists import Summary
from lamplighter.store.tables import crawl_runs, run_tallies
from lamplighter.store.tally_ddl import STEP_SECONDS
from lamplighter.store.types import UtcTime

_SUMS = ("runs", "ok", "failed", "cancelled", "pages", "records", "took_ms")
_SINCE = sa.select(*(sa.func.sum(run_tallies.c[name]) for name in _SUMS)).where(
    run_tallies.c.step >= sa.bindparam("first")
)
_LATEST = sa.select(sa.func.max(crawl_runs.c.started_at, type_=UtcTime)).where(
    crawl_runs.c.started_at >= sa.bindparam("since", type_=UtcTime)
)


def step_of(moment: datetime) -> int:
    """The number of the step in which a moment lies."""
    return int(moment.timestamp() // STEP_SECONDS)


def time_of(step: int) -> datetime:
    """When a step begins."""
    return datetime.fromtimestamp(step * STEP_SECONDS, UTC)


async def summary(db: Connection, *, since: datetime) -> Summary:
    """What the runs of everybody came to that began since then."""
    first = step_of(since + timedelta(seconds=STEP_SECONDS) - timedelta.resolution)
    edge = time_of(first)
    begun = await run_lists.summary(db, since=since, before=edge)
    going = await run_lists.summary_of_open(db, since=edge)
    row = (await db.execute(_SINCE, {"first": first})).one()
    runs, ok, failed, cancelled, pages, records, took_ms = (int(number or 0) for number in row)
    ended = begun.runs - begun.running + runs
    took = (begun.average_seconds or 0.0) * (begun.runs - begun.running) + took_ms / 1000
    return Summary(
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
    """Forgets the tallies of steps that nobody looks at any more."""
    await db.execute(sa.delete(run_tallies).where(run_tallies.c.step < step_of(before)))
