"""How often a source is visited of which nothing is known yet."""

from datetime import timedelta

import pytest

from lamplighter.errors import BadInput
from lamplighter.model.schedule import OrganisationType
from lamplighter.rules.schedule.baseline import baseline, checked_interval

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


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
    assert baseline(interval, organisation, priority=50, rate_limit=10, max_depth=3, default=default) == result


def test_every_organisation_has_a_rhythm() -> None:
    for organisation in OrganisationType:
        assert baseline(None, organisation, priority=50, rate_limit=10, max_depth=3, default=None) >= DAY


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
