"""One request on one libcurl handle: what libcurl asks us on the way, and what has come of it.

libcurl asks for each name, for each socket, before it sends, and for each line and piece of the response. Nothing may
be raised into libcurl: what goes wrong is kept in `trouble` and the transfer is stopped.
"""

import asyncio
import select
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, Self

import pycurl

from lamplighter.fetch.address_guard import AddressGuard, AddressRefused
from lamplighter.fetch.body_limits import BodyReader
from lamplighter.fetch.response_head import Head
from lamplighter.fetch.wire_watch import FREE_HANDSHAKE_BYTES, FREE_WIRE_BYTES, ActGuard
from lamplighter.model.proxy import ProxyEndpoint
from lamplighter.rules.urls.addresses import is_literal

#: bytes of one header line, and lines of a response, its interim responses and trailers included
_LONGEST_LINE, _MOST_LINES = 8190, 256
#: a body that nobody wants is read up to this size, so that its connection can be kept
_READ_AWAY_BYTES = 16 * 1024
#: so many pieces of a body, which are chunks if the server says so, may be of any size; more are this large on average
_FREE_PIECES, _LEAST_PIECE_BYTES = 4096, 32
#: beyond what is free, a response may have so many times the bytes of its head and body on the wire
_WIRE_FACTOR = 8

#: connections that are noted
_MOST_NOTED = 4096
#: a socket whose other end is closed
_HANG_UP = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR

_PROXY_TYPES = {
    "http": pycurl.PROXYTYPE_HTTP,
    "https": 2,  # CURLPROXY_HTTPS, which pycurl does not name
    "socks5": pycurl.PROXYTYPE_SOCKS5_HOSTNAME,
}

_GO_ON, _STOP = 0, 1
#: what a callback for received bytes returns to end the transfer
_END = -1


class Stage(Enum):
    """How far a request has come."""

    CONNECTING = "connecting"  # names, sockets, proxy, TLS
    SENT = "sent"
    READING = "reading"  # the head is complete
    READING_AWAY = "reading away"  # all that is wanted is here


class ResponseTooOdd(Exception):
    """A response beyond what any honest server sends."""


class TransferFailed(Exception):
    """A request without a usable response, and what libcurl knows of it."""

    def __init__(self, code: int, words: str, *, transfer: "Transfer") -> None:
        super().__init__(words)
        #: one of libcurl's codes
        self.code = code
        self.stage = transfer.stage
        #: whether a response has begun
        self.has_head = transfer.head is not None
        #: the proxy's answer to CONNECT; None when there is none
        self.tunnel = transfer.tunnel
        easy = transfer.easy
        #: the system's number of the error; 0 when there is none
        self.errno: int = easy.getinfo(pycurl.OS_ERRNO)
        #: libcurl's code for what a SOCKS proxy replied
        self.proxy_code: int = easy.getinfo(pycurl.PROXY_ERROR)
        #: OpenSSL's verdict on the site's certificate
        self.verdict: int = easy.getinfo(pycurl.SSL_VERIFYRESULT)


@dataclass(slots=True, kw_only=True)
class WireRequest:
    """One request as it goes over the wire."""

    method: str
    url: str
    #: header lines
    headers: Sequence[bytes]
    #: the host to which we connect, the site's or the proxy's, and its port
    hostname: str
    port: int
    #: the proxy; None for a direct request
    proxy: ProxyEndpoint | None = None
    body: bytes | None = None
    #: called when the connection is there and nothing is sent yet; raises when nothing may be sent
    may_send: Callable[[], None] | None = None
    #: called when it is sent
    on_sent: Callable[[], None] | None = None
    #: the reader for the body of a response with this head; None when its body is not wanted
    wants: Callable[[Head], BodyReader | None] | None = None


class Wire(Protocol):
    """What carries requests to sites, and their responses back."""

    #: sent with every request
    user_agent: str

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def send(self, request: WireRequest) -> tuple[Head, BodyReader | None]:
        """The head of the response, and its body as far as it is wanted."""


class OpenSockets:
    """What all transfers together know of their connections."""

    def __init__(self, acts: ActGuard, *, answers_within: float) -> None:
        self._acts = acts
        #: seconds after which nobody waits for what was sent
        self._answers_within = answers_within
        #: numbers of those over which nothing could be sent yet
        self.connecting: set[int] = set()
        #: whether anything of a head or body was received since the last look
        self.is_heard = False
        #: the number of each socket, by its own address and port
        self._numbers: dict[tuple[str, int], int] = {}

    def made(self, family: int, kind: int, protocol: int) -> int:
        """The number of a new socket that is about to connect."""
        new = socket.socket(family, kind, protocol)
        if sys.platform == "linux":
            # Else the system would go on sending a request that was given up, and it could arrive beside the next one.
            new.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, max(1, int(1000 * self._answers_within)))
        number = new.detach()
        self._acts.note(number)
        self.connecting.add(number)
        return number

    def note(self, numbers: Sequence[int]) -> None:
        """Notes new sockets; that of a connection which was closed is replaced when its port is used again."""
        if len(self._numbers) > _MOST_NOTED:
            self._numbers.clear()
        for number in numbers:
            with suppress(OSError):  # libcurl has closed the slower one of two
                connected = socket.socket(fileno=number)
                try:
                    self._numbers[connected.getsockname()[:2]] = number
                finally:
                    connected.detach()

    def is_over(self, address: str, port: int) -> bool:
        """Whether the server has closed a kept connection; libcurl does not look within a second of its last use."""
        number = self._numbers.get((address, port))
        if number is None:
            return False
        poll = select.poll()
        poll.register(number, _HANG_UP)
        return bool(poll.poll(0))


class Transfer:
    """One libcurl handle and the request that it carries at present."""

    def __init__(self, easy: Any, *, guard: AddressGuard, sockets: OpenSockets) -> None:
        self.easy = easy
        self._guard = guard
        self._open = sockets
        #: the header lines that libcurl knows
        self.headers: Sequence[bytes] = ()
        #: sockets that were made for it
        self._sockets: list[int] = []
        self.rest()

    def rest(self) -> None:
        """Forgets the last request."""
        self._open.connecting.difference_update(self._sockets)
        self.request = _NOTHING
        self.stage = Stage.CONNECTING
        self.head: Head | None = None
        #: the proxy's answer to CONNECT
        self.tunnel: Head | None = None
        self.body: BodyReader | None = None
        #: all header lines, the proxy's answer to CONNECT, interim responses and trailers among them
        self._lines: list[bytes] = []
        #: how many lines there were before the last head
        self._head_from = 0
        #: how many bytes of the body were received, in how many pieces
        self._body_bytes = self._pieces = 0
        #: when it began, when it began to connect, and when it was last seen to receive something (loop time)
        self.began_at = self.connects_since = self.quiet_since = 0.0
        #: something was received since the last look
        self.has_heard = False
        self._sockets = []
        #: nothing was sent: the name of the host must be looked up first, or the kept connection is none any more
        self.needs_name = self.needs_connection = False
        #: the handle has options that hold for this request only
        self.is_altered = False
        #: why we stopped it ourselves
        self.trouble: BaseException | None = None
        self.refusal: AddressRefused | None = None
        #: libcurl's code and words when it has ended
        self.code: int = pycurl.E_OK
        self.words = ""
        self.done: asyncio.Future[None] | None = None

    def prepare(self) -> None:
        """Has libcurl ask us."""
        easy = self.easy
        easy.setopt(pycurl.RESOLVER_START_FUNCTION, self._may_look_up)
        easy.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)
        easy.setopt(pycurl.PREREQFUNCTION, self._may_send)
        easy.setopt(pycurl.HEADERFUNCTION, self._take_line)
        easy.setopt(pycurl.WRITEFUNCTION, self._take_body)

    @property
    def is_complete(self) -> bool:
        """Whether all that is wanted has arrived, however the transfer ended."""
        return self.head is not None and (self.code == pycurl.E_OK or self.stage is Stage.READING_AWAY)

    def _may_look_up(self) -> int:
        """libcurl would look up a name itself, in a thread: it gets the addresses from us."""
        if is_literal(self.request.hostname):
            return _GO_ON
        self.needs_name = True
        return _STOP

    def _open_socket(self, _purpose: int, address: Any) -> int:
        request = self.request
        if self.stage is not Stage.CONNECTING:
            return int(pycurl.SOCKET_BAD)  # see _may_send
        try:
            if request.proxy is None or not request.proxy.is_trusted:
                self._guard.check(str(address.addr[0]), int(address.addr[1]), hostname=request.hostname)
            self._sockets.append(self._open.made(address.family, address.socktype, address.protocol))
            return self._sockets[-1]
        except AddressRefused as refusal:
            self.refusal = refusal
        except Exception as trouble:
            self.trouble = trouble
        return int(pycurl.SOCKET_BAD)

    def _may_send(self, _to: str, address: str, _port: int, port: int) -> int:
        """There is a connection, from this address and port of ours."""
        if self.stage is not Stage.CONNECTING:
            # libcurl repeats a request whose kept connection has just ended, at once and without a turn of the host.
            return _STOP
        try:
            if self._sockets:
                self._open.connecting.difference_update(self._sockets)
                self._open.note(self._sockets)
            elif self._open.is_over(address, port):
                self.needs_connection = True
                return _STOP
            if self.request.may_send is not None:
                self.request.may_send()
            self.stage, self.has_heard = Stage.SENT, True
            if self.request.on_sent is not None:
                self.request.on_sent()
        except BaseException as trouble:
            self.trouble = trouble
            return _STOP
        return _GO_ON

    def _take_line(self, line: bytes) -> int | None:
        self.has_heard = self._open.is_heard = True
        self._lines.append(line)
        if 2 < len(line) <= _LONGEST_LINE and len(self._lines) <= _MOST_LINES:
            return None
        if len(line) > 2:
            self.trouble = ResponseTooOdd("its headers are longer or more than any honest server's")
            return _END
        if self.head is not None:
            return None  # the end of trailers
        head, self._head_from = Head(self._lines[self._head_from : -1]), len(self._lines)
        if self.stage is Stage.CONNECTING:
            # A proxy's answer to CONNECT. libcurl would read the body of a refusal to its end before it returns.
            self.tunnel = head
            return None if 100 <= head.status < 300 else _END
        if not head.status:
            self.trouble = ResponseTooOdd("it has no status")
            return _END
        # Interim responses say nothing.
        return None if head.status < 200 else self._take_head(head)

    def _take_head(self, head: Head) -> int | None:
        self.head = head
        try:
            self.body = self.request.wants(head) if self.request.wants is not None else None
        except BaseException as trouble:
            self.trouble = trouble
            return _END
        self.stage = Stage.READING_AWAY if self.body is None else Stage.READING
        return _END if self.body is None and (head.length or 0) > _READ_AWAY_BYTES else None

    def _take_body(self, data: bytes) -> int | None:
        self.has_heard = self._open.is_heard = True
        self._body_bytes += len(data)
        self._pieces += 1
        if self._pieces > _FREE_PIECES and self._body_bytes < _LEAST_PIECE_BYTES * self._pieces:
            self.trouble = ResponseTooOdd("its chunks are smaller and more than any honest server's")
            return _END
        if self.body is None:
            return _END if self._body_bytes > _READ_AWAY_BYTES else None
        try:
            if self.body.feed(data):
                return None
            self.stage = Stage.READING_AWAY
        except Exception as trouble:
            self.trouble = trouble
        return _END

    def is_on(self, number: int) -> bool:
        """Whether it uses this socket."""
        return number in self._sockets or self.easy.getinfo(pycurl.ACTIVESOCKET) == number

    def is_padded(self, wire_bytes: int) -> bool:
        """Whether so many bytes on the wire hold too little: the rest is spent on what no page needs."""
        held = self._body_bytes + sum(map(len, self._lines))
        free = FREE_HANDSHAKE_BYTES if self.stage is Stage.CONNECTING else FREE_WIRE_BYTES
        return wire_bytes > free + _WIRE_FACTOR * held


def go_through(easy: Any, proxy: ProxyEndpoint) -> None:
    """Has a request go through a proxy, which looks up the site's name itself."""
    host = f"[{proxy.address}]" if ":" in proxy.address else proxy.address
    easy.setopt(pycurl.PROXY, f"{host}:{proxy.port}")
    easy.setopt(pycurl.PROXYTYPE, _PROXY_TYPES[proxy.protocol])
    if proxy.username is not None or proxy.password is not None:
        easy.setopt(pycurl.PROXYUSERNAME, (proxy.username or "").encode())
        easy.setopt(pycurl.PROXYPASSWORD, (proxy.password or "").encode())


_NOTHING = WireRequest(method="GET", url="", headers=(), hostname="", port=0)
