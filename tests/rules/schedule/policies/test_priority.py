"""How often, from how important a source is and how large."""

from datetime import timedelta
from itertools import product

import pytest

from lamplighter.rules.schedule import priority_levels
from lamplighter.rules.schedule.policies import priority
from tests.rules.schedule.policies.policy_inputs import DAY, MINUTE, asked

#: minutes as the seed counts them: level, then requests per second, then depth up to 2, up to 5, above
MATRIX = {
    (100, 5): (22, 27, 33),
    (100, 10): (15, 18, 22),
    (100, 20): (11, 13, 16),
    (100, 21): (7, 8, 10),
    (75, 5): (45, 56, 67),
    (75, 10): (30, 37, 45),
    (75, 20): (22, 27, 33),
    (75, 21): (15, 18, 22),
    (50, 5): (90, 112, 135),
    (50, 10): (60, 75, 90),
    (50, 20): (45, 56, 67),
    (50, 21): (30, 37, 45),
    (25, 5): (270, 337, 405),
    (25, 10): (180, 225, 270),
    (25, 20): (135, 168, 202),
    (25, 21): (90, 112, 135),
}


@pytest.mark.parametrize(
    ("number", "rate_limit", "depth", "minutes"),
    [
        pytest.param(number, rate, depth, minutes, id=f"priority {number}, {rate} per second, depth {depth}")
        for (number, rate), row in MATRIX.items()
        for depth, minutes in zip((2, 5, 6), row, strict=True)
    ],
)
def test_the_matrix_of_s2(number: int, rate_limit: float, depth: int, minutes: int) -> None:
    assert priority.interval(number, rate_limit, depth) == minutes * MINUTE


@pytest.mark.parametrize(
    ("rate_limit", "as_if"),
    [
        pytest.param(0, 10, id="none: ten per second"),
        pytest.param(-3, 10, id="negative: ten per second"),
        pytest.param(float("nan"), 10, id="not a number: ten per second"),
        pytest.param(0.2, 5, id="one in five seconds: the slowest"),
        pytest.param(5.5, 10, id="between two steps: the upper"),
        pytest.param(1e9, 21, id="any number"),
    ],
)
def test_every_rate_limit_has_a_factor(rate_limit: float, as_if: float) -> None:
    assert priority.interval(25, rate_limit, 1) == priority.interval(25, as_if, 1)


@pytest.mark.parametrize(
    ("depth", "as_if"),
    [
        pytest.param(0, 1, id="this page alone: as one"),
        pytest.param(-1, 6, id="unlimited: as the deepest"),
        pytest.param(1, 2, id="one as two"),
        pytest.param(4, 5, id="four as five"),
        pytest.param(1000, 6, id="a thousand as six"),
    ],
)
def test_every_depth_has_a_factor(depth: int, as_if: int) -> None:
    assert priority.interval(25, 10, depth) == priority.interval(25, 10, as_if)


@pytest.mark.parametrize(
    ("number", "name", "delay"),
    [
        pytest.param(100, "critical", 0, id="critical"),
        pytest.param(99, "high", 1, id="just under critical"),
        pytest.param(75, "high", 1, id="high"),
        pytest.param(50, "normal", 5, id="normal"),
        pytest.param(25, "low", 10, id="low"),
        pytest.param(0, "low", 10, id="under the lowest"),
        pytest.param(1000, "critical", 0, id="over the highest"),
    ],
)
def test_the_levels_of_s2(number: int, name: str, delay: int) -> None:
    assert priority_levels.level(number).name == name
    assert priority.initial_delay(number) == delay * MINUTE


def test_a_higher_priority_never_waits_longer() -> None:
    for rate_limit, depth in product((1, 7, 15, 30), (1, 4, 9)):
        waits = [priority.interval(number, rate_limit, depth) for number in range(101)]

        assert waits == sorted(waits, reverse=True)


def test_the_policy_does_not_look_at_the_baseline() -> None:
    advice = priority.advice(asked(baseline=9 * DAY, priority=80, rate_limit=3.0, max_depth=-1))

    assert advice.interval == timedelta(minutes=67)
    assert advice.inputs == {"priority": 80, "level": "high", "rate_limit": 3.0, "max_depth": -1}
