"""When a crawl job runs next, and the sentence that explains it."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lamplighter.rules import schedule
from lamplighter.rules.schedule import Observed, next_run
from tests.moments import NOON

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
#: the draw that adds no jitter where jitter goes both ways
MIDDLE = 0.5

intervals = st.integers(0, 90 * 24 * 3600).map(lambda seconds: timedelta(seconds=seconds))
counts = st.integers(0, 500)
hints = st.none() | st.integers(0, 7 * 24 * 3600).map(lambda seconds: timedelta(seconds=seconds))
draws = st.floats(0, 1, exclude_max=True)
observations = st.builds(Observed, interval=intervals, unchanged_count=counts, failure_count=counts, fresh_for=hints)


def observed(
    interval: timedelta = 6 * HOUR, *, unchanged: int = 0, failures: int = 0, fresh_for: timedelta | None = None
) -> Observed:
    return Observed(interval=interval, unchanged_count=unchanged, failure_count=failures, fresh_for=fresh_for)


@pytest.mark.parametrize(
    ("seen", "wait"),
    [
        pytest.param(observed(), 6 * HOUR, id="something new: the interval as given"),
        pytest.param(observed(unchanged=1), 12 * HOUR, id="quiet once: doubled"),
        pytest.param(observed(unchanged=2), DAY, id="quiet twice: doubled again"),
        pytest.param(observed(unchanged=3), DAY, id="quiet thrice: a day is the longest"),
        pytest.param(observed(unchanged=365), DAY, id="quiet for a year of days: still a day"),
        pytest.param(observed(3 * DAY, unchanged=9), 3 * DAY, id="a longer interval is neither stretched nor cut"),
        pytest.param(observed(fresh_for=9 * HOUR), 9 * HOUR, id="the server calls it fresh for longer"),
        pytest.param(observed(fresh_for=HOUR), 6 * HOUR, id="the server calls it fresh for less"),
        pytest.param(observed(timedelta(0)), MINUTE, id="never more often than once a minute"),
    ],
)
def test_the_next_run_after_a_good_one(seen: Observed, wait: timedelta) -> None:
    jitter_that_adds_nothing = 0.0 if seen.fresh_for and seen.fresh_for >= seen.interval else MIDDLE

    assert next_run(seen, now=NOON, draw=jitter_that_adds_nothing).at == NOON + wait


@pytest.mark.parametrize(
    ("seen", "wait"),
    [
        pytest.param(observed(HOUR, failures=1), 2 * HOUR, id="hourly: doubled"),
        pytest.param(observed(HOUR, failures=3), 8 * HOUR, id="hourly: doubled thrice"),
        pytest.param(observed(HOUR, failures=9), DAY, id="hourly: a day at most"),
        pytest.param(observed(DAY, failures=1), DAY, id="daily: not sooner than it would have run anyway"),
        pytest.param(observed(DAY, failures=3), 2 * DAY, id="daily: six hours doubled thrice"),
        pytest.param(observed(DAY, failures=9), 7 * DAY, id="daily: a week at most"),
        pytest.param(observed(DAY, failures=365), 7 * DAY, id="daily: dead for years, no overflow"),
        pytest.param(observed(HOUR, unchanged=4, failures=1), 16 * HOUR, id="was quiet before it failed: stays slow"),
    ],
)
def test_a2_the_next_run_after_a_failed_one(seen: Observed, wait: timedelta) -> None:
    assert next_run(seen, now=NOON, draw=0.0).at == NOON + wait


@given(seen=observations, draw=draws)
@example(seen=observed(unchanged=32), draw=MIDDLE)
@settings(deadline=None, max_examples=300)
def test_the_next_run_is_never_in_the_past_nor_under_the_minimum(seen: Observed, draw: float) -> None:
    planned = next_run(seen, now=NOON, draw=draw)

    assert planned.at >= NOON + MINUTE


@given(interval=intervals, unchanged=counts, failures=counts, fresh_for=hints, draw=draws)
@settings(deadline=None, max_examples=300)
def test_another_failure_never_brings_the_next_run_closer(
    interval: timedelta, unchanged: int, failures: int, fresh_for: timedelta | None, draw: float
) -> None:
    before, after = (
        next_run(observed(interval, unchanged=unchanged, failures=number, fresh_for=fresh_for), now=NOON, draw=draw)
        for number in (failures, failures + 1)
    )

    assert after.at >= before.at


@given(interval=intervals, unchanged=st.integers(0, 20), draw=draws)
@settings(deadline=None, max_examples=200)
def test_another_quiet_run_never_brings_the_next_run_closer(interval: timedelta, unchanged: int, draw: float) -> None:
    before, after = (
        next_run(observed(interval, unchanged=number), now=NOON, draw=draw) for number in (unchanged, unchanged + 1)
    )

    assert after.at >= before.at


@given(seen=observations, draw=draws)
@example(seen=observed(6 * HOUR, fresh_for=6 * HOUR), draw=0.0)
@settings(deadline=None, max_examples=300)
def test_what_the_server_calls_fresh_is_never_asked_for_sooner(seen: Observed, draw: float) -> None:
    planned = next_run(seen, now=NOON, draw=draw)

    assert planned.at >= NOON + (seen.fresh_for or timedelta(0))


@given(interval=st.timedeltas(min_value=HOUR, max_value=30 * DAY), draw=draws)
@settings(deadline=None, max_examples=100)
def test_jitter_moves_a_run_by_no_more_than_its_share(interval: timedelta, draw: float) -> None:
    wait = next_run(observed(interval), now=NOON, draw=draw).at - NOON

    assert abs(wait - interval) <= schedule.JITTER * interval + timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("failures", "rest"),
    [
        pytest.param(5, DAY, id="just paused: tried again tomorrow"),
        pytest.param(6, 7 * DAY, id="the probe failed: next week"),
        pytest.param(60, 7 * DAY, id="and every week from then on"),
    ],
)
def test_a_paused_job_is_probed_by_itself(failures: int, rest: timedelta) -> None:
    assert schedule.probe_after(failures) == rest


# The explanation


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        pytest.param(None, "as soon as possible: it has not run yet", id="never ran"),
        pytest.param({}, "as soon as possible: it has not run yet", id="nothing written down"),
        pytest.param({"why": "robots disallow"}, "robots disallow", id="set by hand or by a pause"),
        pytest.param(
            next_run(observed(), now=NOON, draw=MIDDLE).reason, "every 6 h · +0.0% jitter", id="the plain case"
        ),
        pytest.param(
            next_run(observed(unchanged=1), now=NOON, draw=0.0).reason,
            "every 6 h · stretched to 12 h after 1 unchanged run · -15.0% jitter",
            id="one quiet run",
        ),
        pytest.param(
            next_run(observed(HOUR, unchanged=2, failures=3), now=NOON, draw=0.5).reason,
            "every 1 h · stretched to 4 h after 2 unchanged runs · backing off 8 h after 3 failures · +7.5% jitter",
            id="quiet, then failing",
        ),
        pytest.param(
            next_run(observed(15 * MINUTE, fresh_for=2 * DAY), now=NOON, draw=0.0).reason,
            "every 15 min · the server calls its answer fresh for 2 d · +0.0% jitter",
            id="the server's word",
        ),
    ],
)
def test_every_next_run_is_explained_in_a_sentence(reason: dict[str, Any] | None, text: str) -> None:
    assert schedule.sentence(reason) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(0.5, "0.5 s", id="half a second"),
        pytest.param(59, "59 s", id="under a minute"),
        pytest.param(60, "1 min", id="a minute"),
        pytest.param(90, "90 s", id="a minute and a half"),
        pytest.param(900, "15 min", id="a quarter of an hour"),
        pytest.param(3600, "1 h", id="an hour"),
        pytest.param(5400, "90 min", id="an hour and a half"),
        pytest.param(21600, "6 h", id="six hours"),
        pytest.param(86400, "1 d", id="a day"),
        pytest.param(129600, "36 h", id="a day and a half"),
        pytest.param(259200, "3 d", id="three days"),
        pytest.param(31536000, "365 d", id="a year"),
    ],
)
def test_a_span_is_written_in_the_unit_that_people_would_use(seconds: float, text: str) -> None:
    assert schedule.span(seconds) == text


@given(seen=observations, draw=draws)
@settings(deadline=None, max_examples=100)
def test_no_explanation_needs_a_calculator(seen: Observed, draw: float) -> None:
    text = schedule.sentence(next_run(seen, now=NOON, draw=draw).reason)

    assert "e+" not in text
    assert "e-" not in text
    assert "\n" not in text
