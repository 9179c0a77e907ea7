"""The learned policy for many sources at once: the service's own rules, on arrays.

Everything that `learned` does differently from the simple rhythms is here: what a visit teaches, what neighbours
teach, what an announcement is worth, and when the next visit is. It sees what a crawler would see, and nothing else.
It is replayed step by step in time, because one price connects all sources.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lamplighter.rules.change import beliefs, pricing
from lamplighter.rules.change.belief import LEAST_HOURS, MOST_HOURS
from lamplighter.rules.change.learning import ALARM, LEFT_AFTER_ALARM, SHIFT
from lamplighter.rules.change.priors import BASELINE_WEIGHT, COHORT_WEIGHT, GAP_IN_INTERVALS, HALF_FOLLOWED, PRIOR_SHAPE
from lamplighter.rules.change.recency import UNKNOWN_AGE, felt, felt_since
from lamplighter.simulation.replay import ReplayOutcome, ReplayScore
from lamplighter.simulation.trace import Floats, Ints, Trace

Bools = NDArray[np.bool_]

#: hours between two visits, the service's defaults
LEAST_WAIT: Final = 1 / 60
MOST_WAIT: Final = 30 * 24.0
#: in mean intervals: the upper bound when the budget is too small to keep the bound above
_MOST_MEANS: Final = 10.0
#: how far an announcement is trusted before any was checked, and how many checks that is worth
_FIRST_PRECISION: Final = 0.8
_FIRST_CHECKS: Final = 5.0
#: sources by which the price is found; more would not change it
_PRICED_BY: Final = 2_500
#: the steps of a replay, in hours
_EPOCH: Final = 6.0
#: epochs between two updates of the priors, and between two prices
_DAY: Final = 4
#: epochs at the start that have a price each: the beliefs are young and change quickly
_SETTLED: Final = 28
#: the remaining budget may speed up or slow down the rest by this factor
_HASTE: Final = 1.5


class Learner:
    """What is known of each source, as a crawler learns it; hours count from the start of the trace."""

    def __init__(self, *, host: Ints, weight: Floats, mean_hours: float, rng: np.random.Generator) -> None:
        count = len(host)
        self._host, self._weight = host, weight
        self._most_wait = max(MOST_WAIT, _MOST_MEANS * mean_hours)
        self._baseline_rate = 1 / felt(GAP_IN_INTERVALS * mean_hours)
        self._prior_b = np.full(count, PRIOR_SHAPE / self._baseline_rate)
        self._a, self._b = np.full(count, PRIOR_SHAPE), self._prior_b.copy()
        self._rise, self._fall = np.zeros(count), np.zeros(count)
        self._signal = np.zeros(count)
        self._visited = np.zeros(count)
        #: hours from the last change to the last visit, and felt hours observed
        self._age, self._watched = np.full(count, UNKNOWN_AGE), np.zeros(count)
        self._visits, self._found = np.ones(count, dtype=np.int64), np.zeros(count)
        self._checked, self._confirmed = _FIRST_CHECKS, _FIRST_CHECKS * _FIRST_PRECISION
        self._sample = np.sort(rng.permutation(count)[:_PRICED_BY])
        self.price = 0.0

    def visit(self, who: Ints, at: Floats, is_changed: Bools) -> None:
        """Learns from visits, each source's at its own time."""
        since = at - self._visited[who]
        hours = felt_since(self._age[who], since)
        a, b = self._after_alarm(who, hours, is_changed)
        changed, unchanged = beliefs.changed(a, b, hours), beliefs.unchanged(a, b, hours)
        self._a[who], self._b[who] = beliefs.capped(
            np.where(is_changed, changed[0], unchanged[0]), np.where(is_changed, changed[1], unchanged[1])
        )
        was_announced = self._signal[who] > 0
        self._checked += was_announced.sum()
        self._confirmed += (was_announced & is_changed).sum()
        self._signal[who] = 0.0
        self._visited[who] = at
        self._watched[who] += hours
        self._age[who] = np.where(is_changed, since / 2, self._age[who] + since)
        self._visits[who] += 1
        self._found[who] += is_changed

    def announce(self, who: Ints) -> None:
        """Raises the signal of sources that were announced to have changed, by how often that was true so far."""
        self._signal[who] = 1 - (1 - self._signal[who]) * (1 - self._confirmed / self._checked)

    def ask_neighbours(self) -> None:
        """Recomputes the priors from all that was seen, and moves the beliefs that still depend on them."""
        after = prior_hours(
            baseline_rate=self._baseline_rate, changes=self._found, hours=self._watched, host=self._host
        )
        self._b = moved_hours(self._a, self._b, before=self._prior_b, after=after, visits=self._visits)
        self._prior_b = after

    def reprice(self, *, fetches_per_hour: float) -> None:
        """Finds the price at which all sources together would take so many fetches."""
        rows = self._sample
        ones = np.ones(len(rows))
        demand = pricing.VisitDemand(
            a=self._a[rows],
            b=self._b[rows],
            weight=self._weight[rows],
            signal=np.zeros(len(rows)),
            age=self._age[rows],
            cost=ones,
            least=ones * LEAST_WAIT,
            most=ones * self._most_wait,
            host=np.zeros(len(rows), dtype=np.int64),
        )
        self.price = pricing.solve(demand, budget_per_hour=fetches_per_hour * len(rows) / len(self._host)).price

    def next_visit(self, who: Ints) -> Floats:
        """When the next visit of each source is due."""
        return self._visited[who] + beliefs.wait_hours(
            self._a[who],
            self._b[who],
            price=self.price,
            weight=self._weight[who],
            signal=self._signal[who],
            age=self._age[who],
            least=LEAST_WAIT,
            most=self._most_wait,
        )

    def _after_alarm(self, who: Ints, hours: Floats, is_changed: Bools) -> tuple[Floats, Floats]:
        """The beliefs, lightened where a visit completes the evidence that a rate has shifted."""
        a, b = self._a[who], self._b[who]
        rise = np.maximum(0.0, self._rise[who] + _leaning(a, b, hours, is_changed, SHIFT))
        fall = np.maximum(0.0, self._fall[who] + _leaning(a, b, hours, is_changed, 1 / SHIFT))
        is_alarm = np.maximum(rise, fall) >= ALARM
        self._rise[who], self._fall[who] = np.where(is_alarm, 0.0, rise), np.where(is_alarm, 0.0, fall)
        scale = np.where(is_alarm, np.minimum(1.0, LEFT_AFTER_ALARM / a), 1.0)
        return a * scale, b * scale


def _leaning(a: Floats, b: Floats, hours: Floats, is_changed: Bools, factor: float) -> Floats:
    """How far visits are evidence for rates `factor` times as high: logarithms of likelihood ratios."""
    usual, other = np.log1p(hours / b), np.log1p(factor * hours / b)
    likely = -np.expm1(-a * usual)
    ratio = np.divide(-np.expm1(-a * other), likely, out=np.full(len(a), factor), where=likely > 0)
    leaning: Floats = np.where(is_changed, np.log(ratio), a * (usual - other))
    return leaning


def prior_hours(*, baseline_rate: float, changes: Floats, hours: Floats, host: Ints) -> Floats:
    """The hours of each source's prior (its shape is always the same), from what all other sources were seen to do."""
    rate = _pulled(changes.sum() - changes, hours.sum() - hours, towards=baseline_rate, weight=BASELINE_WEIGHT)
    host_changes, host_hours = (np.bincount(host, sums)[host] for sums in (changes, hours))
    rate = _pulled(host_changes - changes, host_hours - hours, towards=rate, weight=COHORT_WEIGHT)
    return np.clip(PRIOR_SHAPE / rate, LEAST_HOURS, MOST_HOURS)


def moved_hours(a: Floats, b: Floats, *, before: Floats, after: Floats, visits: Ints) -> Floats:
    """The hours of beliefs after the hours of their priors have changed."""
    fading = 1 / (1 + np.maximum(0, visits - 1) / HALF_FOLLOWED)
    share = np.minimum(1.0, before / b) * np.minimum(1.0, PRIOR_SHAPE / a) * fading
    return np.clip(b * (1 - share + share * after / before), LEAST_HOURS, MOST_HOURS)


def _pulled(changes: Floats, hours: Floats, *, towards: Floats | float, weight: float) -> Floats:
    known = np.maximum(hours, 0.0)
    # The differences of sums may fall below zero by rounding.
    return np.where(known > 0, np.maximum(changes, 0.0) + weight, weight) / (known + weight / towards)


def replay_learned(
    trace: Trace, *, fetches: float, phase: Floats, rng: np.random.Generator, on_progress: Callable[[float], None]
) -> ReplayOutcome:
    """Spends so many fetches on the trace; `on_progress` is called with the share of it that has passed."""
    learner = Learner(host=trace.host, weight=trace.weight, mean_hours=trace.hours * len(trace) / fetches, rng=rng)
    rounds = _Rounds(trace, learner)
    now, epoch = 0.0, 0
    while now < trace.hours:
        if epoch % _DAY == 0:
            learner.ask_neighbours()
        if epoch % _DAY == 0 or epoch < _SETTLED:
            spent = rounds.book.spent
            learner.reprice(fetches_per_hour=_per_hour(fetches=fetches, spent=spent, hours=trace.hours, now=now))
        if epoch == 0:
            rounds.plan_all(phase)
        now, epoch = min(now + _EPOCH, trace.hours), epoch + 1
        rounds.make(until=now)
        on_progress(now / trace.hours)
    return rounds.book.closed()


def _per_hour(*, fetches: float, spent: int, hours: float, now: float) -> float:
    """The fetches per hour for the next price, so that the budget is spent exactly at the end."""
    mean = fetches / hours
    left = (fetches - spent) / (hours - now)
    return min(max(left, mean / _HASTE), mean * _HASTE)


class _Rounds:
    """The planned visits of all sources, and their execution."""

    def __init__(self, trace: Trace, learner: Learner) -> None:
        self.book = ReplayScore(trace)
        self._learner = learner
        self._due = np.zeros(len(trace))
        self._told_at = np.append(trace.announcements.at, np.inf)
        self._told_end = trace.announcements.first[1:]
        self._told = trace.announcements.first[:-1].copy()

    def plan_all(self, phase: Floats) -> None:
        """Plans the first visits, spread out."""
        everyone = np.arange(len(self._due))
        self._due = self._learner.next_visit(everyone) * phase

    def make(self, *, until: float) -> None:
        """Executes everything that happens until then, source by source in order; all sources advance together."""
        who = np.flatnonzero(np.minimum(self._due, self._announced(np.arange(len(self._due)))) <= until)
        while len(who):
            told_at = self._announced(who)
            is_told = told_at < self._due[who]
            self._hear(who[is_told], told_at[is_told])
            self._visit(who[~is_told])
            who = who[np.minimum(self._due[who], self._announced(who)) <= until]

    def _announced(self, who: Ints) -> Floats:
        """When the next announcement comes; infinity when none does."""
        following = self._told[who]
        return np.where(following < self._told_end[who], self._told_at[following], np.inf)

    def _hear(self, who: Ints, at: Floats) -> None:
        """Moves a visit forward after an announcement, but not into the past."""
        self._told[who] += 1
        self._learner.announce(who)
        self._due[who] = np.minimum(self._due[who], np.maximum(self._learner.next_visit(who), at))

    def _visit(self, who: Ints) -> None:
        at = self._due[who]
        self.book.fetch(who, np.ones(len(who), dtype=np.int64))
        self._learner.visit(who, at, self.book.see(who, at) > 0)
        self._due[who] = self._learner.next_visit(who)
