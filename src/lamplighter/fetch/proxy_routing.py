"""Proxy routing: sends a request in its host's turn, through the proxy that is due or directly.

After a proxy's fault one other proxy is tried, in a turn of its own, so that the time between two requests that may
reach the host is kept. A response of the site itself, a 429 or 403 above all, never leads to another proxy.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Generic, TypeVar

from lamplighter.fetch.proxy_registry import ProxyRegistry, TakenProxy
from lamplighter.fetch.turns import NO_EXTRA_DELAY, HeldHost, Turn
from lamplighter.model.proxy import ProxyEndpoint, ProxyMode
from lamplighter.model.visit import Failed, Fault, Refusal, Refused, ResponseHead, Visit
from lamplighter.ports import Clock
from lamplighter.rules.hosts import politeness
from lamplighter.rules.proxies.proxy_choice import NoProxy

_Visit = TypeVar("_Visit", bound=Visit | ResponseHead)


async def _no_objection() -> None:
    """For requests that need no second check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedRequest(Generic[_Visit]):
    """One request that is to be sent."""

    url: str
    #: sends it in a turn, through a proxy or directly
    send: Callable[[Turn, ProxyEndpoint | None], Awaitable[_Visit]]
    #: called when the turn has come: whether the URL may no longer be fetched, or the host is blocked by now
    check: Callable[[], Awaitable[Refused | None]] = _no_objection
    #: minimum pause of the host after the request
    extra_delay: timedelta = NO_EXTRA_DELAY


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedVisit(Generic[_Visit]):
    """The visit in one turn of the host, and its proxy."""

    visit: _Visit | Refused | Failed
    #: None when it was sent directly, or not at all
    taken: TakenProxy | None = None
    #: False when the turn was not used
    was_sent: bool = True
    #: another proxy had the same result, so the fault is the site's
    agrees: bool = False

    @property
    def proxy_id(self) -> int | None:
        """The proxy's id; None when sent directly, or not at all."""
        return self.taken.endpoint.id if self.taken is not None else None

    @property
    def proxys_fault(self) -> Failed | None:
        """How the proxy failed; None when it did not."""
        match self.visit:
            case Failed(fault=Fault.PROXY) as fault:
                return fault
        return None

    @property
    def reached_site(self) -> bool:
        """Whether the site itself responded."""
        match self.visit:
            case Refused() | Failed(status=None):
                return False
        return self.proxys_fault is None

    @property
    def is_doubtful(self) -> bool:
        """Whether it may as well be the site's fault."""
        return self.proxys_fault is not None and self.proxys_fault.doubt is not None


class ProxyRouting:
    """Sends requests directly or through a proxy."""

    def __init__(self, book: ProxyRegistry, *, clock: Clock) -> None:
        self._book = book
        self._clock = clock
        #: per host, the proxies that agreed in a doubt, and how: settled by the next request that reaches the host
        self._suspects: dict[int, dict[int, tuple[TakenProxy, str]]] = {}

    async def through(self, held: HeldHost, request: RoutedRequest[_Visit]) -> RoutedVisit[_Visit]:
        """Sends the request in the host's turn; Refused when it needs a proxy and none can be used."""
        if not await self._book.concerns(held.host):
            return await self._direct(held, request)
        first = await self._send(held, request)
        if not first.is_doubtful:
            await self._count(held, first)
        if first.proxys_fault is None:
            return first
        second = await self._send(held, request, after=first)
        if second.agrees:
            self._suspect(held, first, second)
            return second  # no proxy is blamed for a fault of the site
        if first.is_doubtful:
            await self._count(held, first)
        await self._count(held, second)
        return second if second.was_sent else first

    async def by(self, proxy_id: int, held: HeldHost, request: RoutedRequest[_Visit]) -> _Visit | Refused | Failed:
        """Sends the request through one given proxy."""
        async with held.turn(extra_delay=request.extra_delay) as turn:
            if (blocked := await request.check()) is not None:
                return blocked
            taken = await self._book.take_this(proxy_id, held.host)
            if isinstance(taken, NoProxy):
                return _no_proxy(request.url, taken)
            visit = await self._sent(turn, request, taken)
            self._learn(held, visit)
        await self._count(held, RoutedVisit(visit=visit, taken=taken))
        return visit

    async def _direct(self, held: HeldHost, request: RoutedRequest[_Visit]) -> RoutedVisit[_Visit]:
        async with held.turn(extra_delay=request.extra_delay) as turn:
            if (blocked := await request.check()) is not None:
                return RoutedVisit(visit=blocked)
            visit = await request.send(turn, None)
            self._learn(held, visit)
        return RoutedVisit(visit=visit)

    async def _send(
        self, held: HeldHost, request: RoutedRequest[_Visit], *, after: RoutedVisit[_Visit] | None = None
    ) -> RoutedVisit[_Visit]:
        async with held.turn(extra_delay=request.extra_delay) as turn:
            if (blocked := await request.check()) is not None:
                return RoutedVisit(visit=blocked, was_sent=False)
            tried = [after.taken.endpoint.id] if after is not None and after.taken is not None else []
            found = await self._book.take(held.host, but_not=tried)
            if isinstance(found, NoProxy) and held.host.policy.proxy_mode is not ProxyMode.PREFER:
                return RoutedVisit(visit=_no_proxy(request.url, found), was_sent=False)
            taken = None if isinstance(found, NoProxy) else found
            visit = await self._sent(turn, request, taken)
            sites = _sites_fault(after, visit)
            self._learn(held, sites or visit)
        return RoutedVisit(visit=sites or visit, taken=taken, agrees=sites is not None)

    def _learn(self, held: HeldHost, visit: Visit | ResponseHead) -> None:
        """Updates what is known of the host, within its turn."""
        held.host = politeness.after_visit(held.host, visit, now=self._clock.now())

    async def _sent(self, turn: Turn, request: RoutedRequest[_Visit], taken: TakenProxy | None) -> _Visit | Failed:
        if taken is None:
            return await request.send(turn, None)
        if taken.trouble is None:
            return await request.send(turn, taken.endpoint)
        detail = f"through proxy {taken.endpoint.id} ({taken.endpoint.url}): {taken.trouble}"
        return Failed(url=request.url, fault=Fault.PROXY, detail=detail, at=self._clock.now(), took=timedelta(0))

    def _suspect(self, held: HeldHost, *routed: RoutedVisit[_Visit]) -> None:
        """Remembers which proxies agreed: two broken proxies must not clear each other for ever."""
        agreed = {
            each.taken.endpoint.id: (each.taken, each.visit.detail)
            for each in routed
            if each.taken is not None and isinstance(each.visit, Failed)
        }
        if len(agreed) == len(routed):  # a proxy that agreed with a direct request was right
            self._suspects.setdefault(held.host.id, {}).update(agreed)

    async def _settle(self, held: HeldHost, routed: RoutedVisit[_Visit]) -> None:
        """The site was reached, so the last failure of the proxies that agreed it was unreachable was their own."""
        suspects = self._suspects.pop(held.host.id, {})
        for proxy_id, (taken, why) in suspects.items():
            if routed.taken is None or routed.taken.endpoint.id != proxy_id:
                await self._book.failed(taken, why=why)

    async def _count(self, held: HeldHost, routed: RoutedVisit[_Visit]) -> None:
        """Records the proxy's success or failure; a request that was never sent says nothing about it."""
        if routed.reached_site:
            await self._settle(held, routed)
        if routed.taken is None or isinstance(routed.visit, Refused):
            return
        if (fault := routed.proxys_fault) is not None:
            await self._book.failed(routed.taken, why=fault.detail)
        else:
            await self._book.succeeded(routed.taken, took=routed.visit.took)


def _sites_fault(after: RoutedVisit[_Visit] | None, visit: _Visit | Failed) -> Failed | None:
    """The site's failure when two proxies in a row had the same doubtful result: then it is no proxy's fault."""
    before = after.proxys_fault if after is not None else None
    if before is None or before.doubt is None or not isinstance(visit, Failed):
        return None
    seen = visit.doubt if visit.fault is Fault.PROXY else visit.fault
    return replace(visit, fault=before.doubt, doubt=None) if seen is before.doubt else None


def _no_proxy(url: str, found: NoProxy) -> Refused:
    return Refused(url=url, reason=Refusal.NO_PROXY, detail=found.why, until=found.until)
