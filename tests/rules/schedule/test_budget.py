"""How many fetches there may be in an hour."""

import math
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadInput
from lamplighter.rules.schedule.budget import LONGEST, charged, checked_budget
from tests.moments import NOON

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)

bounded = settings(deadline=None, max_examples=100)
budgets = st.floats(0.1, 10_000)
moments = st.floats(-100, 100).map(lambda hours: NOON + hours * HOUR)
#: what a run costs, and how long after the budget was free it begins
runs = st.lists(st.tuples(st.integers(1, 500), st.floats(0, 3) | st.just(0.0)), min_size=1, max_size=40)


def charge(free_at: datetime | None = None, *, fetches: float, per_hour: float = 60.0) -> datetime:
    return charged(free_at, fetches=fetches, per_hour=per_hour, now=NOON)


# Spacing


@pytest.mark.parametrize(
    ("free_at", "expected"),
    [
        pytest.param(None, NOON + 5 * MINUTE, id="first use: counted from now"),
        pytest.param(NOON - HOUR, NOON + 5 * MINUTE, id="long free: nothing was saved up"),
        pytest.param(NOON + 2 * MINUTE, NOON + 7 * MINUTE, id="still busy: added behind"),
    ],
)
def test_fetches_take_their_share_of_an_hour(free_at: datetime | None, expected: datetime) -> None:
    assert charge(free_at, fetches=5) == expected


@bounded
@given(runs, budgets)
def test_any_hour_holds_at_most_the_budget_and_one_run(runs: list[tuple[int, float]], per_hour: float) -> None:
    now, free_at = NOON, None
    spent: list[tuple[datetime, int]] = []
    for fetches, idle in runs:
        now = max(now, free_at or now) + idle * HOUR
        free_at = charged(free_at, fetches=fetches, per_hour=per_hour, now=now)
        spent.append((now, fetches))

    largest = max(fetches for _, fetches in spent)
    for start, _ in spent:
        within = sum(fetches for at, fetches in spent if start <= at < start + HOUR)
        assert within <= per_hour * (1 + 1e-6) + largest


@bounded
@given(st.lists(st.integers(1, 500), min_size=2, max_size=40), budgets)
def test_a_budget_that_is_always_wanted_is_used_up(costs: list[int], per_hour: float) -> None:
    starts = [NOON]
    for fetches in costs:
        starts.append(charged(starts[-1], fetches=fetches, per_hour=per_hour, now=starts[-1]))

    for (before, after), fetches in zip(pairwise(starts), costs, strict=True):
        assert (after - before) / HOUR == pytest.approx(fetches / per_hour, rel=1e-6, abs=1e-9)


@bounded
@given(st.none() | moments, st.floats(-1e4, 1e4), budgets)
def test_a_budget_is_never_free_in_the_past(free_at: datetime | None, fetches: float, per_hour: float) -> None:
    assert charge(free_at, fetches=fetches, per_hour=per_hour) >= NOON


@bounded
@given(st.none() | moments, st.floats(0, 1e4), st.floats(0, 1e4), budgets)
def test_more_fetches_never_free_a_budget_sooner(
    free_at: datetime | None, fetches: float, further: float, per_hour: float
) -> None:
    few, many = (charge(free_at, fetches=each, per_hour=per_hour) for each in (fetches, fetches + further))

    assert few <= many


# Giving back


@bounded
@given(st.none() | moments, st.integers(0, 400), st.integers(0, 400), budgets)
def test_what_a_run_did_not_use_is_given_back(
    free_at: datetime | None, used: int, unused: int, per_hour: float
) -> None:
    taken = charge(free_at, fetches=used + unused, per_hour=per_hour)

    settled = charge(taken, fetches=-unused, per_hour=per_hour)

    assert abs(settled - charge(free_at, fetches=used, per_hour=per_hour)) < timedelta(milliseconds=1)


def test_nobody_gets_back_time_that_has_passed() -> None:
    assert charge(NOON + MINUTE, fetches=-1000) == NOON
    assert charge(NOON - HOUR, fetches=-1000) == NOON


@pytest.mark.parametrize("fetches", [1e300, -1e300], ids=["spent", "given back"])
def test_a_run_beyond_all_measure_does_not_lead_beyond_the_calendar(fetches: float) -> None:
    assert NOON <= charge(fetches=fetches, per_hour=1e-9) <= NOON + LONGEST


# What can be kept


@pytest.mark.parametrize("per_hour", [0.0, -1.0, math.nan, math.inf, 1e9])
def test_a_budget_that_is_none_is_refused_with_what_would_do(per_hour: float) -> None:
    with pytest.raises(BadInput) as refusal:
        checked_budget(per_hour, who="example.org")

    assert f"a budget of {per_hour} fetches per hour for example.org" in str(refusal.value)
    assert "use a number above 0 and below 1e+09" in str(refusal.value)


def test_a_budget_below_what_the_longest_intervals_need_is_refused_with_what_would_do() -> None:
    with pytest.raises(BadInput) as refusal:
        checked_budget(2.0, least=2.5, who="example.org")

    assert "a budget of 2 fetches per hour for example.org is too small" in str(refusal.value)
    assert "at least 2.5" in str(refusal.value)
    assert "raise the budget or the intervals" in str(refusal.value)


@pytest.mark.parametrize("per_hour", [2.5, 2.6, 1e6])
def test_a_budget_that_can_be_kept_is_taken(per_hour: float) -> None:
    assert checked_budget(per_hour, least=2.5, who="example.org") == per_hour


def test_the_times_of_a_budget_stay_aware() -> None:
    assert charge(fetches=1).tzinfo is UTC
