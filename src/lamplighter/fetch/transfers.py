"""libcurl on the event loop: all requests to sites, over connections that are kept for the next one.

libcurl tells which sockets and which timer to watch; the loop watches them and tells libcurl what happened. Time-outs
are kept here, by the loop's clock.
"""

import asyncio
import ssl
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import pycurl

from lamplighter.fetch.address_guard import AddressGuard, AddressRefused
from lamplighter.fetch.body_limits import BodyReader
from lamplighter.fetch.names import Resolver
from lamplighter.fetch.response_head import Head
from lamplighter.fetch.transfer import (
    OpenSockets,
    ResponseTooOdd,
    Stage,
    Transfer,
    TransferFailed,
    WireRequest,
    go_through,
)
from lamplighter.fetch.wire_watch import ActGuard, WireWatch

#: A host's connection stays open across its delay: the handshake is the costliest part of a polite fetch.
KEPT_OPEN_SECONDS = 75
#: how long the addresses of a name are used for further connections
_NAMES_KEPT_SECONDS = 10
#: connections that are kept: twice as many as hosts are leased at once
_KEPT_OPEN = 512
#: how long the rest of a response that nobody wants may take
_READ_AWAY_SECONDS = 1.0
#: how often time-outs are looked for, at most and at least
_OFTEN, _SELDOM = 0.02, 0.5
_BUFFER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds for one request."""

    connect: float = 10
    read: float = 20
    total: float = 60


class NameNotFound(OSError):
    """The name of a host has no address."""


class Transfers:
    """Sends requests; use as an async context manager."""

    def __init__(
        self,
        *,
        guard: AddressGuard,
        resolver: Resolver,
        timeouts: Timeouts,
        user_agent: str,
        authorities: bytes | None = None,
    ) -> None:
        """`authorities` are the certificates (PEM) that are trusted instead of the system's."""
        self._guard = guard
        self._resolver = resolver
        self._timeouts = timeouts
        #: it may change between two requests
        self.user_agent = user_agent
        self._authorities = authorities
        self._idle: list[Transfer] = []
        self._active: dict[Any, Transfer] = {}
        #: what libcurl wants to know of each socket, what the loop watches, and the sockets where the two may differ
        self._wanted: dict[int, int] = {}
        self._watched: dict[int, int] = {}
        self._changed: set[int] = set()
        self._acts = ActGuard()
        self._open = OpenSockets(self._acts, answers_within=timeouts.read)
        self._wire = WireWatch()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._sweeper: asyncio.TimerHandle | None = None
        self._closer: asyncio.TimerHandle | None = None
        self._sweep_seconds = min(_SELDOM, max(_OFTEN, min(timeouts.connect, timeouts.read, timeouts.total) / 8))

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._multi = self._opened()
        self._acts.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for transfer in list(self._active.values()):
            self._end(transfer, pycurl.E_ABORTED_BY_CALLBACK, "the client was closed")
        for timer in (self._sweeper, self._closer):
            if timer is not None:
                timer.cancel()
        self._close()
        self._acts.stop()
        for transfer in self._idle:
            transfer.easy.close()
        self._idle.clear()

    def _opened(self) -> Any:
        multi = pycurl.CurlMulti()
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._want)
        multi.setopt(pycurl.M_MAXCONNECTS, _KEPT_OPEN)
        return multi

    def _close(self) -> None:
        """Closes all connections."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._multi.close()
        for number in list(self._watched):
            self._watch(number, pycurl.POLL_NONE)

    async def send(self, request: WireRequest) -> tuple[Head, BodyReader | None]:
        """The head of the response, and its body as far as it is wanted.

        Raises TransferFailed, NameNotFound, AddressRefused, and what the request's own functions raise.
        """
        transfer = self._idle.pop() if self._idle else self._made()
        transfer.easy.setopt(pycurl.USERAGENT, self.user_agent)
        transfer.request = request
        transfer.began_at = transfer.connects_since = self._loop.time()
        try:
            self._configure(transfer, request)
            await self._begin(transfer)
            if transfer.needs_connection:
                transfer.easy.setopt(pycurl.FRESH_CONNECT, 1)
                transfer.is_altered = True
                await self._begin(transfer)
            if transfer.needs_name:
                await self._look_up(transfer)
                await self._begin(transfer)
            if transfer.is_complete and transfer.head is not None:
                return transfer.head, transfer.body
            if transfer.trouble is not None:
                raise transfer.trouble
            if transfer.refusal is not None and transfer.code == pycurl.E_COULDNT_CONNECT:
                raise transfer.refusal
            raise TransferFailed(transfer.code, transfer.words, transfer=transfer)
        finally:
            if self._active.pop(transfer.easy, None) is not None:  # cancelled
                self._multi.remove_handle(transfer.easy)
                self._follow()
            self._give_back(transfer)

    def _begin(self, transfer: Transfer) -> asyncio.Future[None]:
        """Gives a transfer to libcurl; the future is done when the transfer has ended, successfully or not."""
        if self._multi.closed:
            raise OSError("the client was closed")
        if self._sweeper is None:
            self._acts.wake()
            self._sweeper = self._loop.call_later(self._sweep_seconds, self._sweep)
            if self._closer is not None:
                self._closer.cancel()
        transfer.needs_name = transfer.needs_connection = False
        done = transfer.done = self._loop.create_future()
        self._active[transfer.easy] = transfer
        self._multi.add_handle(transfer.easy)
        self._act(pycurl.SOCKET_TIMEOUT, 0)
        return done

    def _made(self) -> Transfer:
        transfer = Transfer(pycurl.Curl(), guard=self._guard, sockets=self._open)
        self._prepare(transfer)
        return transfer

    def _give_back(self, transfer: Transfer) -> None:
        """Keeps a handle for the next request."""
        request = transfer.request
        if request.method != "GET" or request.proxy is not None or transfer.is_altered:
            transfer.easy.reset()
            transfer.headers = ()
            self._prepare(transfer)
        transfer.rest()
        self._idle.append(transfer)

    def _prepare(self, transfer: Transfer) -> None:
        """What holds for every request."""
        easy = transfer.easy
        transfer.prepare()
        for option, value in (
            (pycurl.PROXY, ""),  # none, whatever the environment says
            (pycurl.NOPROXY, ""),
            (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1),
            (pycurl.FOLLOWLOCATION, 0),
            (pycurl.HTTP_CONTENT_DECODING, 0),  # undone in body_limits, which counts both sides
            (pycurl.PATH_AS_IS, 1),
            (pycurl.NOSIGNAL, 1),
            (pycurl.BUFFERSIZE, _BUFFER_BYTES),
            (pycurl.MAXAGE_CONN, KEPT_OPEN_SECONDS),
            (pycurl.DNS_CACHE_TIMEOUT, _NAMES_KEPT_SECONDS),
            (pycurl.HEADEROPT, pycurl.HEADER_SEPARATE),
            (pycurl.PROXYHEADER, ["Proxy-Connection:"]),
            (pycurl.CONNECTTIMEOUT, 3600),  # kept here
        ):
            easy.setopt(option, value)
        self._trust(easy)

    def _trust(self, easy: Any) -> None:
        """The certificate authorities of the system, or those that SSL_CERT_FILE and SSL_CERT_DIR name."""
        if self._authorities is not None:
            easy.setopt(pycurl.CAINFO_BLOB, self._authorities)
            easy.setopt(pycurl.PROXY_CAINFO_BLOB, self._authorities)
            return
        paths = ssl.get_default_verify_paths()
        for file_option, folder_option in (
            (pycurl.CAINFO, pycurl.CAPATH),
            (pycurl.PROXY_CAINFO, pycurl.PROXY_CAPATH),
        ):
            if paths.cafile is not None:
                easy.setopt(file_option, paths.cafile)
            if paths.capath is not None:
                easy.setopt(folder_option, paths.capath)
        if sys.platform == "win32":
            easy.setopt(pycurl.SSL_OPTIONS, pycurl.SSLOPT_NATIVE_CA)

    def _configure(self, transfer: Transfer, request: WireRequest) -> None:
        easy = transfer.easy
        easy.setopt(pycurl.URL, request.url.encode())
        if request.headers is not transfer.headers:
            easy.setopt(pycurl.HTTPHEADER, request.headers)
            transfer.headers = request.headers
        if request.method == "HEAD":
            easy.setopt(pycurl.NOBODY, 1)
        elif request.body is not None:
            easy.setopt(pycurl.POSTFIELDS, request.body)
        if request.proxy is not None:
            go_through(easy, request.proxy)

    async def _look_up(self, transfer: Transfer) -> None:
        """Has libcurl know the addresses of the host, those only that may be connected to."""
        request = transfer.request
        try:
            async with asyncio.timeout_at(transfer.began_at + self._timeouts.total):
                found = await self._resolver.addresses(request.hostname)
        except TimeoutError:
            raise
        except OSError as error:
            raise NameNotFound(f"{request.hostname} could not be resolved: {error}") from error
        if not found:
            raise NameNotFound(f"{request.hostname} could not be resolved: it has no address")
        usable = self._usable(found, request)
        hosts = ",".join(f"[{each}]" if ":" in each else each for each in usable)
        transfer.easy.setopt(pycurl.RESOLVE, [f"+{request.hostname}:{request.port}:{hosts}"])
        transfer.connects_since = self._loop.time()

    def _usable(self, addresses: Sequence[str], request: WireRequest) -> Sequence[str]:
        if request.proxy is not None and request.proxy.is_trusted:
            return addresses
        usable, refusal = list[str](), None
        for each in addresses:
            try:
                self._guard.check(each, request.port, hostname=request.hostname)
            except AddressRefused as refused:
                refusal = refused
            else:
                usable.append(each)
        if not usable and refusal is not None:
            raise refusal
        return usable

    def _want(self, what: int, number: int, _multi: object, _data: object) -> None:
        """libcurl wants to know when a socket is ready; while it works it changes its mind several times."""
        if what == pycurl.POLL_REMOVE:
            # At once: the socket is closed next, and its number may be given to another.
            self._wanted.pop(number, None)
            self._changed.discard(number)
            if number in self._watched:
                self._wire.forget(number)
                self._watch(number, pycurl.POLL_NONE)
        else:
            self._wanted[number] = what
            self._changed.add(number)

    def _watch(self, number: int, what: int) -> None:
        before = self._watched.pop(number, pycurl.POLL_NONE)
        if what:
            self._watched[number] = what
        if (what ^ before) & pycurl.POLL_IN:
            if what & pycurl.POLL_IN:
                self._loop.add_reader(number, self._readable, number)
            else:
                self._loop.remove_reader(number)
        if (what ^ before) & pycurl.POLL_OUT:
            if what & pycurl.POLL_OUT:
                self._loop.add_writer(number, self._act, number, pycurl.CSELECT_OUT)
            else:
                self._loop.remove_writer(number)

    def _on_timer(self) -> None:
        self._timer = None
        self._act(pycurl.SOCKET_TIMEOUT, 0)

    def _readable(self, number: int) -> None:
        self._open.is_heard = False
        self._act(number, pycurl.CSELECT_IN)
        if number not in self._watched:
            return  # the response is complete, or was given up
        spent = self._wire.note(number, is_heard=self._open.is_heard, is_connecting=number in self._open.connecting)
        if spent is None:
            return
        for transfer in list(self._active.values()):
            if transfer.is_on(number) and transfer.is_padded(spent):
                transfer.trouble = ResponseTooOdd("what is around its content is more than any honest server's")
                self._end(transfer, pycurl.E_ABORTED_BY_CALLBACK, "")

    def _act(self, number: int, mask: int) -> None:
        """Lets libcurl work, and ends what it has ended."""
        acts = self._acts
        acts.calls += 1
        acts.is_busy = True
        _, running = self._multi.socket_action(number, mask)
        acts.is_busy = False
        if acts.cut:
            self._blame_cut()
        left = running != len(self._active)
        while left:
            left, succeeded, failed = self._multi.info_read()
            for easy in succeeded:
                self._end(self._active[easy], pycurl.E_OK, "")
            for easy, code, words in failed:
                self._end(self._active[easy], code, words)
        self._follow()

    def _blame_cut(self) -> None:
        """Says why to those whose connections were cut."""
        while self._acts.cut:
            number = self._acts.cut.pop()
            for transfer in self._active.values():
                if transfer.is_on(number):
                    transfer.trouble = ResponseTooOdd("it kept us busy with what no honest server sends")

    def _follow(self) -> None:
        """Watches what libcurl waits for: sockets, and a moment, which may come too early.

        We ask for that moment: libcurl would tell of it several times while it works.
        """
        while self._changed:
            number = self._changed.pop()
            self._watch(number, self._wanted[number])
        milliseconds = self._multi.timeout()
        if milliseconds < 0:
            return
        at = self._loop.time() + milliseconds / 1000
        if self._timer is not None:
            if self._timer_at <= at:
                return
            self._timer.cancel()
        self._timer, self._timer_at = self._loop.call_at(at, self._on_timer), at

    def _end(self, transfer: Transfer, code: int, words: str) -> None:
        del self._active[transfer.easy]
        self._multi.remove_handle(transfer.easy)
        transfer.code, transfer.words = code, words
        if transfer.done is not None and not transfer.done.done():
            transfer.done.set_result(None)

    def _sweep(self) -> None:
        """Ends transfers whose time is over."""
        now = self._loop.time()
        for transfer in list(self._active.values()):
            overdue = self._overdue(transfer, now)
            if overdue is not None:
                self._end(transfer, pycurl.E_OPERATION_TIMEDOUT, overdue)
        self._follow()
        if self._active:
            self._sweeper = self._loop.call_later(self._sweep_seconds, self._sweep)
        else:
            self._sweeper = None
            self._acts.rest()
            self._closer = self._loop.call_later(KEPT_OPEN_SECONDS, self._close_kept)

    def _close_kept(self) -> None:
        """libcurl closes what has been kept for too long when it has work to do; after a long rest nobody does."""
        self._close()
        self._multi = self._opened()

    def _overdue(self, transfer: Transfer, now: float) -> str | None:
        """Which time-out is over by now; None when none is."""
        timeouts = self._timeouts
        if transfer.has_heard:
            transfer.has_heard, transfer.quiet_since = False, now
        if now >= transfer.began_at + timeouts.total:
            return "the request as a whole took too long"
        if transfer.stage is Stage.CONNECTING:
            # A proxy connects too before it says a word.
            limit = timeouts.connect if transfer.request.proxy is None else 2 * timeouts.connect + timeouts.read
            return "there was no connection in time" if now >= transfer.connects_since + limit else None
        limit = _READ_AWAY_SECONDS if transfer.stage is Stage.READING_AWAY else timeouts.read
        return "nothing came for too long" if now >= transfer.quiet_since + limit else None
