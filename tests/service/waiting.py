"""Waiting for something to become true in a service that makes its rounds."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from lamplighter.app import Service
from tests.origin import Origin
from tests.service.in_process import all_pages, asked

T = TypeVar("T")
#: in which a site would be asked several times, if it were asked at all
A_WHILE_SECONDS = 0.6
#: what is waited for stays true for longer
_LONGEST_PAUSE_SECONDS = 0.2


async def until(look: Callable[[], Awaitable[T | None]], *, patience: float = 300) -> T:
    """What `look` finds, soon after there is something; it looks less often the longer it takes."""
    pause = 0.02
    async with asyncio.timeout(patience):
        while True:
            if found := await look():
                return found
            await asyncio.sleep(pause)
            pause = min(1.1 * pause, _LONGEST_PAUSE_SECONDS)


async def all_given_back(service: Service) -> bool:
    """Whether this service holds no host, and so asks none."""
    return not service.door.turns.held


async def holds_with_delay(service: Service, delay: timedelta) -> bool:
    """Whether this service holds one host, and waits so long between two requests to it."""
    return [held.host.policy.min_delay for held in service.door.turns.held.values()] == [delay]


async def all_read(service: Service) -> bool:
    """Whether no page waits to be read."""
    return "downloaded" not in {page.phase for page in (await all_pages(service)).values()}


async def asked_for(*origins: Origin, pages: int) -> bool:
    """Whether each of these origins was asked for so many pages."""
    return all(len(asked(origin)) >= pages for origin in origins)
