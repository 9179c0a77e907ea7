"""Hosts as lanes: what was kept between requests, and when the next may come."""

from datetime import datetime, timedelta

import pytest

from lamplighter.model.fleet import PastRequest
from lamplighter.rules.hosts import lanes
from tests.moments import NOON

SECOND = timedelta(seconds=1)


def request(began: float, took: float = 1, *, host: str = "a.example", is_shared: bool = False) -> PastRequest:
    """A request so many seconds before or after noon, with a delay of five seconds."""
    at = NOON + began * SECOND
    return PastRequest(host, at, at + took * SECOND, 5 * SECOND, is_shared, "fetched")


@pytest.mark.parametrize(
    ("is_shared", "gap"),
    [
        pytest.param(False, 6, id="one at a time: from the response"),
        pytest.param(True, 8, id="several at a time: from when it was sent"),
    ],
)
def test_the_shortest_gap_is_counted_as_the_delay_is(is_shared: bool, gap: int) -> None:
    requests = [request(began, took, is_shared=is_shared) for began, took in ((-30, 2), (-22, 1), (-10, 1))]

    (lane,) = lanes.lanes(reversed(requests), turns={}, now=NOON)

    assert lane.shortest_gap == gap * SECOND


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        pytest.param({}, None, id="nothing waits: no turn is planned"),
        pytest.param({"a.example": None}, NOON + 3 * SECOND, id="it is fetched: one delay after its last request"),
        pytest.param({"a.example": NOON + 9 * SECOND}, NOON + 9 * SECOND, id="it waits: when its delay ends"),
        pytest.param({"a.example": NOON - 9 * SECOND}, NOON, id="its time has come: now"),
    ],
)
def test_the_next_turn_is_when_it_is_planned(turns: dict[str, datetime | None], expected: datetime | None) -> None:
    (lane,) = lanes.lanes([request(-3)], turns=turns, now=NOON)

    assert lane.next_at == expected


def test_of_many_hosts_those_are_shown_that_are_fetched_and_then_those_requested_last() -> None:
    requests = [request(-number, 0, host=f"h{number:02}.example") for number in range(30)]

    shown = lanes.lanes(requests, turns={"h29.example": None, "z.example": None}, now=NOON)

    assert [lane.host for lane in shown] == [f"h{number:02}.example" for number in (*range(10), 29)] + ["z.example"]
