"""Slots: how many requests may be in flight over all hosts, and one to pace those of a host; a number may change."""

import asyncio
from collections import deque


class Slots:
    """Slots that are taken and given back; who waits longest gets the next."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> None:
        """Takes a slot, when one is free."""
        if self._taken < self._most:
            self._taken += 1
            return
        mine = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # it was given to us just before
                self.release()
            raise

    def release(self) -> None:
        """Gives a slot back."""
        self._taken -= 1
        if self._waiting:
            self._share_out()

    def resize(self, most: int) -> None:
        """Changes their number; requests in flight keep their slots."""
        self._most = most
        self._share_out()

    def _share_out(self) -> None:
        while self._waiting and self._taken < self._most:
            first = self._waiting.popleft()
            if not first.done():
                self._taken += 1
                first.set_result(None)
