"""How often a source is visited of which nothing is known yet."""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.errors import BadInput
from lamplighter.model.schedule import OrganisationType, PolicyName
from lamplighter.rules.schedule.baseline import baseline, checked_interval

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
OF_SOURCE: dict[str, Any] = {"policy": PolicyName.LEARNED, "priority": 50, "rate_limit": 10, "max_depth": 3}


@pytest.mark.parametrize(
    ("interval", "organisation", "default", "result"),
    [
        pytest.param(5 * HOUR, OrganisationType.UN, 6 * HOUR, 5 * HOUR, id="what was asked for beats all"),
        pytest.param(None, OrganisationType.UN, 6 * HOUR, DAY, id="the United Nations: a day"),
        pytest.param(None, OrganisationType.INGO, 6 * HOUR, 2 * DAY, id="international: two days"),
        pytest.param(None, OrganisationType.NGO, 6 * HOUR, 3 * DAY, id="national: three days"),
        pytest.param(None, OrganisationType.ACADEMIC, 6 * HOUR, 7 * DAY, id="academic: a week"),
        pytest.param(None, None, 6 * HOUR, 6 * HOUR, id="the installation's"),
        pytest.param(None, None, None, timedelta(minutes=75), id="computed from priority, rate and depth"),
    ],
)
def test_the_most_particular_wish_wins(
    interval: timedelta | None, organisation: OrganisationType | None, default: timedelta | None, result: timedelta
) -> None:
    assert baseline(interval, organisation, default=default, **OF_SOURCE) == result


def test_every_organisation_has_a_rhythm() -> None:
    for organisation in OrganisationType:
        assert baseline(None, organisation, default=None, **OF_SOURCE) >= DAY


def test_a_job_board_that_says_nothing_is_visited_every_three_days() -> None:
    said = OF_SOURCE | {"policy": PolicyName.YIELD_DAYS, "default": None}

    assert baseline(None, None, **said) == 3 * DAY
    assert baseline(None, OrganisationType.UN, **said) == DAY


def test_the_priority_policy_computes_its_interval_unless_one_is_set() -> None:
    said = OF_SOURCE | {"policy": PolicyName.PRIORITY, "rate_limit": 50, "max_depth": 1, "default": 6 * HOUR}

    assert baseline(None, OrganisationType.UN, **said) == timedelta(minutes=30)
    assert baseline(5 * HOUR, OrganisationType.UN, **said) == 5 * HOUR


@pytest.mark.parametrize(
    "interval",
    [
        pytest.param(timedelta(0), id="none"),
        pytest.param(-HOUR, id="negative"),
        pytest.param(timedelta(seconds=59), id="less than a minute"),
        pytest.param(366 * DAY + timedelta(seconds=1), id="more than a year"),
        pytest.param(36525 * DAY, id="a century"),
    ],
)
def test_an_interval_that_cannot_be_kept_is_refused_by_its_value(interval: timedelta) -> None:
    with pytest.raises(BadInput, match=f"an interval of {interval} is out of range; use one minute to one year"):
        checked_interval(interval)


@pytest.mark.parametrize("interval", [timedelta(minutes=1), HOUR, 366 * DAY], ids=str)
def test_an_interval_that_can_be_kept_comes_back_as_it_is(interval: timedelta) -> None:
    assert checked_interval(interval) == interval
