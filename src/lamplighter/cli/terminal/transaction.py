"""Runs one database transaction for a command."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from lamplighter.app import Store, open_store
from lamplighter.cli.terminal import loop
from lamplighter.model.access import Stamp
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection

ACTOR = "command line"
T = TypeVar("T")
Work = Callable[[Connection, Stamp], Coroutine[Any, Any, T]]


def with_store(settings: Settings, work: Callable[[Store], Coroutine[Any, Any, T]]) -> T:
    """Runs `work` with the opened store."""

    async def whole() -> T:
        async with open_store(settings) as store:
            return await work(store)

    return loop.run(whole())


def in_transaction(settings: Settings, work: Work[T]) -> T:
    """Runs `work` in one transaction that may write."""

    async def writing(store: Store) -> T:
        stamp = Stamp(ACTOR, store.clock.now())
        return await store.db.write(lambda db: work(db, stamp))

    return with_store(settings, writing)


def in_reading(settings: Settings, work: Work[T]) -> T:
    """Runs `work` in one transaction that only reads."""

    async def reading(store: Store) -> T:
        async with store.db.read() as db:
            return await work(db, Stamp(ACTOR, store.clock.now()))

    return with_store(settings, reading)
