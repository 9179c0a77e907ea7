"""Which due job comes first."""

import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import Belief, Learnt
from lamplighter.rules.change import recency
from lamplighter.rules.schedule.policies.learned import weight
from lamplighter.rules.schedule.urgency import HEAD_START, LANES, LEAST, MOST, urgency, value_lost
from tests.moments import NOON

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
#: changes about once in 12 felt hours, and did so at noon
KNOWN = Learnt(belief=Belief(a=2.0, b=24.0), visit_count=5, visited_at=NOON, changed_at=NOON)

bounded = settings(deadline=None, max_examples=100)
weights = st.integers(0, 100).map(weight)
waits = st.floats(0, 5000).map(lambda hours: hours * HOUR)
lanes = st.sampled_from(LANES)
learnts = st.builds(
    Learnt,
    belief=st.builds(Belief, a=st.floats(0.05, 8), b=st.floats(0.01, 1e5)),
    signal=st.floats(0, 1),
    visited_at=st.just(NOON),
    changed_at=st.none() | waits.map(lambda wait: NOON - wait),
)


def lane(*, weight: float = 1.0, learnt: Learnt | None = KNOWN, wait: timedelta = DAY) -> int:
    return urgency(weight=weight, learnt=learnt, due_at=NOON + wait)


# The queue of a job


@pytest.mark.parametrize(
    ("priority", "expected"),
    [pytest.param(0, -2, id="least"), pytest.param(50, 0, id="usual"), pytest.param(100, 2, id="most important")],
)
def test_a_source_that_was_never_visited_is_as_urgent_as_it_is_important(priority: int, expected: int) -> None:
    assert lane(weight=weight(priority), learnt=None) == expected
    assert lane(weight=weight(priority), learnt=Learnt(belief=KNOWN.belief)) == expected


def test_half_the_staleness_is_one_queue_lower() -> None:
    half_gone = recency.unfelt(24.0 * (math.sqrt(2) - 1)) * HOUR

    assert lane(wait=half_gone) == lane(learnt=None) - 1


@bounded
@given(learnts, waits, weights)
def test_every_job_has_a_queue_and_nobody_is_more_urgent_than_who_was_never_visited(
    learnt: Learnt, wait: timedelta, importance: float
) -> None:
    found = lane(weight=importance, learnt=learnt, wait=wait)

    assert found in LANES
    assert found <= lane(weight=importance, learnt=None)


@bounded
@given(learnts, waits, weights, st.floats(1, 10))
def test_weight_never_lowers_urgency(learnt: Learnt, wait: timedelta, importance: float, times: float) -> None:
    light, heavy = (lane(weight=importance * factor, learnt=learnt, wait=wait) for factor in (1, times))

    assert light <= heavy


@bounded
@given(learnts, waits, waits, weights)
def test_a_later_visit_is_never_less_urgent(
    learnt: Learnt, wait: timedelta, further: timedelta, importance: float
) -> None:
    sooner, later = (lane(weight=importance, learnt=learnt, wait=each) for each in (wait, wait + further))

    assert sooner <= later


def test_a_livelier_source_is_more_urgent() -> None:
    lively, still = (Learnt(belief=Belief(a=2.0, b=b), visited_at=NOON) for b in (2.0, 2000.0))

    assert lane(learnt=lively) > lane(learnt=still)


def test_a_source_that_changed_lately_is_more_urgent_than_one_that_changed_long_ago() -> None:
    long_ago = Learnt(belief=KNOWN.belief, visited_at=NOON, changed_at=NOON - 500 * DAY)

    assert lane(learnt=KNOWN, wait=HOUR) > lane(learnt=long_ago, wait=HOUR)


def test_an_announced_change_makes_a_source_as_urgent_as_one_that_was_never_visited() -> None:
    announced = Learnt(belief=Belief(a=2.0, b=2000.0), signal=1.0, visited_at=NOON)

    assert lane(learnt=announced, wait=HOUR) == lane(learnt=None)


@pytest.mark.parametrize(
    ("importance", "wait"),
    [
        pytest.param(1.0, timedelta(0), id="a copy that cannot be stale yet"),
        pytest.param(1.0, -DAY, id="due before it was visited: a clock was set back"),
        pytest.param(0.0, DAY, id="worth nothing"),
        pytest.param(math.nan, DAY, id="worth no number"),
    ],
)
def test_what_loses_nothing_stands_in_the_last_queue(importance: float, wait: timedelta) -> None:
    assert lane(weight=importance, wait=wait) == LEAST


def test_no_weight_leads_beyond_the_first_queue() -> None:
    assert lane(weight=1e9, learnt=None) == MOST


# What waiting costs


def test_a_queue_higher_costs_twice_as_much() -> None:
    lost = [value_lost(each, due_at=NOON, now=NOON + HOUR) for each in LANES]

    assert lost == [pytest.approx(2 * before) for before in [lost[0] / 2, *lost[:-1]]]


@bounded
@given(lanes, waits, st.floats(0.001, 100))
def test_waiting_costs_ever_more(lane: int, wait: timedelta, further: float) -> None:
    before = value_lost(lane, due_at=NOON, now=NOON + wait)

    assert value_lost(lane, due_at=NOON, now=NOON + wait + further * HOUR) > before


def test_of_jobs_that_have_just_become_due_the_more_urgent_is_first() -> None:
    assert value_lost(MOST, due_at=NOON, now=NOON) > value_lost(LEAST, due_at=NOON, now=NOON) > 0


@bounded
@given(lanes, lanes, waits)
def test_no_job_starves(low: int, high: int, lateness: timedelta) -> None:
    """Whoever keeps coming after it, each waiting for so long at the most: a job overtakes them in the end."""
    in_time = 2.0 ** (high - low) * (lateness + HEAD_START)
    now = NOON + max(in_time, lateness)

    oldest = value_lost(low, due_at=NOON, now=now)

    assert oldest > value_lost(high, due_at=now - lateness, now=now)


def test_the_last_queue_overtakes_the_first_within_two_days_while_that_waits_a_minute() -> None:
    now = NOON + 2 * DAY

    assert value_lost(LEAST, due_at=NOON, now=now) > value_lost(MOST, due_at=now - timedelta(minutes=1), now=now)
