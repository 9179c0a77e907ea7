"""When a crawl job runs next: who has a say in it, in which order, and what nobody may give up."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from math import nextafter
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import IntervalBounds, PolicyName
from lamplighter.rules.change.expectation import expectation
from lamplighter.rules.schedule import window
from lamplighter.rules.schedule.schedule import JITTER, NextRun, Observed, Place, next_run
from lamplighter.rules.schedule.slots import LoadMap, tolerance
from lamplighter.rules.schedule.window_text import parse
from tests.moments import NOON
from tests.rules.schedule.observations import draws, failed, observations, observed, places, placing
from tests.rules.schedule.policies.policy_inputs import DAY, HOUR, MINUTE, ONCE_A_DAY, asked

#: the draw that moves nothing where jitter goes both ways, and the one that moves nothing under a lower bound
MIDDLE, LEAST = 0.5, 0.0
#: the greatest of all draws
ALMOST_ONE = nextafter(1, 0)
MICROSECOND = timedelta.resolution
#: NOON is a Saturday
EVENINGS, NEVER = parse("18:00-20:00"), parse("20:00-18:00")

some = settings(deadline=None, max_examples=50)


def planned(seen: Observed, *, draw: float = MIDDLE, place: Place | None = None) -> NextRun:
    return next_run(seen, now=NOON, draw=draw, place=place)


def steps(run: NextRun) -> dict[str, dict[str, Any]]:
    return {step["step"]: step for step in run.reason["steps"]}


def moved_by(distance: timedelta) -> Place:
    """A load that makes this the best move, as far as it is allowed."""
    return lambda at, pace, earliest, latest: max(earliest, min(at + distance, latest))


def open_at(run: NextRun, seen: Observed) -> bool:
    return window.all_open(seen.windows, run.at)


# One step after the other


@pytest.mark.parametrize(
    ("policy", "changes", "wait"),
    [
        pytest.param(PolicyName.FIXED, {"unchanged_count": 2}, 6 * HOUR, id="fixed: whatever was found"),
        pytest.param(PolicyName.HASH_BACKOFF, {"unchanged_count": 1}, 12 * HOUR, id="hash backoff: doubled"),
        pytest.param(PolicyName.YIELD_DAYS, {"yielded": 10}, 3 * HOUR, id="yield: a busy one sooner"),
        pytest.param(PolicyName.PRIORITY, {"priority": 100}, 18 * MINUTE, id="priority: by its computer"),
        pytest.param(
            PolicyName.LEARNED, {"bounds": IntervalBounds(least=HOUR, most=HOUR)}, HOUR, id="learned: in its bounds"
        ),
    ],
)
def test_the_policy_has_the_first_word(policy: PolicyName, changes: dict[str, Any], wait: timedelta) -> None:
    seen = Observed(policy=policy, ask=asked(**({"baseline": 6 * HOUR} | changes)))

    run = planned(seen, draw=LEAST if "bounds" in changes else MIDDLE)

    assert (run.at, run.pace) == (NOON + wait, wait)
    assert steps(run)["policy"]["policy"] == policy
    assert steps(run)["policy"]["seconds"] == wait.total_seconds()


def test_the_policy_says_from_what_it_concluded() -> None:
    run = planned(Observed(policy=PolicyName.HASH_BACKOFF, ask=asked(baseline=6 * HOUR, unchanged_count=1)))

    assert run.reason["steps"] == [
        {
            "step": "policy",
            "policy": "hash_backoff",
            "seconds": 43200.0,
            "baseline_seconds": 21600.0,
            "unchanged_runs": 1,
        }
    ]


@pytest.mark.parametrize(
    ("seen", "wait"),
    [
        pytest.param(observed(backoff=failed(retries=0)), MINUTE, id="a quick try comes long before the interval"),
        pytest.param(observed(backoff=failed()), 12 * HOUR, id="failed for good: rests longer than the interval"),
        pytest.param(observed(7 * DAY, backoff=failed(7 * DAY)), 12 * HOUR, id="weekly: the visit is owed before"),
        pytest.param(observed(HOUR, backoff=failed(HOUR, failures=4)), DAY, id="the breaker: a probe after a day"),
    ],
)
def test_after_a_failure_the_wait_depends_on_the_failures_alone(seen: Observed, wait: timedelta) -> None:
    assert planned(seen, draw=LEAST).at == NOON + wait


def test_a_backoff_says_how_often_it_was_tried_and_whether_the_breaker_opens() -> None:
    run = planned(observed(HOUR, backoff=failed(HOUR, failures=4)), draw=LEAST)

    assert steps(run)["backoff"] == {
        "step": "backoff",
        "seconds": 86400.0,
        "tries": 0,
        "failures": 5,
        "is_final": True,
        "opens_breaker": True,
    }


@pytest.mark.parametrize(
    ("hint", "by", "wait"),
    [
        pytest.param({"fresh_for": 9 * HOUR}, "fresh", 9 * HOUR, id="called fresh for longer than the interval"),
        pytest.param({"away_for": 9 * HOUR}, "away", 9 * HOUR, id="to be left alone for longer than the interval"),
        pytest.param({"fresh_for": 8 * HOUR, "away_for": 9 * HOUR}, "away", 9 * HOUR, id="of two the longer"),
        pytest.param({"fresh_for": 9 * HOUR, "away_for": 8 * HOUR}, "fresh", 9 * HOUR, id="whichever that is"),
        pytest.param({"backoff": failed(), "away_for": DAY}, "away", DAY, id="longer than a backoff"),
    ],
)
def test_the_server_s_word_makes_it_later(hint: dict[str, Any], by: str, wait: timedelta) -> None:
    run = planned(observed(**hint), draw=LEAST)

    assert run.at == NOON + wait
    assert steps(run)["hint"] == {"step": "hint", "by": by, "seconds": wait.total_seconds()}


@pytest.mark.parametrize(
    ("hint", "draw"),
    [
        pytest.param({"fresh_for": HOUR}, MIDDLE, id="fresh for less"),
        pytest.param({"away_for": HOUR}, MIDDLE, id="to be left alone for less"),
        pytest.param({"fresh_for": 6 * HOUR}, LEAST, id="fresh for just as long"),
    ],
)
def test_a_hint_that_is_no_longer_than_the_wait_has_no_say(hint: dict[str, Any], draw: float) -> None:
    run = planned(observed(**hint), draw=draw)

    assert run.at == NOON + 6 * HOUR
    assert "hint" not in steps(run)


def test_the_operator_s_maximum_cuts_what_a_server_calls_fresh() -> None:
    run = planned(observed(fresh_for=7 * DAY, bounds=IntervalBounds(least=HOUR, most=DAY)), draw=ALMOST_ONE)

    assert run.at == NOON + DAY
    assert steps(run)["hint"]["seconds"] == 7 * 86400.0
    assert steps(run)["bounds"] == {"step": "bounds", "seconds": 86400.0}


@pytest.mark.parametrize(
    "asks_for_more",
    [
        pytest.param({"away_for": 7 * DAY}, id="a host that is to be left alone"),
        pytest.param({"backoff": failed(DAY, failures=5)}, id="a backoff"),
    ],
)
def test_the_operator_s_maximum_does_not_cut(asks_for_more: dict[str, Any]) -> None:
    run = planned(observed(DAY, bounds=IntervalBounds(least=HOUR, most=DAY), **asks_for_more), draw=ALMOST_ONE)

    assert run.at == NOON + 7 * DAY
    assert "bounds" not in steps(run)


@pytest.mark.parametrize(("retries", "minutes"), [(0, 1), (1, 2), (2, 4)])
@pytest.mark.parametrize("draw", [LEAST, ALMOST_ONE])
def test_a_quick_try_comes_exactly_when_its_back_off_ends_whatever_the_bounds_of_the_interval_are(
    retries: int, minutes: int, draw: float
) -> None:
    bounds = IntervalBounds(least=HOUR, most=DAY)

    run = planned(observed(backoff=failed(retries=retries), bounds=bounds, fresh_for=HOUR), draw=draw)

    assert run.at == NOON + minutes * MINUTE
    assert steps(run).keys() == {"policy", "backoff"}


def test_a_quick_try_waits_for_its_host() -> None:
    run = planned(observed(backoff=failed(retries=0), away_for=HOUR), draw=LEAST)

    assert run.at == NOON + HOUR


@pytest.mark.parametrize(
    ("draw", "share"),
    [
        pytest.param(0.0, -0.15, id="the least draw: sooner by the whole share"),
        pytest.param(0.25, -0.075, id="sooner by half of it"),
        pytest.param(0.75, 0.075, id="later by half of it"),
        pytest.param(ALMOST_ONE, 0.15, id="the greatest draw: later by the whole share"),
    ],
)
def test_jitter_goes_both_ways(draw: float, share: float) -> None:
    run = planned(observed(), draw=draw)

    assert abs(run.at - (NOON + (1 + share) * 6 * HOUR)) < timedelta(milliseconds=1)
    assert steps(run)["jitter"] == {"step": "jitter", "share": share}


@pytest.mark.parametrize(
    "lower_bound",
    [
        pytest.param({"backoff": failed()}, id="a backoff"),
        pytest.param({"fresh_for": 12 * HOUR}, id="an answer that is fresh"),
        pytest.param({"away_for": 12 * HOUR}, id="a host to be left alone"),
        pytest.param({"bounds": IntervalBounds(least=12 * HOUR, most=DAY)}, id="the operator's minimum"),
    ],
)
@pytest.mark.parametrize(("draw", "share"), [(0.0, 0.0), (0.5, 0.075), (ALMOST_ONE, 0.15)])
def test_under_a_lower_bound_jitter_only_lengthens(lower_bound: dict[str, Any], draw: float, share: float) -> None:
    run = planned(observed(**lower_bound), draw=draw)

    assert abs(run.at - (NOON + (1 + share) * 12 * HOUR)) < timedelta(milliseconds=1)


def test_jitter_is_told_as_what_the_bounds_left_of_it() -> None:
    run = planned(observed(bounds=IntervalBounds(least=MINUTE, most=6.3 * HOUR)), draw=ALMOST_ONE)

    assert steps(run)["jitter"]["share"] == 0.05


def test_a_run_waits_for_its_window() -> None:
    run = planned(observed(HOUR, windows=[EVENINGS]))

    opening = NOON.replace(hour=18, microsecond=0)
    assert run.at == opening
    assert steps(run)["window"] == {
        "step": "window",
        "at": opening.isoformat(),
        "waited_seconds": (opening - NOON - HOUR).total_seconds(),
    }


def test_a_run_waits_until_all_windows_are_open() -> None:
    of_source, of_host = EVENINGS, parse("deny sat; deny 00:00-18:30")

    run = planned(observed(HOUR, windows=[of_source, of_host]))

    assert run.at == datetime.fromisoformat("2026-03-15T18:30:00+00:00")


def test_a_run_in_its_window_stays_where_it_is() -> None:
    run = planned(observed(7 * HOUR, windows=[EVENINGS]))

    assert run.at == NOON + 7 * HOUR
    assert "window" not in steps(run)


def test_windows_that_never_open_together_are_not_obeyed_and_that_is_said() -> None:
    run = planned(observed(windows=[EVENINGS, NEVER]), place=moved_by(HOUR))

    assert run.at == NOON + 6 * HOUR
    assert run.reason["steps"][1:] == [{"step": "window", "at": None}]


def test_a_run_is_moved_to_where_the_load_is_least() -> None:
    full = LoadMap(now=NOON, starts=tuple(0 if slot == 25 else 5 for slot in range(96)))

    run = planned(observed(), place=placing(full))

    assert run.at == NOON + 6 * HOUR + 15 * MINUTE
    assert steps(run)["slot"] == {"step": "slot", "moved_seconds": 900.0}


def test_a_run_that_is_well_where_it_is_is_not_moved() -> None:
    run = planned(observed(), place=placing(LoadMap.of([], NOON)))

    assert run.at == NOON + 6 * HOUR
    assert "slot" not in steps(run)


@pytest.mark.parametrize("submitted", [-DAY, DAY], ids=["sooner", "later"])
@pytest.mark.parametrize(
    ("seen", "soonest", "latest"),
    [
        pytest.param(observed(), 5.4 * HOUR, 6.6 * HOUR, id="by a tenth of its pace"),
        pytest.param(observed(30 * DAY), 29.75 * DAY, 30.25 * DAY, id="by six hours at most"),
        pytest.param(observed(20 * MINUTE), 20 * MINUTE, 20 * MINUTE, id="a fast one not at all"),
        pytest.param(
            observed(bounds=IntervalBounds(least=5.9 * HOUR, most=6.1 * HOUR)),
            5.9 * HOUR,
            6.1 * HOUR,
            id="limited to its minimum or maximum",
        ),
        pytest.param(observed(fresh_for=5.8 * HOUR), 5.8 * HOUR, 6.6 * HOUR, id="not while its copy is fresh"),
        pytest.param(observed(away_for=5.7 * HOUR), 5.7 * HOUR, 6.6 * HOUR, id="not while its host is left alone"),
        pytest.param(
            observed(windows=[parse("17:45-18:15")]),
            timedelta(hours=6),
            timedelta(hours=6, minutes=15),
            id="not past the closing of its window, nor before its opening",
        ),
    ],
)
def test_load_moves_a_run_only_so_far(
    seen: Observed, soonest: timedelta, latest: timedelta, submitted: timedelta
) -> None:
    run = planned(seen, place=moved_by(submitted))

    assert abs(run.at - NOON - (soonest if submitted < timedelta(0) else latest)) < timedelta(seconds=1)
    assert open_at(run, seen)


def test_those_who_waited_for_an_opening_are_spread_behind_it() -> None:
    crowded = LoadMap(now=NOON, starts=(0,) * 24 + (9,) * 2 + (0,) * 70)

    run = planned(observed(5 * HOUR, windows=[EVENINGS]), place=placing(crowded))

    assert run.at == NOON.replace(hour=18, minute=30, microsecond=0)


def test_a_run_that_its_window_puts_beyond_its_maximum_begins_as_soon_as_that_opens() -> None:
    seen = observed(bounds=IntervalBounds(least=MINUTE, most=6 * HOUR), windows=[parse("12:00-17:45; 18:10-20:00")])

    run = planned(seen, place=moved_by(-DAY))

    assert run.at == NOON.replace(hour=18, minute=10, microsecond=0)


def test_load_does_not_move_what_backs_off() -> None:
    run = planned(observed(backoff=failed()), draw=LEAST, place=moved_by(HOUR))

    assert run.at == NOON + 12 * HOUR


@pytest.mark.parametrize(
    ("seen", "kinds"),
    [
        pytest.param(observed(), ["policy", "jitter"], id="nothing in its way"),
        pytest.param(
            observed(HOUR, rhythm_at=NOON - MINUTE, away_for=5 * HOUR, windows=[EVENINGS]),
            ["policy", "rhythm", "hint", "window"],
            id="in its rhythm, where neither jitter nor load move it",
        ),
        pytest.param(
            observed(HOUR, away_for=5 * HOUR, windows=[EVENINGS]),
            ["policy", "hint", "jitter", "window", "slot"],
            id="after a first success",
        ),
        pytest.param(
            observed(HOUR, rhythm_at=NOON - MINUTE, backoff=failed(HOUR), away_for=5 * HOUR, windows=[EVENINGS]),
            ["policy", "backoff", "hint", "jitter", "window"],
            id="after a failure",
        ),
        pytest.param(
            observed(DAY, bounds=IntervalBounds(least=MINUTE, most=DAY), fresh_for=2 * DAY, windows=[EVENINGS]),
            ["policy", "hint", "bounds", "window"],
            id="at the operator's maximum, where there is no room for jitter",
        ),
    ],
)
def test_who_had_a_say_is_written_down_in_this_order(seen: Observed, kinds: list[str]) -> None:
    run = planned(seen, draw=0.1, place=moved_by(MINUTE) if seen.windows else None)

    assert [step["step"] for step in run.reason["steps"]] == kinds


def test_the_pace_is_the_policy_s_whatever_moves_the_run() -> None:
    run = planned(observed(HOUR, away_for=DAY, windows=[EVENINGS]), place=moved_by(MINUTE))

    assert run.pace == HOUR


def test_the_reason_tells_what_is_expected_by_then() -> None:
    known = replace(ONCE_A_DAY, visit_count=9, visited_at=NOON - HOUR, changed_at=NOON - DAY)

    run = planned(observed(learnt=known), draw=ALMOST_ONE)

    assert run.reason["expected"] == expectation(known, wait=run.at - NOON, now=NOON)


# What holds for all of them


@given(seen=observations(), draw=draws, place=st.none() | places)
@example(seen=observed(MINUTE, bounds=IntervalBounds(least=MINUTE, most=MINUTE)), draw=0.0, place=None)
@some
def test_no_run_is_sooner_than_the_minimum_the_failures_and_the_server_allow(
    seen: Observed, draw: float, place: Place | None
) -> None:
    at = planned(seen, draw=draw, place=place).at

    away = seen.away_for or timedelta(0)
    backoff = seen.backoff.wait if seen.backoff is not None else timedelta(0)
    if seen.backoff is not None and not seen.backoff.is_final:
        assert at >= NOON + max(away, backoff) > NOON
        return
    fresh = min(seen.fresh_for or timedelta(0), seen.ask.bounds.most)
    # The minimum is between two runs, not before a retry.
    least = seen.ask.bounds.least if seen.backoff is None else timedelta(0)
    assert at >= NOON + max(least, away, backoff, fresh) > NOON


@given(seen=observations(), draw=draws, place=st.none() | places)
@some
def test_no_run_is_later_than_the_maximum_unless_failures_the_host_or_a_window_ask_for_it(
    seen: Observed, draw: float, place: Place | None
) -> None:
    at = planned(seen, draw=draw, place=place).at

    away = seen.away_for or timedelta(0)
    backoff = seen.backoff.wait if seen.backoff is not None else timedelta(0)
    latest = NOON + max(seen.ask.bounds.most, away, backoff)
    assert at <= (window.next_opening_of(seen.windows, latest) or latest)


@given(seen=observations(), draw=draws, place=st.none() | places)
@some
def test_every_run_begins_while_all_windows_are_open(seen: Observed, draw: float, place: Place | None) -> None:
    run = planned(seen, draw=draw, place=place)

    assert open_at(run, seen) or window.next_opening_of(seen.windows, NOON) is None


@given(seen=observations(), draw=draws, place=places)
@some
def test_load_moves_a_run_within_its_tolerance_and_not_at_all_after_a_failure(
    seen: Observed, draw: float, place: Place
) -> None:
    plain, placed = planned(seen, draw=draw), planned(seen, draw=draw, place=place)

    assert abs(placed.at - plain.at) <= (tolerance(plain.pace) if seen.backoff is None else timedelta(0))
    assert placed.reason["steps"][: len(plain.reason["steps"])] == plain.reason["steps"]


@given(seen=observations(), draw=draws)
@some
def test_jitter_moves_a_run_by_no_more_than_its_share(seen: Observed, draw: float) -> None:
    unbothered = replace(seen, windows=())
    least, most = (planned(unbothered, draw=extreme).at - NOON for extreme in (0.0, ALMOST_ONE))

    wait = planned(unbothered, draw=draw).at - NOON

    assert least <= wait <= most
    assert most <= (1 + JITTER) / (1 - JITTER) * least + MICROSECOND


@given(seen=observations(), draw=draws, place=st.none() | places)
@some
def test_every_reason_can_be_stored_as_json(seen: Observed, draw: float, place: Place | None) -> None:
    reason = planned(seen, draw=draw, place=place).reason

    assert json.loads(json.dumps(reason, allow_nan=False)) == reason


@given(seen=observations(), interval=st.timedeltas(MINUTE, 366 * DAY), draw=draws)
@some
def test_another_failure_never_brings_the_next_run_closer(seen: Observed, interval: timedelta, draw: float) -> None:
    retries, failures, before = 0, 0, NOON

    for _ in range(10):
        backoff = failed(interval, retries=retries, failures=failures)
        at = planned(replace(seen, backoff=backoff), draw=draw).at
        assert at >= before
        retries, failures, before = backoff.retry_count, backoff.failure_count, at


# A fixed rhythm


def beat(run: NextRun) -> datetime:
    return datetime.fromisoformat(run.reason["rhythm_at"])


@given(
    seed=st.integers(0, 2**32),
    interval=st.timedeltas(HOUR, 14 * DAY),
    longest_run=st.floats(0, 0.7),
    load=places,
)
@settings(deadline=None, max_examples=15)
def test_a_fixed_rhythm_keeps_its_phase_through_a_hundred_runs(
    seed: int, interval: timedelta, longest_run: float, load: Place
) -> None:
    # A run that began early has longer to wait for the next beat, of which jitter takes its share.
    furthest = 1.3 * JITTER * interval + tolerance(interval) + MINUTE
    chance = Random(seed)
    run = first = planned(observed(interval), draw=chance.random())

    for number in range(1, 101):
        ended_at = run.at + chance.uniform(0, longest_run) * interval
        seen = observed(interval, rhythm_at=beat(run), now=ended_at)
        run = next_run(seen, now=ended_at, draw=chance.random(), place=load)

        assert beat(run) == beat(first) + number * interval
        assert abs(run.at - beat(run)) <= furthest


@pytest.mark.parametrize(
    ("from_beat", "next_beat"),
    [
        pytest.param(-0.2, 1, id="began early, for jitter or load: that was this beat's run"),
        pytest.param(0.0, 1, id="on the beat"),
        pytest.param(0.9, 1, id="took nearly the whole interval: the next is not delayed"),
        pytest.param(1.2, 2, id="took longer than the interval: one is left out"),
        pytest.param(50.5, 51, id="weeks of downtime: none is made up for"),
        pytest.param(-0.8, 0, id="somebody asked for a run in between: the beat is still kept"),
        pytest.param(-10.3, -9, id="the clock was set back: it goes on from there"),
    ],
)
def test_the_next_run_is_on_the_beat_of_the_rhythm(from_beat: float, next_beat: int) -> None:
    seen = observed(rhythm_at=NOON - from_beat * 6 * HOUR)

    run = planned(seen)

    assert run.at == beat(run) == NOON + (next_beat - from_beat) * 6 * HOUR


def test_a_rhythm_that_was_kept_is_told() -> None:
    run = planned(observed(rhythm_at=NOON - 2 * HOUR))

    assert steps(run)["rhythm"] == {"step": "rhythm", "seconds": 14400.0}


def test_failures_do_not_shift_the_rhythm() -> None:
    kept = NOON - 5 * MINUTE

    tried_again = planned(observed(rhythm_at=kept, backoff=failed(retries=0)))
    after_success = planned(observed(rhythm_at=beat(tried_again)))

    assert after_success.at == kept + 6 * HOUR


@pytest.mark.parametrize(
    "later",
    [
        pytest.param({"fresh_for": 7 * HOUR}, id="an answer that is fresh"),
        pytest.param({"away_for": 7 * HOUR}, id="a host to be left alone"),
        pytest.param({"windows": [parse("19:00-20:00")]}, id="a window"),
        pytest.param({"bounds": IntervalBounds(least=7 * HOUR, most=DAY), "interval": 7 * HOUR}, id="the minimum"),
    ],
)
def test_what_delays_one_run_does_not_shift_the_rhythm(later: dict[str, Any]) -> None:
    interval = later.get("interval", 6 * HOUR)
    kept = NOON - 5 * MINUTE

    run = planned(observed(**({"rhythm_at": kept} | later)), draw=LEAST)

    assert beat(run) == kept + interval < run.at


def test_a_rhythm_begins_with_the_first_run_that_succeeds() -> None:
    never_had = planned(observed(backoff=failed(retries=0)))
    had = planned(observed())

    assert "rhythm_at" not in never_had.reason
    assert beat(had) == NOON + 6 * HOUR


@pytest.mark.parametrize("policy", sorted(PolicyName))
def test_every_policy_but_the_learned_one_has_a_rhythm(policy: PolicyName) -> None:
    run = planned(Observed(policy=policy, ask=asked()))

    assert ("rhythm_at" in run.reason) == (policy is not PolicyName.LEARNED)


@pytest.mark.parametrize("policy", [PolicyName.FIXED, PolicyName.HASH_BACKOFF, PolicyName.YIELD_DAYS])
def test_six_forced_runs_of_a_daily_source_plan_the_same_hour(policy: PolicyName) -> None:
    kept = NOON + 20 * HOUR
    ask = asked(baseline=DAY, unchanged_count=0, yielded=1)

    runs = [
        next_run(Observed(policy=policy, ask=ask, rhythm_at=kept, set_to=DAY), now=NOON + late * HOUR, draw=0.9)
        for late in range(6)
    ]

    assert {run.at for run in runs} == {kept}


@pytest.mark.parametrize("unchanged", range(4))
def test_hash_backoff_leaves_out_beats_and_keeps_its_rhythm(unchanged: int) -> None:
    ask = asked(baseline=HOUR, unchanged_count=unchanged)

    run = planned(Observed(policy=PolicyName.HASH_BACKOFF, ask=ask, rhythm_at=NOON - MINUTE), draw=0.9)

    assert run.at == NOON - MINUTE + 2**unchanged * HOUR


@pytest.mark.parametrize("draw", [0.0, 0.3, ALMOST_ONE])
def test_a_fixed_interval_has_no_jitter(draw: float) -> None:
    assert planned(Observed(policy=PolicyName.FIXED, ask=asked(baseline=HOUR)), draw=draw).at == NOON + HOUR


@given(seen=observations().filter(lambda seen: seen.backoff is None and seen.rhythm_at is None), draw=draws)
@some
def test_jitter_neither_undercuts_a_set_interval_nor_exceeds_the_maximum(seen: Observed, draw: float) -> None:
    seen = replace(seen, set_to=seen.ask.baseline, windows=(), fresh_for=None, away_for=None)

    run = planned(seen, draw=draw)

    assert NOON + min(run.pace, seen.ask.baseline) <= run.at <= NOON + seen.ask.bounds.most
