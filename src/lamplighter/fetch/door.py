"""The web client stack: client, address guard, turns, robots cache and gate, put together."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.barrier import Barrier
from lamplighter.fetch.client import Client
from lamplighter.fetch.fetcher import Fetcher
from lamplighter.fetch.gate import Gate
from lamplighter.fetch.names import Resolver
from lamplighter.fetch.past_requests import PastRequests
from lamplighter.fetch.proxy_registry import ProxyRegistry
from lamplighter.fetch.proxy_routing import ProxyRouting
from lamplighter.fetch.rendering import Rendering
from lamplighter.fetch.robots_cache import RobotsCache
from lamplighter.fetch.transfer import Wire
from lamplighter.fetch.transfers import Timeouts
from lamplighter.fetch.turns import Turns
from lamplighter.fetch.webhooks import Webhooks
from lamplighter.model.host import HostPolicy
from lamplighter.ports import Clock, Renderer, Vault
from lamplighter.rules.proxies.proxy_address import ProxyAddress
from lamplighter.rules.robots.robots_parse import product_token
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.store.engine.database import Database


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

    client: Client
    turns: Turns
    #: its latest requests
    past: PastRequests
    barrier: Barrier
    robots: RobotsCache
    fetcher: Fetcher
    rendering: Rendering
    #: for notifications
    webhooks: Webhooks

    def identify(self, identity: Identity) -> None:
        """Changes the contact, from the next request on; the token that robots.txt may name stays."""
        self.client.identify(identity.user_agent, identity.contact_email)
        self.barrier.has_contact = identity.has_contact


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
    resolver: Resolver | None = None,
    wire: Wire | None = None,
) -> AsyncIterator[Door]:
    """Opens the client stack; every host still held when it closes is released.

    `pool` are the proxies that the settings name, which may be inside this network; `vault` decrypts the passwords of
    all. Requests are sent over `wire`; by default over the network.
    """
    guard = AddressGuard(allowed)
    async with Client(
        guard=guard,
        clock=clock,
        user_agent=identity.user_agent,
        contact_email=identity.contact_email,
        timeouts=Timeouts(connect=limits.connect_seconds, read=limits.read_seconds, total=limits.total_seconds),
        resolver=resolver,
        wire=wire,
    ) as client:
        turns = Turns(db, clock=clock, defaults=limits.policy, lease=limits.lease, slots=limits.slots)
        trusted = [(each.protocol or "", each.host, each.port or 0) for each in pool]
        barrier = Barrier(db, guard=guard, clock=clock, has_contact=identity.has_contact)
        book = ProxyRegistry(db, clock=clock, vault=vault, trusted=trusted)
        past = PastRequests()
        routing = ProxyRouting(book, client=client, barrier=barrier, past=past, clock=clock)
        robots = RobotsCache(
            db,
            routing=routing,
            turns=turns,
            barrier=barrier,
            clock=clock,
            token=product_token(identity.user_agent),
            ttl=limits.robots_ttl,
            denied_refuses=limits.robots_denied_refuses,
        )
        gate = Gate(barrier=barrier, robots=robots)
        fetcher = Fetcher(gate=gate, routing=routing, turns=turns, clock=clock, max_redirects=limits.max_redirects)
        try:
            yield Door(
                client=client,
                turns=turns,
                past=past,
                barrier=barrier,
                robots=robots,
                fetcher=fetcher,
                rendering=Rendering(fetcher=fetcher, renderer=renderer, clock=clock),
                webhooks=Webhooks(client, guard=guard),
            )
        finally:
            await renderer.close()
            await turns.release_all()
