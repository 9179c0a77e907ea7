"""A hostile origin in a thread of its own: it sends as fast as the machine can, whatever its client does meanwhile."""

import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

#: what is sent at once: many pieces together, so that sending costs little
_AT_ONCE = 64 * 1024

Perform = Callable[["Connection"], None]


class Connection:
    """One connection of a hostile origin."""

    def __init__(self, sock: socket.socket, origin: "HostileOrigin") -> None:
        self.sock = sock
        self._origin = origin

    def send(self, data: bytes) -> None:
        """Sends, and counts it; raises OSError when the client has left."""
        self.sock.sendall(data)
        self._origin.sent += len(data)

    def repeat(self, piece: bytes) -> None:
        """Sends a piece again and again until the client leaves."""
        many = piece * max(1, _AT_ONCE // len(piece))
        while not self._origin.is_over:
            self.send(many)

    def pause(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)

    def read_request(self) -> bytes:
        """The request up to the end of its head."""
        received = b""
        while b"\r\n\r\n" not in received:
            more = self.sock.recv(65536)
            if not more:
                raise ConnectionError("the client left")
            received += more
        return received


class HostileOrigin:
    """Listens on loopback until the block is left; `perform` gets each connection."""

    def __init__(self, perform: Perform, *, tls: ssl.SSLContext | None = None) -> None:
        self._perform = perform
        self._tls = tls
        self._threads: list[threading.Thread] = []
        self._socks: list[socket.socket] = []
        self.is_over = False
        #: bytes that were sent
        self.sent = 0
        #: connections that were made
        self.connections = 0

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Without a slash at the end."""
        return f"{'http' if self._tls is None else 'https'}://{self.address}"

    def __enter__(self) -> Self:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = int(self._listening.getsockname()[1])
        self._start(self._accept)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self.is_over = True
        for sock in [self._listening, *self._socks]:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
        for thread in self._threads:
            thread.join(30)

    def _start(self, target: Callable[[], None]) -> None:
        thread = threading.Thread(target=target, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.is_over:
            try:
                sock, _ = self._listening.accept()
            except OSError:
                return
            self._socks.append(sock)
            self.connections += 1
            self._start(lambda sock=sock: self._serve(sock))  # type: ignore[misc]

    def _serve(self, sock: socket.socket) -> None:
        with suppress(OSError, ConnectionError):
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
                self._socks.append(sock)
            self._perform(Connection(sock, self))
        sock.close()


def endless(head: bytes, piece: bytes) -> Perform:
    """Answers with this, then with the same piece for ever."""

    def perform(connection: Connection) -> None:
        connection.read_request()
        connection.send(head)
        connection.repeat(piece)

    return perform


def silent(connection: Connection) -> None:
    """Says nothing, and stays."""
    while connection.sock.recv(65536):
        pass
