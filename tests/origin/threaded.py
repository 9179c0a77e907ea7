"""The origin with an event loop of its own, for tests that start the program and wait for it."""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self

from tests.origin.server import Origin

_PATIENCE_SECONDS = 120


class ThreadedOrigin(Origin):
    """The same origin behind a plain `with`; its scripts may be changed from the test's thread at any time."""

    def __init__(self, host: str = "127.0.0.1", *, port: int = 0, tls: bool = False) -> None:
        super().__init__(host, port=port, tls=tls)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="origin", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self.open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._do(self.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE_SECONDS)
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE_SECONDS)
