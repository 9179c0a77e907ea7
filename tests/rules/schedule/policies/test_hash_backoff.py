"""Twice as long after every run that found the same content."""

from datetime import timedelta

import pytest

from lamplighter.rules.schedule.policies import hash_backoff
from tests.rules.schedule.policies.policy_inputs import DAY, HOUR, MINUTE, asked


@pytest.mark.parametrize(
    ("unchanged", "interval"),
    [
        pytest.param(0, 30 * MINUTE, id="changed: the baseline"),
        pytest.param(1, 1 * HOUR, id="unchanged once"),
        pytest.param(2, 2 * HOUR, id="twice"),
        pytest.param(3, 4 * HOUR, id="thrice"),
        pytest.param(4, 8 * HOUR, id="four times"),
        pytest.param(5, 16 * HOUR, id="five times"),
        pytest.param(6, 24 * HOUR, id="six times: the cap"),
        pytest.param(7, 24 * HOUR, id="seven times: still the cap"),
        pytest.param(100_000, 24 * HOUR, id="for years: no overflow"),
    ],
)
def test_the_curve_of_s4(unchanged: int, interval: timedelta) -> None:
    ask = asked(baseline=30 * MINUTE, unchanged_count=unchanged)

    assert hash_backoff.advice(ask).interval == interval


@pytest.mark.parametrize("unchanged", [0, 1, 9])
def test_a_baseline_above_the_cap_is_neither_stretched_nor_cut(unchanged: int) -> None:
    assert hash_backoff.advice(asked(baseline=3 * DAY, unchanged_count=unchanged)).interval == 3 * DAY
