"""Batches: a bad item goes alone, and while the database is away everything waits."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
import sqlalchemy as sa

from lamplighter.crawl.process.batcher import Batcher
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema.tables import takedowns
from tests.moments import NOON

Commit = Callable[[Sequence[str]], Awaitable[None]]
NO_TEXT = "no \x00 \ud800 text"


@asynccontextmanager
async def _running(commit: Commit, *, most: int = 16) -> AsyncIterator[Batcher[str]]:
    batcher = Batcher[str](commit, broken=lambda item, _: f"broken {item[:2]}", most=most, linger=0.02, name="test")
    task = asyncio.create_task(batcher.run())
    try:
        yield batcher
    finally:
        task.cancel()


async def _put_all(batcher: Batcher[str], items: Sequence[str]) -> None:
    async with asyncio.timeout(60):
        for item in items:
            await batcher.put(item)
        await batcher.settled()


async def _stored(db: Database) -> list[str]:
    async with db.read() as connection:
        return list(await connection.scalars(sa.select(takedowns.c.domain_or_url).order_by(takedowns.c.domain_or_url)))


async def _insert(connection: Connection, items: Sequence[str]) -> None:
    await connection.execute(sa.insert(takedowns), [{"domain_or_url": item, "created_at": NOON} for item in items])


async def test_items_are_committed_together_and_in_order() -> None:
    batches: list[list[str]] = []

    async def commit(batch: Sequence[str]) -> None:
        batches.append(list(batch))

    async with _running(commit, most=4) as batcher:
        await _put_all(batcher, list("abcdefg"))

    assert batches == [list("abcd"), list("efg")]


async def test_after_many_a_batch_waits_for_company_and_after_one_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    real_sleep = asyncio.sleep

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await real_sleep(0)

    async def commit(batch: Sequence[str]) -> None:
        pass

    monkeypatch.setattr(asyncio, "sleep", sleep)
    async with _running(commit) as batcher:
        for count in (1, 3, 12, 1):
            await _put_all(batcher, ["x"] * count)

    assert waits == [0, 0.005, 0.015, 0.02]  # never more than `linger`


async def test_an_item_that_can_never_be_stored_is_given_up_alone(db: Database) -> None:
    async def commit(batch: Sequence[str]) -> None:
        await db.write(lambda connection: _insert(connection, batch))

    async with _running(commit) as batcher:
        await _put_all(batcher, ["a", "b", NO_TEXT, "c"])

    assert await _stored(db) == ["a", "b", "broken no", "c"]


async def test_i1_a_connection_that_the_server_ends_loses_nothing(migrated_postgres_db: str) -> None:
    tries: list[int] = []
    async with Database(migrated_postgres_db) as db:

        async def work(connection: Connection, batch: Sequence[str]) -> None:
            await _insert(connection, batch)
            if len(tries) <= 3:
                await connection.execute(sa.text("SELECT pg_terminate_backend(pg_backend_pid())"))

        async def commit(batch: Sequence[str]) -> None:
            tries.append(len(batch))
            await db.write(lambda connection: work(connection, batch))

        async with _running(commit) as batcher:
            await _put_all(batcher, ["a", "b", "c"])

        assert await _stored(db) == ["a", "b", "c"]


async def test_i1_a_pool_without_a_free_connection_loses_nothing() -> None:
    stored: list[str] = []
    tries: list[int] = []

    async def commit(batch: Sequence[str]) -> None:
        tries.append(len(batch))
        if len(tries) <= 3:
            raise sa.exc.TimeoutError("QueuePool limit reached, connection timed out")
        stored.extend(batch)

    async with _running(commit) as batcher:
        await _put_all(batcher, ["a", "b", "c"])

    assert stored == ["a", "b", "c"]


@pytest.mark.parametrize(
    "error",
    [OSError("refused"), sa.exc.OperationalError("x", {}, Exception()), sa.exc.InterfaceError("x", {}, Exception())],
)
async def test_i1_while_the_database_is_away_a_batch_waits_whole(error: Exception) -> None:
    batches: list[list[str]] = []

    async def commit(batch: Sequence[str]) -> None:
        batches.append(list(batch))
        if len(batches) < 3:
            raise error

    async with _running(commit) as batcher:
        await _put_all(batcher, ["a", "b"])

    assert batches == [["a", "b"]] * 3


async def test_putting_waits_while_too_much_is_uncommitted() -> None:
    is_open = asyncio.Event()

    async def commit(_: Sequence[str]) -> None:
        await is_open.wait()

    async with _running(commit, most=2) as batcher:
        for number in range(4):
            await batcher.put(str(number))
        late = asyncio.create_task(batcher.put("late"))
        await asyncio.sleep(0.1)
        was_waiting = not late.done()
        is_open.set()
        await asyncio.wait_for(late, 60)

    assert was_waiting
