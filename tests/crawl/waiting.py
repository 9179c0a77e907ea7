"""Waiting for something to become true in a service that makes its rounds."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def until(look: Callable[[], Awaitable[T | None]], *, patience: float = 15) -> T:
    """What `look` finds, as soon as it finds something."""
    async with asyncio.timeout(patience):
        while not (found := await look()):
            await asyncio.sleep(0.05)
        return found
