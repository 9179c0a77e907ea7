"""How many more calls may somebody make?"""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lamplighter.rules.access import rate_window
from lamplighter.rules.access.rate_window import RateWindow

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def after(moments: list[float], *, limit: int = 3) -> list[bool]:
    """Whether each call may go on, of calls at these minutes."""
    window: RateWindow | None = None
    verdicts = []
    for minute in moments:
        window = rate_window.counted(window, span=HOUR, now=NOW + timedelta(minutes=minute))
        verdicts.append(rate_window.rate(window, limit=limit, span=HOUR).is_within)
    return verdicts


def test_as_many_calls_as_the_limit_go_on_and_no_more() -> None:
    assert after([0, 1, 2, 3, 59.9]) == [True, True, True, False, False]


def test_all_of_the_limit_is_there_again_when_the_window_closes() -> None:
    assert after([0, 1, 2, 3, 60, 61, 62, 63]) == [True, True, True, False] * 2


def test_refused_calls_do_not_keep_the_window_open() -> None:
    assert after([0, 0, 0, *range(1, 60), 60])[-1]


def test_what_is_left_is_told() -> None:
    standings = [rate_window.rate(RateWindow(opened_at=NOW, used=used), limit=2, span=HOUR) for used in (1, 2, 3, 4)]

    assert [rate.remaining for rate in standings] == [1, 0, 0, 0]
    assert {rate.resets_at for rate in standings} == {NOW + HOUR}


@given(st.lists(st.floats(0, 600), max_size=60).map(sorted), st.integers(1, 10))
def test_no_window_lets_more_through_than_the_limit(moments: list[float], limit: int) -> None:
    verdicts = after(moments, limit=limit)

    for start, minute in enumerate(moments):
        in_the_hour = [ok for at, ok in zip(moments[start:], verdicts[start:], strict=True) if at < minute + 60]
        # Two windows at most touch any hour.
        assert sum(in_the_hour) <= 2 * limit
