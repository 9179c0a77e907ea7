"""What is expected of a source, for people to read and to check."""

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import Belief, Learnt
from lamplighter.rules.change import belief, recency
from lamplighter.rules.change.expectation import expectation
from tests.moments import NOON

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NINE_HOURLY = Belief(a=8.0, b=8.0 * recency.felt(9.0))
#: last visited now, two days after it changed
KNOWN = Learnt(belief=NINE_HOURLY, visit_count=31, change_count=9, visited_at=NOON, changed_at=NOON - 2 * DAY)

bounded = settings(deadline=None, max_examples=100)
hours_ago = st.floats(-100, 5000).map(lambda hours: NOON - hours * HOUR)


def known(watched: float, expected: float, seen: float, **others: Any) -> Learnt:
    """Both kinds of stale hours are shares of the hours watched."""
    return Learnt(
        watched_hours=watched, expected_stale_hours=expected * watched, seen_stale_hours=seen * watched, **others
    )


learnts = st.builds(
    known,
    watched=st.floats(0, 720),
    expected=st.floats(0, 1),
    seen=st.floats(0, 1),
    belief=st.builds(
        Belief,
        a=st.floats(belief.LEAST_SHAPE, belief.EVIDENCE_CAP),
        b=st.floats(belief.LEAST_HOURS, belief.MOST_HOURS),
    ),
    signal=st.floats(0, 1),
    visited_at=st.none() | hours_ago,
    changed_at=st.none() | hours_ago,
)
waits = st.floats(0, 9000).map(lambda hours: hours * HOUR)


def expected(learnt: Learnt = KNOWN, *, wait: timedelta = 3 * HOUR) -> dict[str, Any]:
    return expectation(learnt, wait=wait, now=NOON)


def watched(*, expected: float, seen: float) -> Learnt:
    return known(720.0, expected, seen, belief=NINE_HOURLY, visited_at=NOON)


def test_the_usual_gap_is_told_in_hours_of_the_clock() -> None:
    told = expected()

    assert told["changes_every_seconds"] == pytest.approx(9 * 3600)
    low, high = told["changes_every_range_seconds"]
    assert low < 9 * 3600 < high
    assert (told["visits"], told["changes"], told["signal"]) == (31, 9, 0.0)


def test_the_bracket_is_that_of_the_belief_in_hours_of_the_clock() -> None:
    low, high = expected()["changes_every_range_seconds"]

    felt_low, felt_high = belief.gap_range(NINE_HOURLY)
    assert recency.felt(low / 3600) == pytest.approx(felt_low)
    assert recency.felt(high / 3600) == pytest.approx(felt_high)


def test_nobody_is_told_of_gaps_longer_than_a_century() -> None:
    told = expected(Learnt(belief=Belief(a=0.01, b=belief.MOST_HOURS)))

    assert told["changes_every_seconds"] == 3600 * belief.LONGEST_GAP
    assert max(told["changes_every_range_seconds"]) == 3600 * belief.LONGEST_GAP


def test_staleness_is_the_share_of_the_wait_in_which_our_copy_is_expected_to_be_stale() -> None:
    stale = belief.stale_hours(NINE_HOURLY, 3.0, age=48.0)

    assert expected(wait=3 * HOUR)["staleness"] == pytest.approx(stale / 3.0)


def test_our_copy_dates_from_the_last_visit_however_many_failed_since() -> None:
    failing = Learnt(belief=NINE_HOURLY, visited_at=NOON - 5 * HOUR, changed_at=NOON - 53 * HOUR)

    stale = belief.stale_hours(NINE_HOURLY, 8.0, age=48.0)
    assert expected(failing, wait=3 * HOUR)["staleness"] == pytest.approx(stale / 8.0)


def test_an_announced_copy_is_expected_to_be_stale() -> None:
    announced = Learnt(belief=NINE_HOURLY, signal=1.0, visited_at=NOON)

    assert expected(announced)["staleness"] == pytest.approx(1.0)


def test_the_expectation_is_corrected_by_how_earlier_ones_went() -> None:
    plain = expected(watched(expected=0.1, seen=0.1))["staleness"]
    worse = expected(watched(expected=0.1, seen=0.15))["staleness"]

    assert plain < worse <= 1.5 * plain


def test_what_was_measured_stands_beside_what_is_expected() -> None:
    assert expected(watched(expected=0.1, seen=0.12))["measured_staleness"] == pytest.approx(0.12)


def test_nothing_is_measured_before_the_second_visit() -> None:
    assert expected(Learnt(belief=NINE_HOURLY, visited_at=NOON))["measured_staleness"] is None


@bounded
@given(learnts, waits, waits)
def test_a_longer_wait_is_never_expected_to_be_fresher(learnt: Learnt, wait: timedelta, further: timedelta) -> None:
    sooner, later = (expected(learnt, wait=each)["staleness"] for each in (wait, wait + further))

    assert 0 <= sooner <= later * (1 + 1e-9) + 1e-12
    assert later <= 1


@bounded
@given(learnts, waits)
def test_whatever_is_believed_can_be_told_and_stored_as_json(learnt: Learnt, wait: timedelta) -> None:
    told = expected(learnt, wait=wait)

    assert json.loads(json.dumps(told, allow_nan=False)) == told
    low, high = told["changes_every_range_seconds"]
    assert 0 < low <= told["changes_every_seconds"] * (1 + 1e-9)
    assert told["changes_every_seconds"] <= high * (1 + 1e-9)


def test_a_visit_that_a_clock_set_back_shows_in_the_future_counts_as_one_from_now() -> None:
    ahead = Learnt(belief=NINE_HOURLY, visited_at=NOON + HOUR, changed_at=NOON - 47 * HOUR)

    assert expected(ahead)["staleness"] == pytest.approx(expected()["staleness"])
