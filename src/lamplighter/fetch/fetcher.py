"""Fetches a page if that is allowed: takedown, robots, breaker, the host's turn, then one GET."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from typing import TypeVar

from lamplighter.errors import LeaseLost, NotPossible
from lamplighter.fetch import header_values
from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.fetch.gate import Gate, GatePassed
from lamplighter.fetch.held_host import HeldHost
from lamplighter.fetch.proxy_routing import ProxyRouting
from lamplighter.fetch.site_request import NO_HEADERS, SiteRequest, always
from lamplighter.fetch.turns import Turns
from lamplighter.model.capture import Capture
from lamplighter.model.visit import (
    NO_VALIDATORS,
    Failed,
    Fault,
    Fetched,
    NotModified,
    Redirected,
    Refused,
    ResponseHead,
    Validators,
    Visit,
)
from lamplighter.ports import Clock
from lamplighter.rules.robots import usage
from lamplighter.rules.urls import urls

PATIENCE_SECONDS = 60
_TRIAL_PATIENCE_SECONDS = 30

_Visit = TypeVar("_Visit")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResult:
    """The visit of a URL, and the robots line that allowed it; None when no request was sent."""

    visit: Visit
    allowed_by: str | None = None
    #: the proxy of the request; None when it was sent directly
    proxy_id: int | None = None
    #: time waited for the host's turn
    waited: timedelta = timedelta(0)


class Fetcher:
    """Fetches pages through gate and client."""

    def __init__(self, *, gate: Gate, routing: ProxyRouting, turns: Turns, clock: Clock, max_redirects: int) -> None:
        self._gate = gate
        self._routing = routing
        self._turns = turns
        self._clock = clock
        self._max_redirects = max_redirects

    async def fetch(self, held: HeldHost, request: SiteRequest) -> FetchResult:
        """Fetches one URL of a host that we hold, in its turn; updates the host's state in `held`."""
        passed = await self._gate.check(request.url, held, leave=request.leave)
        if not isinstance(passed, GatePassed):
            return FetchResult(visit=passed)
        routed = await self._routing.send(held, request)
        visit = routed.visit
        assert not isinstance(visit, ResponseHead), "a page is fetched by GET"
        if isinstance(visit, Refused):
            return FetchResult(visit=visit)
        if passed.usage is not None and isinstance(visit, Fetched | NotModified):
            visit = replace(visit, usage=usage.joined(visit.usage, passed.usage))
        return FetchResult(visit=visit, allowed_by=passed.rule, proxy_id=routed.proxy_id, waited=routed.waited)

    async def from_archive(self, held: HeldHost, capture: Capture, *, leave: Callable[[], None]) -> FetchResult:
        """The visit of which this capture is, if the gate would let its request through now; sends none of a page."""
        passed = await self._gate.check(capture.url, held, leave=leave)
        if not isinstance(passed, GatePassed):
            return FetchResult(visit=passed)
        visit = header_values.visit_of(capture)
        if passed.usage is not None:
            visit = replace(visit, usage=usage.joined(visit.usage, passed.usage))
        return FetchResult(visit=visit, allowed_by=passed.rule)

    async def fetch_once(
        self,
        url: str,
        *,
        validators: Validators = NO_VALIDATORS,
        headers: Mapping[str, str] = NO_HEADERS,
        any_type: bool = False,
        leave: Callable[[], None] = always,
    ) -> FetchResult:
        """Fetches a URL outside any run, following redirects, each hop through the whole gate.

        Validators and headers are sent to the first address only. `leave` is called before each request, and raises
        when it is no longer wanted. With `any_type` a body need not be text that we can parse.
        """
        first = urls.parse(url).href
        allowed_by: str | None = None

        async def fetch(held: HeldHost, address: str) -> Visit:
            nonlocal allowed_by
            request = SiteRequest(url=address, wanted=page_limits(held, any_type=any_type), leave=leave)
            if address == first:
                request.validators, request.headers = lambda: validators, headers
            result = await self.fetch(held, request)
            allowed_by = result.allowed_by
            return result.visit

        visit = await self._follow(first, fetch)
        return FetchResult(visit=visit, allowed_by=allowed_by)

    async def peek_once(self, url: str) -> ResponseHead | Refused | Failed:
        """Fetches only the headers of a URL, outside any run, following redirects like `fetch_once`."""

        async def peek(held: HeldHost, address: str) -> Visit | ResponseHead:
            refused = await self._gate.check(address, held)
            if isinstance(refused, Refused):
                return refused
            request = SiteRequest(url=address, wanted=page_limits(held), method="HEAD")
            return (await self._routing.send(held, request)).visit

        visit = await self._follow(urls.parse(url).href, peek)
        assert isinstance(visit, ResponseHead | Refused | Failed), "redirects are followed to their end"
        return visit

    async def trial(self, proxy_id: int, url: str) -> Visit:
        """Requests a URL once through this proxy and no other, even if it backs off or is off; raises NotFound.

        The request passes the same gate and turn as any, and counts towards the proxy's hourly limit and its health.
        """

        async def fetch(held: HeldHost, address: str) -> Visit | ResponseHead:
            refused = await self._gate.check(address, held)
            if isinstance(refused, Refused):
                return refused
            wanted = BodyLimits(max_bytes=held.host.policy.max_page_bytes, only_text=False, cut=True)
            return await self._routing.by(proxy_id, held, SiteRequest(url=address, wanted=wanted))

        visit = await self._visit(urls.parse(url).href, fetch, patience=_TRIAL_PATIENCE_SECONDS)
        assert not isinstance(visit, ResponseHead), "a page is fetched by GET"
        return visit

    async def _follow(self, url: str, fetch: Callable[[HeldHost, str], Awaitable[_Visit]]) -> _Visit | Failed:
        """The response at the end of the redirects, each hop requested in the turn of its own host."""
        hops = 0
        while True:
            visit = await self._visit(url, fetch, patience=PATIENCE_SECONDS)
            if not isinstance(visit, Redirected):
                return visit
            if hops == self._max_redirects:
                return too_many_redirects(visit, limit=hops)
            if visit.retry_after:
                return _delayed(visit, visit.retry_after)
            hops, url = hops + 1, visit.target

    async def _visit(
        self, url: str, fetch: Callable[[HeldHost, str], Awaitable[_Visit]], *, patience: float
    ) -> _Visit | Failed:
        """The response in a turn of the URL's host, or the failure that it has none in time."""
        try:
            async with self._turns.visiting(urls.parse(url).host_key, patience=patience) as held:
                return await fetch(held, url)
        except (NotPossible, LeaseLost) as busy:
            now = self._clock.now()
            return Failed(url=url, fault=Fault.TIMEOUT, detail=str(busy), at=now, took=timedelta(0))


def page_limits(held: HeldHost, *, any_type: bool = False) -> BodyLimits:
    """How large a page of this host may be; with `any_type` its body need not be text that we can parse."""
    return _limits(held.host.policy.max_page_bytes, only_text=not any_type)


@lru_cache(maxsize=64)
def _limits(max_bytes: int, *, only_text: bool) -> BodyLimits:
    return BodyLimits(max_bytes=max_bytes, only_text=only_text)


def _delayed(visit: Redirected, wait: timedelta) -> Failed:
    """The failure of a redirect that the caller cannot wait for until it may be followed."""
    detail = f"redirects to {visit.target}, to be followed only in {wait.total_seconds():.0f} s; try again then"
    return Failed(
        url=visit.url,
        fault=Fault.BUSY,
        detail=detail,
        at=visit.at,
        took=visit.took,
        status=visit.status,
        retry_after=wait,
    )


def too_many_redirects(visit: Redirected, *, limit: int) -> Failed:
    """The failure that ends a chain of redirects."""
    detail = f"redirected more than {limit} times; the last target was {visit.target}"
    if limit == 0:
        detail = (
            f"it redirects to {visit.target}, and redirects are not followed; LAMPLIGHTER_FOLLOW_REDIRECTS=true does"
        )
    return Failed(
        url=visit.url, fault=Fault.TOO_MANY_REDIRECTS, detail=detail, at=visit.at, took=visit.took, status=visit.status
    )
