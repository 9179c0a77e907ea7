"""A matrix of trials that somebody follows."""

import asyncio
from datetime import timedelta

import pytest

from lamplighter.errors import NotPossible
from lamplighter.model.visit import NO_VALIDATORS, Fetched, Visit
from lamplighter.operations.proxies import proxy_trial_matrix, proxy_trials
from lamplighter.operations.proxies.proxy_trial_matrix import LEFT_AFTER_SECONDS, TrialMatrixRuns
from lamplighter.operations.proxies.proxy_trials import ProxyTrials, TrialPair
from lamplighter.store.engine.database import Connection, Database
from tests.changing import add_proxy
from tests.clocks import At
from tests.moments import NOON
from tests.store.given_rows import write


async def _cells(db: Connection) -> list[TrialPair]:
    exits = [await add_proxy(db, now=NOON, protocol="http", address=f"{name}.example", port=80) for name in "abc"]
    return await proxy_trials.plan(db, proxy_ids=exits, names=["shop.example"], now=NOON)


def _rounds(db: Database, clock: At, *, each_takes: float = 1.0) -> TrialMatrixRuns:
    async def trial(proxy_id: int, url: str) -> Visit:
        clock.move(seconds=each_takes)
        await asyncio.sleep(0)
        return Fetched(
            url=url,
            status=200,
            body=b"",
            content_type=None,
            validators=NO_VALIDATORS,
            at=clock.now(),
            took=timedelta(seconds=each_takes),
        )

    return TrialMatrixRuns(ProxyTrials(db, trial=trial, clock=clock), clock=clock)


async def test_a_round_is_made_to_its_end_and_shows_every_cell(db: Database) -> None:
    cells, rounds = await write(db, _cells), _rounds(db, At())

    rounds.start(cells, asked_by="anna")
    async with db.read() as connection:
        before = await proxy_trial_matrix.matrix(connection, rounds.current)
    await rounds.work()
    async with db.read() as connection:
        after = await proxy_trial_matrix.matrix(connection, rounds.look())
        remembered = await proxy_trial_matrix.matrix(connection, None)

    assert rounds.current is not None
    assert not rounds.current.is_going_on
    assert not rounds.current.is_stopped
    assert (len(before.waiting), before.tried) == (3, {})
    assert (len(after.waiting), [each.ok for each in after.tried.values()]) == (0, [True] * 3)
    assert (remembered.proxies, remembered.hosts, remembered.tried) == (after.proxies, after.hosts, after.tried)


async def test_a_round_ends_when_whoever_asked_for_it_has_left(db: Database) -> None:
    cells, rounds = await write(db, _cells), _rounds(db, At(), each_takes=LEFT_AFTER_SECONDS + 1)

    rounds.start(cells, asked_by="anna")
    await rounds.work()

    assert rounds.current is not None
    assert (len(rounds.current.done), rounds.current.is_stopped) == (1, True)


async def test_a_round_is_stopped_by_hand(db: Database) -> None:
    cells, rounds = await write(db, _cells), _rounds(db, At())
    rounds.start(cells, asked_by="anna")
    rounds.stop()

    await rounds.work()

    assert rounds.current is not None
    assert (len(rounds.current.done), rounds.current.is_stopped) == (0, True)


async def test_a_round_begins_when_the_one_before_has_ended(db: Database) -> None:
    cells, rounds = await write(db, _cells), _rounds(db, At())
    rounds.start(cells, asked_by="anna")

    with pytest.raises(NotPossible, match="already"):
        rounds.start(cells, asked_by="bert")
    await rounds.work()
    rounds.start(cells[:1], asked_by="bert")
    await rounds.work()

    assert rounds.current is not None
    assert rounds.current.asked_by == "bert"


async def test_without_an_order_nothing_is_done(db: Database) -> None:
    rounds = _rounds(db, At())

    await rounds.work()
    rounds.stop()

    assert rounds.look() is None
