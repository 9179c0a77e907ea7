"""A day sooner after a rich run, a day later after quiet ones."""

from datetime import timedelta

import pytest
from hypothesis import given, settings

from lamplighter.rules.schedule.policies import PolicyInput, yield_days
from tests.rules.schedule.policies.policy_inputs import DAY, HOUR, MINUTE, asked, asks


@pytest.mark.parametrize(
    ("base", "yielded", "quiet_runs", "interval"),
    [
        pytest.param(3 * DAY, 10, 0, 2 * DAY, id="ten records: a day sooner"),
        pytest.param(3 * DAY, 9, 0, 3 * DAY, id="nine records: as always"),
        pytest.param(3 * DAY, 1, 0, 3 * DAY, id="one record: as always"),
        pytest.param(3 * DAY, 0, 1, 3 * DAY, id="quiet once: as always"),
        pytest.param(3 * DAY, 0, 2, 3 * DAY, id="quiet twice: as always"),
        pytest.param(3 * DAY, 0, 3, 4 * DAY, id="quiet thrice: a day later"),
        pytest.param(3 * DAY, 0, 30, 4 * DAY, id="quiet for a month: still one day later"),
        pytest.param(1.25 * DAY, 10, 0, DAY / 2, id="busy: half a day is the least"),
        pytest.param(DAY, 500, 0, DAY / 2, id="busy every day: half a day"),
        pytest.param(DAY, 0, 3, 2 * DAY, id="quiet every day: two"),
        pytest.param(13.5 * DAY, 0, 3, 14 * DAY, id="quiet: two weeks are the most"),
        pytest.param(14 * DAY, 0, 3, 14 * DAY, id="quiet at two weeks: not slower"),
        pytest.param(30 * DAY, 0, 3, 30 * DAY, id="quiet at a month: not faster either"),
        pytest.param(30 * DAY, 10, 0, 29 * DAY, id="busy at a month: a day sooner"),
    ],
)
def test_the_rules_of_s0(base: timedelta, yielded: int, quiet_runs: int, interval: timedelta) -> None:
    ask = asked(baseline=base, yielded=yielded, unchanged_count=quiet_runs)

    assert yield_days.advice(ask).interval == interval


@pytest.mark.parametrize(
    ("base", "busy", "quiet"),
    [
        pytest.param(DAY - MINUTE, DAY / 2 - MINUTE / 2, 2 * DAY - 2 * MINUTE, id="just under a day: no jump"),
        pytest.param(6 * HOUR, 3 * HOUR, 12 * HOUR, id="six hours"),
        pytest.param(15 * MINUTE, 7.5 * MINUTE, 30 * MINUTE, id="a quarter of an hour"),
    ],
)
def test_under_a_day_busy_is_half_the_baseline_and_quiet_twice(
    base: timedelta, busy: timedelta, quiet: timedelta
) -> None:
    assert yield_days.advice(asked(baseline=base, yielded=10)).interval == busy
    assert yield_days.advice(asked(baseline=base, yielded=0, unchanged_count=3)).interval == quiet


@given(asks)
@settings(deadline=None, max_examples=200)
def test_busy_is_never_slower_than_the_baseline_nor_quiet_faster(ask: PolicyInput) -> None:
    interval = yield_days.advice(ask).interval

    assert interval <= ask.baseline if ask.yielded else interval >= ask.baseline
