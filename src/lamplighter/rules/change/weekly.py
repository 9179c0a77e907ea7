"""A weekly profile of changes: warped time that passes quickly in busy hours and slowly in quiet ones."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from lamplighter.errors import BadInput

HOUR = timedelta(hours=1)
WEEK = timedelta(weeks=1)
HOURS = 168
#: a Monday at midnight
MONDAY = datetime(2024, 1, 1, tzinfo=UTC)
#: changes seen in an hour count for its neighbours too, by their distance
NEARNESS = (3.0, 2.0, 1.0)
#: changes that a flat week counts for beside those seen
FLAT_WEIGHT = 84.0
#: no hour has zero weight: sites do publish at three on a Sunday morning, and warped time must always advance
LEAST_WEIGHT = 0.05
#: log-likelihood by which a profile must do better than a flat week
LEAST_GAIN = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How likely changes are at each hour of a week in UTC, from Monday 0:00; 1 is usual."""

    weights: tuple[float, ...]
    #: warped hours from Monday 0:00 to the start of each hour, and to the end of the week
    _until: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.weights)
        # Also false for NaN.
        if not min(self.weights) > 0:
            raise BadInput(f"A weekly profile cannot weigh an hour {min(self.weights)}; give weights above zero.")
        mean = math.fsum(self.weights) / HOURS
        object.__setattr__(self, "weights", tuple(weight / mean for weight in self.weights))
        object.__setattr__(self, "_until", (0.0, *list(accumulate(self.weights))[:-1], float(HOURS)))

    def hours_between(self, start: datetime, end: datetime) -> float:
        """Warped hours from one moment to another; below zero if the other is earlier."""
        first, then = divmod(start - MONDAY, WEEK), divmod(end - MONDAY, WEEK)
        return HOURS * (then[0] - first[0]) + (self._into_week(then[1]) - self._into_week(first[1]))

    def after(self, start: datetime, warped_hours: float) -> datetime:
        """The moment so many warped hours after another: the inverse of `hours_between`."""
        week, rest = divmod(start - MONDAY, WEEK)
        more, warped = divmod(self._into_week(rest) + warped_hours, HOURS)
        hour = min(bisect_right(self._until, warped), HOURS) - 1
        part = (warped - self._until[hour]) / (self._until[hour + 1] - self._until[hour])
        return MONDAY + (week + int(more)) * WEEK + (hour + min(part, 1.0)) * HOUR

    def _into_week(self, rest: timedelta) -> float:
        """Warped hours from Monday 0:00 to `rest` after it."""
        hour, part = divmod(rest, HOUR)
        return self._until[hour] + (self._until[hour + 1] - self._until[hour]) * (part / HOUR)


def _check(week: Sequence[float]) -> None:
    if len(week) != HOURS:
        raise BadInput(f"A week has {HOURS} hours, not {len(week)}; give one number for each.")
    wrong = next((number for number in week if not (math.isfinite(number) and number >= 0)), None)
    if wrong is not None:
        raise BadInput(f"An hour of the week cannot count {wrong}; give finite numbers from zero up.")


#: warped time equals real time
FLAT = Profile(weights=(1.0,) * HOURS)


def learnt_profile(counts: Sequence[float]) -> Profile:
    """The profile of a week with so many changes at each hour; few changes leave it nearly flat."""
    _check(counts)
    total = math.fsum(counts)
    pull = FLAT_WEIGHT / HOURS
    weights = [(count + pull) * HOURS / (total + FLAT_WEIGHT) for count in _smoothed(counts)]
    return Profile(weights=tuple(max(weight, LEAST_WEIGHT) for weight in weights))


def is_better_than_flat(counts_train: Sequence[float], counts_test: Sequence[float]) -> bool:
    """Whether a profile learnt from some changes predicts the hours of others better than no profile does."""
    _check(counts_test)
    weights = learnt_profile(counts_train).weights
    gain = math.fsum(count * math.log(weight) for count, weight in zip(counts_test, weights, strict=True))
    return gain > LEAST_GAIN


def _smoothed(counts: Sequence[float]) -> list[float]:
    """Each hour's count shared with its neighbours; Sunday's last hour and Monday's first are neighbours."""
    spread = range(1 - len(NEARNESS), len(NEARNESS))
    whole = math.fsum(NEARNESS[abs(step)] for step in spread)
    return [
        math.fsum(NEARNESS[abs(step)] / whole * counts[(hour + step) % HOURS] for step in spread)
        for hour in range(HOURS)
    ]
