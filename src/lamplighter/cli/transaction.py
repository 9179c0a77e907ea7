"""One step in the database, from the command line."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

from lamplighter.app import open_store
from lamplighter.cli import loop
from lamplighter.settings import Settings
from lamplighter.store.database import Connection

ACTOR = "command line"
T = TypeVar("T")


def in_transaction(settings: Settings, work: Callable[[Connection, datetime], Awaitable[T]]) -> T:
    """Does one thing in one transaction."""

    async def whole() -> T:
        async with open_store(settings) as store:
            now = store.clock.now()

            async def step(db: Connection) -> T:
                return await work(db, now)

            return await store.db.write(step)

    return loop.run(whole())
