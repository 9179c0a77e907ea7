"""What is counted was really done: after the commit, once, and not at all when there was none."""

import pytest
import sqlalchemy as sa

from lamplighter.store.after_commit import Remembered, after_commit
from lamplighter.store.database import Connection, Database


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

    remembered = Remembered(work)
    await remembered(None)
    await remembered(None)
    remembered.tell()

    assert told == [2]


def test_outside_of_a_transaction_there_is_nothing_to_wait_for() -> None:
    told: list[str] = []

    after_commit(lambda: told.append("done"))

    assert told == ["done"]
