"""Tests a proxy: one request through it and no other, with the same gate and turn as any request."""

from datetime import timedelta

from lamplighter.errors import LeaseLost, NotPossible
from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.fetch.client import Client
from lamplighter.fetch.gate import Gate
from lamplighter.fetch.proxy_routing import ProxyRouting, RoutedRequest
from lamplighter.fetch.turns import Turn, Turns
from lamplighter.model.proxy import ProxyEndpoint
from lamplighter.model.visit import Failed, Fault, Refused, Visit
from lamplighter.ports import Clock
from lamplighter.rules.hosts import politeness
from lamplighter.rules.urls import urls

_PATIENCE_SECONDS = 30


class ProxyTester:
    """Tests proxies one by one."""

    def __init__(self, *, gate: Gate, client: Client, routing: ProxyRouting, turns: Turns, clock: Clock) -> None:
        self._gate = gate
        self._client = client
        self._routing = routing
        self._turns = turns
        self._clock = clock

    async def trial(self, proxy_id: int, url: str) -> Visit:
        """Requests a URL once through this proxy, even if it backs off or is off; NotFound if there is none.

        The request counts like any other: towards the proxy's hourly limit and its health.
        """
        address = urls.parse(url)
        try:
            async with self._turns.visiting(address.host_key, patience=_PATIENCE_SECONDS) as held:
                refused = await self._gate.check(address.href, held)
                if isinstance(refused, Refused):
                    return refused

                async def send(turn: Turn, endpoint: ProxyEndpoint | None) -> Visit:
                    wanted = BodyLimits(max_bytes=held.host.policy.max_page_bytes, only_text=False, cut=True)
                    return await self._client.get(
                        address.href, wanted=wanted, headers=held.headers, endpoint=endpoint, on_sent=turn.on_sent
                    )

                def learn(visit: Visit) -> None:
                    held.host = politeness.after_visit(held.host, visit, now=self._clock.now())

                request = RoutedRequest(
                    url=address.href, send=send, check=lambda: self._gate.recheck(address.href, held), learn=learn
                )
                return await self._routing.by(proxy_id, held, request)
        except (NotPossible, LeaseLost) as busy:
            now = self._clock.now()
            return Failed(url=address.href, fault=Fault.TIMEOUT, detail=str(busy), at=now, took=timedelta(0))
