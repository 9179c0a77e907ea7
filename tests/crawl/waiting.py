"""Waiting for something to become true in a service that makes its rounds."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tests.crawl.rounds import asked
from tests.origin import Origin

T = TypeVar("T")


async def until(look: Callable[[], Awaitable[T | None]], *, patience: float = 15) -> T:
    """What `look` finds, as soon as it finds something."""
    async with asyncio.timeout(patience):
        while True:
            if found := await look():
                return found
            await asyncio.sleep(0.02)


async def asked_for(*origins: Origin, pages: int) -> bool:
    """Whether each of these origins was asked for so many pages."""
    return all(len(asked(origin)) >= pages for origin in origins)
