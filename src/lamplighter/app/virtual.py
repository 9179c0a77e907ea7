"""What a service is given to live through days in seconds: virtual time, and sites that answer in this process."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from lamplighter.adapters.virtual_time import VirtualClock, VirtualTime
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.fetch.transfer import Wire


class Virtual:
    """A virtual loop's clock, the wire to the sites, and readers for whose work real time passes."""

    def __init__(self, loop: VirtualTime, web: Callable[[Callable[[], datetime]], Wire], *, start: datetime) -> None:
        self.loop = loop
        self.clock = VirtualClock(start, loop)
        self.wire = web(self.clock.now)

    def pool(self, *, workers: int, timeout: float) -> ReaderPool:
        """The readers."""
        return _Readers(self.loop, workers=workers, timeout=timeout)


class _Readers(ReaderPool):
    def __init__(self, loop: VirtualTime, *, workers: int, timeout: float) -> None:
        super().__init__(workers=workers, timeout=timeout)
        self._loop = loop

    async def _ask(self, *work: Any, **more: Any) -> Any:
        with self._loop.real_work():
            return await super()._ask(*work, **more)
