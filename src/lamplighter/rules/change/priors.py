"""The prior belief about a source before its own visits: empirical Bayes from its neighbours."""

from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Belief
from lamplighter.rules.change.belief import LEAST_HOURS, MOST_HOURS
from lamplighter.rules.change.recency import felt

HOUR = timedelta(hours=1)
#: shape of a prior that was not fitted: less than one change of evidence, and a long tail of sources that hardly change
PRIOR_SHAPE = 0.6
#: a source changes about once in so many of the intervals that are usual for its kind
GAP_IN_INTERVALS = 3.0
#: changes of evidence that the wider group counts for beside the narrower one's own
BASELINE_WEIGHT = 2.0
COHORT_WEIGHT = 2.0
#: no installation has seen so many changes, or hours
ABSURD = 1e15
#: visits after which a belief follows a changed prior half as far as it still depends on it
HALF_FOLLOWED = 16.0


class Fit(NamedTuple):
    """How beliefs about similar sources begin."""

    #: of the prior: small where sources differ widely, great where they are alike
    shape: float = PRIOR_SHAPE
    #: whether hours are felt (see `recency`)
    is_felt: bool = True


USUAL = Fit()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEvidence:
    """What a group of sources was seen to do, summed up."""

    changes: float
    #: observed, over all of them
    hours: float


def baseline_prior(interval: timedelta, fit: Fit = USUAL) -> Belief:
    """The belief about a source of which only the usual interval of its kind is known."""
    if interval <= timedelta(0):
        raise BadInput(f"The interval between two runs cannot be {interval}; give one above zero.")
    gap = GAP_IN_INTERVALS * (interval / HOUR)
    return _prior_at(1 / (felt(gap) if fit.is_felt else gap), fit.shape)


def prior(
    *, baseline: Belief, cohort: GroupEvidence | None, host: GroupEvidence | None, own: GroupEvidence | None = None
) -> Belief:
    """The belief about a source from its host's other sources, its cohort's and the baseline together.

    Each group is pulled towards the wider one, ever less as it grows. A source's own part in the sums is left out: its
    visits have already taught it, and it must not count as its own neighbour.
    """
    rate = _pulled(cohort, own, towards=baseline.rate, weight=BASELINE_WEIGHT)
    return _prior_at(_pulled(host, own, towards=rate, weight=COHORT_WEIGHT), baseline.a)


def reprior(belief: Belief, *, before: Belief, after: Belief, visit_count: int) -> Belief:
    """The belief after its prior has changed: moved only as far as it still depends on the prior.

    While nothing was forgotten, a belief's hours are its prior's and those observed since, so the prior's share of
    them says how far to move. Evidence that is capped forgets the prior too, which its changes and visits tell.
    """
    observed = max(0, visit_count - 1)  # the first visit only starts the observation
    fading = 1 / (1 + observed / HALF_FOLLOWED)
    share = min(1.0, before.b / belief.b) * min(1.0, before.a / belief.a) * fading
    moved = belief.b * (1 - share + share * after.b / before.b)
    return Belief(a=belief.a, b=min(max(moved, LEAST_HOURS), MOST_HOURS))


def _pulled(group: GroupEvidence | None, own: GroupEvidence | None, *, towards: float, weight: float) -> float:
    """The group's rate without the source's own part, pulled towards another; never zero."""
    if group is None or not _is_sound(group):
        return towards
    changes, hours = group.changes, group.hours
    if own is not None and _is_sound(own):
        changes, hours = max(0.0, changes - own.changes), max(0.0, hours - own.hours)
    if hours <= 0:  # changes without observed hours say nothing about a rate
        return towards
    return (changes + weight) / (hours + weight / towards)


def _is_sound(evidence: GroupEvidence) -> bool:
    # Comparisons with NaN are false.
    return 0 <= evidence.changes < ABSURD and 0 <= evidence.hours < ABSURD


def _prior_at(rate: float, shape: float) -> Belief:
    return Belief(a=shape, b=min(max(shape / rate, LEAST_HOURS), MOST_HOURS))
