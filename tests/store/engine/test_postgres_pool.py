"""Connections to PostgreSQL that broke meanwhile are replaced before they are used."""

import asyncio

import pytest
import sqlalchemy as sa

from lamplighter.store.engine import postgres as engine
from lamplighter.store.engine.database import Connection, Database, is_away
from tests.servers import postgres
from tests.servers.relay import Relay

_PID = sa.text("SELECT pg_backend_pid()")
_A_WHILE = sa.text("SELECT pg_sleep(5)")


async def _pid(db: Database) -> int:
    async with db.read() as connection:
        found: int = await connection.scalar(_PID)
        return found


async def test_a_connection_is_used_again(postgres_db: str) -> None:
    async with Database(postgres_db) as db:
        assert await _pid(db) == await _pid(db)


async def test_a_connection_that_the_server_closed_is_replaced(postgres_db: str) -> None:
    async with Database(postgres_db) as db:
        pid = await _pid(db)
        await postgres.command(postgres_db, f"SELECT pg_terminate_backend({pid}, 60000)")
        await asyncio.sleep(0.2)

        assert await _pid(db) != pid


async def test_a_connection_that_was_idle_is_asked_whether_it_is_there(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "IDLE_SECONDS", 0)
    async with Database(postgres_db) as db:
        pid = await _pid(db)

        assert await _pid(db) == pid


async def test_more_work_than_connections_waits_its_turn(postgres_db: str) -> None:
    async with Database(postgres_db) as db:
        pids = await asyncio.gather(*(_pid(db) for _ in range(50)))

    assert len(set(pids)) <= 8


async def test_a_sign_of_life_does_not_stand_in_line(postgres_db: str) -> None:
    async with Database(postgres_db) as db, asyncio.TaskGroup() as group:
        busy = [group.create_task(db.write(lambda connection: connection.execute(_A_WHILE))) for _ in range(16)]
        await asyncio.sleep(0.2)

        await db.keep(lambda connection: connection.execute(_PID))

        in_line = [task for task in busy if not task.done()]
        for task in busy:
            task.cancel()
    assert in_line


async def test_no_statement_is_compiled(postgres_db: str) -> None:
    async with Database(postgres_db) as db, db.read() as connection:
        assert await connection.scalar(sa.text("SHOW jit")) == "off"


@pytest.mark.parametrize("what", ["an idle connection", "a statement", "a commit"])
async def test_a_server_that_falls_silent_is_given_up_and_asked_anew(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(engine, "ANSWER_SECONDS", 1.0)
    monkeypatch.setattr(engine, "_CONNECT_SECONDS", 1.0)
    monkeypatch.setattr(engine, "IDLE_SECONDS", 0.0 if what == "an idle connection" else 60.0)
    url = sa.make_url(postgres_db)

    async def fall_silent(connection: Connection) -> None:
        await connection.execute(_PID)
        if what != "an idle connection":
            wire.hush()
        if what == "a statement":
            await connection.execute(_PID)

    async with Relay(url.port or 0) as wire, Database(_through(url, wire)) as db:
        await _pid(db)
        if what == "an idle connection":
            wire.hush()
        async with asyncio.timeout(60):
            with pytest.raises(Exception) as failed:  # noqa: PT011 - which one is judged below
                await db.write(fall_silent)
        wire.speak()
        again = await _pid(db)

    assert is_away(failed.value)
    assert again


def _through(url: sa.URL, wire: Relay) -> str:
    return url.set(port=wire.port).render_as_string(hide_password=False)
