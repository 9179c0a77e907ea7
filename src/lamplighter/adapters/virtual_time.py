"""An event loop whose time is nobody's: what only waits is over at once."""

import asyncio
import selectors
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar, TypeVarTuple

from lamplighter.adapters.clocks import DatabaseClock

T = TypeVar("T")
Given = TypeVarTuple("Given")


class VirtualTime(asyncio.SelectorEventLoop):
    """Sleeps end as soon as there is nothing else to do, in their order.

    While threads or other processes work for us time passes as it really does, so that their deadlines mean something.
    Sockets of this process need no such care: what is sent on loopback has arrived.
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        self._at_work = 0
        super().__init__(_Selector(self))

    def time(self) -> float:
        """Seconds since the loop began."""
        return self._seconds

    @contextmanager
    def real_work(self) -> Iterator[None]:
        """Somebody outside this process or thread works for us while the block lasts."""
        self._at_work += 1
        try:
            yield
        finally:
            self._at_work -= 1

    @property
    def is_at_work(self) -> bool:
        """Whether anybody does."""
        return self._at_work > 0

    def pass_by(self, seconds: float) -> None:
        """Lets time go on."""
        self._seconds += seconds

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Given], T], *args: *Given
    ) -> asyncio.Future[T]:
        """As ever; and time really passes meanwhile."""
        future = super().run_in_executor(executor, func, *args)
        self._at_work += 1
        future.add_done_callback(self._one_done)
        return future

    def _one_done(self, _: object) -> None:
        self._at_work -= 1


class _Selector(selectors.DefaultSelector):
    """Waits for sockets; where it would wait for time, time passes."""

    def __init__(self, loop: VirtualTime) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        if not self._loop.is_at_work:
            ready = super().select(0)
            self._loop.pass_by(0 if ready else timeout)
            return ready
        began = time.monotonic()
        ready = super().select(timeout)
        self._loop.pass_by(min(timeout, time.monotonic() - began))
        return ready


class VirtualClock(DatabaseClock):
    """The time of such a loop, from some moment on."""

    def __init__(self, start: datetime, loop: VirtualTime) -> None:
        self._loop = loop
        super().__init__(start)

    def monotonic(self) -> float:
        """Seconds since the loop began."""
        return self._loop.time()
