"""What PostgreSQL asks to be repeated is repeated whole, and nothing else is."""

import asyncio

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from lamplighter.store.engine.database import Connection, Database, is_away
from lamplighter.store.schema.tables import takedowns
from tests.moments import NOON

pytestmark = pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)


def raised(state: str) -> sa.TextClause:
    """A statement at which the server gives up with this state."""
    return sa.text(f"DO $$ BEGIN RAISE EXCEPTION 'as told' USING ERRCODE = '{state}'; END $$")


async def insert(db: Connection, name: str) -> None:
    await db.execute(sa.insert(takedowns).values(domain_or_url=name, created_at=NOON))


async def names_of(db: Database) -> list[str]:
    async with db.read() as connection:
        return sorted(await connection.scalars(sa.select(takedowns.c.domain_or_url)))


async def test_i1_of_two_that_wait_for_each_other_one_begins_anew_and_both_are_done(db: Database) -> None:
    tries = {"a": 0, "b": 0}
    both_hold_one = asyncio.Barrier(2)

    async def lock(connection: Connection, first: str, second: str) -> None:
        tries[first] += 1
        await connection.execute(sa.select(takedowns).where(takedowns.c.domain_or_url == first).with_for_update())
        if tries[first] == 1:
            await both_hold_one.wait()
        note = sa.update(takedowns).where(takedowns.c.domain_or_url == second)
        await connection.execute(note.values(reason=sa.func.concat(takedowns.c.reason, first)))

    for name in tries:
        await db.write(lambda connection, name=name: insert(connection, name))  # type: ignore[misc]
    await asyncio.gather(
        db.write(lambda connection: lock(connection, "a", "b")), db.write(lambda connection: lock(connection, "b", "a"))
    )

    async with db.read() as connection:
        rows = (await connection.execute(sa.select(takedowns))).all()
    assert {row.domain_or_url: row.reason for row in rows} == {"a": "b", "b": "a"}
    assert sorted(tries.values()) == [1, 2]


@pytest.mark.parametrize("state", ["40001", "40P01"], ids=["serialisation failure", "deadlock"])
async def test_i1_the_whole_transaction_is_repeated(db: Database, state: str) -> None:
    tries = []

    async def work(connection: Connection) -> None:
        tries.append(1)
        await insert(connection, f"at try {len(tries)}")
        if len(tries) < 3:
            await connection.execute(raised(state))

    await db.write(work)

    assert await names_of(db) == ["at try 3"]


async def test_i1_what_would_fail_again_is_not_repeated(db: Database) -> None:
    tries = []

    async def work(connection: Connection) -> None:
        tries.append(1)
        await insert(connection, "a.example")
        await connection.execute(raised("23505"))

    with pytest.raises(DBAPIError):
        await db.write(work)

    assert (len(tries), await names_of(db)) == (1, [])


async def test_i8_who_worked_before_a_newer_program_changed_the_schema_goes_on_afterwards(db: Database) -> None:
    noted = sa.select(takedowns.c.domain_or_url, takedowns.c.reason)

    async def work(connection: Connection) -> int:
        return len((await connection.execute(noted)).all())

    before = await db.write(work)
    await db.write(
        lambda connection: connection.execute(sa.text("ALTER TABLE takedowns ALTER reason TYPE varchar(99)"))
    )

    assert (before, await db.write(work)) == (0, 0)


@pytest.mark.parametrize("state", ["28P01", "28000", "3D000"], ids=["password", "not let in", "no such database"])
async def test_i1_a_server_that_lets_nobody_in_says_nothing_of_what_was_written(db: Database, state: str) -> None:
    with pytest.raises(DBAPIError) as refusal:
        await db.write(lambda connection: connection.execute(raised(state)))

    assert is_away(refusal.value)
