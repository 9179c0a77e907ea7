"""The queue of a single process: producers wake the consumers in the next iteration of the event loop."""

import asyncio
from collections.abc import Iterable

from lamplighter import telemetry
from lamplighter.ports import Hear

log = telemetry.logger("queue")


class InProcessQueue:
    """Messages that never leave the process; several for the same host or page are merged."""

    def __init__(self) -> None:
        self._hosts: dict[int, None] = {}
        self._pages: dict[int, None] = {}
        self._called = asyncio.Event()

    @property
    def trouble(self) -> str | None:
        """It is always available."""
        return None

    async def depths(self) -> None:
        """Nothing waits here: messages are delivered at once."""

    def wake_hosts(self, host_ids: Iterable[int], *, urgent: bool = False) -> None:
        """Wakes the fetchers, which query the database, where urgency decides."""
        self._hosts |= dict.fromkeys(host_ids)
        self._called.set()

    def offer_pages(self, page_ids: Iterable[int]) -> None:
        """Wakes the readers."""
        self._pages |= dict.fromkeys(page_ids)
        self._called.set()

    async def run(self, *, hosts: Hear | None, pages: Hear | None, stopping: asyncio.Event) -> None:
        """Delivers messages to the given consumers until cancelled."""
        while True:
            await self._called.wait()
            self._called.clear()
            woken, self._hosts = list(self._hosts), {}
            offered, self._pages = list(self._pages), {}
            if stopping.is_set():
                continue
            await _tell(hosts, woken)
            await _tell(pages, offered)


async def _tell(hear: Hear | None, ids: list[int]) -> None:
    if hear is None or not ids:
        return
    try:
        await hear(ids)
    except Exception:
        log.exception("queue.not_heard", messages=len(ids))
