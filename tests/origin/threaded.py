"""The origin with an event loop of its own, for tests that start the program and wait for it."""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self

from tests.origin.server import Origin

_PATIENCE_SECONDS = 300


class LoopThread:
    """An event loop in a thread of its own, which does what it is given."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def do(self, work: Coroutine[Any, Any, object]) -> None:
        """Waits until this is done."""
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE_SECONDS)

    def stop(self) -> None:
        """Ends the thread and closes the loop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE_SECONDS)
        self._loop.close()


class ThreadedOrigin(Origin):
    """The same origin behind a plain `with`; its scripts may be changed from the test's thread at any time."""

    def __init__(self, host: str = "127.0.0.1", *, port: int = 0, tls: bool = False) -> None:
        super().__init__(host, port=port, tls=tls)
        self._thread = LoopThread("origin")

    def __enter__(self) -> Self:
        self._thread.start()
        self._thread.do(self.open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.do(self.close())
        self._thread.stop()
