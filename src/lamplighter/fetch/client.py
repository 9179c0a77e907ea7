"""The HTTP client: one request, directly or through a proxy, no redirects, everything bounded.

Only the fetcher, the robots cache and the webhooks call it.
"""

import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Self

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.fetch import connector, faults, header_values, send_checks
from lamplighter.fetch.address_guard import AddressGuard, refusal_in
from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.fetch.connector import Connector, ProxyConnection
from lamplighter.model.proxy import ProxyEndpoint
from lamplighter.model.visit import (
    NO_VALIDATORS,
    Failed,
    Fault,
    Fetched,
    NotModified,
    Redirected,
    Refusal,
    Refused,
    ResponseHead,
    Validators,
    Visit,
)
from lamplighter.ports import Clock
from lamplighter.rules.robots import usage
from lamplighter.rules.urls import urls

ACCEPT = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,application/rss+xml;q=0.9,"
    "application/atom+xml;q=0.9,application/json;q=0.9,text/xml;q=0.9,text/plain;q=0.5"
)
#: bytes of a body that are sniffed for its type
_LOOKED_AT = 4096
#: no headers besides those that every request carries
NO_HEADERS: Mapping[str, str] = {}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: successes without a page; 206 is a part that we did not request
_NO_PAGE = frozenset({204, 205, 206})


class _Ambiguous(Exception):
    """A URL that two parsers read as two different hosts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds for one request."""

    connect: float = 10
    read: float = 20
    total: float = 60


class Client:
    """A session with the web; use as an async context manager."""

    def __init__(
        self,
        *,
        guard: AddressGuard,
        clock: Clock,
        user_agent: str,
        contact_email: str | None = None,
        timeouts: Timeouts | None = None,
        resolver: AbstractResolver | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`tls` says which certificate authorities are trusted; those of the system by default."""
        self._guard = guard
        self._clock = clock
        self._resolver = resolver
        self._tls = tls
        self._agent = {"User-Agent": user_agent}
        self._timeouts = timeouts or Timeouts()
        self._headers = {"User-Agent": user_agent, "Accept": ACCEPT}
        if contact_email:
            self._headers["From"] = contact_email

    async def __aenter__(self) -> Self:
        self._connector = Connector(
            guard=self._guard,
            limit=0,
            resolver=self._resolver,
            ssl=self._tls or True,
            # A host's connection stays open across its delay: the handshake is the costliest part of a polite fetch.
            keepalive_timeout=75,
        )
        self._session = self._make_session()
        # Tracing costs every request something, so only requests with an `on_sent` callback are traced.
        self._traced_session = self._make_session(_notify_sent)
        return self

    def _make_session(self, *on_sent: Any) -> aiohttp.ClientSession:
        trace = aiohttp.TraceConfig()
        trace.on_request_headers_sent.extend(on_sent)
        session = aiohttp.ClientSession(
            connector=self._connector,
            connector_owner=False,
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            trace_configs=[trace] if on_sent else None,
            trust_env=False,
            request_class=_Request,
            timeout=aiohttp.ClientTimeout(
                total=self._timeouts.total, sock_connect=self._timeouts.connect, sock_read=self._timeouts.read
            ),
        )
        # The session would repeat a broken request by itself, at once and without a turn of the host.
        session._retry_connection = False
        return session

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()
        await self._traced_session.close()
        await self._connector.close()

    async def get(
        self,
        url: str,
        *,
        wanted: BodyLimits,
        validators: Validators = NO_VALIDATORS,
        headers: Mapping[str, str] = NO_HEADERS,
        endpoint: ProxyEndpoint | None = None,
        on_sent: Callable[[], None] | None = None,
        on_cookies: Callable[[Sequence[str]], None] | None = None,
    ) -> Visit:
        """Sends one GET; calls `on_sent` when the request is sent, and `on_cookies` with the Set-Cookie lines received.

        Through a proxy `on_sent` is not called: when the proxy forwards the request is not known before the response.
        """
        started, route = self._clock.monotonic(), ProxyConnection.by(endpoint)
        try:
            async with self._sent(
                "GET", url, headers={**headers, **header_values.conditions(validators)}, route=route, on_sent=on_sent
            ) as response:
                if on_cookies is not None:
                    on_cookies(response.headers.getall("Set-Cookie", []))
                return await self._visit(response, url, wanted, validators, started)
        except _Ambiguous as refused:
            return Refused(url=url, reason=Refusal.ADDRESS, detail=str(refused))
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError, RuntimeError) as error:
            return self._failure(url, error, started, route)

    async def head(
        self,
        url: str,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        endpoint: ProxyEndpoint | None = None,
        on_sent: Callable[[], None] | None = None,
    ) -> ResponseHead | Redirected | Refused | Failed:
        """Sends one HEAD request."""
        started, route = self._clock.monotonic(), ProxyConnection.by(endpoint)
        try:
            async with self._sent("HEAD", url, headers=headers, route=route, on_sent=on_sent) as response:
                if response.status in _REDIRECTS:
                    return self._redirect(url, response.status, response.headers, started)
                failure = None if _has_page(response.status) else self._bad_status(response, url, started)
                return replace(self._peeked(url, response, started), failure=failure)
        except _Ambiguous as refused:
            return Refused(url=url, reason=Refusal.ADDRESS, detail=str(refused))
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError, RuntimeError) as error:
            return self._failure(url, error, started, route)

    async def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> ResponseHead | Refused | Failed:
        """Sends one POST; a redirect is a response like any other and is not followed."""
        started = self._clock.monotonic()
        target = urls.parse(url)
        # As it was given: the identity form of pages leaves out parameters which a receiver may need.
        wire = URL(url, encoded=True)
        if wire.raw_host != target.hostname:
            return Refused(url=url, reason=Refusal.ADDRESS, detail="its URL is ambiguous about its host")
        try:
            with self._guard.requesting(target.hostname):
                async with self._session.request(
                    "POST", wire, data=body, headers=headers, allow_redirects=False
                ) as response:
                    return self._peeked(url, response, started)
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError, RuntimeError) as error:
            return self._failure(url, error, started)

    @asynccontextmanager
    async def _sent(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        route: ProxyConnection | None,
        on_sent: Callable[[], None] | None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response to one request, sent under the address guard."""
        target = urls.parse(url)
        wire = URL(target.href, encoded=True)
        if wire.raw_host != target.hostname:
            # Two parsers disagree on the host: the oldest trick against an address guard.
            raise _Ambiguous(f"{url!r} is ambiguous about its host")
        if route is not None:
            async with self._sent_through(route, method, wire, headers) as response:
                yield response
            return
        with self._guard.requesting(target.hostname):
            session = self._session if on_sent is None else self._traced_session
            async with session.request(
                method, wire, headers=headers, allow_redirects=False, trace_request_ctx=on_sent
            ) as response:
                yield response

    @asynccontextmanager
    async def _sent_through(
        self, route: ProxyConnection, method: str, wire: URL, headers: Mapping[str, str]
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The same through a proxy, which resolves the site's name itself."""
        await self._check_site(wire)
        endpoint = route.endpoint
        is_forwarded = wire.scheme == "http" and endpoint.protocol != "socks5"
        with connector.through(route), self._guard.requesting(endpoint.address, is_trusted=endpoint.is_trusted):
            async with self._session.request(
                method,
                wire,
                # A proxy that forwards a request reads its headers; one that tunnels must not pass ours on.
                headers={**headers, **endpoint.authorization} if is_forwarded else headers,
                proxy=URL(endpoint.url),
                proxy_headers={**self._agent, **endpoint.authorization},
                allow_redirects=False,
            ) as response:
                if is_forwarded:
                    faults.raise_if_proxy_speaks(response)
                yield response

    async def _check_site(self, target: URL) -> None:
        """Raises when the site is inside this network, as far as our own name server knows."""
        host, port = target.raw_host or "", target.port or 0
        with self._guard.requesting(host):
            for address in await self._connector.addresses(host, port, patience=self._timeouts.connect):
                self._guard.check(address, port)

    async def _visit(
        self, response: aiohttp.ClientResponse, url: str, wanted: BodyLimits, validators: Validators, started: float
    ) -> Visit:
        now, status, headers = self._clock.now(), response.status, response.headers
        if status == 304 and validators:
            kept = header_values.refreshed(validators, header_values.validators(headers))
            return NotModified(
                url=url,
                validators=kept,
                at=now,
                took=self._since(started),
                fresh_for=header_values.fresh_for(headers, now=now),
                robots_tag=header_values.robots_tag(headers),
                usage=header_values.text(usage.from_headers(headers)),
            )
        if status in _REDIRECTS:
            return self._redirect(url, status, headers, started)
        if not _has_page(status):
            return self._bad_status(response, url, started)
        content_type = header_values.text(headers.get("Content-Type"))
        # A compressed file may be a sitemap: only its body shows that.
        is_packed = urls.parse(url).path_query.partition("?")[0].endswith(".gz")
        if wanted.only_text and not is_packed and sniff(b"", content_type) is BodyType.BINARY:
            detail = f"{content_type} is not HTML, XML, JSON or text; only those are parsed"
            return self._failed(url, Fault.CONTENT_TYPE, detail, started, status=status)
        body = await wanted.body_of(response.content.iter_any(), announced=response.content_length)
        if body is None:
            size = f"{wanted.max_bytes // 1024} KiB"
            detail = f"the page is larger than {size}; a higher max_page_kb for its host would allow it"
            return self._failed(url, Fault.TOO_LARGE, detail, started, status=status)
        if wanted.only_text and sniff(body[:_LOOKED_AT], content_type) is BodyType.BINARY:
            detail = f"the body is binary, whatever its type ({content_type}) says"
            return self._failed(url, Fault.CONTENT_TYPE, detail, started, status=status)
        return Fetched(
            url=url,
            status=status,
            body=body,
            content_type=content_type,
            validators=header_values.validators(headers),
            at=now,
            took=self._since(started),
            fresh_for=header_values.fresh_for(headers, now=now),
            robots_tag=header_values.robots_tag(headers),
            usage=header_values.text(usage.from_headers(headers)),
            headers=response.raw_headers,
        )

    def _peeked(self, url: str, response: aiohttp.ClientResponse, started: float) -> ResponseHead:
        return ResponseHead(
            url=url,
            status=response.status,
            headers={name.lower(): header_values.text(value) or "" for name, value in response.headers.items()},
            at=self._clock.now(),
            took=self._since(started),
        )

    def _redirect(self, url: str, status: int, headers: Mapping[str, str], started: float) -> Redirected | Failed:
        now, location = self._clock.now(), header_values.text(headers.get("Location"))
        target = urls.join(url, location) if location else None
        if target is None:
            detail = f"HTTP {status} points to {location!r}, which cannot be followed"
            return self._failed(url, Fault.BAD_REDIRECT, detail, started, status=status)
        wait = header_values.retry_after(headers, now=now)
        return Redirected(url=url, status=status, target=target, at=now, took=self._since(started), retry_after=wait)

    def _bad_status(self, response: aiohttp.ClientResponse, url: str, started: float) -> Failed:
        now, status = self._clock.now(), response.status
        retry_after = header_values.text(response.headers.get("Retry-After"))
        wait = header_values.retry_after(response.headers, now=now)
        fault = faults.of_status(status, has_retry_after=retry_after is not None)
        detail = f"HTTP {status}" + (f" with Retry-After: {retry_after[:80]}" if retry_after else "")
        return self._failed(url, fault, detail, started, status=status, retry_after=wait)

    def _failure(
        self, url: str, error: BaseException, started: float, route: ProxyConnection | None = None
    ) -> Refused | Failed:
        refusal = refusal_in(error)
        if refusal is not None and (route is None or not route.is_opening):
            return Refused(url=url, reason=Refusal.ADDRESS, detail=str(refusal))
        fault, detail = faults.of_error(error)
        if route is None:
            return self._failed(url, fault, detail, started)
        judged = faults.judge_through_proxy(error, fault, detail, route, is_secure=url.startswith("https:"))
        failed = self._failed(url, judged.fault, judged.why, started, status=judged.status)
        return replace(failed, doubt=judged.doubt)

    def _failed(
        self,
        url: str,
        fault: Fault,
        detail: str,
        started: float,
        *,
        status: int | None = None,
        retry_after: timedelta | None = None,
    ) -> Failed:
        at: datetime = self._clock.now()
        return Failed(
            url=url,
            fault=fault,
            detail=header_values.text(detail) or "",
            at=at,
            took=self._since(started),
            status=status,
            retry_after=retry_after,
        )

    def _since(self, started: float) -> timedelta:
        return timedelta(seconds=self._clock.monotonic() - started)


class _Request(aiohttp.ClientRequest):
    """A request that is not sent if its turn has ended by the time there is a connection."""

    async def send(self, conn: Any) -> aiohttp.ClientResponse:
        send_checks.check()
        if self.proxy is not None and self.proxy.scheme == "socks5":
            # The tunnel ends at the site, which gets the request as without a proxy: not in the absolute form.
            self.proxy = None
        return await super().send(conn)


def _has_page(status: int) -> bool:
    return 200 <= status < 300 and status not in _NO_PAGE


async def _notify_sent(_session: object, context: Any, _params: object) -> None:
    context.trace_request_ctx()
