"""A host as a lane: what is drawn, and the same in words."""

from datetime import timedelta

from lamplighter.model.fleet import PastRequest
from lamplighter.rules.hosts.lanes import Lane
from lamplighter.web.dashboard.runs.lane_picture import lane_picture, later_turn, summary
from tests.moments import NOON

SECOND = timedelta(seconds=1)
EVIL = '"><script>alert(1)</script>'


def lane(*, host: str = "a.example", next_in: timedelta | None = None) -> Lane:
    def request(began: float, took: float, outcome: str) -> PastRequest:
        at = NOON + began * SECOND
        return PastRequest(host, at, at + took * SECOND, 15 * SECOND, False, outcome)

    requests = [request(-60, 15, "fetched"), request(-30, 0, "failed")]
    next_at = NOON + next_in if next_in is not None else None
    return Lane(host=host, requests=requests, next_at=next_at)


def test_a_request_is_as_long_as_its_answer_took_and_its_delay_follows_it() -> None:
    drawn = lane_picture(lane(next_in=15 * SECOND), NOON)

    # The lane is 1000 wide and 150 seconds long, of which 120 have passed.
    assert '<path class="fetched" d="M400.0 3h100.0v18h-100.0z"/>' in drawn
    assert '<path class="failed" d="M600.0 3h2.0v18h-2.0z"/>' in drawn
    assert '<path class="delay" d="M500.0 12H600.0M600.0 12H700.0"/>' in drawn
    assert '<path class="next" d="M900.0 2v20"/>' in drawn


def test_a_turn_beyond_the_picture_is_told_instead_of_drawn() -> None:
    soon, late = lane(next_in=30 * SECOND), lane(next_in=31 * SECOND)

    assert ['class="next"' in lane_picture(each, NOON) for each in (soon, late)] == [True, False]
    assert [later_turn(each, NOON) for each in (soon, late)] == [None, NOON + 31 * SECOND]


def test_it_says_in_words_what_it_shows() -> None:
    assert summary(lane()) == "a.example: 2 requests (1 failed, 1 fetched); delay 15 s, shortest gap 15 s"


def test_the_name_of_a_host_is_never_markup() -> None:
    assert "<script" not in lane_picture(lane(host=EVIL), NOON)
