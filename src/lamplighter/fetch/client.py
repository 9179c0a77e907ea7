"""The HTTP client: one request, directly or through a proxy, no redirects, everything bounded.

Only the fetcher, the robots cache and the webhooks call it.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Self

from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.fetch import faults, header_values
from lamplighter.fetch.address_guard import AddressGuard, AddressRefused
from lamplighter.fetch.body_limits import CODINGS, BodyLimits, BodyReader, BrokenCoding, is_binary
from lamplighter.fetch.faults import ProxySays
from lamplighter.fetch.held_host import Turn
from lamplighter.fetch.names import Resolver, SystemResolver
from lamplighter.fetch.response_head import Head, text
from lamplighter.fetch.site_request import NO_HEADERS, SiteRequest
from lamplighter.fetch.transfer import ResponseTooOdd, TransferFailed, Wire, WireRequest
from lamplighter.fetch.transfers import Timeouts, Transfers
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
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.addresses import is_literal

ACCEPT = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,application/rss+xml;q=0.9,"
    "application/atom+xml;q=0.9,application/json;q=0.9,text/xml;q=0.9,text/plain;q=0.5"
)
#: bytes of a body that are sniffed for its type
_LOOKED_AT = 4096
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: successes with a page; 204 and 205 have none, and 206 is a part that we did not request
_WITH_PAGE = frozenset(range(200, 300)) - {204, 205, 206}

#: the host and port of a URL that every parser reads in the same way
_PLAIN_HOST = re.compile(r"(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
#: what comes after the host in a URL as it was given
_AFTER_HOST = re.compile(r"https?://[^/?#\\@]*((?:[/?].*)?)", re.IGNORECASE)
#: the errors of one request
_ERRORS = (TransferFailed, ProxySays, BrokenCoding, ResponseTooOdd, TimeoutError, OSError, ValueError)


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
        resolver: Resolver | None = None,
        authorities: bytes | None = None,
        wire: Wire | None = None,
    ) -> None:
        """`authorities` are the trusted certificates (PEM), by default the system's; `wire` replaces the network."""
        self._guard = guard
        self._clock = clock
        self._timeouts = timeouts or Timeouts()
        self._system = SystemResolver()
        self._resolver = resolver or self._system
        self._transfers = wire or Transfers(
            guard=guard,
            resolver=self._resolver,
            timeouts=self._timeouts,
            user_agent=user_agent,
            authorities=authorities,
        )
        self.identify(user_agent, contact_email)

    def identify(self, user_agent: str, contact_email: str | None) -> None:
        """Says who we are, from the next request on."""
        self._transfers.user_agent = user_agent
        usual = {"Accept": ACCEPT, "Accept-Encoding": CODINGS} | ({"From": contact_email} if contact_email else {})
        self._usual = {name.lower(): header_values.line(name, value) for name, value in usual.items()}
        self._usual_lines = list(self._usual.values())

    async def __aenter__(self) -> Self:
        await self._transfers.__aenter__()
        return self

    async def __aexit__(self, *details: object) -> None:
        await self._transfers.__aexit__(*details)
        await self._system.close()

    def ask(
        self, request: SiteRequest, turn: Turn, *, headers: Mapping[str, str], endpoint: ProxyEndpoint | None
    ) -> Awaitable[Visit | ResponseHead]:
        """Sends a request in its host's turn; `headers` are those of the host."""
        if request.headers:
            headers = {**request.headers, **headers}
        if request.method == "HEAD":
            return self.head(request.url, headers=headers, endpoint=endpoint, may_send=turn.check, on_sent=turn.on_sent)
        return self.get(
            request.url,
            wanted=request.wanted,
            validators=request.validators(),
            headers=headers,
            endpoint=endpoint,
            may_send=turn.check,
            on_sent=turn.on_sent,
            on_cookies=request.on_cookies,
        )

    async def get(
        self,
        url: str,
        *,
        wanted: BodyLimits,
        validators: Validators = NO_VALIDATORS,
        headers: Mapping[str, str] = NO_HEADERS,
        endpoint: ProxyEndpoint | None = None,
        may_send: Callable[[], None] | None = None,
        on_sent: Callable[[], None] | None = None,
        on_cookies: Callable[[Sequence[str]], None] | None = None,
    ) -> Visit:
        """Sends one GET; calls `on_sent` when the request is sent, and `on_cookies` with the Set-Cookie lines received.

        `may_send` is called when there is a connection and nothing is sent yet; it raises when nothing may be sent.
        Through a proxy `on_sent` is not called: when the proxy forwards the request is not known before the response.
        """
        started, target = self._clock.monotonic(), urls.parse(url)
        if validators:
            headers = {**headers, **header_values.conditions(validators)}
        try:
            head, body = await self._sent(
                "GET", target, headers, endpoint, may_send, on_sent, wants=partial(_reader, target, wanted)
            )
            if on_cookies is not None:
                on_cookies(head.headers.getall("Set-Cookie"))
            return self._visit(url, head, body, wanted, validators, started)
        except _ERRORS as error:
            return self._failure(url, error, started, endpoint)

    async def head(
        self,
        url: str,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        endpoint: ProxyEndpoint | None = None,
        may_send: Callable[[], None] | None = None,
        on_sent: Callable[[], None] | None = None,
    ) -> ResponseHead | Redirected | Refused | Failed:
        """Sends one HEAD request."""
        started, target = self._clock.monotonic(), urls.parse(url)
        try:
            head, _ = await self._sent("HEAD", target, headers, endpoint, may_send, on_sent)
        except _ERRORS as error:
            return self._failure(url, error, started, endpoint)
        if head.status in _REDIRECTS:
            return self._redirect(url, head, started)
        failure = None if head.status in _WITH_PAGE else self._bad_status(head, url, started)
        return replace(self._peeked(url, head, started), failure=failure)

    async def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> ResponseHead | Refused | Failed:
        """Sends one POST; a redirect is a response like any other and is not followed."""
        started, target = self._clock.monotonic(), urls.parse(url)
        # As it was given: the identity form of pages leaves out parameters which a receiver may need.
        rest = _AFTER_HOST.fullmatch(url.strip())
        if rest is None:
            return _ambiguous(url)
        request = WireRequest(
            method="POST",
            url=target.origin + (rest[1] or "/"),
            headers=[b"Expect:", *self._lines({"Content-Type": "application/octet-stream", **headers})],
            hostname=target.hostname,
            port=target.port,
            body=body,
        )
        try:
            if not _is_plain(target.host_key):
                raise _ambiguous_host(target)
            head, _ = await self._transfers.send(request)
        except _ERRORS as error:
            return self._failure(url, error, started)
        return self._peeked(url, head, started)

    async def _sent(
        self,
        method: str,
        target: urls.WebUrl,
        headers: Mapping[str, str],
        endpoint: ProxyEndpoint | None,
        may_send: Callable[[], None] | None,
        on_sent: Callable[[], None] | None,
        wants: Callable[[Head], BodyReader | None] | None = None,
    ) -> tuple[Head, BodyReader | None]:
        """The response to one request."""
        if not _is_plain(target.host_key):
            raise _ambiguous_host(target)
        if endpoint is not None:
            await self._check_site(target)
        request = WireRequest(
            method=method,
            url=target.href,
            headers=self._lines(headers),
            hostname=target.hostname if endpoint is None else endpoint.address,
            port=target.port if endpoint is None else endpoint.port,
            proxy=endpoint,
            may_send=may_send,
            on_sent=on_sent if endpoint is None else None,
            wants=wants,
        )
        head, body = await self._transfers.send(request)
        if endpoint is not None and target.scheme == "http" and endpoint.protocol != "socks5":
            faults.raise_if_proxy_speaks(head)
        return head, body

    async def _check_site(self, target: urls.WebUrl) -> None:
        """Raises when the site is inside this network, as far as our own name server knows."""
        addresses: Sequence[str] = [target.hostname]
        if not is_literal(target.hostname):
            try:
                async with asyncio.timeout(self._timeouts.connect):
                    addresses = await self._resolver.addresses(target.hostname)
            except OSError:
                return  # the proxy looks it up
        for address in addresses:
            try:
                self._guard.check(address, target.port, hostname=target.hostname)
            except AddressRefused as refused:
                raise SiteRefused(str(refused)) from None

    def _lines(self, headers: Mapping[str, str]) -> list[bytes]:
        """The header lines of a request: the usual ones, unless `headers` has others of the same name."""
        if not headers:
            return self._usual_lines
        lines = {name.lower(): header_values.line(name, value) for name, value in headers.items()}
        return list((self._usual | lines).values())

    def _visit(
        self,
        url: str,
        head: Head,
        body: BodyReader | None,
        wanted: BodyLimits,
        validators: Validators,
        started: float,
    ) -> Visit:
        now, status, headers = self._clock.now(), head.status, head.headers
        if status == 304 and validators:
            kept = header_values.refreshed(validators, header_values.validators(headers))
            said = header_values.said(headers, now=now)
            return NotModified(
                url=url,
                validators=kept,
                at=now,
                took=self._since(started),
                fresh_for=said.fresh_for,
                robots_tag=said.robots_tag,
                usage=said.usage,
            )
        if status in _REDIRECTS:
            return self._redirect(url, head, started)
        if status not in _WITH_PAGE:
            return self._bad_status(head, url, started)
        if body is None and not _is_too_long(head, wanted):
            detail = f"{head.content_type} is not HTML, XML, JSON or text; only those are parsed"
            return self._failed(url, Fault.CONTENT_TYPE, detail, started, status=status)
        if body is None or (body.is_over and not wanted.cut):
            size = f"{wanted.max_bytes // 1024} KiB"
            detail = f"the page is larger than {size}; a higher max_page_kb for its host would allow it"
            return self._failed(url, Fault.TOO_LARGE, detail, started, status=status)
        content = body.body()
        if wanted.only_text and sniff(content[:_LOOKED_AT], head.content_type) is BodyType.BINARY:
            detail = f"the body is binary, whatever its type ({head.content_type}) says"
            return self._failed(url, Fault.CONTENT_TYPE, detail, started, status=status)
        said = header_values.said(headers, now=now)
        return Fetched(
            url=url,
            status=status,
            body=content,
            content_type=head.content_type,
            validators=header_values.validators(headers),
            at=now,
            took=self._since(started),
            fresh_for=said.fresh_for,
            robots_tag=said.robots_tag,
            usage=said.usage,
            headers=headers.raw,
        )

    def _peeked(self, url: str, head: Head, started: float) -> ResponseHead:
        return ResponseHead(
            url=url,
            status=head.status,
            headers={name: text(head.headers.getall(name)[-1]) or "" for name in head.headers},
            at=self._clock.now(),
            took=self._since(started),
        )

    def _redirect(self, url: str, head: Head, started: float) -> Redirected | Failed:
        status, headers = head.status, head.headers
        now, location = self._clock.now(), text(headers.get("Location"))
        target = urls.join(url, location) if location else None
        if target is None:
            detail = f"HTTP {status} points to {location!r}, which cannot be followed"
            return self._failed(url, Fault.BAD_REDIRECT, detail, started, status=status)
        wait = header_values.retry_after(headers, now=now)
        return Redirected(url=url, status=status, target=target, at=now, took=self._since(started), retry_after=wait)

    def _bad_status(self, head: Head, url: str, started: float) -> Failed:
        now, status = self._clock.now(), head.status
        retry_after = text(head.headers.get("Retry-After"))
        wait = header_values.retry_after(head.headers, now=now)
        fault = faults.of_status(status, has_retry_after=retry_after is not None)
        detail = f"HTTP {status}" + (f" with Retry-After: {retry_after[:80]}" if retry_after else "")
        return self._failed(url, fault, detail, started, status=status, retry_after=wait)

    def _failure(
        self, url: str, error: BaseException, started: float, endpoint: ProxyEndpoint | None = None
    ) -> Refused | Failed:
        if isinstance(error, SiteRefused) or (isinstance(error, AddressRefused) and endpoint is None):
            return Refused(url=url, reason=Refusal.ADDRESS, detail=str(error))
        target = urls.parse(url)
        fault, detail = faults.of_error(error, address=f"{target.hostname}:{target.port}")
        if endpoint is None:
            return self._failed(url, fault, detail, started)
        judged = faults.judge_through_proxy(error, fault, detail, endpoint, is_secure=target.scheme == "https")
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
            detail=text(detail) or "",
            at=at,
            took=self._since(started),
            status=status,
            retry_after=retry_after,
        )

    def _since(self, started: float) -> timedelta:
        return timedelta(seconds=self._clock.monotonic() - started)


class SiteRefused(AddressRefused):
    """The site itself is inside this network, and no proxy is asked for it."""


def _ambiguous_host(target: urls.WebUrl) -> AddressRefused:
    """Two parsers that disagree on the host are the oldest trick against an address guard."""
    return AddressRefused(f"{target.href!r} is ambiguous about its host")


@lru_cache(maxsize=4096)
def _is_plain(host_key: str) -> bool:
    return _PLAIN_HOST.fullmatch(host_key) is not None


def _is_too_long(head: Head, wanted: BodyLimits) -> bool:
    return not wanted.cut and (head.length or 0) > wanted.max_bytes


def _reader(target: urls.WebUrl, wanted: BodyLimits, head: Head) -> BodyReader | None:
    """Takes the body of a response; None when it is none that we want, as its head shows."""
    if head.status not in _WITH_PAGE or _is_too_long(head, wanted):
        return None
    # A compressed file may be a sitemap: only its body shows that.
    is_packed = target.path_query.partition("?")[0].endswith(".gz")
    content_type = head.content_type
    if wanted.only_text and not is_packed and is_binary(content_type):
        return None
    coding = head.headers.values_of.get("content-encoding")
    return BodyReader(wanted.max_bytes, coding[0] if coding else None)


def _ambiguous(url: str) -> Refused:
    return Refused(url=url, reason=Refusal.ADDRESS, detail="its URL is ambiguous about its host")
