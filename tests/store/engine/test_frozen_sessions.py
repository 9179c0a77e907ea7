"""A client that was stopped in the middle of a statement does not keep its locks for ever."""

from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest
import sqlalchemy as sa

from lamplighter.store.engine import postgres_sessions
from lamplighter.store.engine.database import Database
from lamplighter.store.engine.postgres_sessions import APPLICATION_NAME

AT_ONCE, LONG = timedelta(0), timedelta(minutes=1)


@pytest.fixture
async def db(postgres_db: str) -> AsyncIterator[Database]:
    async with Database(postgres_db) as opened:
        await opened.write(lambda db: db.execute(sa.text("CREATE TABLE lamp (id int)")))
        await opened.write(lambda db: db.execute(sa.text("INSERT INTO lamp VALUES (1)")))
        yield opened


@pytest.fixture
async def frozen(db: Database, postgres_db: str) -> AsyncIterator[asyncpg.Connection]:
    """A client that holds a row and has announced its next statement, and then says nothing more."""
    name = {"application_name": APPLICATION_NAME}
    client = await asyncpg.connect(postgres_db.replace("+asyncpg", ""), server_settings=name)
    await client.execute("BEGIN")
    await client.execute("SELECT id FROM lamp FOR UPDATE")
    await client.prepare("SELECT 1 FROM lamp")
    yield client
    client.terminate()


async def _end(db: Database, *, after: timedelta) -> int:
    return await db.write(lambda connection: postgres_sessions.end_frozen(connection, after=after))


@pytest.mark.usefixtures("frozen")
async def test_a_session_that_waits_within_a_statement_is_ended_and_its_locks_are_free(db: Database) -> None:
    ended = await _end(db, after=AT_ONCE)

    held = await db.write(lambda connection: connection.execute(sa.text("SELECT id FROM lamp FOR UPDATE")))
    assert ended == 1
    assert held.all() == [(1,)]


@pytest.mark.usefixtures("frozen")
async def test_a_session_is_given_its_time(db: Database) -> None:
    assert await _end(db, after=LONG) == 0


async def test_sessions_of_other_programs_are_left_alone(db: Database, postgres_db: str) -> None:
    other = await asyncpg.connect(postgres_db.replace("+asyncpg", ""))
    await other.execute("BEGIN")
    await other.prepare("SELECT 1")

    ended = await _end(db, after=AT_ONCE)

    assert ended == 0
    assert await other.fetchval("SELECT 1") == 1
    await other.close()
