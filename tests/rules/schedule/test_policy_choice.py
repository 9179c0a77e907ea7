"""An interval that a person set is kept: by which policy, and in which bounds."""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.model.schedule import IntervalBounds, PolicyName
from lamplighter.rules.schedule import policy_choice

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
FIXED, HASH, YIELD = PolicyName.FIXED, PolicyName.HASH_BACKOFF, PolicyName.YIELD_DAYS
LEARNED, PRIORITY = PolicyName.LEARNED, PolicyName.PRIORITY
WIDE = IntervalBounds(least=MINUTE, most=30 * DAY)


@pytest.mark.parametrize(
    ("said", "has_interval", "default", "policy"),
    [
        pytest.param(None, False, LEARNED, None, id="left open: the installation's"),
        pytest.param(None, True, LEARNED, FIXED, id="an interval: exactly that"),
        pytest.param(None, True, PRIORITY, FIXED, id="an interval where the installation computes them"),
        pytest.param(None, True, YIELD, None, id="an interval from which the installation's policy starts"),
        pytest.param(LEARNED, True, FIXED, LEARNED, id="learned by name"),
        pytest.param(PRIORITY, True, LEARNED, FIXED, id="priority by name knows no interval"),
        pytest.param(PRIORITY, False, LEARNED, PRIORITY, id="priority by name"),
    ],
)
def test_an_interval_without_a_policy_is_kept(
    said: PolicyName | None, has_interval: bool, default: PolicyName, policy: PolicyName | None
) -> None:
    assert policy_choice.chosen(said, has_interval=has_interval, default=default) == policy


@pytest.mark.parametrize(
    ("said", "adaptive", "sets_interval", "default", "policy"),
    [
        pytest.param(None, False, True, LEARNED, FIXED, id="not adaptive: exactly"),
        pytest.param(LEARNED, False, False, LEARNED, FIXED, id="not adaptive without an interval"),
        pytest.param(None, True, True, LEARNED, HASH, id="adaptive: hash back-off from the interval"),
        pytest.param(YIELD, True, True, LEARNED, HASH, id="the API that was used last"),
        pytest.param(None, None, True, LEARNED, HASH, id="S1 is adaptive where nothing is said"),
        pytest.param(PRIORITY, None, True, LEARNED, HASH, id="over a policy that knows no interval"),
        pytest.param(YIELD, None, True, LEARNED, YIELD, id="a policy that starts from the interval stays"),
        pytest.param(FIXED, None, True, LEARNED, FIXED, id="exact stays exact"),
        pytest.param(LEARNED, None, True, FIXED, LEARNED, id="learned by name stays"),
        pytest.param("hash_backoff", True, False, LEARNED, HASH, id="adaptive as it is"),
        pytest.param("fixed", True, False, LEARNED, LEARNED, id="adaptive over fixed"),
        pytest.param(None, True, False, FIXED, LEARNED, id="adaptive where the installation is not"),
        pytest.param(None, None, False, FIXED, None, id="nothing said"),
    ],
)
def test_the_policy_of_a_job_follows_what_was_set_for_it(
    said: Any, adaptive: bool | None, sets_interval: bool, default: PolicyName, policy: PolicyName | None
) -> None:
    found = policy_choice.overridden(
        said, adaptive=adaptive, sets_interval=sets_interval, has_interval=sets_interval, default=default
    )

    assert found == policy


@pytest.mark.parametrize(
    ("policy", "given", "bounds"),
    [
        pytest.param(LEARNED, {}, (MINUTE, 30 * DAY), id="left open"),
        pytest.param(LEARNED, {"set_to": 7 * DAY}, (7 * DAY, 7 * DAY), id="learned never crosses a set interval"),
        pytest.param(LEARNED, {"set_to": 7 * DAY, "least": DAY}, (DAY, 7 * DAY), id="unless a minimum opens it"),
        pytest.param(LEARNED, {"set_to": HOUR, "most": DAY}, (HOUR, DAY), id="or a maximum"),
        pytest.param(LEARNED, {"set_to": DAY, "most": HOUR}, (HOUR, HOUR), id="a maximum below it wins"),
        pytest.param(HASH, {"set_to": 30 * MINUTE}, (MINUTE, DAY), id="hash back-off ends at a day"),
        pytest.param(HASH, {"baseline": 3 * DAY}, (MINUTE, 3 * DAY), id="or at its longer baseline"),
        pytest.param(YIELD, {}, (MINUTE, 14 * DAY), id="the yield policy ends at two weeks"),
        pytest.param(FIXED, {"least": 2 * HOUR, "most": HOUR}, (2 * HOUR, 2 * HOUR), id="a minimum over a maximum"),
    ],
)
def test_a_set_interval_bounds_what_happens(
    policy: PolicyName, given: dict[str, Any], bounds: tuple[timedelta, timedelta]
) -> None:
    usual: dict[str, Any] = {"least": None, "most": None, "set_to": None, "baseline": HOUR, "usual": WIDE}

    found = policy_choice.bounds(policy, **(usual | given))

    assert (found.least, found.most) == bounds
