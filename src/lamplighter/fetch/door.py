"""The one door to the web: client, guard, turns, robots and gate, put together."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from aiohttp.abc import AbstractResolver

from lamplighter.fetch.barrier import Barrier
from lamplighter.fetch.client import Client, Timeouts
from lamplighter.fetch.exit_book import ExitBook
from lamplighter.fetch.exits import Exits
from lamplighter.fetch.fetcher import Fetcher
from lamplighter.fetch.gate import Gate
from lamplighter.fetch.guard import Guard
from lamplighter.fetch.passages import Passages
from lamplighter.fetch.rendering import Rendering
from lamplighter.fetch.robots_cache import RobotsCache
from lamplighter.fetch.turns import Turns
from lamplighter.fetch.webhooks import Webhooks
from lamplighter.model.host import HostPolicy
from lamplighter.ports import Clock, Renderer, Vault
from lamplighter.rules.addresses import AllowList
from lamplighter.rules.proxy_address import ProxyAddress
from lamplighter.rules.robots_parse import product_token
from lamplighter.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who we say we are."""

    #: its first word is the token that robots.txt may name
    user_agent: str
    #: sent as From; None sends none
    contact_email: str | None = None
    #: whether a site owner could reach us: without it only hosts that the operator opened are asked
    has_contact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorLimits:
    """How much, how often, how long."""

    #: for hosts whose operator said nothing
    policy: HostPolicy
    #: requests in flight over all hosts
    slots: int
    lease: timedelta
    robots_ttl: timedelta
    #: whether a robots.txt that we may not read (401, 403) means that nothing may be asked
    robots_denied_refuses: bool
    max_redirects: int
    connect_seconds: float
    read_seconds: float
    total_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The way to the web, with all its guards."""

    turns: Turns
    exits: Exits
    barrier: Barrier
    robots: RobotsCache
    fetcher: Fetcher
    rendering: Rendering
    #: for those who want to be told of something
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
    """Opens the door; every host still held when it closes is given back.

    `pool` are the proxies that the settings name, which may be inside this network; `vault` opens the passwords of all.
    """
    guard = Guard(allowed)
    turns = Turns(db, clock=clock, defaults=limits.policy, lease=limits.lease, slots=limits.slots)
    timeouts = Timeouts(connect=limits.connect_seconds, read=limits.read_seconds, total=limits.total_seconds)
    async with Client(
        guard=guard,
        clock=clock,
        user_agent=identity.user_agent,
        contact_email=identity.contact_email,
        timeouts=timeouts,
        resolver=resolver,
    ) as client:
        token = product_token(identity.user_agent)
        barrier = Barrier(db, guard=guard, clock=clock, has_contact=identity.has_contact)
        trusted = [(each.protocol or "", each.host, each.port or 0) for each in pool]
        passages = Passages(ExitBook(db, clock=clock, vault=vault, trusted=trusted), clock=clock)
        robots = RobotsCache(
            db,
            client=client,
            passages=passages,
            turns=turns,
            barrier=barrier,
            clock=clock,
            token=token,
            ttl=limits.robots_ttl,
            denied_refuses=limits.robots_denied_refuses,
        )
        gate = Gate(barrier=barrier, robots=robots)
        fetcher = Fetcher(
            gate=gate,
            client=client,
            passages=passages,
            turns=turns,
            clock=clock,
            max_redirects=limits.max_redirects,
        )
        try:
            rendering = Rendering(fetcher=fetcher, renderer=renderer, clock=clock)
            webhooks = Webhooks(client, guard=guard)
            yield Door(
                turns=turns,
                exits=Exits(gate=gate, client=client, passages=passages, turns=turns, clock=clock),
                barrier=barrier,
                robots=robots,
                fetcher=fetcher,
                rendering=rendering,
                webhooks=webhooks,
            )
        finally:
            await renderer.close()
            await turns.release_all()
