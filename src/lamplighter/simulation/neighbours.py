"""The priors of all sources at once: `rules.priors` on arrays, with all sources as one cohort."""

import numpy as np

from lamplighter.rules.belief import LEAST_HOURS, MOST_HOURS
from lamplighter.rules.priors import BASELINE_WEIGHT, COHORT_WEIGHT, HALF_FOLLOWED, PRIOR_SHAPE
from lamplighter.simulation.trace import Floats, Ints


def prior_hours(*, baseline_rate: float, changes: Floats, hours: Floats, host: Ints) -> Floats:
    """The hours of each source's prior (its shape is always the same), from what all others were seen to do."""
    rate = _pulled(changes.sum() - changes, hours.sum() - hours, towards=baseline_rate, weight=BASELINE_WEIGHT)
    host_changes, host_hours = (np.bincount(host, sums)[host] for sums in (changes, hours))
    rate = _pulled(host_changes - changes, host_hours - hours, towards=rate, weight=COHORT_WEIGHT)
    return np.clip(PRIOR_SHAPE / rate, LEAST_HOURS, MOST_HOURS)


def moved_hours(a: Floats, b: Floats, *, before: Floats, after: Floats, visits: Ints) -> Floats:
    """The hours of beliefs once the hours of their priors are others."""
    fading = 1 / (1 + np.maximum(0, visits - 1) / HALF_FOLLOWED)
    share = np.minimum(1.0, before / b) * np.minimum(1.0, PRIOR_SHAPE / a) * fading
    return np.clip(b * (1 - share + share * after / before), LEAST_HOURS, MOST_HOURS)


def _pulled(changes: Floats, hours: Floats, *, towards: Floats | float, weight: float) -> Floats:
    known = np.maximum(hours, 0.0)
    # The differences of sums may fall short of zero by rounding.
    return np.where(known > 0, np.maximum(changes, 0.0) + weight, weight) / (known + weight / towards)
