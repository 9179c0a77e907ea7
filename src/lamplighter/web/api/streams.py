"""Counts the open event streams of a process, and ends them on shutdown."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from starlette.exceptions import HTTPException

#: open at the same time, in all and per caller
MOST_STREAMS = 100
MOST_OF_ONE = 25


class Streams:
    """The open streams of this process."""

    def __init__(self, *, most: int = MOST_STREAMS, most_of_one: int = MOST_OF_ONE) -> None:
        self._most = most
        self._most_of_one = most_of_one
        #: caller -> number of open streams
        self._open: Counter[str] = Counter()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Ends every stream, so that shutdown is quick."""
        self._stopping.set()

    async def wait(self, seconds: float) -> bool:
        """Sleeps; returns True as soon as the streams are to end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        return self._stopping.is_set()

    @contextmanager
    def counted(self, caller: str) -> Iterator[None]:
        """Counts an open stream; refuses it above the limit, in all or per caller."""
        if self._open[caller] >= self._most_of_one:
            raise _too_many(429, f"{self._open[caller]} streams of yours are open")
        if self._open.total() >= self._most:
            raise _too_many(503, f"{self._open.total()} streams are open")
        self._open[caller] += 1
        try:
            yield
        finally:
            self._open[caller] -= 1
            # Callers without streams are removed, not kept with a count of 0.
            self._open += Counter()


def _too_many(status: int, found: str) -> HTTPException:
    detail = f"{found}, the most there may be; close one, or try again later"
    return HTTPException(status, detail=detail, headers={"Retry-After": "15"})
