"""How did the policies fare, and how sure is that?"""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.measures import PolicyResult, results
from lamplighter.simulation.replay import ReplayOutcome
from lamplighter.simulation.trace import History, trace_of

START = datetime(2026, 1, 5, tzinfo=UTC)


def _result(*, stale: list[float], found: list[int] | None = None) -> PolicyResult:
    """Two sources, of which the second weighs three times as much, watched for 100 hours; each changed twice."""
    times = [START, START + timedelta(hours=100)]
    trace = trace_of([History(source="light", changed_at=times), History(source="heavy", changed_at=times, weight=3.0)])
    outcome = ReplayOutcome(
        fetches=np.array([10, 20]),
        stale_hours=np.array(stale),
        delay_hours=np.array([4.0, 8.0]),
        found=np.array(found or [2, 1]),
        promised=np.zeros(2),
        measured=np.zeros(2),
    )
    return results(trace, [(Contender.FIXED, [outcome])], rng=np.random.default_rng(1))[0]


def test_staleness_is_a_share_of_the_time_by_weight() -> None:
    result = _result(stale=[20.0, 40.0])

    assert result.staleness == pytest.approx((0.2 + 3 * 0.4) / 4)
    assert result.freshness == pytest.approx(1 - result.staleness)


def test_the_delay_is_that_of_the_mean_change() -> None:
    assert _result(stale=[0.0, 0.0]).mean_delay_hours == pytest.approx(12 / 4)


def test_fetches_are_counted_per_change_found() -> None:
    result = _result(stale=[0.0, 0.0])

    assert (result.fetches, result.changes, result.changes_found) == (30, 4, 3)
    assert result.fetches_per_change == pytest.approx(10)


def test_without_a_find_there_is_no_cost_of_one() -> None:
    assert _result(stale=[0.0, 0.0], found=[0, 0]).fetches_per_change is None


def test_the_interval_reaches_as_far_as_the_sources_differ() -> None:
    alike, apart = _result(stale=[30.0, 30.0]), _result(stale=[0.0, 40.0])

    assert alike.staleness_interval.high - alike.staleness_interval.low == pytest.approx(0, abs=1e-12)
    assert apart.staleness_interval.low == pytest.approx(0.0)
    assert apart.staleness_interval.high == pytest.approx(0.4)
