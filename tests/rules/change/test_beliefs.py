"""Many beliefs at once come out as each would alone."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import Belief
from lamplighter.rules.change import belief as alone
from lamplighter.rules.change import beliefs as together

#: a row: shape, hours of the belief, hours since, price, weight, signal, hours since the last change
Row = tuple[float, float, float, float, float, float, float]

extremes = st.floats(-12, 12).map(lambda exponent: 10.0**exponent)
#: shapes near which one form of a formula takes over from another
turning_points = st.sampled_from([0.5, 0.5000001, 0.999999999, 1.0, 1.000000001, 1.4999999, 1.5])
rows = st.tuples(
    extremes | turning_points, extremes, extremes, extremes, extremes, st.floats(0, 1), st.just(0.0) | extremes
)
many = st.lists(rows, min_size=1, max_size=30)

bounded = settings(deadline=None, max_examples=40)


def columns(rows: Sequence[Row]) -> list[together.Floats]:
    return list(np.array(rows).T)


def agrees(found: together.Floats, expected: Sequence[float]) -> bool:
    return bool(np.allclose(found, expected, rtol=1e-9, atol=0.0))


@bounded
@given(many)
def test_hours_without_a_change_teach_the_same(given_rows: list[Row]) -> None:
    a, b, hours, *_ = columns(given_rows)

    found = together.unchanged(a, b, hours)

    each = [alone.unchanged(Belief(a=row[0], b=row[1]), row[2]) for row in given_rows]
    assert agrees(found[0], [belief.a for belief in each])
    assert agrees(found[1], [belief.b for belief in each])


@bounded
@given(many)
def test_a_change_teaches_the_same(given_rows: list[Row]) -> None:
    a, b, hours, *_ = columns(given_rows)

    found = together.changed(a, b, hours)

    each = [alone.changed(Belief(a=row[0], b=row[1]), row[2]) for row in given_rows]
    assert agrees(found[0], [belief.a for belief in each])
    assert agrees(found[1], [belief.b for belief in each])


@bounded
@given(many)
def test_the_same_is_kept(given_rows: list[Row]) -> None:
    a, b, *_ = columns(given_rows)

    found = together.capped(a, b)

    each = [alone.capped(Belief(a=row[0], b=row[1])) for row in given_rows]
    assert agrees(found[0], [belief.a for belief in each])
    assert agrees(found[1], [belief.b for belief in each])


@bounded
@given(many)
def test_the_same_hours_are_stale(given_rows: list[Row]) -> None:
    a, b, hours, _, _, signal, age = columns(given_rows)

    plain = together.stale_hours(a, b, hours, signal=signal)
    felt = together.stale_hours(a, b, hours, signal=signal, age=age)

    assert agrees(plain, [alone.stale_hours(Belief(a=r[0], b=r[1]), r[2], signal=r[5]) for r in given_rows])
    assert agrees(felt, [alone.stale_hours(Belief(a=r[0], b=r[1]), r[2], signal=r[5], age=r[6]) for r in given_rows])


@bounded
@given(many, extremes, extremes)
def test_the_waits_are_the_same(given_rows: list[Row], one: float, other: float) -> None:
    a, b, _, price, weight, signal, age = columns(given_rows)
    least, most = sorted([one, other])

    found = together.wait_hours(a, b, price=price, weight=weight, signal=signal, age=age, least=least, most=most)

    each = [
        alone.wait_hours(Belief(a=r[0], b=r[1]), price=r[3], weight=r[4], signal=r[5], age=r[6], least=least, most=most)
        for r in given_rows
    ]
    assert agrees(found, each)
    assert np.all((least <= found) & (found <= most))


@bounded
@given(many)
def test_waits_that_no_bound_cuts_are_the_same(given_rows: list[Row]) -> None:
    a, b, _, price, _, signal, age = columns(given_rows)

    plain = together.wait_hours(a, b, price=price, signal=signal, least=0.0, most=1e300)
    felt = together.wait_hours(a, b, price=price, signal=signal, age=age, least=0.0, most=1e300)

    asked = [(Belief(a=r[0], b=r[1]), {"price": r[3], "signal": r[5]}, r[6]) for r in given_rows]
    assert agrees(plain, [alone.wait_hours(belief, **ask, least=0.0, most=1e300) for belief, ask, _ in asked])
    assert agrees(felt, [alone.wait_hours(belief, **ask, age=age, least=0.0, most=1e300) for belief, ask, age in asked])


def test_rows_with_and_without_an_age_may_be_mixed() -> None:
    found = together.wait_hours(2.0, 48.0, price=1.0, age=[np.nan, 0.0, 240.0], least=0.0, most=1e6)

    ages = (None, 0.0, 240.0)
    assert agrees(
        found, [alone.wait_hours(Belief(a=2.0, b=48.0), price=1.0, age=age, least=0.0, most=1e6) for age in ages]
    )


@pytest.mark.parametrize("age", [None, 0.0, 240.0])
def test_after_no_time_nothing_is_stale(age: float | None) -> None:
    assert np.all(together.stale_hours([0.6, 2.0], 43.2, 0.0, age=age) == 0)


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        pytest.param(0.0, 2.0, id="for nothing: as soon as may be"),
        pytest.param(1e-300, 2.0, id="for next to nothing: as soon as may be"),
        pytest.param(1e300, 50.0, id="dear: as late as may be"),
        pytest.param(np.inf, 50.0, id="priceless: as late as may be"),
    ],
)
def test_prices_beyond_the_bounds_give_the_bounds(price: float, expected: float) -> None:
    assert together.wait_hours([0.6], [43.2], price=price, least=2.0, most=50.0) == [expected]


def test_a_change_after_no_time_counts_as_one() -> None:
    a, b = together.changed([0.6, 0.6], [43.2, 43.2], [0.0, 5.0])

    assert a[0] == 1.6
    assert b[0] == 43.2


def test_rows_beyond_the_first_block_are_reckoned_too() -> None:
    hours = np.linspace(1.0, 1000.0, 3 * together.BLOCK + 7)

    found = together.wait_hours(0.6, hours, price=1.0, least=0.0, most=1e6)

    assert len(found) == len(hours)
    assert np.all(np.diff(found) > 0)


def test_no_rows_give_no_waits() -> None:
    assert together.wait_hours([], [], price=1.0, least=0.0, most=1.0).size == 0
