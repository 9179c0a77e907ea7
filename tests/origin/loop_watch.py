"""How long is the event loop busy at a stretch, from one look at its sockets to the next?

In CPU time of its thread; and in time on the clock, less the time that the thread waited for a processor. A busy
machine counts in neither. The second sees the loop wait too, but also waits for other threads of the same process.
"""

import asyncio
import os
import threading
import time
from bisect import bisect_left
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any


class LoopWatch:
    """The longest stretches so far, and all CPU time of the thread."""

    def __init__(self) -> None:
        #: CPU time
        self.longest_seconds = 0.0
        #: time on the clock without waits for a processor
        self.longest_blocked_seconds = 0.0
        self._cpu_from = time.thread_time()
        self._queue = _RunQueue()
        #: time on the clock, and how long the thread had waited for a processor by then
        self._samples: list[tuple[float, float]] = []
        self._began = self._now()

    @property
    def cpu_seconds(self) -> float:
        """CPU time of this thread since the watch began."""
        return time.thread_time() - self._cpu_from

    def begin(self) -> None:
        """The loop has looked."""
        self._began = self._now()

    def end(self) -> None:
        """The loop looks again."""
        cpu, clock = (now - began for now, began in zip(self._now(), self._began, strict=True))
        self.longest_seconds = max(self.longest_seconds, cpu)
        self.longest_blocked_seconds = max(self.longest_blocked_seconds, clock)

    def unhindered(self, began: float, ended: float) -> float:
        """The seconds from one moment to another (monotonic time) without this thread's waits for a processor."""
        waited = [self._samples[bisect_left(self._samples, (at,)) - 1][1] for at in (began, ended)]
        return max(0.0, ended - began - (waited[1] - waited[0]))

    def _now(self) -> tuple[float, float]:
        now, waited = time.monotonic(), self._queue.waited_seconds()
        self._samples.append((now, waited))
        return time.thread_time(), now - waited

    def close(self) -> None:
        """Ends the watch."""
        self._queue.close()


class _RunQueue:
    """How long this thread has waited for a processor; nothing where the system does not say."""

    def __init__(self) -> None:
        path = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._file = os.open(path, os.O_RDONLY) if path.exists() else None

    def waited_seconds(self) -> float:
        """Since the thread began."""
        return 0.0 if self._file is None else int(os.pread(self._file, 100, 0).split()[1]) / 1e9

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            os.close(self._file)


@asynccontextmanager
async def watching_the_loop() -> AsyncIterator[LoopWatch]:
    """Looks at every turn of the loop while the block lasts."""
    selector: Any = asyncio.get_running_loop()._selector  # type: ignore[attr-defined]
    look, watch = selector.select, LoopWatch()

    def select(timeout: float | None = None) -> Any:
        watch.end()
        try:
            return look(timeout)
        finally:
            watch.begin()

    selector.select = select
    try:
        yield watch
        await asyncio.sleep(0.01)  # the last stretch counts too
    finally:
        del selector.select
        watch.close()
