"""How long a source is left alone after failures."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.rules.schedule.backoff import (
    BREAKER_AT,
    Backoff,
    after_failure,
    probe_after,
    run_retry,
    source_backoff,
)

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
#: more failures than any source will ever have
COUNTLESS = 10**12
LONGEST = 7 * DAY

intervals = st.timedeltas(min_value=MINUTE, max_value=366 * DAY)
bounded = settings(deadline=None, max_examples=200)


def failures(interval: timedelta) -> Iterator[Backoff]:
    """What follows when every run fails from now on."""
    retries, failed = 0, 0
    while True:
        backoff = after_failure(interval, retry_count=retries, failure_count=failed)
        yield backoff
        retries, failed = backoff.retry_count, backoff.failure_count


def waits(interval: timedelta, count: int) -> list[timedelta]:
    return [backoff.wait for backoff in islice(failures(interval), count)]


def final(interval: timedelta, *, failed_before: int) -> Backoff:
    """What a failure for good leads to after so many others."""
    return after_failure(interval, retry_count=3, failure_count=failed_before)


@pytest.mark.parametrize(
    ("attempt", "pause"),
    [
        pytest.param(1, 60, id="a minute before the first try"),
        pytest.param(2, 120, id="doubled"),
        pytest.param(3, 240, id="doubled again: the last that a run gets"),
        pytest.param(6, 1920, id="the sixth is still under the cap"),
        pytest.param(7, 3600, id="an hour at most"),
        pytest.param(COUNTLESS, 3600, id="an hour, however often"),
    ],
)
def test_quick_tries_double_up_to_an_hour(attempt: int, pause: int) -> None:
    assert run_retry(attempt) == timedelta(seconds=pause)


def test_a_run_gets_three_quick_tries_before_it_has_failed_for_good() -> None:
    seen = [(b.wait, b.retry_count, b.failure_count, b.is_final) for b in islice(failures(HOUR), 4)]

    assert seen == [
        (1 * MINUTE, 1, 0, False),
        (2 * MINUTE, 2, 0, False),
        (4 * MINUTE, 3, 0, False),
        (2 * HOUR, 0, 1, True),
    ]


@pytest.mark.parametrize(
    ("max_retries", "seconds", "seen"),
    [
        pytest.param(0, 60, [(True, 2 * HOUR)], id="none: the first failure is for good"),
        pytest.param(1, 60, [(False, MINUTE), (True, 2 * HOUR)], id="one"),
        pytest.param(2, 1800, [(False, HOUR / 2), (False, HOUR), (True, 2 * HOUR)], id="two, slowly"),
        pytest.param(2, 3600, [(False, HOUR), (False, HOUR), (True, 2 * HOUR)], id="an hour at most"),
    ],
)
def test_a_job_may_have_tries_and_a_wait_of_its_own(
    max_retries: int, seconds: int, seen: list[tuple[bool, timedelta]]
) -> None:
    own = {"max_retries": max_retries, "unit": timedelta(seconds=seconds)}

    found = [after_failure(HOUR, retry_count=tries, failure_count=0, **own) for tries in range(max_retries + 1)]

    assert [(backoff.is_final, backoff.wait) for backoff in found] == seen


def test_what_lasts_gets_no_quick_tries() -> None:
    backoff = after_failure(DAY, retry_count=0, failure_count=0, is_permanent=True)

    assert (backoff.is_final, backoff.failure_count, backoff.wait) == (True, 1, 12 * HOUR)


@given(interval=intervals, retries=st.integers(0, 10), failed=st.integers(1, 500))
@bounded
def test_who_has_failed_for_good_gets_no_quick_tries(interval: timedelta, retries: int, failed: int) -> None:
    backoff = after_failure(interval, retry_count=retries, failure_count=failed)

    assert backoff.is_final
    assert backoff.failure_count == failed + 1


@pytest.mark.parametrize(
    ("interval", "failed", "rest"),
    [
        pytest.param(DAY, 1, 12 * HOUR, id="daily: six hours doubled"),
        pytest.param(DAY, 2, DAY, id="daily: doubled twice"),
        pytest.param(DAY, 4, 4 * DAY, id="daily: doubled four times"),
        pytest.param(DAY, 5, 7 * DAY, id="daily: a week at most"),
        pytest.param(30 * DAY, 1, 12 * HOUR, id="monthly: like daily, for the visit is owed"),
        pytest.param(DAY, COUNTLESS, 7 * DAY, id="daily: dead for ever, a week"),
        pytest.param(HOUR, 1, 2 * HOUR, id="hourly: the interval doubled"),
        pytest.param(HOUR, 4, 16 * HOUR, id="hourly: doubled four times"),
        pytest.param(HOUR, 5, DAY, id="hourly: a day at most"),
        pytest.param(DAY - MINUTE, 1, DAY, id="just under a day: a day at most"),
        pytest.param(MINUTE, COUNTLESS, DAY, id="every minute: dead for ever, a day"),
    ],
)
def test_a_source_that_failed_for_good_rests_by_its_interval(interval: timedelta, failed: int, rest: timedelta) -> None:
    assert source_backoff(interval, failed) == rest


def test_a_fast_source_rests_no_shorter_than_its_last_quick_try() -> None:
    assert waits(MINUTE, 7) == [seconds * timedelta(seconds=1) for seconds in (60, 120, 240, 240, 240, 480, 960)]


@given(interval=intervals, failed=st.integers(0, 500))
@bounded
def test_the_fifth_failure_in_a_row_opens_the_breaker_and_later_ones_keep_it_open(
    interval: timedelta, failed: int
) -> None:
    assert final(interval, failed_before=failed).opens_breaker == (failed + 1 >= BREAKER_AT == 5)


@pytest.mark.parametrize(
    ("failed", "rest"),
    [
        pytest.param(5, DAY, id="just opened: tried again tomorrow"),
        pytest.param(6, 7 * DAY, id="the probe failed: next week"),
        pytest.param(COUNTLESS, 7 * DAY, id="and every week from then on"),
    ],
)
def test_an_open_breaker_lets_a_probe_through(failed: int, rest: timedelta) -> None:
    assert probe_after(failed) == rest


@given(interval=intervals)
@bounded
def test_the_first_probe_comes_after_a_day_at_the_earliest_and_later_ones_weekly(interval: timedelta) -> None:
    first, second, third = (final(interval, failed_before=failed).wait for failed in (4, 5, 6))

    assert DAY <= first <= LONGEST
    assert second == third == 7 * DAY


@given(interval=intervals)
@bounded
def test_another_failure_never_brings_the_next_run_closer(interval: timedelta) -> None:
    in_a_row = waits(interval, 15)

    assert all(sooner <= later for sooner, later in pairwise(in_a_row))


@given(interval=intervals, retries=st.integers(0, COUNTLESS), failed=st.integers(0, COUNTLESS))
@bounded
def test_no_number_of_failures_keeps_a_source_away_for_more_than_a_week(
    interval: timedelta, retries: int, failed: int
) -> None:
    backoff = after_failure(interval, retry_count=retries, failure_count=failed)

    assert MINUTE <= backoff.wait <= LONGEST
