"""Sends a request in its host's turn, directly or through the proxy that is due, and judges what came of it.

After a proxy's fault the next proxy is tried: in the same turn if the request cannot have reached the site, otherwise
in a turn of its own, so that the time between two requests that may reach the host is kept. A response of the site
itself, a 429 or 403 above all, never leads to another proxy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from lamplighter import crash_points
from lamplighter.fetch.barrier import Barrier
from lamplighter.fetch.client import Client
from lamplighter.fetch.held_host import HeldHost, Turn
from lamplighter.fetch.past_requests import PastRequests
from lamplighter.fetch.proxy_registry import ProxyRegistry, TakenProxy
from lamplighter.fetch.site_request import SiteRequest
from lamplighter.model.proxy import ProxyMode
from lamplighter.model.visit import Failed, Fault, Refusal, Refused, ResponseHead, Visit
from lamplighter.ports import Clock
from lamplighter.rules.hosts import politeness
from lamplighter.rules.proxies.proxy_choice import NoProxy

_NO_TIME = timedelta(0)
#: URLs of a host whose doubt is remembered; beyond that a doubt is the proxy's once more
_MOST_UNSETTLED = 1_000
_NOBODY: Mapping[int, tuple[TakenProxy, str]] = {}
#: proxies tried for one request: each may take a whole connect timeout, and the host's turn is held meanwhile
_MOST_PROXIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedVisit:
    """The visit in one turn of the host, and its proxy."""

    visit: Visit | ResponseHead
    #: None when it was sent directly, or not at all
    taken: TakenProxy | None = None
    #: False when the turn was not used
    was_sent: bool = True
    #: time waited for the host's turn
    waited: timedelta = _NO_TIME

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
        """Whether proxy or site failed is not known, and another proxy can show it."""
        return isinstance(self.visit, Failed) and self.visit.doubt is not None

    def seems_site(self, fault: Fault) -> bool:
        """Whether this is what a request sees when the site has that fault."""
        return isinstance(self.visit, Failed) and fault is not Fault.PROXY and _at_the_site(self.visit) is fault

    @property
    def is_certain(self) -> bool:
        """Whether the proxy failed before the request can have reached the site."""
        return self.proxys_fault is not None and not self.is_doubtful


class ProxyRouting:
    """Sends requests directly or through a proxy."""

    def __init__(
        self, book: ProxyRegistry, *, client: Client, barrier: Barrier, past: PastRequests, clock: Clock
    ) -> None:
        self._book = book
        self._past = past
        self._client = client
        self._barrier = barrier
        self._clock = clock
        #: per host, the proxies that agreed in a doubt, and how: settled by the next request that reaches the host
        self._suspects: dict[int, dict[int, tuple[TakenProxy, str]]] = {}
        #: per host, the URLs whose last request failed in a doubt that no second proxy could settle
        self._unsettled: dict[int, set[str]] = {}

    async def send(self, held: HeldHost, request: SiteRequest) -> RoutedVisit:
        """Sends the request in the host's turn; Refused when it needs a proxy and none can be used."""
        asked_at, tried = self._clock.monotonic(), list[RoutedVisit]()
        waited: timedelta | None = None
        direct: Visit | ResponseHead | None = None
        is_wanted = True
        while is_wanted:  # another proxy, in a turn of its own
            async with held.turn(extra_delay=request.extra_delay, leave=request.leave) as turn:
                blocked = await self._barrier.recheck(request.url, held)
                if blocked is not None:
                    tried.append(RoutedVisit(visit=blocked, was_sent=False))
                    break
                waited = waited or timedelta(seconds=self._clock.monotonic() - asked_at)
                if not tried and not self._book.concerns(held.host, has_proxies=held.has_proxies):
                    direct = await self._sent(held, turn, request, None)
                    self._learn(held, direct)
                    break
                is_wanted = await self._send_by_proxies(held, turn, request, tried)
        if direct is not None:
            routed = RoutedVisit(visit=direct, waited=waited or _NO_TIME)
            if self._suspects and routed.reached_site:
                await self._settle(held, routed)
            return routed
        sent = [each for each in tried if each.was_sent]
        if not sent:
            return tried[-1]
        if len(sent) == 1 and sent[0].taken is None:
            await self._count(held, sent[0])
            return sent[0]
        return replace(await self._judged(held, sent), waited=waited or _NO_TIME)

    async def _judged(self, held: HeldHost, sent: list[RoutedVisit]) -> RoutedVisit:
        """The visit that remains; counts what it shows of every proxy that was tried."""
        last = sent[-1]
        fault = _sites_fault(sent) or self._fault_of_page(held, sent)
        if fault is not None:
            last = replace(last, visit=replace(fault, doubt=None))
        elif (blamed := last.proxys_fault) is not None:
            last = replace(last, visit=replace(blamed, doubt=None))
        if sent[-1].is_doubtful and last.proxys_fault is None:
            self._learn(held, last.visit)
        cleared = [each for each in sent if fault is not None and each.seems_site(fault.fault)]
        self._suspect(held, cleared)  # no proxy is blamed for a fault of the site
        for each in sent:
            if each in cleared:
                continue
            if each is sent[-1]:
                await self._count(held, each)
            elif each.taken is not None and isinstance(each.visit, Failed):
                await self._book.failed(each.taken, why=each.visit.detail)
        return last

    def _fault_of_page(self, held: HeldHost, sent: Sequence[RoutedVisit]) -> Failed | None:
        """The site's failure where the only proxy reached it since this URL last failed in doubt; else None.

        The first doubt is the proxy's: nothing else is known of it then, and the page waits for it without a retry.
        """
        last, unsettled = sent[-1], self._unsettled.setdefault(held.host.id, set())
        fault = last.proxys_fault
        if fault is None or fault.doubt is None or last.taken is None or len(sent) > 1:
            return None
        if fault.url in unsettled and not last.taken.has_failed:
            unsettled.discard(fault.url)
            return replace(fault, fault=fault.doubt)
        if len(unsettled) >= _MOST_UNSETTLED:
            unsettled.clear()
        unsettled.add(fault.url)
        return None

    async def by(self, proxy_id: int, held: HeldHost, request: SiteRequest) -> Visit | ResponseHead:
        """Sends the request through one given proxy."""
        async with held.turn(extra_delay=request.extra_delay, leave=request.leave) as turn:
            if (blocked := await self._barrier.recheck(request.url, held)) is not None:
                return blocked
            taken = await self._book.take_this(proxy_id, held.host)
            if isinstance(taken, NoProxy):
                return _no_proxy(request.url, taken)
            visit = await self._sent(held, turn, request, taken)
            self._learn(held, visit)
        await self._count(held, RoutedVisit(visit=visit, taken=taken))
        return visit

    async def _send_by_proxies(
        self, held: HeldHost, turn: Turn, request: SiteRequest, tried: list[RoutedVisit]
    ) -> bool:
        """Sends the request in one turn, by the next proxy while one fails; whether it wants another turn."""
        while True:
            found = await self._next(held, tried)
            if isinstance(found, NoProxy) and held.host.policy.proxy_mode is not ProxyMode.PREFER:
                tried.append(RoutedVisit(visit=_no_proxy(request.url, found), was_sent=False))
                return False
            taken = None if isinstance(found, NoProxy) else found
            visit = await self._sent(held, turn, request, taken)
            routed = RoutedVisit(visit=visit, taken=taken)
            tried.append(routed)
            if not routed.is_doubtful:
                self._learn(held, visit)
            if not routed.is_certain:
                return routed.is_doubtful and not _is_silent(tried)

    async def _next(self, held: HeldHost, tried: Sequence[RoutedVisit]) -> TakenProxy | NoProxy:
        used = [each.proxy_id for each in tried if each.proxy_id is not None]
        if len(used) >= _MOST_PROXIES:
            return NoProxy(why=f"{len(used)} proxies of {held.host.key} failed one after the other", until=None)
        return await self._book.take(held.host, but_not=used)

    def _learn(self, held: HeldHost, visit: Visit | ResponseHead) -> None:
        """Updates what is known of the host, within its turn."""
        held.host = politeness.after_visit(held.host, visit, now=self._clock.now())

    async def _sent(
        self, held: HeldHost, turn: Turn, request: SiteRequest, taken: TakenProxy | None
    ) -> Visit | ResponseHead:
        if taken is not None and taken.trouble is not None:
            detail = f"through proxy {taken.endpoint.id} ({taken.endpoint.url}): {taken.trouble}"
            return Failed(url=request.url, fault=Fault.PROXY, detail=detail, at=self._clock.now(), took=_NO_TIME)
        began_at = self._clock.now()
        if request.out is not None:
            crash_points.reached("fetch.before_request")
            request.out[request.page_id] = began_at
        try:
            visit = await self._client.ask(
                request, turn, headers=held.headers, endpoint=taken.endpoint if taken is not None else None
            )
            self._past.note(held, visit, began_at=began_at, extra_delay=request.extra_delay)
            return visit
        finally:
            if request.out is not None:
                request.out.pop(request.page_id, None)

    def _suspect(self, held: HeldHost, cleared: Sequence[RoutedVisit]) -> None:
        """Remembers which proxies agreed: broken proxies must not clear each other for ever."""
        agreed = {
            each.taken.endpoint.id: (each.taken, each.visit.detail)
            for each in cleared
            if each.taken is not None and isinstance(each.visit, Failed)
        }
        if agreed and len(agreed) == len(cleared):  # a proxy that agreed with a direct request was right
            self._suspects.setdefault(held.host.id, {}).update(agreed)

    async def _settle(self, held: HeldHost, routed: RoutedVisit) -> None:
        """The site was reached, so the last failure of the proxies that agreed it was unreachable was their own."""
        suspects = self._suspects.pop(held.host.id, _NOBODY)
        for proxy_id, (taken, why) in suspects.items():
            if routed.taken is None or routed.taken.endpoint.id != proxy_id:
                await self._book.failed(taken, why=why)

    async def _count(self, held: HeldHost, routed: RoutedVisit) -> None:
        """Records the proxy's success or failure; a request that was never sent says nothing about it."""
        if routed.reached_site:
            await self._settle(held, routed)
        if routed.taken is None or isinstance(routed.visit, Refused):
            return
        if (fault := routed.proxys_fault) is not None:
            await self._book.failed(routed.taken, why=fault.detail)
        else:
            await self._book.succeeded(routed.taken, took=routed.visit.took)


def _sites_fault(sent: Sequence[RoutedVisit]) -> Failed | None:
    """The failure of the site on which the last two opinions agree: then it is no proxy's fault."""
    last = sent[-1].visit
    for each in reversed(sent[:-1]):
        if each.is_doubtful and isinstance(last, Failed) and each.seems_site(_at_the_site(last)):
            return replace(last, fault=_at_the_site(last))
    return None


def _is_silent(tried: Sequence[RoutedVisit]) -> bool:
    """Whether two proxies waited in vain: every other would take as long."""
    return sum(each.seems_site(Fault.TIMEOUT) for each in tried) > 1


def _at_the_site(failed: Failed) -> Fault:
    """The fault if it is the site's."""
    return failed.doubt if failed.fault is Fault.PROXY and failed.doubt is not None else failed.fault


def _no_proxy(url: str, found: NoProxy) -> Refused:
    return Refused(url=url, reason=Refusal.NO_PROXY, detail=found.why, until=found.until)
