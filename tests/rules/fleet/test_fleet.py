"""Who counts as there, and what is one worker's share?"""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.model.fleet import Duty
from lamplighter.rules.fleet import fleet
from tests.moments import NOON
from tests.rules.fleet.fleet_workers import WORKER

SECOND = timedelta(seconds=1)


counts = st.integers(min_value=0, max_value=1000)


def test_a_process_is_lost_after_a_minute_of_silence() -> None:
    assert not fleet.is_lost(WORKER, now=NOON + 60 * SECOND)
    assert fleet.is_lost(WORKER, now=NOON + 61 * SECOND)


def test_those_count_who_have_the_duty_and_are_neither_lost_nor_stopping() -> None:
    everyone = [
        WORKER,
        replace(WORKER, duties=frozenset({Duty.PARSE})),
        replace(WORKER, is_stopping=True),
        replace(WORKER, heartbeat_at=NOON - 61 * SECOND),
    ]

    assert fleet.at_work(everyone, Duty.FETCH, now=NOON) == 1


@pytest.mark.parametrize(
    ("demand", "expected"),
    [
        pytest.param({"waiting": 50, "leased": 0, "held": 0}, 25, id="half of what waits, of two"),
        pytest.param({"waiting": 25, "leased": 25, "held": 25}, 0, id="none more, who has half of all"),
        pytest.param({"waiting": 25, "leased": 25, "held": 0}, 25, id="the other half, who has none"),
        pytest.param({"waiting": 1, "leased": 0, "held": 0}, 1, id="a single host, whoever comes"),
        pytest.param({"waiting": 4, "leased": 40, "held": 40, "overdue": 3}, 3, id="what the other one left waiting"),
    ],
)
def test_a_worker_leaves_the_others_their_share(demand: dict[str, int], expected: int) -> None:
    assert fleet.share(**({"overdue": 0, "workers": 2} | demand)) == expected


@given(waiting=counts, overdue=counts, others=counts, held=counts, workers=st.integers(1, 20))
def test_nobody_takes_more_than_waits_and_nothing_overdue_is_left(
    waiting: int, overdue: int, others: int, held: int, workers: int
) -> None:
    overdue = min(overdue, waiting)

    share = fleet.share(waiting=waiting, overdue=overdue, leased=others + held, held=held, workers=workers)

    assert overdue <= share <= waiting


@given(waiting=counts, held=st.lists(counts, min_size=1, max_size=6))
def test_the_shares_of_all_workers_leave_nothing_waiting(waiting: int, held: list[int]) -> None:
    shares = [fleet.share(waiting=waiting, overdue=0, leased=sum(held), held=own, workers=len(held)) for own in held]

    assert sum(shares) >= waiting
