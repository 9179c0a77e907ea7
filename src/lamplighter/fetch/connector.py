"""Connections to sites: direct ones, and those through a proxy, of which it is known how far they came.

HTTP proxies are aiohttp's own business: a tunnel by CONNECT for https, the absolute form for http, for many allow
CONNECT to port 443 only. What speaks SOCKS5 is done here.
"""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Any

import aiohttp
import python_socks
from python_socks.async_.asyncio import Proxy

from lamplighter.fetch.guard import Guard
from lamplighter.model.exit import Exit
from lamplighter.rules import proxy_blame
from lamplighter.rules.proxy_blame import Blame

#: RFC 1929 has one byte for the length of each
_LONGEST_SOCKS_SECRET = 255


class Stage(Enum):
    """How far a connection through a proxy has come."""

    OPENING = "opening"  # between us and the proxy, or the proxy and the site
    SECURING = "securing"  # the tunnel stands; the TLS handshake with the site goes on
    STANDING = "standing"


class Passage:
    """One request's way through a proxy."""

    def __init__(self, exit_: Exit) -> None:
        self.exit = exit_
        #: a connection that is used again has come all the way before
        self.stage = Stage.STANDING

    @classmethod
    def by(cls, exit_: Exit | None) -> "Passage | None":
        """The way through an exit; None for a request that takes none."""
        return cls(exit_) if exit_ is not None else None

    @property
    def is_opening(self) -> bool:
        """Whether it has not come past the proxy yet."""
        return self.stage is Stage.OPENING


class ProxySays(aiohttp.ClientError):
    """The proxy says in its own name why there is no connection, or no answer of the site."""

    def __init__(self, blame: Blame, *, status: int | None = None) -> None:
        super().__init__(blame.why)
        self.blame = blame
        #: of the answer to a forwarded request
        self.status = status


_passage: ContextVar[Passage | None] = ContextVar("passage", default=None)


@contextmanager
def through(passage: Passage | None) -> Iterator[None]:
    """Within this, connections with a proxy are made by this passage."""
    token = _passage.set(passage)
    try:
        yield
    finally:
        _passage.reset(token)


class Connector(aiohttp.TCPConnector):
    """aiohttp's connector, which also knows SOCKS5 and notes how far a connection through a proxy came."""

    def __init__(self, *, guard: Guard, **options: Any) -> None:
        super().__init__(socket_factory=guard.make_socket, **options)
        self._guard = guard

    async def addresses(self, host: str, port: int, *, patience: float) -> list[str]:
        """What our own name server says of a name; nothing when it does not know it, or not within `patience`."""
        try:
            async with asyncio.timeout(patience):
                return [each["host"] for each in await self._resolve_host(host, port)]
        except OSError:
            return []

    async def _create_proxy_connection(self, req: Any, traces: Any, timeout: Any) -> Any:  # noqa: ASYNC109 - aiohttp's
        passage = _passage.get()
        assert passage is not None, "a request names a proxy only within a passage"
        passage.stage = Stage.OPENING
        # aiohttp would wait for the answer to CONNECT for as long as the whole request may take.
        async with asyncio.timeout(2 * timeout.sock_connect + timeout.sock_read):
            if passage.exit.protocol == "socks5":
                made = await self._by_socks(passage, req, timeout)
            else:
                made = await super()._create_proxy_connection(req, traces, timeout)
        passage.stage = Stage.STANDING
        return made

    async def _start_tls_connection(self, *args: Any, **named: Any) -> Any:
        """Called by aiohttp when its tunnel stands."""
        if (passage := _passage.get()) is not None:
            passage.stage = Stage.SECURING
        return await super()._start_tls_connection(*args, **named)

    async def _by_socks(self, passage: Passage, req: Any, limits: Any) -> Any:
        seconds = limits.sock_connect + limits.sock_read
        tunnel = await self._socks_tunnel(passage.exit, req.url.raw_host, req.port, seconds)
        passage.stage = Stage.SECURING
        context = self._get_ssl_context(req)
        try:
            return await self._wrap_existing_connection(
                self._factory,
                timeout=limits,
                ssl=context,
                sock=tunnel,
                server_hostname=req.url.raw_host.rstrip(".") if context else None,
                req=req,
            )
        except BaseException:
            tunnel.close()
            raise

    async def _socks_tunnel(self, exit_: Exit, host: str, port: int, seconds: float) -> socket.socket:
        """A socket to the site, through the proxy, which resolves the site's name itself."""
        for secret in (exit_.username, exit_.password):
            if secret is not None and (not secret.isascii() or len(secret) > _LONGEST_SOCKS_SECRET):
                raise ProxySays(proxy_blame.of_socks(None, "its user name or password is none that SOCKS5 can carry"))
        trouble: Exception | None = None
        for each in await self._resolve_host(exit_.address, exit_.port):
            # The address that was looked at is the one that is connected to: nothing is resolved again.
            self._guard.check(each["host"], exit_.port)
            proxy = Proxy(
                proxy_type=python_socks.ProxyType.SOCKS5,
                host=each["host"],
                port=exit_.port,
                username=exit_.username,
                password=exit_.password or ("" if exit_.username else None),
                rdns=True,
            )
            try:
                return await proxy.connect(host, port, timeout=seconds)
            except python_socks.ProxyError as error:
                raise ProxySays(proxy_blame.of_socks(error.error_code, str(error))) from None
            except OSError as error:  # python_socks raises its own kinds of it, for time that ran out too
                trouble = error
        raise trouble or OSError(f"{exit_.address} has no address")
