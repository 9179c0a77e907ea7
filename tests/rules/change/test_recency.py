"""How long an hour feels, by how long ago the last change was."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.rules.change import recency
from lamplighter.rules.change.recency import felt, felt_since, pace, unfelt

bounded = settings(deadline=None, max_examples=100)

spans = st.floats(-6, 7).map(lambda exponent: 10.0**exponent)
ages = st.just(0.0) | spans


def test_an_hour_right_after_a_change_counts_nearly_fully_and_one_after_ten_days_a_fifth() -> None:
    assert felt(1.0) == pytest.approx(0.9, abs=0.02)
    assert felt_since(240.0, 1.0) == pytest.approx(0.2, abs=0.01)


def test_no_time_feels_like_none() -> None:
    assert felt(0.0) == unfelt(0.0) == felt_since(240.0, 0.0) == 0


@bounded
@given(spans)
def test_what_hours_feel_like_can_be_turned_back_into_hours(hours: float) -> None:
    assert unfelt(felt(hours)) == pytest.approx(hours, rel=1e-9)
    assert felt(unfelt(hours)) == pytest.approx(hours, rel=1e-9)


@bounded
@given(spans, st.floats(1.001, 100))
def test_more_hours_feel_longer_but_never_longer_than_they_are(hours: float, times: float) -> None:
    assert felt(hours) < felt(hours * times)
    assert felt(hours) < hours


@bounded
@given(ages, spans, spans)
def test_spans_that_follow_each_other_add_up(age: float, one: float, other: float) -> None:
    together = felt_since(age, one) + felt_since(age + one, other)

    assert felt_since(age, one + other) == pytest.approx(together, rel=1e-9)


@bounded
@given(spans)
def test_a_span_that_begins_with_a_change_feels_like_the_hours_after_it(hours: float) -> None:
    assert felt_since(0.0, hours) == pytest.approx(felt(hours), rel=1e-12)


@bounded
@given(ages, spans, spans)
def test_the_longer_a_change_is_ago_the_shorter_hours_feel(age: float, older: float, hours: float) -> None:
    assert felt_since(age + older, hours) <= felt_since(age, hours) * (1 + 1e-12)
    assert pace(age + older) <= pace(age)


@bounded
@given(ages, spans)
def test_hours_slow_down_from_the_pace_at_their_beginning_to_that_at_their_end(age: float, hours: float) -> None:
    mean = felt_since(age, hours) / hours

    assert pace(age + hours) * (1 - 1e-9) <= mean <= pace(age) * (1 + 1e-9)


@pytest.mark.parametrize("age", [490_000.0, 1e9], ids=["dated 1970", "older than mankind"])
def test_a_minute_after_ages_keeps_its_digits(age: float) -> None:
    minute = 1 / 60

    found = felt_since(age, minute)

    with localcontext() as context:
        context.prec = 60
        shape, start = Decimal(recency.SHAPE), 1 + Decimal(age)
        exact = ((start + Decimal(minute)) ** shape - start**shape) / shape
    assert found == pytest.approx(float(exact), rel=1e-13)


@bounded
@given(st.lists(st.tuples(ages, spans), min_size=1, max_size=20))
def test_many_at_once_feel_as_each_alone(rows: list[tuple[float, float]]) -> None:
    age, hours = np.array(rows).T

    assert felt(hours) == pytest.approx([felt(each) for _, each in rows], rel=1e-12)
    assert unfelt(hours) == pytest.approx([unfelt(each) for _, each in rows], rel=1e-12)
    assert felt_since(age, hours) == pytest.approx([felt_since(*row) for row in rows], rel=1e-12)
    assert pace(age) == pytest.approx([pace(each) for each, _ in rows], rel=1e-12)
