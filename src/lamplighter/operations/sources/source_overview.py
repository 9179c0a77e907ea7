"""The health of all sources, their recent run totals, and those that need an operator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import reduce
from typing import NamedTuple

from lamplighter.model.crawl import SourceState
from lamplighter.operations.list_part import ListPart
from lamplighter.operations.sources.source_health import SourceHealth, health_of
from lamplighter.rules.sources import source_state
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import tallies
from lamplighter.store.runs import run_hours
from lamplighter.store.runs.run_hours import RunTotals
from lamplighter.store.sources import source_lists, source_summaries
from lamplighter.store.sources.source_summaries import SummarySource

_HOUR = timedelta(hours=1)


class OverviewSpan(Enum):
    """How far back is looked: its name for programs and people, and the steps of its curve."""

    HOUR = ("1h", "1 h", timedelta(minutes=5), 12)
    DAY = ("24h", "24 h", _HOUR, 24)
    WEEK = ("7d", "7 d", 4 * _HOUR, 42)

    def __init__(self, word: str, label: str, step: timedelta, steps: int) -> None:
        self.word = word
        self.label = label
        self.step = step
        self.steps = steps


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOverview:
    """All sources together."""

    total: int
    #: state -> number of sources; they add up to the total
    states: Mapping[SourceState, int]
    span: OverviewSpan
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


class PressingSource(NamedTuple):
    """A source that needs a person, and why."""

    source: SummarySource
    health: SourceHealth


async def overview(db: Connection, span: OverviewSpan, *, now: datetime) -> SourceOverview:
    """How all are doing."""
    total = await tallies.sources(db)
    curve = await _curve(db, span, now=now)
    return SourceOverview(
        total=total,
        states=source_state.by_state(await tallies.jobs(db), sources=total),
        span=span,
        came=reduce(RunTotals.with_, (came for _, came in curve), RunTotals()),
        curve=curve,
        hours_seen=max((now - curve[0][0]) / _HOUR, 1 / 60),
    )


async def attention(db: Connection, *, limit: int) -> ListPart[PressingSource]:
    """The sources that fail, are blocked, were stopped by their breaker, or drift; the most pressing first."""
    ids, total = await source_lists.most_pressing(db, limit=limit)
    rows = [PressingSource(each.source, health_of(*each)) for each in await source_summaries.of(db, ids)]
    return ListPart(rows=rows, total=total)


async def _curve(db: Connection, span: OverviewSpan, *, now: datetime) -> list[tuple[datetime, RunTotals]]:
    """Steps lie on whole multiples since 1970, so that each is the same however often one looks."""
    length = int(span.step.total_seconds())
    last = datetime.fromtimestamp(int(now.timestamp()) // length * length, UTC)
    times = [last - span.step * number for number in reversed(range(span.steps))]
    if span.step < _HOUR:
        found = await run_hours.by_span(db, since=times[0], span=span.step)
        return [(time, found.get(time, RunTotals())) for time in times]
    hours = await run_hours.by_hour(db, since=times[0])
    within = range(int(span.step / _HOUR))
    return [
        (time, reduce(RunTotals.with_, (hours.get(time + n * _HOUR, RunTotals()) for n in within), RunTotals()))
        for time in times
    ]
