"""Comparing policies on what our own visits saw."""

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pytest

from lamplighter.errors import NotPossible
from lamplighter.operations.jobs import policy_comparison
from lamplighter.operations.jobs.policy_comparison import SeenHistory
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.measures import better_with
from lamplighter.simulation.replay import ReplayOutcome
from lamplighter.store.engine.database import Database
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.given_rows import HOUR


def test_every_policy_is_explained() -> None:
    assert set(policy_comparison.ABOUT) == set(Contender)


@on_sqlite
async def test_before_anything_has_changed_there_is_nothing_to_compare(db: Database) -> None:
    with pytest.raises(NotPossible, match="no change yet"):
        await policy_comparison.compare_policies(db, now=NOON)


def _seen(name: str, *, first: int, last: int, visits: int, changes: Sequence[int] = ()) -> SeenHistory:
    """A source that was visited from one hour to another."""
    return SeenHistory(
        source=f"https://{name}.example/",
        changed_at=[NOON + hour * HOUR for hour in changes],
        born_at=NOON + first * HOUR,
        died_at=NOON + last * HOUR,
        visits=visits,
    )


def _some() -> list[SeenHistory]:
    """Four sources that changed every few hours."""
    return [_seen(f"s{n}", first=0, last=30, visits=10, changes=[1 + k * (n + 2) for k in range(5)]) for n in range(4)]


def test_a_short_history_is_enough_and_the_freshest_stands_first() -> None:
    histories = _some()

    compared = policy_comparison.replayed(histories)

    stale = [result.staleness for result in compared.results]
    assert stale == sorted(stale)
    assert {result.policy for result in compared.results} == set(Contender)
    assert (compared.sources, compared.known_sources, compared.changes) == (4, 4, 20)
    assert compared.saving.startswith("learned")


def test_policies_get_as_many_visits_as_were_made_whenever_sources_began() -> None:
    early = [_seen(f"early{n}", first=0, last=240, visits=31, changes=[50]) for n in range(3)]
    late = [_seen(f"late{n}", first=192, last=240, visits=7, changes=[200]) for n in range(3)]

    compared = policy_comparison.replayed([*early, *late])

    assert compared.budget == pytest.approx((3 * 31 + 3 * 7) / (3 * 10 + 3 * 2))
    for result in compared.results:
        assert result.fetches == pytest.approx(3 * 31 + 3 * 7, rel=0.06)


def test_what_was_visited_and_did_not_change_is_time_too() -> None:
    trace = policy_comparison.own_trace(
        [_seen("a", first=0, last=240, visits=9, changes=[100]), _seen("b", first=48, last=480, visits=9)]
    )

    assert (trace.started_at, trace.days) == (NOON, 20)
    assert list(trace.born) == [0, 48]
    assert list(trace.died) == [240, 480]
    assert trace.source_days == 10 + 18


def test_one_is_made_at_a_time() -> None:
    with policy_comparison.BUSY, pytest.raises(NotPossible, match="already running"):
        policy_comparison.replayed([])


def _stale(policy: Contender, *phases: list[float]) -> tuple[Contender, list[ReplayOutcome]]:
    nothing = np.zeros(2)
    parts = {part.name: nothing for part in fields(ReplayOutcome)}
    return policy, [ReplayOutcome(**(parts | {"stale_hours": np.array(stale)})) for stale in phases]


def test_a_source_would_do_better_with_the_rule_that_suits_it_whatever_the_first_visits() -> None:
    outcomes = [
        _stale(Contender.LEARNED, [5.0, 5.0], [6.0, 9.0]),
        _stale(Contender.FIXED, [4.0, 3.0], [4.5, 6.0]),
        _stale(Contender.NUTCH, [3.0, 4.0], [4.0, 9.0]),
        _stale(Contender.ORACLE, [0.0, 0.0], [0.0, 0.0]),
    ]

    assert better_with(outcomes) == {Contender.NUTCH: 1}


def test_the_line_names_what_is_saved_and_who_would_do_better_otherwise() -> None:
    compared = replace(policy_comparison.replayed(_some()), better_with={Contender.NUTCH: 2, Contender.FIXED: 1})

    assert compared.saving.endswith("; 3 sources would do better otherwise: 2 with nutch, 1 with fixed")
