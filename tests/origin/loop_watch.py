"""How long is the event loop busy at a stretch? In CPU time of its thread, so that a busy machine does not count."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class LoopWatch:
    """The longest stretch so far, and all CPU time of the thread."""

    def __init__(self) -> None:
        self.longest_seconds = 0.0
        self._began = self._last = time.thread_time()

    @property
    def cpu_seconds(self) -> float:
        """CPU time of this thread since the watch began."""
        return time.thread_time() - self._began

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(0.002)
            now = time.thread_time()
            self.longest_seconds, self._last = max(self.longest_seconds, now - self._last), now


@asynccontextmanager
async def watching_the_loop() -> AsyncIterator[LoopWatch]:
    """Looks at the loop every few milliseconds while the block lasts."""
    watch = LoopWatch()
    looking = asyncio.create_task(watch._look())
    try:
        yield watch
        await asyncio.sleep(0.01)  # the last stretch counts too
    finally:
        looking.cancel()
