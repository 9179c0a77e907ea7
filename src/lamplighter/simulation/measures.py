"""Figures of merit of the policies, with confidence intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.replay import ReplayOutcome
from lamplighter.simulation.trace import Floats, Trace

#: samples of the sources, drawn with replacement, and how many sources are drawn for at once
_SAMPLES: Final = 200
_BLOCK: Final = 20_000
#: percentiles that enclose 95 %
_LOW, _HIGH = 2.5, 97.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceInterval:
    """The 95 % confidence interval of a figure, had other sources of the same kind been observed."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyResult:
    """The figures of one policy."""

    policy: Contender
    #: share of the time that our copy was out of date, weighted
    staleness: float
    staleness_interval: ConfidenceInterval
    #: from a change to the visit that saw it
    mean_delay_hours: float
    delay_interval: ConfidenceInterval
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
        """Fetches per change found; None when no change was found."""
        return self.fetches / self.changes_found if self.changes_found else None


def results(
    trace: Trace, outcomes: Sequence[tuple[Contender, ReplayOutcome]], *, rng: np.random.Generator
) -> list[PolicyResult]:
    """The figures of each policy; all use the same samples of sources."""
    columns = [trace.weight, trace.changes.counts]
    for _, outcome in outcomes:
        columns += [trace.weight * outcome.stale_hours / trace.hours, outcome.delay_hours]
    table = np.column_stack(columns).astype(np.float64)
    whole, samples = table.sum(axis=0), _resampled(table, rng)
    return [
        PolicyResult(
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
    # An empty sample, possible where sources are few, says nothing.
    return sums[sums[:, 0] > 0]


def _interval(samples: Floats) -> ConfidenceInterval:
    low, high = np.percentile(samples, [_LOW, _HIGH])
    return ConfidenceInterval(low=float(low), high=float(high))
