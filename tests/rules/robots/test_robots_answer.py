"""What the answer for a robots.txt means, and for how long."""

from dataclasses import replace
from datetime import timedelta

import pytest

from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.model.visit import Failed, Fault
from lamplighter.rules.robots.robots_answer import begins_at, judge, led_on, until_next_turn
from tests.moments import NOON

HOUR = timedelta(hours=1)
HERE = "https://example.org"


def _failed(status: int | None = None, *, retry_after: timedelta | None = None) -> Failed:
    return Failed(
        url="https://example.org/robots.txt",
        fault=Fault.SERVER_ERROR,
        detail="it broke",
        at=NOON,
        took=timedelta(0),
        status=status,
        retry_after=retry_after,
    )


LAST_GOOD = RobotsFile(
    origin="https://example.org",
    state=RobotsState.RULES,
    body=b"User-agent: *\nDisallow: /private\n",
    fetched_at=NOON - timedelta(hours=12),
    expires_at=NOON,
)


@pytest.mark.parametrize(
    ("failures", "retry_after", "wait"),
    [
        pytest.param(0, None, timedelta(minutes=1), id="first: a minute"),
        pytest.param(1, None, timedelta(minutes=2), id="second: two"),
        pytest.param(5, None, timedelta(minutes=32), id="sixth: half an hour"),
        pytest.param(6, None, timedelta(hours=1), id="an hour at most"),
        pytest.param(10_000, None, timedelta(hours=1), id="without overflow"),
        pytest.param(0, timedelta(hours=2), timedelta(hours=2), id="Retry-After asks for more"),
        pytest.param(3, timedelta(seconds=5), timedelta(minutes=8), id="Retry-After asks for less"),
    ],
)
def test_c2_c3_the_next_look_comes_ever_later(failures: int, retry_after: timedelta | None, wait: timedelta) -> None:
    last = replace(LAST_GOOD, state=RobotsState.UNREACHABLE, failure_count=failures)

    file = judge(last.origin, _failed(503, retry_after=retry_after), last=last, ttl=timedelta(hours=12), now=NOON)

    assert file.expires_at == NOON + wait
    assert file.failure_count == failures + 1


@pytest.mark.parametrize("days", [1, 31, 400])
def test_c4_however_long_it_is_unreachable_the_last_good_copy_is_kept(days: int) -> None:
    last = replace(LAST_GOOD, fetched_at=NOON - timedelta(days=days))

    for _ in range(days):
        last = judge(last.origin, _failed(None), last=last, ttl=timedelta(hours=12), now=NOON)

    assert last.state is RobotsState.UNREACHABLE
    assert last.body == LAST_GOOD.body


@pytest.mark.parametrize(
    ("delay", "trusted"),
    [
        pytest.param(timedelta(seconds=3), None, id="seconds: as long as any copy"),
        pytest.param(11 * HOUR, None, id="a turn comes before that"),
        pytest.param(12 * HOUR, 13 * HOUR, id="the next turn comes just then: an hour longer"),
        pytest.param(72 * HOUR, 73 * HOUR, id="days: until the next turn"),
    ],
)
def test_c10_a_copy_is_trusted_until_the_hosts_next_turn(delay: timedelta, trusted: timedelta | None) -> None:
    file = replace(LAST_GOOD, fetched_at=NOON, expires_at=NOON + 12 * HOUR)

    assert until_next_turn(file, delay=delay) == (NOON + trusted if trusted is not None else None)


def test_c10_one_that_could_not_be_had_is_asked_for_again_however_long_the_delay_is() -> None:
    file = replace(LAST_GOOD, state=RobotsState.UNREACHABLE)

    assert until_next_turn(file, delay=72 * HOUR) is None


@pytest.mark.parametrize("last", [pytest.param(None, id="none yet"), pytest.param("a copy", id="an old copy")])
def test_c5_a_redirect_that_waits_for_a_turn_makes_no_copy_newer(last: str | None) -> None:
    file = led_on(HERE, f"{HERE}/rules", hops=2, last=LAST_GOOD if last else None, now=NOON)

    assert (file.led_to, file.hops, file.expires_at) == (f"{HERE}/rules", 2, NOON)
    assert file.state is (RobotsState.RULES if last else RobotsState.UNREACHABLE)


@pytest.mark.parametrize(
    ("later", "begins"),
    [
        pytest.param(2 * HOUR, (f"{HERE}/rules", 1), id="in the host's next turn: where it left off"),
        pytest.param(4 * HOUR, (f"{HERE}/robots.txt", 0), id="long after that: from the beginning"),
    ],
)
def test_c5_a_redirect_is_followed_in_the_next_turn_and_not_later(later: timedelta, begins: tuple[str, int]) -> None:
    file = led_on(HERE, f"{HERE}/rules", hops=1, last=LAST_GOOD, now=NOON)

    assert begins_at(HERE, file, delay=2 * HOUR, now=NOON + later) == begins


@pytest.mark.parametrize("last", [pytest.param(None, id="none yet"), pytest.param("a copy", id="without a redirect")])
def test_robots_txt_is_asked_for_at_its_own_address(last: str | None) -> None:
    assert begins_at(HERE, LAST_GOOD if last else None, delay=HOUR, now=NOON) == (f"{HERE}/robots.txt", 0)
