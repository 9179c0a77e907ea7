"""Time that passes as sources change: quickly in office hours, slowly at night."""

import math
import random
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadInput
from lamplighter.rules.change.weekly import (
    FLAT,
    FLAT_WEIGHT,
    HOURS,
    LEAST_WEIGHT,
    Profile,
    is_better_than_flat,
    learnt_profile,
)

HOUR = timedelta(hours=1)
MONDAY = datetime(2026, 3, 9, tzinfo=UTC)
OFFICE_HOURS = [24 * day + hour for day in range(5) for hour in range(9, 17)]
#: nine times as likely in office hours as at other times
OFFICE = Profile(weights=tuple(9.0 if hour in OFFICE_HOURS else 1.0 for hour in range(HOURS)))

bounded = settings(deadline=None, max_examples=150)
moments = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))
years = st.timedeltas(timedelta(days=-400), timedelta(days=400))


def a_week(seed: int) -> list[float]:
    """Any week; drawn hour by hour it would take for ever."""
    chance = random.Random(seed)
    return [chance.choice([0.05, 1.0, chance.uniform(0.05, 20)]) for _ in range(HOURS)]


seeds = st.integers(0, 1000)
profiles = st.sampled_from([FLAT, OFFICE]) | seeds.map(lambda seed: Profile(weights=tuple(a_week(seed))))


def office_counts(each: float) -> list[float]:
    return [each if hour in OFFICE_HOURS else 0.0 for hour in range(HOURS)]


# Profiles


def test_the_hours_of_a_profile_weigh_one_on_average() -> None:
    assert math.fsum(OFFICE.weights) == pytest.approx(HOURS)
    assert OFFICE.weights[9] == pytest.approx(9 * OFFICE.weights[8])


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        pytest.param((1.0,) * 167, "168 hours, not 167", id="an hour short"),
        pytest.param((0.0,) + (1.0,) * 167, "above zero", id="an hour that does not pass"),
        pytest.param((-1.0,) + (1.0,) * 167, "cannot count -1.0", id="an hour that runs backwards"),
        pytest.param((1.0,) * 167 + (math.nan,), "cannot count nan", id="no number"),
        pytest.param((1.0,) * 167 + (math.inf,), "cannot count inf", id="infinite"),
    ],
)
def test_a_profile_that_makes_no_sense_is_refused(weights: tuple[float, ...], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Profile(weights=weights)


# Warped time


@bounded
@given(moments, moments)
def test_in_a_flat_week_hours_are_hours(start: datetime, end: datetime) -> None:
    assert FLAT.hours_between(start, end) == pytest.approx((end - start) / HOUR, abs=1e-9)


@bounded
@given(moments, st.floats(0, 10_000))
def test_in_a_flat_week_so_many_hours_later_is_so_many_hours_later(start: datetime, hours: float) -> None:
    assert abs(FLAT.after(start, hours) - (start + hours * HOUR)) <= timedelta(microseconds=1)


@bounded
@given(profiles, moments, years)
def test_the_moment_after_the_hours_between_is_the_other_moment(
    profile: Profile, start: datetime, span: timedelta
) -> None:
    there = profile.after(start, profile.hours_between(start, start + span))

    assert abs(there - (start + span)) <= timedelta(microseconds=2)


@bounded
@given(profiles, moments, moments, moments)
def test_hours_between_add_up(profile: Profile, start: datetime, middle: datetime, end: datetime) -> None:
    whole = profile.hours_between(start, end)

    parts = profile.hours_between(start, middle) + profile.hours_between(middle, end)
    assert parts == pytest.approx(whole, abs=1e-7)


@bounded
@given(profiles, moments, st.integers(-300, 300))
def test_whole_weeks_are_as_long_as_they_are(profile: Profile, start: datetime, count: int) -> None:
    hours = profile.hours_between(start, start + timedelta(weeks=count))

    assert hours == pytest.approx(HOURS * count, abs=1e-7)


@bounded
@given(profiles, moments, st.floats(1e-6, 1000), st.floats(1e-6, 1000))
def test_later_is_later(profile: Profile, start: datetime, hours: float, more: float) -> None:
    assert start <= profile.after(start, hours) <= profile.after(start, hours + more)


def test_time_passes_quickly_in_office_hours_and_slowly_at_night() -> None:
    by_day = OFFICE.hours_between(MONDAY + 10 * HOUR, MONDAY + 11 * HOUR)
    by_night = OFFICE.hours_between(MONDAY + 2 * HOUR, MONDAY + 3 * HOUR)

    assert by_day == pytest.approx(9 * by_night)


def test_a_wait_that_begins_on_a_friday_evening_ends_on_monday() -> None:
    friday_evening = MONDAY + timedelta(days=4, hours=18)

    assert OFFICE.after(friday_evening, 25.0).strftime("%A %H") == "Monday 10"


def test_moments_in_another_zone_are_the_same_moments() -> None:
    tokyo = timezone(9 * HOUR)

    hours = OFFICE.hours_between(MONDAY.astimezone(tokyo), (MONDAY + 12 * HOUR).astimezone(tokyo))

    assert hours == pytest.approx(OFFICE.hours_between(MONDAY, MONDAY + 12 * HOUR))


def test_moments_before_the_first_monday_count_too() -> None:
    long_ago = MONDAY - timedelta(weeks=1000)

    assert OFFICE.hours_between(long_ago, MONDAY) == pytest.approx(1000 * HOURS)


# Learning one


def test_a_week_without_changes_is_flat() -> None:
    assert learnt_profile([0.0] * HOURS) == FLAT


def test_few_changes_leave_it_nearly_flat() -> None:
    weights = learnt_profile(office_counts(0.05)).weights

    assert 0.9 < min(weights) < max(weights) < 1.1


def test_many_changes_show() -> None:
    weights = learnt_profile(office_counts(100.0)).weights

    assert weights[12] > 3
    assert weights[3] < 0.1


def test_a_change_counts_for_the_hours_beside_it_across_the_end_of_the_week() -> None:
    weights = learnt_profile([FLAT_WEIGHT, *[0.0] * (HOURS - 1)]).weights

    assert weights[0] > weights[1] > weights[2] > weights[3]
    assert weights[1] == pytest.approx(weights[HOURS - 1])


@bounded
@given(seeds, st.floats(0, 1e9))
def test_no_hour_is_ever_ruled_out(seed: int, many: float) -> None:
    weights = learnt_profile([many * count for count in a_week(seed)]).weights

    assert min(weights) >= LEAST_WEIGHT / 2
    assert math.fsum(weights) == pytest.approx(HOURS)


@pytest.mark.parametrize(
    ("train", "test", "expected"),
    [
        pytest.param(office_counts(2.0), office_counts(1.0), True, id="office hours foretell office hours"),
        pytest.param(office_counts(2.0), [0.25] * HOURS, False, id="office hours do not foretell a flat week"),
        pytest.param([0.25] * HOURS, office_counts(1.0), False, id="a flat week foretells nothing"),
        pytest.param(office_counts(2.0), [0.0] * HOURS, False, id="nothing was there to foretell"),
        pytest.param(office_counts(2.0), office_counts(0.02), False, id="one change is no proof"),
    ],
)
def test_a_profile_is_used_only_while_it_does_better_than_none(
    train: list[float], test: list[float], expected: bool
) -> None:
    assert is_better_than_flat(train, test) is expected
