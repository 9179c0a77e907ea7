"""Figures of merit of the policies, with confidence intervals."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
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
    #: standard deviation of the staleness between replays with other first visits: a lesser difference is chance
    staleness_spread: float
    staleness_interval: ConfidenceInterval
    #: from a change to the visit that saw it
    mean_delay_hours: float
    delay_interval: ConfidenceInterval
    fetches: int
    #: in the history
    changes: int
    changes_found: int
    #: stale time promised for the first week over that which came; None where a policy promises none, or none came
    promised_first_week: float | None

    @property
    def freshness(self) -> float:
        """Share of the time that our copy was up to date."""
        return 1 - self.staleness

    @property
    def fetches_per_change(self) -> float | None:
        """Fetches per change found; None when no change was found."""
        return self.fetches / self.changes_found if self.changes_found else None


def results(
    trace: Trace, outcomes: Sequence[tuple[Contender, Sequence[ReplayOutcome]]], *, rng: np.random.Generator
) -> list[PolicyResult]:
    """The figures of each policy, the mean over its replays; all use the same samples of sources."""
    columns = [trace.weight * trace.lived, trace.changes.counts]
    for _, replays in outcomes:
        outcome = _mean(replays)
        columns += [trace.weight * outcome.stale_hours, outcome.delay_hours]
    table = np.column_stack(columns).astype(np.float64)
    whole, samples = table.sum(axis=0), _resampled(table, rng)
    return [
        PolicyResult(
            policy=policy,
            staleness=float(whole[place] / whole[0]),
            staleness_spread=_spread([(trace.weight @ one.stale_hours) / whole[0] for one in replays]),
            staleness_interval=_interval(samples[:, place] / samples[:, 0]),
            mean_delay_hours=_delay(whole[place + 1], whole[1]),
            delay_interval=_interval(samples[:, place + 1] / np.maximum(samples[:, 1], 1.0)),
            fetches=round(_mean(replays).fetches.sum()),
            changes=len(trace.changes),
            changes_found=round(_mean(replays).found.sum()),
            promised_first_week=_promised(_mean(replays)),
        )
        for place, (policy, replays) in zip(range(2, table.shape[1], 2), outcomes, strict=True)
    ]


def better_with(outcomes: Sequence[tuple[Contender, Sequence[ReplayOutcome]]]) -> dict[Contender, int]:
    """Policy -> sources that would be fresher with it than with `learned`, whatever the first visits.

    Every source counts for the one policy that suits it best; the oracle is none.
    """
    stale = {policy: np.array([one.stale_hours for one in replays]) for policy, replays in outcomes}
    simple = [policy for policy in stale if policy not in (Contender.LEARNED, Contender.ORACLE)]
    if Contender.LEARNED not in stale or not simple:
        return {}
    least = np.array([stale[policy].max(axis=0) for policy in simple])
    best, is_better = least.argmin(axis=0), least.min(axis=0) < stale[Contender.LEARNED].min(axis=0)
    counts = np.bincount(best[is_better], minlength=len(simple))
    return {policy: int(count) for policy, count in zip(simple, counts, strict=True) if count}


def are_equal(one: PolicyResult, other: PolicyResult) -> bool:
    """Whether two policies are closer to each other than their figures are sure."""
    return abs(one.staleness - other.staleness) <= max(one.staleness_spread, other.staleness_spread)


def _mean(replays: Sequence[ReplayOutcome]) -> ReplayOutcome:
    return ReplayOutcome(
        **{part.name: np.mean([getattr(one, part.name) for one in replays], axis=0) for part in fields(ReplayOutcome)}
    )


def _promised(outcome: ReplayOutcome) -> float | None:
    promised, measured = float(outcome.promised.sum()), float(outcome.measured.sum())
    return promised / measured if promised and measured else None


def _spread(figures: Sequence[float]) -> float:
    return float(np.std(figures, ddof=1)) if len(figures) > 1 else 0.0


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
