"""Connections to sites, direct or through a proxy; tracks how far a proxy connection got.

aiohttp handles HTTP proxies itself: a tunnel by CONNECT for https, the absolute form for http (many allow
CONNECT only to port 443). SOCKS5 is handled here.
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

from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.model.proxy import ProxyEndpoint
from lamplighter.rules.proxies import proxy_blame
from lamplighter.rules.proxies.proxy_blame import Blame

#: RFC 1929 has one byte for the length of each
_LONGEST_SOCKS_SECRET = 255


class ConnectStage(Enum):
    """How far a connection through a proxy has come."""

    OPENING = "opening"  # between us and the proxy, or the proxy and the site
    SECURING = "securing"  # the tunnel is open; the TLS handshake with the site is running
    OPEN = "open"


class ProxyConnection:
    """One request's connection through a proxy."""

    def __init__(self, endpoint: ProxyEndpoint) -> None:
        self.endpoint = endpoint
        #: a connection that is reused has reached the site before
        self.stage = ConnectStage.OPEN

    @classmethod
    def by(cls, endpoint: ProxyEndpoint | None) -> "ProxyConnection | None":
        """The connection through a proxy; None for a direct request."""
        return cls(endpoint) if endpoint is not None else None

    @property
    def is_opening(self) -> bool:
        """Whether it has not passed the proxy."""
        return self.stage is ConnectStage.OPENING


class ProxySays(aiohttp.ClientError):
    """The proxy itself says why there is no connection, or no response of the site."""

    def __init__(self, blame: Blame, *, status: int | None = None) -> None:
        super().__init__(blame.why)
        self.blame = blame
        #: status of the response to a forwarded request
        self.status = status


_route: ContextVar[ProxyConnection | None] = ContextVar("proxy connection", default=None)


@contextmanager
def through(route: ProxyConnection | None) -> Iterator[None]:
    """In this context, connections through a proxy belong to this route."""
    token = _route.set(route)
    try:
        yield
    finally:
        _route.reset(token)


class Connector(aiohttp.TCPConnector):
    """aiohttp's connector with SOCKS5, which records how far a connection through a proxy got."""

    def __init__(self, *, guard: AddressGuard, **options: Any) -> None:
        super().__init__(socket_factory=guard.make_socket, **options)
        self._guard = guard

    async def addresses(self, host: str, port: int, *, patience: float) -> list[str]:
        """The addresses of a name by our own name server; none when it does not know it, or not within `patience`."""
        try:
            async with asyncio.timeout(patience):
                return [each["host"] for each in await self._resolve_host(host, port)]
        except OSError:
            return []

    async def _create_proxy_connection(self, req: Any, traces: Any, timeout: Any) -> Any:  # noqa: ASYNC109 - aiohttp's
        route = _route.get()
        assert route is not None, "a request names a proxy only within `through`"
        route.stage = ConnectStage.OPENING
        # aiohttp would wait for the response to CONNECT for as long as the whole request may take.
        async with asyncio.timeout(2 * timeout.sock_connect + timeout.sock_read):
            if route.endpoint.protocol == "socks5":
                made = await self._by_socks(route, req, timeout)
            else:
                made = await super()._create_proxy_connection(req, traces, timeout)
        route.stage = ConnectStage.OPEN
        return made

    async def _start_tls_connection(self, *args: Any, **named: Any) -> Any:
        """Called by aiohttp when its tunnel is open."""
        if (route := _route.get()) is not None:
            route.stage = ConnectStage.SECURING
        return await super()._start_tls_connection(*args, **named)

    async def _by_socks(self, route: ProxyConnection, req: Any, limits: Any) -> Any:
        seconds = limits.sock_connect + limits.sock_read
        tunnel = await self._socks_tunnel(route.endpoint, req.url.raw_host, req.port, seconds)
        route.stage = ConnectStage.SECURING
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

    async def _socks_tunnel(self, endpoint: ProxyEndpoint, host: str, port: int, seconds: float) -> socket.socket:
        """A socket to the site, through the proxy, which resolves the site's name itself."""
        for secret in (endpoint.username, endpoint.password):
            if secret is not None and (not secret.isascii() or len(secret) > _LONGEST_SOCKS_SECRET):
                raise ProxySays(proxy_blame.of_socks(None, "SOCKS5 cannot carry its user name or password"))
        trouble: Exception | None = None
        for each in await self._resolve_host(endpoint.address, endpoint.port):
            # The address that was checked is the one that is connected to: nothing is resolved again.
            self._guard.check(each["host"], endpoint.port)
            proxy = Proxy(
                proxy_type=python_socks.ProxyType.SOCKS5,
                host=each["host"],
                port=endpoint.port,
                username=endpoint.username,
                password=endpoint.password or ("" if endpoint.username else None),
                rdns=True,
            )
            try:
                return await proxy.connect(host, port, timeout=seconds)
            except python_socks.ProxyError as error:
                raise ProxySays(proxy_blame.of_socks(error.error_code, str(error))) from None
            except OSError as error:  # python_socks raises subclasses of it, for timeouts too
                trouble = error
        raise trouble or OSError(f"{endpoint.address} has no address")
