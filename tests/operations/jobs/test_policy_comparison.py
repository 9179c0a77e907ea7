"""Comparing policies on what our own visits saw."""

from datetime import timedelta

import pytest

from lamplighter.errors import NotPossible
from lamplighter.operations.jobs import policy_comparison
from lamplighter.simulation.contenders import Contender
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


def test_one_is_made_at_a_time() -> None:
    with policy_comparison.BUSY, pytest.raises(NotPossible, match="already running"):
        policy_comparison.replayed([])
