"""Keeps a piece of background work going: one bad step is logged, never the end of the loop."""

import asyncio
from collections.abc import Awaitable, Callable

from lamplighter import telemetry
from lamplighter.crawl.bells import Bell

log = telemetry.logger("loops")
#: pause after a failed step, so that a broken dependency is not hammered
_AFTER_FAILURE_SECONDS = 1.0


async def keep_doing(
    name: str, step: Callable[[], Awaitable[object]], *, every: float, bell: Bell, stopping: asyncio.Event
) -> None:
    """Does `step` again and again, every so many seconds or when the bell rings, until asked to stop."""
    while not stopping.is_set():
        try:
            await step()
        except Exception:
            log.exception("loop.step_failed", loop=name)
            await asyncio.sleep(min(every, _AFTER_FAILURE_SECONDS))
        if not stopping.is_set():
            await bell.wait(every)
