"""How did the policies fare, and how sure is that?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.replay import Outcome
from lamplighter.simulation.trace import Floats, Trace

#: samples of the sources, drawn with replacement, and how many sources are drawn for at once
_SAMPLES: Final = 200
_BLOCK: Final = 20_000
#: percentiles that hold nineteen of twenty
_LOW, _HIGH = 2.5, 97.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Where a figure would lie, nineteen times of twenty, had other sources of the same kind been watched."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How one policy fared."""

    policy: Contender
    #: share of the time that our copy was out of date, by weight
    staleness: float
    staleness_interval: Interval
    #: from a change to the visit that saw it
    mean_delay_hours: float
    delay_interval: Interval
    fetches: int
    #: in the history
    changes: int
    changes_found: int

    @property
    def freshness(self) -> float:
        """Share of the time that our copy was up to date."""
        return 1 - self.staleness

    @property
    def fetches_per_change(self) -> float | None:
        """None when no change was found."""
        return self.fetches / self.changes_found if self.changes_found else None


def results(trace: Trace, outcomes: Sequence[tuple[Contender, Outcome]], *, rng: np.random.Generator) -> list[Result]:
    """The figures of each policy; all are judged by the same samples of sources."""
    columns = [trace.weight, trace.changes.counts]
    for _, outcome in outcomes:
        columns += [trace.weight * outcome.stale_hours / trace.hours, outcome.delay_hours]
    table = np.column_stack(columns).astype(np.float64)
    whole, samples = table.sum(axis=0), _resampled(table, rng)
    return [
        Result(
            policy=policy,
            staleness=float(whole[place] / whole[0]),
            staleness_interval=_interval(samples[:, place] / samples[:, 0]),
            mean_delay_hours=_delay(whole[place + 1], whole[1]),
            delay_interval=_interval(samples[:, place + 1] / np.maximum(samples[:, 1], 1.0)),
            fetches=int(outcome.fetches.sum()),
            changes=len(trace.changes),
            changes_found=int(outcome.found.sum()),
        )
        for place, (policy, outcome) in zip(range(2, table.shape[1], 2), outcomes, strict=True)
    ]


def _delay(hours: float, changes: float) -> float:
    return float(hours / changes) if changes else 0.0


def _resampled(table: Floats, rng: np.random.Generator) -> Floats:
    """Column sums over samples of the rows: each row is drawn so many times, once on average."""
    sums = np.zeros((_SAMPLES, table.shape[1]))
    for start in range(0, len(table), _BLOCK):
        rows = table[start : start + _BLOCK]
        sums += rng.poisson(1.0, (_SAMPLES, len(rows))) @ rows
    # A sample of nothing at all, possible where sources are few, says nothing.
    return sums[sums[:, 0] > 0]


def _interval(samples: Floats) -> Interval:
    low, high = np.percentile(samples, [_LOW, _HIGH])
    return Interval(low=float(low), high=float(high))
