"""Replays the learned policy on a trace, step by step in time, because one price connects all sources."""

from collections.abc import Callable
from typing import Final

import numpy as np

from lamplighter.simulation.learned import Learner
from lamplighter.simulation.replay import ReplayOutcome, ReplayScore
from lamplighter.simulation.trace import Floats, Ints, Trace

#: hours
_EPOCH: Final = 6.0
#: epochs between two updates of the priors, and between two prices
_DAY: Final = 4
#: epochs at the start that have a price each: the beliefs are young and change quickly
_SETTLED: Final = 28
#: the remaining budget may speed up or slow down the rest by this factor
_HASTE: Final = 1.5


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
