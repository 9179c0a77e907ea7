"""The web client stack: client, address guard, turns, robots cache and gate, put together."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from aiohttp.abc import AbstractResolver

from lamplighter.errors import LeaseLost, NotPossible
from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.barrier import Barrier
from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.fetch.client import Client, Timeouts
from lamplighter.fetch.fetcher import Fetcher
from lamplighter.fetch.gate import Gate
from lamplighter.fetch.proxy_registry import ProxyRegistry
from lamplighter.fetch.proxy_routing import ProxyRouting, RoutedRequest
from lamplighter.fetch.rendering import Rendering
from lamplighter.fetch.robots_cache import RobotsCache
from lamplighter.fetch.turns import Turn, Turns
from lamplighter.fetch.webhooks import Webhooks
from lamplighter.model.host import HostPolicy
from lamplighter.model.proxy import ProxyEndpoint
from lamplighter.model.visit import Failed, Fault, Refused, Visit
from lamplighter.ports import Clock, Renderer, Vault
from lamplighter.rules.hosts import politeness
from lamplighter.rules.proxies.proxy_address import ProxyAddress
from lamplighter.rules.robots.robots_parse import product_token
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.store.engine.database import Database

_PATIENCE_SECONDS = 30


class ProxyTester:
    """Tests proxies: one request through the proxy and no other, with the same gate and turn as any request."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """How the crawler identifies itself."""

    #: its first word is the token that robots.txt may name
    user_agent: str
    #: sent as From; None sends no such header
    contact_email: str | None = None
    #: whether a site owner could reach us: without a contact only hosts that the operator allowed are fetched
    has_contact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorLimits:
    """Limits of the client stack: sizes, delays, timeouts, slots."""

    #: the default host policy
    policy: HostPolicy
    #: requests in flight over all hosts
    slots: int
    lease: timedelta
    robots_ttl: timedelta
    #: whether a robots.txt with status 401 or 403 means that nothing may be fetched
    robots_denied_refuses: bool
    max_redirects: int
    connect_seconds: float
    read_seconds: float
    total_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The web client stack with all its checks."""

    turns: Turns
    proxy_tester: ProxyTester
    barrier: Barrier
    robots: RobotsCache
    fetcher: Fetcher
    rendering: Rendering
    #: for notifications
    webhooks: Webhooks


@asynccontextmanager
async def opened(
    db: Database,
    *,
    clock: Clock,
    identity: Identity,
    limits: DoorLimits,
    allowed: AllowList,
    renderer: Renderer,
    vault: Vault,
    pool: Sequence[ProxyAddress] = (),
    resolver: AbstractResolver | None = None,
) -> AsyncIterator[Door]:
    """Opens the client stack; every host still held when it closes is released.

    `pool` are the proxies that the settings name, which may be inside this network; `vault` decrypts the passwords of
    all.
    """
    guard = AddressGuard(allowed)
    timeouts = Timeouts(connect=limits.connect_seconds, read=limits.read_seconds, total=limits.total_seconds)
    async with Client(
        guard=guard,
        clock=clock,
        user_agent=identity.user_agent,
        contact_email=identity.contact_email,
        timeouts=timeouts,
        resolver=resolver,
    ) as client:
        turns = Turns(db, clock=clock, defaults=limits.policy, lease=limits.lease, slots=limits.slots)
        trusted = [(each.protocol or "", each.host, each.port or 0) for each in pool]
        routing = ProxyRouting(ProxyRegistry(db, clock=clock, vault=vault, trusted=trusted), clock=clock)
        barrier = Barrier(db, guard=guard, clock=clock, has_contact=identity.has_contact)
        robots = RobotsCache(
            db,
            client=client,
            routing=routing,
            turns=turns,
            barrier=barrier,
            clock=clock,
            token=product_token(identity.user_agent),
            ttl=limits.robots_ttl,
            denied_refuses=limits.robots_denied_refuses,
        )
        gate = Gate(barrier=barrier, robots=robots)
        fetcher = Fetcher(
            gate=gate, client=client, routing=routing, turns=turns, clock=clock, max_redirects=limits.max_redirects
        )
        try:
            yield Door(
                turns=turns,
                proxy_tester=ProxyTester(gate=gate, client=client, routing=routing, turns=turns, clock=clock),
                barrier=barrier,
                robots=robots,
                fetcher=fetcher,
                rendering=Rendering(fetcher=fetcher, renderer=renderer, clock=clock),
                webhooks=Webhooks(client, guard=guard),
            )
        finally:
            await renderer.close()
            await turns.release_all()
