"""As soon as the staleness that must have gathered is worth a run."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import Belief, IntervalBounds, Learnt
from lamplighter.rules.change.belief import stale_hours
from lamplighter.rules.change.learning import age
from lamplighter.rules.change.priors import baseline_prior
from lamplighter.rules.change.weekly import learnt_profile
from lamplighter.rules.schedule.policies import PolicyInput, learned
from tests.moments import NOON
from tests.rules.schedule.policies.policy_inputs import DAY, HOUR, MINUTE, asked, asks

SECOND = timedelta(seconds=1)
#: NOON lies on a Saturday
SATURDAY = 5
OFFICE = learnt_profile([50.0 if hour // 24 < SATURDAY and 8 <= hour % 24 < 18 else 0.5 for hour in range(168)])


@given(baseline=st.timedeltas(min_value=15 * MINUTE, max_value=30 * DAY), priority=st.integers(0, 100))
@settings(deadline=None, max_examples=100)
def test_before_there_is_a_price_an_unknown_source_keeps_its_baseline(baseline: timedelta, priority: int) -> None:
    ask = asked(baseline=baseline, priority=priority, learnt=Learnt(belief=baseline_prior(baseline)))

    assert abs(learned.advice(ask).interval - baseline) <= 1e-6 * baseline + SECOND


def test_before_there_is_a_price_a_livelier_source_is_visited_sooner() -> None:
    ask = asked(baseline=DAY, learnt=Learnt(belief=Belief(a=8.0, b=8.0)))

    assert learned.advice(ask).interval < DAY / 2


@pytest.mark.parametrize("price", [float("nan"), float("inf"), 0.0, -1.0], ids=str)
def test_a_price_that_is_none_is_as_no_price(price: float) -> None:
    assert learned.advice(asked(price=price)) == learned.advice(asked(price=None))


@pytest.mark.parametrize(
    ("priority", "weight"),
    [(0, 0.25), (25, 0.5), (50, 1.0), (75, 2.0), (100, 4.0)],
)
def test_staleness_counts_twice_as_much_every_25_steps_of_priority(priority: int, weight: float) -> None:
    assert learned.weight(priority) == weight


@given(ask=asks, price=st.floats(1e-3, 1e3))
@settings(deadline=None, max_examples=100)
def test_inside_the_bounds_the_weighted_stale_time_meets_the_price(ask: PolicyInput, price: float) -> None:
    ask = asked(learnt=ask.learnt, priority=ask.priority, price=price)

    hours = learned.advice(ask).interval / HOUR

    gathered = learned.weight(ask.priority) * stale_hours(
        ask.learnt.belief, hours, signal=ask.learnt.signal, age=age(ask.learnt)
    )
    if MINUTE < hours * HOUR < 366 * DAY:
        assert gathered == pytest.approx(price, rel=1e-3)


def test_an_announcement_brings_the_run_forward() -> None:
    announced = Learnt(belief=Belief(a=4.0, b=96.0), signal=0.8)

    assert learned.advice(asked(learnt=announced)).interval < learned.advice(asked()).interval / 2


def test_a_broken_belief_counts_as_none() -> None:
    broken = Learnt(belief=Belief(a=float("nan"), b=-1.0))

    assert abs(learned.advice(asked(baseline=DAY, learnt=broken)).interval - DAY) < SECOND


def test_at_the_weekend_an_office_is_left_alone_until_it_opens() -> None:
    on_saturday = asked(now=NOON, profile=OFFICE, price=1.0)
    on_monday = asked(now=NOON + 2 * DAY, profile=OFFICE, price=1.0)

    assert learned.advice(on_monday).interval < 6 * HOUR
    assert NOON + learned.advice(on_saturday).interval > NOON + DAY


def test_bounds_are_kept_in_real_time_whatever_the_profile() -> None:
    bounds = IntervalBounds(least=5 * HOUR, most=6 * HOUR)

    for price in (1e-9, 1e9):
        interval = learned.advice(asked(now=NOON + 2 * DAY, profile=OFFICE, price=price, bounds=bounds)).interval
        assert bounds.least - SECOND <= interval <= bounds.most + SECOND


def test_the_longer_the_last_change_is_ago_the_longer_is_the_wait() -> None:
    intervals = [
        learned.advice(
            asked(learnt=Learnt(belief=Belief(a=4.0, b=96.0), visited_at=NOON, changed_at=NOON - age * DAY), price=1.0)
        ).interval
        for age in (0, 1, 10, 100)
    ]

    assert intervals == sorted(intervals)
    assert intervals[0] < intervals[-1] / 2


def test_the_explanation_tells_what_was_paid_and_for_what() -> None:
    announced = Learnt(belief=Belief(a=8.0, b=72.0), signal=0.25)

    assert learned.advice(asked(learnt=announced, priority=75, price=0.5)).inputs == {
        "price": 0.5,
        "weight": 2.0,
        "signal": 0.25,
    }
