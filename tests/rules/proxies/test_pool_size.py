"""How many proxies does a host need?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.rules.proxies.hourly_use import PoolSize, pool_size

RATES = st.floats(min_value=0.01, max_value=1e6)


@pytest.mark.parametrize(
    ("per_hour", "least", "most"),
    [
        pytest.param(10, 2, 3, id="10 an hour: 2 to 3"),
        pytest.param(100, 5, 7, id="100 an hour: 5 to 7"),
        pytest.param(1000, 50, 70, id="1000 an hour: 50 to 70"),
    ],
)
def test_the_usual_sizes_are_advised_for_the_usual_rates(per_hour: float, least: int, most: int) -> None:
    size = pool_size(per_hour=per_hour, per_proxy=20)

    assert size.enough == least
    assert least < size.ample <= most


def test_a_hundred_an_hour_at_twenty_each_take_five_and_six_with_the_reserve() -> None:
    assert pool_size(per_hour=100, per_proxy=20) == PoolSize(enough=5, ample=6)
    assert pool_size(per_hour=84, per_proxy=20).words == "5 to 6 proxies"


def test_whoever_is_asked_for_nothing_needs_no_proxy() -> None:
    assert pool_size(per_hour=0, per_proxy=20).words == "none needed"


def test_a_range_without_a_width_is_one_number() -> None:
    assert PoolSize(enough=3, ample=3).words == "3 proxies"


@given(per_hour=RATES, per_proxy=st.integers(min_value=1, max_value=10_000))
def test_enough_proxies_can_always_make_the_requests(per_hour: float, per_proxy: int) -> None:
    size = pool_size(per_hour=per_hour, per_proxy=per_proxy)

    assert size.enough * per_proxy >= per_hour * 0.999999
    assert size.ample >= size.enough


@given(slow=RATES, fast=RATES)
def test_asking_more_often_never_needs_fewer(slow: float, fast: float) -> None:
    slow, fast = sorted((slow, fast))

    assert pool_size(per_hour=slow, per_proxy=20).ample <= pool_size(per_hour=fast, per_proxy=20).ample
