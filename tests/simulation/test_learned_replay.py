"""The learned policy, stepped through in time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from lamplighter.simulation.learned import replay_learned
from lamplighter.simulation.mixes import Mix, made
from lamplighter.simulation.replay import ReplayOutcome, ReplayScore
from lamplighter.simulation.trace import Floats, History, Ints, Moments, Trace, trace_of


def _replayed(trace: Trace, *, per_source: float) -> ReplayOutcome:
    return replay_learned(
        trace,
        fetches=per_source * len(trace),
        phase=np.random.default_rng(1).random(len(trace)),
        rng=np.random.default_rng(2),
        on_progress=lambda share: None,
    )


def _shifted(moments: Moments, *, after: float, by: float) -> Moments:
    return Moments(at=np.where(moments.at > after, moments.at + by, moments.at), first=moments.first)


def test_it_does_not_know_what_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = made(Mix.MIXED, sources=80, days=14, seed=5, announcing=0.5)
    half = trace.hours / 2
    visits: list[list[tuple[int, float]]] = []
    see = ReplayScore.see

    def spy(book: ReplayScore, who: Ints, at: Floats) -> Ints:
        visits[-1] += [(int(source), float(time)) for source, time in zip(who, at, strict=True) if time <= half]
        return see(book, who, at)

    monkeypatch.setattr(ReplayScore, "see", spy)
    for by in (0.0, 50.0):
        visits.append([])
        _replayed(
            replace(
                trace,
                hours=trace.hours + 60,
                died=trace.died + 60,
                changes=_shifted(trace.changes, after=half, by=by),
                announcements=_shifted(trace.announcements, after=half, by=by),
            ),
            per_source=40,
        )

    assert len(visits[0]) > 500
    assert visits[0] == visits[1]


@pytest.mark.parametrize("per_source", [5.0, 40.0, 150.0])
def test_it_spends_what_it_is_given(per_source: float) -> None:
    trace = made(Mix.BURSTY, sources=200, days=20, seed=5)

    outcome = _replayed(trace, per_source=per_source)

    assert outcome.fetches.sum() == pytest.approx(per_source * len(trace), rel=0.01)


def test_it_spends_no_more_than_it_is_given_when_that_is_next_to_nothing() -> None:
    trace = made(Mix.BURSTY, sources=100, days=400, seed=5)

    outcome = _replayed(trace, per_source=5.0)

    assert outcome.fetches.sum() == pytest.approx(500, rel=0.02)


def test_a_source_that_weighs_more_is_kept_fresher() -> None:
    trace = made(Mix.POISSON, sources=300, days=15, seed=5)
    is_heavy = np.arange(300) % 2 == 0
    weighed = replace(trace, weight=np.where(is_heavy, 8.0, 1.0))

    outcome = _replayed(weighed, per_source=60)

    assert outcome.fetches[is_heavy].sum() > 1.5 * outcome.fetches[~is_heavy].sum()
    assert outcome.stale_hours[is_heavy].sum() < outcome.stale_hours[~is_heavy].sum()


def test_what_is_promised_of_quiet_sources_does_not_outlive_the_first_guess() -> None:
    rng, started_at = np.random.default_rng(3), datetime(2026, 1, 5, tzinfo=UTC)
    quiet = trace_of(
        [
            History(
                source=f"https://s{number}.example/",
                changed_at=[started_at + timedelta(days=float(day)) for day in rng.uniform(0, 14, rng.poisson(0.12))],
            )
            for number in range(300)
        ]
    )

    outcome = _replayed(quiet, per_source=14)

    assert 0.5 < outcome.promised.sum() / outcome.measured.sum() < 2
