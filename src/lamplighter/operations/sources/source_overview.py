"""The health of all sources, and their recent run totals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce

from lamplighter.model.crawl import SourceState
from lamplighter.model.plot import Period
from lamplighter.rules.sources import source_state
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import tallies
from lamplighter.store.runs import run_hours
from lamplighter.store.runs.run_hours import RunTotals

_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOverview:
    """All sources together."""

    total: int
    #: state -> number of sources; they add up to the total
    states: Mapping[SourceState, int]
    span: Period
    #: what runs came to within the span
    came: RunTotals
    #: the same step by step, the oldest first; the last step is not over yet
    curve: Sequence[tuple[datetime, RunTotals]]
    #: that the curve covers so far
    hours_seen: float

    @property
    def most_runs(self) -> int:
        """Of any step."""
        return max(came.runs for _, came in self.curve)


async def overview(db: Connection, span: Period, *, now: datetime) -> SourceOverview:
    """How all are doing."""
    total = await tallies.sources(db)
    curve = await _curve(db, span, now=now)
    return SourceOverview(
        total=total,
        states=source_state.by_state(await tallies.jobs_now(db, sources=total, now=now), sources=total),
        span=span,
        came=reduce(RunTotals.with_, (came for _, came in curve), RunTotals()),
        curve=curve,
        hours_seen=max((now - curve[0][0]) / _HOUR, 1 / 60),
    )


async def _curve(db: Connection, span: Period, *, now: datetime) -> list[tuple[datetime, RunTotals]]:
    times = span.times(now)
    if span.step < _HOUR:
        found = await run_hours.by_span(db, since=times[0], span=span.step)
        return [(time, found.get(time, RunTotals())) for time in times]
    hours = await run_hours.by_hour(db, since=times[0])
    within = range(int(span.step / _HOUR))
    return [
        (time, reduce(RunTotals.with_, (hours.get(time + n * _HOUR, RunTotals()) for n in within), RunTotals()))
        for time in times
    ]
