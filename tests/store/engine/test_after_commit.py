"""What is counted was really done: after the commit, once, and not at all when there was none."""

import asyncio

import pytest
import sqlalchemy as sa

from lamplighter.store.engine.after_commit import Signal, TransactionWork, after_commit, signal
from lamplighter.store.engine.database import Connection, Database


async def test_it_is_told_once_the_transaction_is_durable_and_not_before(db: Database) -> None:
    told: list[str] = []

    async def work(connection: Connection) -> list[str]:
        after_commit(lambda: told.append("done"))
        await connection.execute(sa.text("SELECT 1"))
        return list(told)

    meanwhile = await db.write(work)

    assert (meanwhile, told) == ([], ["done"])


async def test_of_a_transaction_that_failed_nothing_is_told(db: Database) -> None:
    told: list[str] = []

    async def work(connection: Connection) -> None:
        after_commit(lambda: told.append("done"))
        await connection.execute(sa.text("SELECT nothing FROM nowhere"))

    with pytest.raises(sa.exc.DBAPIError):
        await db.write(work)

    assert told == []


async def test_of_a_transaction_that_was_repeated_only_the_last_try_is_told() -> None:
    told: list[int] = []
    tries = iter((1, 2))

    async def work(_: object) -> None:
        number = next(tries)
        after_commit(lambda: told.append(number))

    remembered = TransactionWork(work)
    await remembered(None)
    await remembered(None)
    remembered.tell()

    assert told == [2]


def test_outside_of_a_transaction_there_is_nothing_to_wait_for() -> None:
    told: list[str] = []

    after_commit(lambda: told.append("done"))

    assert told == ["done"]


async def test_a_signal_is_sent_once_when_the_transaction_is_durable_and_not_before(db: Database) -> None:
    heard: list[Signal] = []
    db.subscribe(heard.append)

    async def work(connection: Connection) -> list[Signal]:
        signal(Signal.JOBS)
        signal(Signal.HOSTS, Signal.JOBS)
        await connection.execute(sa.text("SELECT 1"))
        return list(heard)

    meanwhile = await db.write(work)

    assert (meanwhile, heard) == ([], [Signal.HOSTS, Signal.JOBS])


async def test_a_transaction_that_failed_sends_no_signal_and_its_neighbours_send_theirs(db: Database) -> None:
    heard: list[Signal] = []
    db.subscribe(heard.append)

    async def failing(connection: Connection) -> None:
        signal(Signal.JOBS)
        await connection.execute(sa.text("SELECT nothing FROM nowhere"))

    async def working(connection: Connection) -> None:
        signal(Signal.TASKS)
        await connection.execute(sa.text("SELECT 1"))

    failed, _ = await asyncio.gather(db.write(failing), db.write(working), return_exceptions=True)

    assert isinstance(failed, sa.exc.DBAPIError)
    assert heard == [Signal.TASKS]


async def test_a_signal_without_a_subscriber_or_a_transaction_is_dropped(db: Database) -> None:
    async def work(_: Connection) -> None:
        signal(Signal.EVENTS)

    signal(Signal.EVENTS)
    await db.write(work)
    heard: list[Signal] = []
    db.subscribe(heard.append)
    signal(Signal.EVENTS)

    assert heard == []
