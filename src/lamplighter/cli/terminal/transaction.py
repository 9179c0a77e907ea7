"""Runs one database transaction for a command."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from lamplighter.app import open_store
from lamplighter.cli.terminal import loop
from lamplighter.model.access import Stamp
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection

ACTOR = "command line"
T = TypeVar("T")
Work = Callable[[Connection, Stamp], Coroutine[Any, Any, T]]


def in_transaction(settings: Settings, work: Work[T]) -> T:
    """Runs `work` in one transaction that may write."""

    async def whole() -> T:
        async with open_store(settings) as store:
            stamp = Stamp(ACTOR, store.clock.now())
            return await store.db.write(lambda db: work(db, stamp))

    return loop.run(whole())


def in_reading(settings: Settings, work: Work[T]) -> T:
    """Runs `work` in one transaction that only reads."""

    async def whole() -> T:
        async with open_store(settings) as store, store.db.read() as db:
            return await work(db, Stamp(ACTOR, store.clock.now()))

    return loop.run(whole())
