"""SQL about samples: what no other table keeps over time, one row for every five minutes."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import samples

STEP = timedelta(minutes=5)


class Sample(NamedTuple):
    """One sample, or the average of several."""

    #: pages that wait, counted up to a limit, and due jobs
    to_fetch: float
    to_parse: float
    due: float
    #: shares of the watched time, 0 to 1; None without any
    expected_staleness: float | None
    measured_staleness: float | None
    #: fetches; None while the budget was not distributed yet
    budget_per_hour: float | None


def step_of(moment: datetime) -> int:
    """The number of the step that contains a time."""
    return int(moment.timestamp() // STEP.total_seconds())


async def write(db: Connection, sample: Sample, *, now: datetime) -> None:
    """Keeps a sample, unless this step has one already."""
    row = sample._asdict() | {"step": step_of(now)}
    await db.execute(insert(db, samples).values(row).on_conflict_do_nothing())


async def by_span(db: Connection, *, since: datetime, span: timedelta) -> dict[datetime, Sample]:
    """Start of a span, a multiple of STEP -> the average of its samples; spans without samples are omitted."""
    steps = span // STEP
    first = step_of(since) // steps * steps
    rows = await db.execute(_averages(steps).where(samples.c.step >= first))
    length = span.total_seconds()
    return {datetime.fromtimestamp(row[0] * length, UTC): Sample._make(map(_number, row[1:])) for row in rows}


def _averages(steps: int) -> sa.Select[Any]:
    bucket = (samples.c.step // sa.literal_column(str(steps), sa.Integer)).label("bucket")
    averages = (sa.func.avg(samples.c[name]) for name in Sample._fields)
    return sa.select(bucket, *averages).group_by(bucket)


def _number(value: Any) -> Any:
    """PostgreSQL's averages of integers are decimals."""
    return None if value is None else float(value)
