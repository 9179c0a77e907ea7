"""How long must whoever failed to log in wait?"""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lamplighter.rules.access import login_backoff
from lamplighter.rules.access.login_backoff import FORGOTTEN_AFTER, LONGEST_WAIT, FailedLogins

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def seconds(count: int, *, later: timedelta = timedelta(0)) -> float | None:
    """The wait after so many failures, of which three are free."""
    wait = login_backoff.wait(FailedLogins(count=count, last_at=NOW), free=3, now=NOW + later)
    return wait.total_seconds() if wait is not None else None


def test_the_first_tries_are_free_and_then_each_failure_doubles_the_wait() -> None:
    assert [seconds(count) for count in (1, 2, 3, 4, 5, 6)] == [None, None, 30, 60, 120, 240]


def test_no_wait_is_longer_than_the_longest() -> None:
    assert seconds(100_000) == LONGEST_WAIT.total_seconds()


def test_a_wait_is_over_when_its_time_has_passed() -> None:
    assert seconds(3, later=timedelta(seconds=29)) == 1
    assert seconds(3, later=timedelta(seconds=30)) is None


def test_failures_are_forgotten_after_a_long_silence() -> None:
    old = FailedLogins(count=50, last_at=NOW - FORGOTTEN_AFTER)

    assert login_backoff.counted(old, now=NOW).count == 1
    assert login_backoff.wait(old, free=3, now=NOW) is None


def test_a_try_that_succeeded_is_not_counted() -> None:
    assert login_backoff.given_back(FailedLogins(count=3, last_at=NOW)).count == 2


@given(st.integers(1, 100), st.timedeltas(timedelta(0), timedelta(hours=2)))
def test_a_clock_that_goes_back_prolongs_a_wait_by_no_more_than_it_went_back(count: int, back: timedelta) -> None:
    wait = login_backoff.wait(FailedLogins(count=count, last_at=NOW), free=3, now=NOW - back)

    assert wait is None or wait <= LONGEST_WAIT + back
