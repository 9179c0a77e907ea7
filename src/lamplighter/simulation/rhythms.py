"""When does a simple policy visit next? Rules that know only what they saw last, in closed form.

Between two changes seen, such a rule visits at offsets that can be computed rather than stepped through: that makes
replaying years of visits cheap. Times are hours. A rhythm's `state` is one number per source.
"""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from lamplighter.simulation.trace import Floats, Ints

#: Nutch's adaptive rule: stretch after nothing, shrink after a change
_NUTCH_STRETCH: Final = 1.4
_NUTCH_SHRINK: Final = 0.8
_NUTCH_LEAST_HOURS: Final = 60 / 3600
_NUTCH_MOST_HOURS: Final = 365 * 24.0
#: a visit this much of an hour before a change counts as at the change: rounding, not time
_ROUNDING: Final = 1e-9


class VisitRhythm(Protocol):
    """The visits after a change was seen, as long as nothing else changes."""

    @property
    def climbed(self) -> int:
        """Visits without a change after which an unchanging source has its lasting interval: there a replay begins."""

    def start(self) -> Floats:
        """The state of every source at its first copy."""

    def visits_before(self, state: Floats, hours: Floats) -> Ints:
        """How many visits fall into the hours after the change was seen."""

    def offset(self, state: Floats, nth: Ints) -> Floats:
        """Hours from the change seen to the nth visit after it; the first is 1."""

    def seen(self, state: Floats, nth: Ints, changes: Ints) -> Floats:
        """The state after the nth visit saw so many changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """Each source at its own even interval."""

    interval_hours: Floats
    climbed: int = 0

    def start(self) -> Floats:
        """The interval itself."""
        return self.interval_hours

    def visits_before(self, state: Floats, hours: Floats) -> Ints:
        """As often as the interval fits."""
        return np.ceil(hours / state - _ROUNDING).astype(np.int64) - 1

    def offset(self, state: Floats, nth: Ints) -> Floats:
        """A multiple of the interval."""
        return state * nth

    def seen(self, state: Floats, nth: Ints, changes: Ints) -> Floats:
        """A change has no effect."""
        return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladders:
    """Intervals that grow, step by step, while nothing changes; the last one is kept.

    The state says which ladder: the first is climbed after a change, the second after a change of `many` or more.
    """

    count: int
    #: hours; the ladders are of equal length
    intervals: tuple[tuple[float, ...], ...]
    many: int | None = None

    @property
    def climbed(self) -> int:
        """All steps but the last."""
        return len(self.intervals[0]) - 1

    def start(self) -> Floats:
        """The first ladder."""
        return np.zeros(self.count)

    def visits_before(self, state: Floats, hours: Floats) -> Ints:
        """Full steps, then as often as the last interval fits."""
        before = np.zeros(len(state), dtype=np.int64)
        for number, steps in enumerate(self.intervals):
            mine = state == number
            ends = np.cumsum(steps)
            beyond = np.ceil((hours[mine] - ends[-1]) / steps[-1] - _ROUNDING) - 1
            climbed = np.searchsorted(ends, hours[mine] - _ROUNDING)
            before[mine] = np.where(climbed < len(steps), climbed, len(steps) + beyond)
        return before

    def offset(self, state: Floats, nth: Ints) -> Floats:
        """The sum of the intervals so far."""
        ends = np.cumsum(self.intervals, axis=1)
        length = ends.shape[1]
        last = np.array([steps[-1] for steps in self.intervals])
        ladder = state.astype(np.int64)
        climbed = np.concatenate([np.zeros((len(ends), 1)), ends], axis=1)[ladder, np.minimum(nth, length)]
        offset: Floats = climbed + np.maximum(nth - length, 0) * last[ladder]
        return offset

    def seen(self, state: Floats, nth: Ints, changes: Ints) -> Floats:
        """Back to the first step of a ladder."""
        if self.many is None:
            return np.zeros(len(state))
        return (changes >= self.many).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nutch:
    """Nutch's adaptive schedule; the state is the interval that comes next."""

    count: int
    first_hours: float
    #: stretches both bounds
    scale: float
    climbed: int = 0

    @property
    def _least(self) -> float:
        return _NUTCH_LEAST_HOURS * self.scale

    @property
    def _most(self) -> float:
        return _NUTCH_MOST_HOURS * self.scale

    def start(self) -> Floats:
        """The same interval for all."""
        return np.full(self.count, min(max(self.first_hours, self._least), self._most))

    def visits_before(self, state: Floats, hours: Floats) -> Ints:
        """Intervals that grow by two fifths each, up to the bound."""
        growing = self._growing(state)
        grown = self.offset(state, growing)
        inside = np.minimum(hours, grown)
        steps = np.log1p(inside * (_NUTCH_STRETCH - 1) / state) / np.log(_NUTCH_STRETCH)
        beyond = np.ceil((hours - grown) / self._most - _ROUNDING) - 1
        before: Floats = np.where(hours <= grown, np.ceil(steps - _ROUNDING) - 1, growing + beyond)
        return np.maximum(before, 0).astype(np.int64)

    def offset(self, state: Floats, nth: Ints) -> Floats:
        """A geometric sum, then even steps."""
        growing = self._growing(state)
        inside = np.minimum(nth, growing)
        rising: Floats = state * (_NUTCH_STRETCH**inside - 1) / (_NUTCH_STRETCH - 1)
        return rising + (nth - inside) * self._most

    def seen(self, state: Floats, nth: Ints, changes: Ints) -> Floats:
        """The interval that led to the change, shortened by a fifth."""
        interval = np.minimum(state * _NUTCH_STRETCH ** np.minimum(nth - 1.0, self._growing(state)), self._most)
        shrunk: Floats = np.clip(interval * _NUTCH_SHRINK, self._least, self._most)
        return shrunk

    def _growing(self, state: Floats) -> Ints:
        """How many intervals are still below the greatest."""
        steps: Floats = np.log(self._most / state) / np.log(_NUTCH_STRETCH)
        return np.maximum(np.ceil(steps - _ROUNDING), 0).astype(np.int64)


def oracle_hours(rate: Floats, *, price: float, weight: Floats) -> Floats:
    """The interval at which a copy of a page with a known change rate has cost its price in stale hours.

    With x = rate × interval it solves x - 1 + e^-x = rate × price / weight; Newton's steps come down from above.
    """
    target = rate * price / weight
    x = target + np.sqrt(2 * target)
    for _ in range(12):
        x -= (x + np.expm1(-x) - target) / -np.expm1(-x)
    return np.maximum(x, np.sqrt(2 * target)) / rate
