"""What a visit does to one belief, and when the next one is worth its price."""

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import Belief
from lamplighter.rules.change import belief as rules
from lamplighter.rules.change import recency

PRIOR = Belief(a=0.6, b=43.2)

bounded = settings(deadline=None, max_examples=60)
#: exact arithmetic takes its time
few = settings(deadline=None, max_examples=40)


def powers_of_ten(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


shapes = powers_of_ten(-2, 0.9)
hours = powers_of_ten(-3, 4)
beliefs = st.builds(Belief, a=shapes, b=hours)
extremes = powers_of_ten(-12, 12)
extreme_beliefs = st.builds(Belief, a=extremes | st.just(1.0), b=extremes)
signals = st.floats(0, 1)
#: hours since the last change; None: hours are counted plainly
ages = st.none() | st.just(0.0) | powers_of_ten(-3, 6)
extreme_ages = st.none() | st.just(0.0) | extremes


def wait(belief: Belief, *, price: float = 1.0, signal: float = 0.0, age: float | None = None) -> float:
    return rules.wait_hours(belief, price=price, signal=signal, age=age, least=0.0, most=1e15)


# What a visit teaches


def test_hours_without_a_change_add_to_the_hours_watched() -> None:
    assert rules.unchanged(PRIOR, 10.0) == Belief(a=0.6, b=53.2)


def test_known_changes_are_counted() -> None:
    assert rules.counted(PRIOR, 10.0, 3) == Belief(a=3.6, b=53.2)


def test_a_change_after_next_to_no_time_counts_as_one() -> None:
    assert rules.changed(PRIOR, 0.0) == Belief(a=1.6, b=43.2)


def test_a_change_after_so_long_that_it_was_certain_teaches_next_to_nothing() -> None:
    after = rules.changed(Belief(a=8.0, b=8.0), 1e9)

    assert after.a == pytest.approx(8.0)
    assert after.b == pytest.approx(8.0)


@few
@given(extreme_beliefs, extremes)
def test_at_least_one_change_leaves_the_mean_and_the_variance_that_exact_arithmetic_gives(
    belief: Belief, span: float
) -> None:
    after = rules.changed(belief, span)

    with localcontext() as context:
        context.prec = 80
        a, b, x = Decimal(belief.a), Decimal(belief.b), (1 + Decimal(span) / Decimal(belief.b)).ln()
        z0, z1, z2 = (1 - (-(a + k) * x).exp() for k in range(3))
        mean, square = a / b * z1 / z0, a * (a + 1) / b**2 * z2 / z0
        variance = square - mean**2
    assert after.a == pytest.approx(float(mean**2 / variance), rel=1e-12)
    assert after.b == pytest.approx(float(mean / variance), rel=1e-12)


@bounded
@given(beliefs, hours)
def test_no_change_never_raises_the_rate(belief: Belief, span: float) -> None:
    assert rules.capped(rules.unchanged(belief, span)).rate <= belief.rate * (1 + 1e-12)


@bounded
@given(beliefs, hours)
def test_a_change_never_lowers_the_rate(belief: Belief, span: float) -> None:
    assert rules.capped(rules.changed(belief, span)).rate >= belief.rate * (1 - 1e-12)


@bounded
@given(beliefs, hours)
def test_at_least_one_change_is_worth_at_most_one(belief: Belief, span: float) -> None:
    after = rules.changed(belief, span)

    assert belief.a * (1 - 1e-12) <= after.a <= (belief.a + 1) * (1 + 1e-12)


# How much is kept


def test_evidence_is_capped_without_a_change_of_rate() -> None:
    assert rules.capped(Belief(a=16.0, b=100.0)) == Belief(a=8.0, b=50.0)


def test_evidence_below_the_cap_is_kept_as_it_is() -> None:
    assert rules.capped(PRIOR) == PRIOR


def test_changes_without_hours_never_make_a_rate_that_cannot_be_reckoned_with() -> None:
    belief = PRIOR

    for _ in range(10_000):
        belief = rules.capped(rules.changed(belief, 0.0))

    assert belief == Belief(a=8.0, b=rules.LEAST_HOURS)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param(None, 1.0, id="no shape"),
        pytest.param(1.0, None, id="no hours"),
        pytest.param(math.nan, 1.0, id="a shape that is no number"),
        pytest.param(1.0, math.nan, id="hours that are no number"),
        pytest.param(math.inf, 1.0, id="an infinite shape"),
        pytest.param(1.0, math.inf, id="infinite hours"),
        pytest.param(0.0, 1.0, id="a shape of nothing"),
        pytest.param(1.0, 0.0, id="no time at all"),
        pytest.param(-1.0, 1.0, id="a negative shape"),
        pytest.param(1.0, -1.0, id="negative hours"),
        pytest.param(1e30, 1.0, id="an absurd shape"),
        pytest.param(1.0, 1e-30, id="an absurdly short time"),
        pytest.param(1.0, 1e30, id="an absurdly long time"),
    ],
)
def test_a_stored_belief_that_is_none_is_replaced(a: float | None, b: float | None) -> None:
    assert rules.sound(a, b, otherwise=PRIOR) is PRIOR


def test_a_stored_belief_that_makes_sense_is_kept() -> None:
    assert rules.sound(2.0, 30.0, otherwise=PRIOR) == Belief(a=2.0, b=30.0)


@bounded
@given(extreme_beliefs)
def test_what_is_capped_is_sound(belief: Belief) -> None:
    kept = rules.capped(belief)

    assert rules.sound(kept.a, kept.b, otherwise=PRIOR) == kept


# How stale our copy is


def test_a_fresh_copy_is_good() -> None:
    assert rules.survival(PRIOR, 0.0) == 1.0


@few
@given(extreme_beliefs, extremes)
def test_stale_hours_are_what_exact_arithmetic_gives(belief: Belief, span: float) -> None:
    stale = rules.stale_hours(belief, span)

    with localcontext() as context:
        context.prec = 80
        b, distance = Decimal(belief.b), 1 - Decimal(belief.a)
        x = (1 + Decimal(span) / b).ln()
        fresh = b * ((distance * x).exp() - 1) / distance if distance else b * x
        exact = Decimal(span) - fresh
    assert stale == pytest.approx(float(exact), rel=1e-12, abs=0.0)


@bounded
@given(beliefs, hours, st.floats(1e-3, 10), signals, ages)
def test_stale_hours_grow_with_time(belief: Belief, span: float, more: float, signal: float, age: float | None) -> None:
    sooner = rules.stale_hours(belief, span, signal=signal, age=age)
    later = rules.stale_hours(belief, span * (1 + more), signal=signal, age=age)

    assert sooner < later <= span * (1 + more)


@bounded
@given(beliefs, hours, ages)
def test_a_copy_that_is_surely_stale_from_the_start_is_stale_all_the_time(
    belief: Belief, span: float, age: float | None
) -> None:
    assert rules.stale_hours(belief, span, signal=1.0, age=age) == pytest.approx(span)


@bounded
@given(beliefs, hours, signals, ages)
def test_a_copy_is_stale_from_the_start_or_becomes_so(
    belief: Belief, span: float, signal: float, age: float | None
) -> None:
    becomes_so = rules.stale_hours(belief, span, age=age)

    expected = signal * span + (1 - signal) * becomes_so
    assert rules.stale_hours(belief, span, signal=signal, age=age) == pytest.approx(expected, rel=1e-12)


@bounded
@given(beliefs, hours, ages)
def test_a_copy_found_stale_was_so_for_half_of_the_time_or_more(belief: Belief, span: float, age: float | None) -> None:
    assert span / 2 * (1 - 1e-12) <= rules.stale_hours_if_changed(belief, span, age=age) <= span * (1 + 1e-12)


# How old the last change is


@bounded
@given(beliefs, hours, powers_of_ten(-3, 6))
def test_a_copy_is_as_likely_to_be_good_as_after_the_hours_that_were_felt(
    belief: Belief, span: float, age: float
) -> None:
    assert rules.survival(belief, span, age=age) == rules.survival(belief, recency.felt_since(age, span))


@bounded
@given(beliefs, hours, powers_of_ten(-3, 6))
def test_the_same_share_of_hours_is_stale_as_of_the_hours_that_were_felt(
    belief: Belief, span: float, age: float
) -> None:
    felt = recency.felt_since(age, span)

    share = rules.stale_hours(belief, span, age=age) / span

    assert share == pytest.approx(rules.stale_hours(belief, felt) / felt, rel=1e-12)


@few
@given(beliefs, hours, ages.filter(lambda age: age is not None))
def test_to_take_the_hours_of_a_span_for_equal_hides_at_most_a_sixth_of_the_stale_ones(
    belief: Belief, span: float, age: float
) -> None:
    steps = 400
    middles = [span * (step + 0.5) / steps for step in range(steps)]

    exact = math.fsum(1 - rules.survival(belief, moment, age=age) for moment in middles) * span / steps

    assert exact * 5 / 6 <= rules.stale_hours(belief, span, age=age) <= exact * 1.001


@bounded
@given(beliefs, hours, signals, powers_of_ten(-3, 6), powers_of_ten(-3, 6))
def test_a_longer_age_never_shortens_the_wait(
    belief: Belief, price: float, signal: float, age: float, older: float
) -> None:
    sooner = wait(belief, price=price, signal=signal, age=age)

    assert wait(belief, price=price, signal=signal, age=age + older) >= sooner * (1 - 1e-9)


@bounded
@given(extreme_beliefs, extreme_ages)
def test_no_time_leaves_a_copy_good_however_old_the_last_change_is(belief: Belief, age: float | None) -> None:
    assert rules.survival(belief, 0.0, age=age) == 1
    assert rules.stale_hours(belief, 0.0, age=age) == 0
    assert rules.stale_hours_if_changed(belief, 0.0, age=age) == 0


def test_a_copy_found_stale_after_next_to_no_time_was_so_for_half_of_it() -> None:
    assert rules.stale_hours_if_changed(Belief(a=1e-6, b=1e9), 1e-300) == 5e-301


# When to go


@bounded
@given(extreme_beliefs, extremes, signals, extreme_ages)
def test_after_the_wait_the_stale_hours_meet_the_price(
    belief: Belief, price: float, signal: float, age: float | None
) -> None:
    waited = rules.wait_hours(belief, price=price, signal=signal, age=age, least=0.0, most=1e300)

    assert rules.stale_hours(belief, waited, signal=signal, age=age) == pytest.approx(price, rel=1e-11)


@settings(deadline=None, max_examples=200)
@given(extreme_beliefs, extremes, extremes, signals, extreme_ages, extremes, extremes)
def test_the_wait_stays_within_its_bounds(
    belief: Belief, price: float, weight: float, signal: float, age: float | None, one: float, other: float
) -> None:
    least, most = sorted([one, other])

    waited = rules.wait_hours(belief, price=price, weight=weight, signal=signal, age=age, least=least, most=most)

    assert least <= waited <= most


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        pytest.param(0.0, 2.0, id="for nothing: as soon as may be"),
        pytest.param(5e-324, 2.0, id="for next to nothing: as soon as may be"),
        pytest.param(1e-9, 2.0, id="cheap: as soon as may be"),
        pytest.param(1e9, 50.0, id="dear: as late as may be"),
        pytest.param(math.inf, 50.0, id="priceless: as late as may be"),
    ],
)
def test_prices_beyond_the_bounds_give_the_bounds(price: float, expected: float) -> None:
    assert rules.wait_hours(PRIOR, price=price, least=2.0, most=50.0) == expected


@pytest.mark.parametrize("age", [None, 0.0, 240.0])
@pytest.mark.parametrize("number", [1e-300, 1e-160, 1e160, 1e290])
def test_numbers_at_the_edge_of_floats_still_give_a_wait(number: float, age: float | None) -> None:
    waited = rules.wait_hours(Belief(a=1.0, b=number), price=1e-299, age=age, least=0.0, most=24.0)

    assert 0 <= waited <= 24


@bounded
@given(beliefs, hours, hours, signals, ages)
def test_another_change_never_lengthens_the_wait(
    belief: Belief, span: float, price: float, signal: float, age: float | None
) -> None:
    after = rules.capped(rules.changed(belief, span))

    before = wait(belief, price=price, signal=signal, age=age)
    assert wait(after, price=price, signal=signal, age=age) <= before * (1 + 1e-9)


@bounded
@given(beliefs, hours, hours, signals, ages)
def test_no_change_never_shortens_the_wait(
    belief: Belief, span: float, price: float, signal: float, age: float | None
) -> None:
    after = rules.unchanged(belief, span)

    before = wait(belief, price=price, signal=signal, age=age)
    assert wait(after, price=price, signal=signal, age=age) >= before * (1 - 1e-9)


@bounded
@given(beliefs, hours, signals, signals, ages)
def test_a_stronger_signal_never_lengthens_the_wait(
    belief: Belief, price: float, one: float, other: float, age: float | None
) -> None:
    weaker, stronger = (wait(belief, price=price, signal=signal, age=age) for signal in sorted([one, other]))

    assert stronger <= weaker * (1 + 1e-9)


def test_twice_the_weight_is_half_the_price() -> None:
    heavy = rules.wait_hours(PRIOR, price=2.0, weight=2.0, least=0.0, most=1e6)

    assert heavy == pytest.approx(wait(PRIOR, price=1.0))


@pytest.mark.parametrize("age", [None, 0.0, 240.0])
def test_what_leaves_the_bracket_is_halved_until_it_arrives(age: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    newton = wait(PRIOR, age=age)
    monkeypatch.setattr(rules, "NEWTON_STEPS", 0)

    assert wait(PRIOR, age=age) == pytest.approx(newton, rel=1e-12)


@bounded
@given(extreme_beliefs, extremes, signals, extreme_ages)
def test_a_handful_of_steps_leads_to_the_wait(belief: Belief, price: float, signal: float, age: float | None) -> None:
    exact = wait(belief, price=price, signal=signal, age=age)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "MOST_STEPS", 5)

        assert wait(belief, price=price, signal=signal, age=age) == pytest.approx(exact, rel=1e-9)


# How sure we are


#: quantiles of Gamma distributions, by numerical integration
@pytest.mark.parametrize(
    ("a", "fast", "slow"),
    [
        pytest.param(0.6, 1.5605, 0.018060, id="prior"),
        pytest.param(1.0, 2.3026, 0.10536, id="one change"),
        pytest.param(2.0, 3.8897, 0.53181, id="two changes"),
        pytest.param(8.0, 11.7709, 4.6561, id="all the evidence that is kept"),
    ],
)
def test_four_fifths_of_believable_gaps_lie_in_the_bracket(a: float, fast: float, slow: float) -> None:
    low, high = rules.gap_range(Belief(a=a, b=100.0))

    assert low == pytest.approx(100 / fast, rel=0.06)
    assert high == pytest.approx(100 / slow, rel=0.06)


@bounded
@given(st.builds(Belief, a=powers_of_ten(-1.3, 1.5), b=powers_of_ten(-6, 9)))
def test_the_bracket_holds_the_usual_gap_and_no_more_than_a_century(belief: Belief) -> None:
    low, high = rules.gap_range(belief)

    assert 0 < low <= min(belief.b / belief.a, rules.LONGEST_GAP) <= high <= rules.LONGEST_GAP


def test_the_lightest_belief_has_a_bracket_too() -> None:
    low, high = rules.gap_range(Belief(a=rules.LEAST_SHAPE, b=1.0))

    assert 0 < low <= high == rules.LONGEST_GAP
