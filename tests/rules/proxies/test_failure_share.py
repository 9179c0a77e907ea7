"""How many of the latest requests failed, by totals that only grow?"""

from datetime import timedelta

from lamplighter.rules.proxies import failure_share
from lamplighter.rules.proxies.failure_share import RequestTotals
from tests.moments import NOON

MINUTE = timedelta(minutes=1)
HOUR = 60 * MINUTE


def look(minutes: int, **totals: tuple[int, int]) -> RequestTotals:
    return RequestTotals(at=NOON + minutes * MINUTE, totals=totals)


def test_only_what_came_since_the_first_look_counts() -> None:
    first, now = look(0, a=(100, 50)), look(30, a=(108, 52))

    assert failure_share.since_first([first], now) == {"a": (10, 2)}


def test_a_host_without_requests_is_left_out() -> None:
    assert failure_share.since_first([look(0, a=(1, 1))], look(1, a=(1, 1))) == {}


def test_a_host_that_is_new_counts_from_its_first_request() -> None:
    looks = [look(0), look(5, b=(90, 10))]

    assert failure_share.since_first(looks, look(9, b=(99, 11))) == {"b": (110, 11)}


def test_totals_that_were_set_back_say_nothing() -> None:
    assert failure_share.since_first([look(0, a=(100, 50))], look(1, a=(3, 0))) == {}


def test_looks_of_before_the_span_are_forgotten_but_for_the_last_of_them() -> None:
    looks: tuple[RequestTotals, ...] = ()
    for minutes in range(0, 240, 1):
        looks = failure_share.remembered(looks, look(minutes), span=HOUR)

    ages = [(look(239).at - each.at) // MINUTE for each in looks]
    assert ages[0] >= 60
    assert all(age < 60 for age in ages[1:])
    assert len(looks) <= 14


def test_the_span_is_whole_when_somebody_has_looked_for_as_long() -> None:
    looks = [look(0), look(30)]

    assert not failure_share.is_whole(looks, span=HOUR, now=NOON + 59 * MINUTE)
    assert failure_share.is_whole(looks, span=HOUR, now=NOON + HOUR)
    assert not failure_share.is_whole([], span=HOUR, now=NOON)
