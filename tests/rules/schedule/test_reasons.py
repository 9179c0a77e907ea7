"""The sentence that tells people why a crawl job runs next when it does."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import Belief, IntervalBounds, Learnt, PolicyName
from lamplighter.rules.schedule import reasons
from lamplighter.rules.schedule.reasons import sentence, span
from lamplighter.rules.schedule.schedule import Observed, Place, next_run
from lamplighter.rules.schedule.window_text import parse
from tests.moments import NOON
from tests.rules.schedule.observations import draws, failed, observations, observed, places
from tests.rules.schedule.policies.policy_inputs import DAY, HOUR, MINUTE, ONCE_A_DAY, asked

#: the draw that moves nothing where jitter goes both ways, and the one that moves nothing under a lower bound
MIDDLE, LEAST = 0.5, 0.0
#: of a plan for somebody who was hardly visited
LITTLE_KNOWN: dict[str, Any] = {"visits": 2}
WELL_KNOWN: dict[str, Any] = {
    "visits": 31,
    "changes_every_seconds": 9 * 3600.0,
    "changes_every_range_seconds": [7 * 3600.0, 12 * 3600.0],
    "staleness": 0.11,
    "measured_staleness": 0.12,
}
EVERY_3_HOURS = {"step": "policy", "policy": "learned", "seconds": 10800.0, "signal": 0.0}


def told(seen: Observed, *, draw: float = MIDDLE, place: Place | None = None) -> str:
    return sentence(next_run(seen, now=NOON, draw=draw, place=place).reason)


def by(policy: PolicyName, **changes: Any) -> Observed:
    return Observed(policy=policy, ask=asked(**({"baseline": 6 * HOUR} | changes)))


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        pytest.param(None, "as soon as possible: it has not run yet", id="never ran"),
        pytest.param({}, "as soon as possible: it has not run yet", id="nothing written down"),
        pytest.param({"why": "robots disallow"}, "robots disallow", id="set by hand or by a pause"),
        pytest.param(
            {"interval_seconds": 21600.0, "jitter": 0.012},
            "every 6 h, as planned by an earlier version",
            id="stored before there were steps",
        ),
        pytest.param(
            {"interval_seconds": 3600.0, "failures": 3, "backoff_seconds": 28800.0, "jitter": 0.0},
            "every 1 h, as planned by an earlier version",
            id="stored before there were steps, while it failed",
        ),
        pytest.param({"jitter": 0.0}, "as planned by an earlier version", id="stored in a form that nobody knows"),
    ],
)
def test_a_time_that_no_steps_led_to_is_explained(reason: dict[str, Any] | None, text: str) -> None:
    assert sentence(reason) == text


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        pytest.param(by(PolicyName.FIXED), "every 6 h", id="fixed"),
        pytest.param(by(PolicyName.HASH_BACKOFF), "every 6 h", id="hash backoff, after a change"),
        pytest.param(
            by(PolicyName.HASH_BACKOFF, unchanged_count=1), "every 12 h after 1 unchanged run", id="one quiet run"
        ),
        pytest.param(
            by(PolicyName.HASH_BACKOFF, unchanged_count=2), "every 1 d after 2 unchanged runs", id="two quiet runs"
        ),
        pytest.param(by(PolicyName.YIELD_DAYS), "every 6 h for 1 record found", id="yield, an ordinary run"),
        pytest.param(by(PolicyName.YIELD_DAYS, yielded=0), "every 6 h for 0 records found", id="yield, a quiet run"),
        pytest.param(by(PolicyName.YIELD_DAYS, yielded=10), "every 3 h for 10 records found", id="yield, a busy run"),
        pytest.param(by(PolicyName.PRIORITY), "every 75 min by its priority", id="priority"),
        pytest.param(
            by(PolicyName.LEARNED, bounds=IntervalBounds(least=MINUTE, most=3 * HOUR), price=1e6),
            "visited every 3 h",
            id="learned",
        ),
        pytest.param(
            by(
                PolicyName.LEARNED,
                bounds=IntervalBounds(least=MINUTE, most=3 * HOUR),
                price=1e6,
                learnt=replace(ONCE_A_DAY, signal=0.8),
            ),
            "visited every 3 h, sooner because a change was announced (80%)",
            id="learned, a change was announced",
        ),
    ],
)
def test_every_policy_is_explained(seen: Observed, text: str) -> None:
    assert told(seen) == text


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        pytest.param(
            observed(rhythm_at=NOON - 2 * HOUR),
            "every 6 h · keeps its rhythm, 4 h after the last run",
            id="rhythm",
        ),
        pytest.param(observed(backoff=failed(retries=1)), "retry 2 after 2 min", id="a quick try"),
        pytest.param(observed(backoff=failed()), "backing off 12 h after 1 failure", id="backoff"),
        pytest.param(
            observed(HOUR, backoff=failed(HOUR, failures=2)), "backing off 8 h after 3 failures", id="more failures"
        ),
        pytest.param(
            observed(HOUR, backoff=failed(HOUR, failures=4)),
            "backing off 1 d after 5 failures, the breaker is open",
            id="breaker",
        ),
        pytest.param(
            observed(fresh_for=2 * DAY),
            "every 6 h · the server calls its response fresh for 2 d",
            id="an answer that is fresh",
        ),
        pytest.param(
            observed(away_for=9 * HOUR),
            "every 6 h · the host is not fetched for 9 h",
            id="a host to be left alone",
        ),
        pytest.param(
            observed(fresh_for=2 * DAY, bounds=IntervalBounds(least=MINUTE, most=DAY)),
            "every 6 h · the server calls its response fresh for 2 d · limited by its bounds to 1 d",
            id="bounds",
        ),
        pytest.param(
            observed(backoff=failed(), windows=[parse("02:30-03:00")]),
            "backing off 12 h after 1 failure · waits 2.5 h for its window to open",
            id="window",
        ),
        pytest.param(
            observed(backoff=failed(), windows=[parse("18:00-20:00"), parse("20:00-18:00")]),
            "backing off 12 h after 1 failure · the windows of source and host never open together and are ignored",
            id="windows that never open",
        ),
    ],
)
def test_every_step_is_explained(seen: Observed, text: str) -> None:
    assert told(seen, draw=MIDDLE if seen.rhythm_at is not None else LEAST) == text


@pytest.mark.parametrize(
    ("draw", "text"),
    [
        pytest.param(0.0, "every 6 h · -15.0% jitter", id="sooner"),
        pytest.param(0.75, "every 6 h · +7.5% jitter", id="later"),
        pytest.param(MIDDLE, "every 6 h", id="not at all: not worth a word"),
    ],
)
def test_jitter_is_explained(draw: float, text: str) -> None:
    assert told(observed(), draw=draw) == text


@pytest.mark.parametrize(
    ("distance", "text"),
    [
        pytest.param(-12 * MINUTE, "every 6 h · moved 12 min earlier for load", id="earlier"),
        pytest.param(12 * MINUTE, "every 6 h · moved 12 min later for load", id="later"),
    ],
)
def test_a_move_for_load_is_explained(distance: timedelta, text: str) -> None:
    assert told(observed(), place=lambda at, pace, earliest, latest: at + distance) == text


def test_what_is_known_of_a_source_stands_around_its_pace() -> None:
    assert sentence({"steps": [EVERY_3_HOURS], "expected": WELL_KNOWN}) == (
        "changes about every 9 h (7 h to 12 h, from 31 visits) · visited every 3 h"
        " · 11% of the time our copy is expected to be stale (last month it was 12%)"
    )


def test_a_staleness_that_was_never_measured_is_not_told() -> None:
    text = sentence({"steps": [EVERY_3_HOURS], "expected": WELL_KNOWN | {"measured_staleness": None}})

    assert text.endswith(" · 11% of the time our copy is expected to be stale")


def test_nothing_is_claimed_of_a_source_that_was_hardly_visited() -> None:
    assert sentence({"steps": [EVERY_3_HOURS], "expected": LITTLE_KNOWN}) == "visited every 3 h"


def test_while_it_fails_no_pace_and_no_staleness_are_told() -> None:
    known = replace(ONCE_A_DAY, visit_count=31, watched_hours=700.0)

    text = told(observed(learnt=known, backoff=failed()), draw=LEAST)

    assert text.startswith("changes about every ")
    assert text.endswith(", from 31 visits) · backing off 12 h after 1 failure")


def test_a_job_that_was_put_back_tells_what_it_waits_for() -> None:
    plan = next_run(observed(), now=NOON, draw=MIDDLE).reason
    put_back = plan | {"steps": [*plan["steps"], {"step": "hint", "by": "away", "seconds": 600.0}]}

    assert sentence(put_back) == "every 6 h · the host is not fetched for 10 min"


@given(seen=observations(), visits=st.integers(0, 100), draw=draws, place=st.none() | places)
@settings(deadline=None, max_examples=150)
def test_every_plan_can_be_told_in_one_line_that_needs_no_calculator(
    seen: Observed, visits: int, draw: float, place: Place | None
) -> None:
    known = replace(seen, ask=replace(seen.ask, learnt=replace(seen.ask.learnt, visit_count=visits)))

    text = told(known, draw=draw, place=place)

    assert text
    assert "\n" not in text
    assert not re.search(r"\de[+-]?\d|inf|nan", text)


def test_a_source_that_practically_never_changes_is_not_told_in_geological_times() -> None:
    dead = Learnt(belief=Belief(a=0.05, b=1e9), visit_count=100)

    assert told(observed(learnt=dead)).startswith("changes about every 100+ y (")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(0, "0 s", id="nothing"),
        pytest.param(0.000001, "0 s", id="next to nothing"),
        pytest.param(0.5, "0.5 s", id="half a second"),
        pytest.param(59, "59 s", id="under a minute"),
        pytest.param(60, "1 min", id="a minute"),
        pytest.param(90, "90 s", id="a minute and a half"),
        pytest.param(119.96, "120 s", id="nearly two minutes"),
        pytest.param(900, "15 min", id="a quarter of an hour"),
        pytest.param(3600, "1 h", id="an hour"),
        pytest.param(5400, "90 min", id="an hour and a half"),
        pytest.param(21600, "6 h", id="six hours"),
        pytest.param(86400, "1 d", id="a day"),
        pytest.param(129600, "36 h", id="a day and a half"),
        pytest.param(259200, "3 d", id="three days"),
        pytest.param(31536000, "365 d", id="a year"),
        pytest.param(1.999 * reasons.YEAR, "730 d", id="nearly two years"),
        pytest.param(10 * reasons.YEAR, "10 y", id="ten years"),
        pytest.param(99.9 * reasons.YEAR, "99.9 y", id="nearly a century"),
        pytest.param(reasons.CENTURY, "100+ y", id="a century"),
        pytest.param(1e30, "100+ y", id="longer than the world"),
    ],
)
def test_a_span_is_written_in_the_unit_that_people_would_use(seconds: float, text: str) -> None:
    assert span(seconds) == text
