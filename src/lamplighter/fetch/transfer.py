"""One request on one libcurl handle: what libcurl asks us on the way, and what has come of it.

libcurl asks for each name, for each socket, before it sends, and for each line and piece of the response. Nothing may
be raised into libcurl: what goes wrong is kept in `trouble` and the transfer is stopped.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pycurl

from lamplighter.fetch.address_guard import AddressGuard, AddressRefused
from lamplighter.fetch.body_limits import BodyReader
from lamplighter.fetch.response_head import Head
from lamplighter.model.proxy import ProxyEndpoint
from lamplighter.rules.urls.addresses import is_literal

#: bytes of one header line, lines, and bytes of all lines, interim responses and trailers included
_LONGEST_LINE, _MOST_LINES, _MOST_HEAD_BYTES = 8190, 256, 256 * 1024
#: a body that nobody wants is read up to this size, so that its connection can be kept
_READ_AWAY_BYTES = 16 * 1024

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
        #: the proxy's answer to CONNECT; its status is 0 when there is none
        self.tunnel = Head(transfer.lines if transfer.stage is Stage.CONNECTING else ())
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


class Received:
    """What all transfers together have received."""

    __slots__ = ("pieces",)

    def __init__(self) -> None:
        #: header lines and pieces of bodies
        self.pieces = 0


class Transfer:
    """One libcurl handle and the request that it carries at present."""

    def __init__(self, easy: Any, *, guard: AddressGuard, received: "Received") -> None:
        self.easy = easy
        self._guard = guard
        self._received = received
        self.done: asyncio.Future[None] | None = None
        self.begin(_NOTHING)

    def begin(self, request: WireRequest) -> None:
        """Takes a request, and forgets the last."""
        self.request = request
        self.stage = Stage.CONNECTING
        self.head: Head | None = None
        self.body: BodyReader | None = None
        #: lines of the head that arrives, or of the last one that has arrived
        self.lines: list[bytes] = []
        self._has_all_lines = False
        self._line_count = self._head_bytes = self._away_bytes = 0
        #: bytes have arrived since the last look
        self.has_heard = False
        #: the name of the host must be looked up first
        self.needs_name = False
        #: why we stopped it ourselves
        self.trouble: BaseException | None = None
        self.refusal: AddressRefused | None = None
        #: libcurl's code and words when it has ended
        self.code = pycurl.E_OK
        self.words = ""

    def rest(self) -> None:
        """Forgets the last request."""
        self.begin(_NOTHING)

    def prepare(self) -> None:
        """Has libcurl ask us."""
        easy = self.easy
        easy.setopt(pycurl.RESOLVER_START_FUNCTION, self._may_look_up)
        easy.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)
        easy.setopt(pycurl.PREREQFUNCTION, self._may_send)
        easy.setopt(pycurl.HEADERFUNCTION, self._take_line)
        easy.setopt(pycurl.WRITEFUNCTION, self._take_body)

    @property
    def is_enough(self) -> bool:
        """Whether all that is wanted has arrived, however the transfer ended."""
        return self.stage is Stage.READING_AWAY

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
            return socket.socket(address.family, address.socktype, address.protocol).detach()
        except AddressRefused as refusal:
            self.refusal = refusal
        except Exception as trouble:
            self.trouble = trouble
        return int(pycurl.SOCKET_BAD)

    def _may_send(self, *_: object) -> int:
        if self.stage is not Stage.CONNECTING:
            # libcurl repeats a request whose kept connection has just ended, at once and without a turn of the host.
            return _STOP
        try:
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
        self.has_heard = True
        self._received.pieces += 1
        self._line_count += 1
        self._head_bytes += len(line)
        if len(line) > _LONGEST_LINE or self._line_count > _MOST_LINES or self._head_bytes > _MOST_HEAD_BYTES:
            self.trouble = ResponseTooOdd("its headers are longer or more than any honest server's")
            return _END
        if self.head is not None:
            return None  # a trailer
        if self._has_all_lines or not self.lines:
            self.lines, self._has_all_lines = [line], False
        elif line not in (b"\r\n", b"\n"):
            self.lines.append(line)
        else:
            self._has_all_lines = True
            # A proxy's answer to CONNECT comes before the request is sent; interim responses say nothing.
            if self.stage is Stage.SENT and not self.lines[0].split(None, 2)[1].startswith(b"1"):
                return self._take_head(Head(self.lines))
        return None

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
        self.has_heard = True
        self._received.pieces += 1
        if self.body is None:
            self._away_bytes += len(data)
            return _END if self._away_bytes > _READ_AWAY_BYTES else None
        try:
            if self.body.feed(data):
                return None
            self.stage = Stage.READING_AWAY
        except Exception as trouble:
            self.trouble = trouble
        return _END


_NOTHING = WireRequest(method="GET", url="", headers=(), hostname="", port=0)
