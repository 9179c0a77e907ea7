"""Made-up histories are of the kinds that real sources show."""

from itertools import pairwise

import numpy as np
import pytest

from lamplighter.simulation.mixes import Mix, made
from lamplighter.simulation.trace import Trace


def _spread(trace: Trace) -> float:
    """The usual coefficient of variation of the gaps between changes."""
    first = trace.changes.first
    gaps = [np.diff(trace.changes.at[start:end]) for start, end in pairwise(first)]
    return float(np.median([each.std() / each.mean() for each in gaps if len(each) > 100]))


@pytest.mark.parametrize("mix", list(Mix))
def test_a_seed_decides_everything(mix: Mix) -> None:
    one, same, other = (made(mix, sources=60, days=20, seed=seed) for seed in (1, 1, 2))

    assert np.array_equal(one.changes.at, same.changes.at)
    assert not np.array_equal(one.changes.at, other.changes.at)


@pytest.mark.parametrize("mix", list(Mix))
def test_all_times_lie_in_the_span(mix: Mix) -> None:
    trace = made(mix, sources=100, days=20, seed=1, announcing=0.5)

    assert trace.hours == 20 * 24
    assert len(trace) == 100
    for moments in (trace.changes, trace.announcements):
        assert len(moments) > 0
        assert moments.at.min() >= 0
        assert moments.at.max() <= trace.hours


@pytest.mark.parametrize("mix", [Mix.MIXED, Mix.BURSTY])
def test_most_sources_never_change(mix: Mix) -> None:
    trace = made(mix, sources=2_000, days=90, seed=1)

    assert 0.5 < (trace.changes.counts == 0).mean() < 0.62


@pytest.mark.parametrize(
    ("mix", "low", "high"),
    [
        pytest.param(Mix.POISSON, 0.9, 1.1, id="poisson is even by chance"),
        pytest.param(Mix.BURSTY, 1.3, 2.0, id="bursts"),
        pytest.param(Mix.FEEDS, 1.3, 2.1, id="feeds"),
    ],
)
def test_changes_come_in_bursts_where_they_should(mix: Mix, low: float, high: float) -> None:
    assert low < _spread(made(mix, sources=400, days=180, seed=1)) < high


def test_offices_change_things_at_work() -> None:
    at = made(Mix.OFFICE, sources=300, days=28, seed=1).changes.at

    is_work = (at // 24 % 7 < 5) & (at % 24 >= 8) & (at % 24 < 18)
    assert is_work.mean() > 0.95


def test_a_regime_quadruples_or_quarters_the_rate() -> None:
    trace = made(Mix.REGIME, sources=600, days=400, seed=1)
    first = trace.changes.first

    steepest = []
    for start, end in pairwise(first):
        counts, _ = np.histogram(trace.changes.at[start:end], bins=10, range=(0, trace.hours))
        if counts.sum() > 500:
            steepest.append(counts.max() / max(counts.min(), 1))

    assert 3.0 < np.median(steepest) < 8.0


def test_announcements_are_mostly_true_and_follow_the_change() -> None:
    trace = made(Mix.POISSON, sources=400, days=60, seed=1, announcing=0.3)

    told = trace.announcements.counts > 0
    assert 0.2 < told.mean() < 0.4
    assert len(trace.announcements) == pytest.approx(trace.changes.counts[told].sum(), rel=0.05)
