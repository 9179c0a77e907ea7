"""Connections to the web server; one whose request headers do not arrive in time is closed.

The server itself has a timeout only between requests: a client that sends half a request would keep its connection for
good.
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

#: a request's headers must have arrived so long after the connection was made, or after their first byte
HEADER_SECONDS = 10.0


class TimedConnection(H11Protocol):
    """An HTTP/1.1 connection that waits for headers for a limited time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handles what arrived, then waits for the rest of the headers if they are not whole."""
        super().data_received(data)
        if not self._is_between_requests():
            self._stop_waiting()
        elif self._deadline is None:
            self._wait()

    def _is_between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._deadline = None
        if self._is_between_requests():
            self.transport.close()
