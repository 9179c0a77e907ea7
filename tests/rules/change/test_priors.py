"""What is believed of a source before its own visits tell."""

import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadInput
from lamplighter.model.schedule import Belief
from lamplighter.rules.change.belief import sound, unchanged
from lamplighter.rules.change.priors import PRIOR_SHAPE, GroupEvidence, baseline_prior, prior, reprior
from lamplighter.rules.change.recency import felt

DAY = timedelta(days=1)
BASELINE = baseline_prior(DAY)
OTHER = Belief(a=99.0, b=99.0)

bounded = settings(deadline=None, max_examples=100)
numbers = st.floats(allow_nan=True, allow_infinity=True)
evidence = st.none() | st.builds(GroupEvidence, changes=numbers, hours=numbers)
rates = st.floats(-6, 2).map(lambda exponent: 10.0**exponent)
priors = rates.map(lambda rate: Belief(a=PRIOR_SHAPE, b=PRIOR_SHAPE / rate))


def gap(belief: Belief) -> float:
    return 1 / belief.rate


def seen(*, changes: float, gap: float) -> GroupEvidence:
    return GroupEvidence(changes=changes, hours=changes * gap)


# Baseline


def test_a_source_is_believed_to_change_once_in_three_of_its_usual_intervals() -> None:
    assert gap(baseline_prior(timedelta(hours=8))) == pytest.approx(felt(24.0))
    assert baseline_prior(timedelta(hours=8)).a == 0.6


@pytest.mark.parametrize("interval", [timedelta(0), -DAY], ids=["none", "backwards"])
def test_an_interval_that_is_none_is_refused(interval: timedelta) -> None:
    with pytest.raises(BadInput, match="above zero"):
        baseline_prior(interval)


# Neighbours


def test_without_neighbours_the_baseline_is_believed() -> None:
    assert gap(prior(baseline=BASELINE, cohort=None, host=None)) == pytest.approx(felt(72.0))


def test_a_cohort_outweighs_the_baseline_as_it_grows() -> None:
    gaps = [gap(prior(baseline=BASELINE, cohort=seen(changes=n, gap=10.0), host=None)) for n in (0.5, 5, 50, 5000)]

    assert gaps == sorted(gaps, reverse=True)
    assert 10 < gaps[-1] < 10.1


def test_two_changes_on_a_host_weigh_as_much_as_its_cohort() -> None:
    believed = prior(baseline=BASELINE, cohort=None, host=seen(changes=2, gap=10.0))

    assert gap(believed) == pytest.approx((felt(72.0) + 10) / 2)


def test_a_host_counts_for_more_than_its_cohort_as_it_grows() -> None:
    believed = prior(baseline=BASELINE, cohort=seen(changes=5000, gap=10.0), host=seen(changes=500, gap=100.0))

    assert gap(believed) == pytest.approx(100, rel=0.01)


def test_a_source_is_not_its_own_neighbour() -> None:
    own = seen(changes=40, gap=1.0)
    together = GroupEvidence(changes=50 + own.changes, hours=500 + own.hours)

    believed = prior(baseline=BASELINE, cohort=together, host=together, own=own)

    others = GroupEvidence(changes=50, hours=500)
    assert believed == prior(baseline=BASELINE, cohort=others, host=others)


def test_a_source_that_is_alone_on_its_host_learns_nothing_from_it() -> None:
    own = seen(changes=40, gap=1.0)

    assert prior(baseline=BASELINE, cohort=None, host=own, own=own) == prior(baseline=BASELINE, cohort=None, host=None)


def test_neighbours_that_never_changed_lower_the_rate_but_never_to_nothing() -> None:
    still = GroupEvidence(changes=0.0, hours=1e6)

    believed = prior(baseline=BASELINE, cohort=still, host=still)

    assert 0 < believed.rate < BASELINE.rate / 1000


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(GroupEvidence(changes=math.nan, hours=10.0), id="changes that are no number"),
        pytest.param(GroupEvidence(changes=1.0, hours=math.inf), id="for ever"),
        pytest.param(GroupEvidence(changes=0.0, hours=1e300), id="longer than there were hours"),
        pytest.param(GroupEvidence(changes=-1.0, hours=10.0), id="fewer than no changes"),
        pytest.param(GroupEvidence(changes=5.0, hours=0.0), id="changes in no time"),
    ],
)
def test_sums_that_make_no_sense_are_ignored(broken: GroupEvidence) -> None:
    alone = prior(baseline=BASELINE, cohort=None, host=None)

    assert prior(baseline=BASELINE, cohort=broken, host=broken) == alone


@bounded
@given(evidence, evidence, evidence)
def test_a_prior_is_always_a_light_and_sound_belief(
    cohort: GroupEvidence | None, host: GroupEvidence | None, own: GroupEvidence | None
) -> None:
    believed = prior(baseline=BASELINE, cohort=cohort, host=host, own=own)

    assert believed.a == PRIOR_SHAPE
    assert sound(believed.a, believed.b, otherwise=OTHER) == believed


# A prior that is recomputed


@bounded
@given(priors, priors)
def test_a_source_that_was_never_compared_takes_the_new_prior(before: Belief, after: Belief) -> None:
    moved = reprior(before, before=before, after=after, visit_count=1)

    assert moved.a == PRIOR_SHAPE
    assert moved.b == pytest.approx(after.b)


def test_hours_watched_are_kept_when_the_prior_moves() -> None:
    before, after = baseline_prior(DAY), baseline_prior(2 * DAY)

    moved = reprior(unchanged(before, 5.0), before=before, after=after, visit_count=2)

    assert moved.b == pytest.approx(unchanged(after, 5.0).b, rel=0.06)


@bounded
@given(st.builds(Belief, a=st.floats(0.05, 8), b=st.floats(0.01, 1e6)), priors, priors, st.integers(0, 1000))
def test_a_belief_follows_its_prior_and_never_further(
    belief: Belief, before: Belief, after: Belief, visits: int
) -> None:
    factor = reprior(belief, before=before, after=after, visit_count=visits).b / belief.b

    low, high = sorted([1.0, after.b / before.b])
    assert low * (1 - 1e-9) <= factor <= high * (1 + 1e-9)


@bounded
@given(st.builds(Belief, a=st.floats(0.05, 8), b=st.floats(0.01, 1e6)), st.integers(0, 1000))
def test_the_more_visits_the_less_a_belief_follows_its_prior(belief: Belief, visits: int) -> None:
    before, after = baseline_prior(DAY), baseline_prior(7 * DAY)

    sooner = reprior(belief, before=before, after=after, visit_count=visits)
    later = reprior(belief, before=before, after=after, visit_count=visits + 1)

    assert later.b <= sooner.b * (1 + 1e-12)
