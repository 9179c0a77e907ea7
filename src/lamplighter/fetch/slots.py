"""The slots of a worker: how many requests it may have in flight over all hosts; their number may change."""

import asyncio


class Slots:
    """Slots that are taken and given back."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = asyncio.Semaphore(most)
        #: slots that are taken away as soon as they come back
        self._surplus = 0

    async def acquire(self) -> None:
        """Takes a slot, when one is free."""
        await self._free.acquire()
        while self._surplus:
            self._surplus -= 1
            await self._free.acquire()

    def release(self) -> None:
        """Gives a slot back."""
        if self._surplus:
            self._surplus -= 1
        else:
            self._free.release()

    def resize(self, most: int) -> None:
        """Changes their number; requests in flight keep their slots."""
        self._surplus += self._most - most
        self._most = most
        while self._surplus < 0:
            self._surplus += 1
            self._free.release()
