"""A disk that takes no more writes: whoever may read still reads, and /health says so at once."""

import contextlib

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from lamplighter.app import Service
from lamplighter.model.access import Role
from lamplighter.store.engine import database
from lamplighter.store.engine.database import Connection
from tests.web.access.conftest import MakeToken
from tests.web.asgi_client import Ask

ME = "/api/v1/me"


def set_refusing(service: Service, *, is_on: bool) -> None:
    """Has SQLite refuse every write, as on a disk that turned read-only."""
    writer: sa.Engine = service.db._engine._writer  # type: ignore[attr-defined]
    with contextlib.closing(writer.raw_connection()) as connection:
        connection.cursor().execute(f"PRAGMA query_only = {int(is_on)}")


async def change(service: Service) -> None:
    async def work(db: Connection) -> None:
        await db.execute(sa.text("INSERT INTO ended_sessions (number, ends_at) VALUES ('a', '2026-01-01 00:00:00')"))

    await service.db.write(work)


async def test_a_token_reads_while_no_write_is_possible_and_all_goes_on_afterwards(
    ask: Ask, service: Service, make_token: MakeToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await make_token(role=Role.VIEWER)
    program = ask.with_headers(authorization=f"Bearer {token.text}")
    set_refusing(service, is_on=True)

    read = await program(ME)
    during = await program("/health")
    to_strangers = await ask("/health", client="192.0.2.7")
    with pytest.raises(OperationalError, match="readonly"):
        await change(service)
    set_refusing(service, is_on=False)
    monkeypatch.setattr(database, "REFUSES_SECONDS", 0.0)
    await change(service)
    after = await program("/health")

    assert read.json == {"name": "token:ci", "role": "viewer"}
    assert (during.status, during.json["reason"]) == (503, "the database accepts no writes")
    assert (to_strangers.status, to_strangers.json) == (503, {"status": "unavailable"})
    assert (after.status, after.json["status"]) == (200, "ok")


async def test_a_database_that_cannot_grow_is_a_full_disk(ask: Ask, service: Service) -> None:
    async def fill(db: Connection) -> None:
        await db.execute(sa.text("PRAGMA max_page_count = 1"))
        await db.execute(
            sa.text(
                "INSERT INTO secrets (name, encrypted_value, updated_at) SELECT hex(randomblob(20)), "
                "randomblob(5000000), '2026-01-01 00:00:00'"
            )
        )

    before = (await ask("/health", client="192.0.2.7")).status
    with pytest.raises(OperationalError, match="full"):
        await service.db.write(fill)

    assert (before, (await ask("/health", client="192.0.2.7")).status) == (200, 503)
