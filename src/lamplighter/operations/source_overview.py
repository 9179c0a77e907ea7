"""How are all sources doing, what did their runs come to lately, and which of them need a person?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import reduce
from typing import NamedTuple

from lamplighter.model.crawl import Health, JobState
from lamplighter.operations import job_health
from lamplighter.operations.source_standing import Standing, standing_of
from lamplighter.store import run_hours, source_glimpses, source_lists, tallies
from lamplighter.store.database import Connection
from lamplighter.store.run_hours import Came
from lamplighter.store.source_glimpses import SourceGlimpse

_HOUR = timedelta(hours=1)


class Span(Enum):
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
class Overview:
    """All sources together."""

    total: int
    health: Mapping[Health, int]
    paused: int
    span: Span
    #: what runs came to within the span
    came: Came
    #: the same step by step, the oldest first; the last step is not over yet
    curve: Sequence[tuple[datetime, Came]]
    #: that the curve covers so far
    hours_seen: float

    @property
    def most_runs(self) -> int:
        """Of any step."""
        return max(came.runs for _, came in self.curve)


class Pressing(NamedTuple):
    """A source that needs a person, and why."""

    source: SourceGlimpse
    standing: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """What needs a person, the most pressing first."""

    rows: Sequence[Pressing]
    total: int


async def overview(db: Connection, span: Span, *, now: datetime) -> Overview:
    """How all are doing."""
    standings = await tallies.jobs(db)
    curve = await _curve(db, span, now=now)
    return Overview(
        total=await tallies.sources(db),
        health=job_health.by_health(standings),
        paused=tallies.listed_by_state(standings).get(JobState.PAUSED, 0),
        span=span,
        came=reduce(Came.with_, (came for _, came in curve), Came()),
        curve=curve,
        hours_seen=max((now - curve[0][0]) / _HOUR, 1 / 60),
    )


async def attention(db: Connection, *, limit: int) -> Attention:
    """The sources that fail, are blocked, were stopped by their breaker, or drift."""
    ids, total = await source_lists.most_pressing(db, limit=limit)
    rows = [Pressing(each.source, standing_of(*each)) for each in await source_glimpses.of(db, ids)]
    return Attention(rows=rows, total=total)


async def _curve(db: Connection, span: Span, *, now: datetime) -> list[tuple[datetime, Came]]:
    """Steps lie on whole multiples since 1970, so that each is the same however often one looks."""
    length = int(span.step.total_seconds())
    last = datetime.fromtimestamp(int(now.timestamp()) // length * length, UTC)
    times = [last - span.step * number for number in reversed(range(span.steps))]
    if span.step < _HOUR:
        found = await run_hours.by_span(db, since=times[0], span=span.step)
        return [(time, found.get(time, Came())) for time in times]
    hours = await run_hours.by_hour(db, since=times[0])
    within = range(int(span.step / _HOUR))
    return [(time, reduce(Came.with_, (hours.get(time + n * _HOUR, Came()) for n in within), Came())) for time in times]
