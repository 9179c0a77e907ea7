"""Which policy keeps copies freshest with the same number of fetches?"""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from lamplighter.errors import BadInput
from lamplighter.simulation.compare import Comparison, compare, few_of, usual_budget
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.mixes import Mix, made
from lamplighter.simulation.trace import History, Trace, trace_of

START = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return made(Mix.MIXED, sources=240, days=14, seed=7, announcing=0.3)


@pytest.fixture(scope="module")
def compared(trace: Trace) -> Comparison:
    return compare(trace, list(Contender), budget=usual_budget(trace))


def _staleness(compared: Comparison) -> dict[Contender, float]:
    return {result.policy: result.staleness for result in compared.results}


def test_every_policy_spends_the_budget(trace: Trace, compared: Comparison) -> None:
    fetches = compared.budget * trace.days * len(trace)

    assert [result.policy for result in compared.results if result.fetches != pytest.approx(fetches, rel=0.01)] == []


@pytest.mark.parametrize("budget", [0.5, 4.0])
def test_every_policy_spends_another_budget_too(trace: Trace, budget: float) -> None:
    few = few_of(trace, 60)

    compared = compare(few, list(Contender), budget=budget)

    fetches = budget * few.days * len(few)
    assert [result.policy for result in compared.results if result.fetches != pytest.approx(fetches, rel=0.01)] == []


def test_the_usual_budget_leaves_the_rule_that_sets_it_as_written(trace: Trace, compared: Comparison) -> None:
    written = next(result for result in compared.results if result.policy is Contender.HASH_BACKOFF)

    assert written.fetches == round(compared.budget * trace.days * len(trace))


def test_learning_beats_the_rules(compared: Comparison) -> None:
    stale = _staleness(compared)

    assert stale[Contender.LEARNED] < 0.7 * stale[Contender.HASH_BACKOFF]
    assert stale[Contender.LEARNED] < 0.7 * stale[Contender.FIXED]
    assert stale[Contender.LEARNED] < 1.2 * stale[Contender.ORACLE]


def test_more_fetches_never_leave_copies_staler(trace: Trace) -> None:
    few = few_of(trace, 60)

    poor, rich = (_staleness(compare(few, list(Contender), budget=budget)) for budget in (0.5, 4.0))

    assert [policy for policy in Contender if rich[policy] > poor[policy]] == []


def test_the_same_trace_gives_the_same_figures(trace: Trace, compared: Comparison) -> None:
    again = compare(trace, [Contender.NUTCH, Contender.LEARNED], budget=compared.budget)

    by_name = {result.policy: result for result in compared.results}
    for result in again.results:
        assert (result.staleness, result.fetches) == (by_name[result.policy].staleness, by_name[result.policy].fetches)


def test_announcements_help(trace: Trace, compared: Comparison) -> None:
    silent = made(Mix.MIXED, sources=240, days=14, seed=7)

    deaf = compare(silent, [Contender.LEARNED], budget=compared.budget)

    assert np.array_equal(silent.changes.at, trace.changes.at)
    assert _staleness(compared)[Contender.LEARNED] < 0.95 * deaf.results[0].staleness


def test_the_intervals_hold_the_figures(compared: Comparison) -> None:
    for result in compared.results:
        assert result.staleness_interval.low < result.staleness < result.staleness_interval.high
        assert result.delay_interval.low < result.mean_delay_hours < result.delay_interval.high


def test_progress_is_told_policy_by_policy(trace: Trace) -> None:
    told: list[tuple[Contender, float]] = []

    compare(
        few_of(trace, 20),
        [Contender.LEARNED, Contender.FIXED],
        budget=2.0,
        on_progress=lambda policy, share: told.append((policy, share)),
    )

    assert told[0] == (Contender.LEARNED, 0.0)
    assert told[-1] == (Contender.FIXED, 1.0)
    assert all(0 <= share <= 1 for _, share in told)


def test_a_budget_below_the_first_copies_is_refused(trace: Trace) -> None:
    with pytest.raises(BadInput, match=r"0\.02 fetches per day .* give more than 0\.0714"):
        compare(trace, [Contender.FIXED], budget=0.02)


def test_figures_come_with_their_spread_and_the_room(trace: Trace, compared: Comparison) -> None:
    stale = _staleness(compared)

    assert all(0 < result.staleness_spread < 0.2 * result.staleness for result in compared.results)
    assert compared.room == pytest.approx(stale[Contender.ORACLE] / stale[Contender.FIXED])


def test_siblings_that_change_together_are_seen_sooner() -> None:
    rng = np.random.default_rng(4)
    edits = [START + timedelta(hours=float(hours)) for hours in np.sort(rng.uniform(0, 60 * 24, 12))]
    shared = [
        History(source=f"https://a.example/{n}", changed_at=[edit for edit in edits if rng.random() < 0.8])
        for n in range(120)
    ]

    alone = [History(source=f"https://a{n}.example/", changed_at=each.changed_at) for n, each in enumerate(shared)]

    together, apart = (
        _staleness(compare(trace_of(histories), [Contender.LEARNED, Contender.FIXED], budget=1.0))
        for histories in (shared, alone)
    )
    assert together[Contender.LEARNED] < 0.85 * apart[Contender.LEARNED]
    assert together[Contender.LEARNED] < 0.85 * together[Contender.FIXED]
