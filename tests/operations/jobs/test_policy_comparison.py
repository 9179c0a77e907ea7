"""Comparing policies on what our own visits saw."""

from dataclasses import fields, replace
from datetime import timedelta

import numpy as np
import pytest

from lamplighter.errors import NotPossible
from lamplighter.operations.jobs import policy_comparison
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.measures import better_with
from lamplighter.simulation.replay import ReplayOutcome
from lamplighter.simulation.trace import History
from lamplighter.store.engine.database import Database
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON


def test_every_policy_is_explained() -> None:
    assert set(policy_comparison.ABOUT) == set(Contender)


@on_sqlite
async def test_before_anything_has_changed_there_is_nothing_to_compare(db: Database) -> None:
    with pytest.raises(NotPossible, match="no change yet"):
        await policy_comparison.compare_policies(db, now=NOON)


def test_a_short_history_is_enough_and_the_freshest_stands_first() -> None:
    histories = [
        History(source=f"https://s{n}.example/", changed_at=[NOON + k * timedelta(hours=n + 2) for k in range(5)])
        for n in range(4)
    ]

    compared = policy_comparison.replayed(histories)

    stale = [result.staleness for result in compared.results]
    assert stale == sorted(stale)
    assert {result.policy for result in compared.results} == set(Contender)
    assert (compared.sources, compared.known_sources, compared.changes) == (4, 4, 20)
    assert compared.saving.startswith("learned")


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
    histories = [
        History(source=f"https://s{n}.example/", changed_at=[NOON + k * timedelta(hours=n + 2) for k in range(5)])
        for n in range(4)
    ]

    compared = replace(policy_comparison.replayed(histories), better_with={Contender.NUTCH: 2, Contender.FIXED: 1})

    assert compared.saving.endswith("; 3 sources would do better otherwise: 2 with nutch, 1 with fixed")
