"""What would a rhythm have found, how late, and with how many fetches?"""

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.simulation.contenders import RHYTHMS, Contender
from lamplighter.simulation.replay import ReplayOutcome, ReplayScore, replay
from lamplighter.simulation.rhythms import Steady, oracle_hours
from lamplighter.simulation.trace import Floats, History, Ints, Trace, trace_of

START = datetime(2026, 1, 5, tzinfo=UTC)
DAYS = 20

#: interval in hours after (interval before, unchanged visits in a row, changes that the last visit saw)
Rule = Callable[[float, int, int], float]

# Times that no sum of intervals hits: where a visit falls on a change, rounding would decide.
hours_of_changes = st.lists(st.integers(0, DAYS * 24 * 60 - 1).map(lambda minute: minute / 60 + 0.00123), max_size=25)
phases = st.integers(1, 98).map(lambda percent: percent / 100 + 0.00317)


def _trace(*sources: list[float], hours: float = DAYS * 24) -> Trace:
    """Changes in hours; the marks of a last source set the span."""
    histories = [
        History(source=f"s{number}", changed_at=[START + timedelta(hours=hour) for hour in times])
        for number, times in enumerate(sources)
    ]
    marks = History(source="marks", changed_at=[START, START + timedelta(hours=hours)])
    return trace_of([*histories, marks])


def _slowly(
    changes: list[float], *, first: float, unchanged: int, phase: float, rule: Rule, end: float
) -> ReplayOutcome:
    """One visit after the other, and every minute accounted for change by change: slow, and plainly right."""
    fetches, stale, delay, found = 1, 0.0, 0.0, 0
    unseen, interval = sorted(change for change in changes if change > 0), first
    at = first * phase
    found += len(changes) - len(unseen)
    while at <= end:
        fetches += 1
        seen = [change for change in unseen if change <= at]
        unseen = [change for change in unseen if change > at]
        if seen:
            stale += at - seen[0]
            delay += sum(at - change for change in seen)
            found += len(seen)
        unchanged = 0 if seen else unchanged + 1
        interval = rule(interval, unchanged, len(seen))
        at += interval
    stale += end - unseen[0] if unseen else 0.0
    delay += sum(end - change for change in unseen)
    return ReplayOutcome(
        fetches=np.array([fetches]),
        stale_hours=np.array([stale]),
        delay_hours=np.array([delay]),
        found=np.array([found]),
        promised=np.zeros(1),
        measured=np.zeros(1),
    )


def _yield_days(interval: float, unchanged: int, seen: int) -> float:
    return 24 * (2 if seen >= 10 else 4 if unchanged >= 3 else 3)


def _nutch(interval: float, unchanged: int, seen: int) -> float:
    return min(max(interval * (0.8 if seen else 1.4), 1 / 60), 365 * 24)


#: the interval at which a replay begins, and the unchanged visits in a row that lead there
RULES: dict[Contender, tuple[float, int, Rule]] = {
    Contender.FIXED: (7.0, 0, lambda interval, unchanged, seen: 7.0),
    Contender.YIELD_DAYS: (96.0, 3, _yield_days),
    Contender.HASH_BACKOFF: (24.0, 6, lambda interval, unchanged, seen: min(24.0, 0.5 * 2**unchanged)),
    Contender.NUTCH: (7.0, 0, _nutch),
}


@pytest.mark.parametrize("policy", list(RULES))
@settings(deadline=None, max_examples=40)
@given(sources=st.lists(hours_of_changes, min_size=1, max_size=4), phase=phases)
def test_leaping_from_change_to_change_gives_what_stepping_from_visit_to_visit_gives(
    policy: Contender, sources: list[list[float]], phase: float
) -> None:
    trace = _trace(*sources)
    first, unchanged, rule = RULES[policy]

    leapt = replay(trace, RHYTHMS[policy](trace, 1.0, 7.0), phase=np.full(len(trace), phase))

    assert leapt is not None
    for number in range(len(trace)):
        changes = trace.changes.at[trace.changes.first[number] : trace.changes.first[number + 1]].tolist()
        slow = _slowly(changes, first=first, unchanged=unchanged, phase=phase, rule=rule, end=trace.hours)
        assert leapt.fetches[number] == slow.fetches[0]
        assert leapt.found[number] == slow.found[0]
        assert leapt.stale_hours[number] == pytest.approx(slow.stale_hours[0], abs=1e-6)
        assert leapt.delay_hours[number] == pytest.approx(slow.delay_hours[0], abs=1e-6)


@pytest.mark.parametrize("interval", [2.0, 24.0, 200.0])
def test_even_visits_to_random_changes_are_as_stale_as_the_formula_says(interval: float) -> None:
    rng = np.random.default_rng(1)
    rate, hours = 0.05, 3_000.0
    trace = _trace(*(rng.uniform(0, hours, rng.poisson(rate * hours)).tolist() for _ in range(400)), hours=hours)
    trace = trace.only(np.arange(400))

    outcome = replay(trace, Steady(interval_hours=np.full(400, interval)), phase=rng.random(400))

    x = rate * interval
    assert outcome is not None
    assert outcome.stale_hours.mean() / hours == pytest.approx(1 - (1 - math.exp(-x)) / x, rel=0.03)


def test_changes_at_one_instant_are_stale_once_and_late_each() -> None:
    trace = _trace([10.0, 10.0, 10.0])

    outcome = replay(trace, Steady(interval_hours=np.full(2, 7.0)), phase=np.ones(2))

    assert outcome is not None
    assert outcome.found[0] == 3
    assert outcome.stale_hours[0] == pytest.approx(4.0)
    assert outcome.delay_hours[0] == pytest.approx(12.0)


def test_a_change_that_nobody_sees_is_stale_until_the_end() -> None:
    trace = _trace([400.0])

    outcome = replay(trace, Steady(interval_hours=np.full(2, 390.0)), phase=np.ones(2))

    assert outcome is not None
    assert outcome.fetches[0] == 2
    assert outcome.found[0] == 0
    assert outcome.stale_hours[0] == outcome.delay_hours[0] == pytest.approx(DAYS * 24 - 400.0)


def test_it_stops_when_it_has_spent_too_much() -> None:
    trace = _trace([1.0])

    assert replay(trace, Steady(interval_hours=np.full(2, 0.1)), phase=np.ones(2), most_fetches=100) is None


def test_the_oracle_waits_until_the_expected_stale_time_meets_the_price() -> None:
    rate = np.array([1e-6, 0.01, 1.0, 50.0])

    hours = oracle_hours(rate, price=3.0, weight=np.ones(4))

    assert hours + np.expm1(-rate * hours) / rate == pytest.approx(np.full(4, 3.0), rel=1e-6)


@pytest.mark.parametrize("policy", list(RULES))
def test_no_rule_knows_what_comes_later(policy: Contender, monkeypatch: pytest.MonkeyPatch) -> None:
    early, late = [30.2, 31.4, 90.7], [260.1, 301.3]
    seen: list[list[tuple[int, float]]] = []
    see = ReplayScore.see

    def spy(book: ReplayScore, who: Ints, at: Floats) -> Ints:
        seen[-1] += [(int(source), float(time)) for source, time in zip(who, at, strict=True) if time < 250]
        return see(book, who, at)

    monkeypatch.setattr(ReplayScore, "see", spy)
    for later in (late, [hour + 100 for hour in late], []):
        seen.append([])
        trace = _trace(early + later)
        replay(trace, RHYTHMS[policy](trace, 1.0, 7.0), phase=np.full(2, 0.5))

    assert len(seen[0]) > 3
    assert seen[0] == seen[1] == seen[2]


def test_a_source_is_fetched_and_stale_only_while_it_lives() -> None:
    trace = _trace([50.0])
    living = replace(trace, born=np.array([40.0, 0.0]), died=np.array([71.0, trace.hours]))

    outcome = replay(living, Steady(interval_hours=np.full(2, 15.0)), phase=np.ones(2))

    assert outcome is not None
    assert outcome.fetches[0] == 3  # at 40, 55 and 70
    assert outcome.stale_hours[0] == pytest.approx(5.0)


def test_a_ladder_begins_where_it_is_while_nothing_changes() -> None:
    trace = _trace([], hours=96.0)

    outcome = replay(trace, RHYTHMS[Contender.HASH_BACKOFF](trace, 1.0, 7.0), phase=np.full(2, 0.5))

    assert outcome is not None
    assert outcome.fetches[0] == 5  # the first copy, then at 12, 36, 60 and 84
