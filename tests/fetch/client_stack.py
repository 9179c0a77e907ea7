"""The door of a test: the real one, over a real store, with short delays; and a name server that the test writes."""

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lamplighter import app
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.app import Store
from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.fetch.client import Client
from lamplighter.fetch.door import Door
from lamplighter.fetch.names import Resolver
from lamplighter.fetch.site_request import SiteRequest
from lamplighter.fetch.transfers import Timeouts
from lamplighter.model.host import Host
from lamplighter.model.visit import Failed, Fault, Visit
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.store.hosts import hosts, takedowns
from tests.changing import set_host
from tests.origin import Origin
from tests.service.in_process import quick_settings

AGENT = "LamplighterBot/1.0 (+https://lamplighter.example/bot)"
#: the log's clock and ours are read at different moments
TOLERANCE = 0.002


def fault_of(visit: Visit) -> Fault:
    """Why a visit failed, which it must have."""
    assert isinstance(visit, Failed), visit
    return visit.fault


def a_request(url: str, **how: Any) -> SiteRequest:
    """A request for a page, as a run would send it."""
    return SiteRequest(url=url, wanted=BodyLimits(max_bytes=1_000_000), **how)


class Names:
    """A name server: what the test wrote down, and no other name. Addresses must be loopback."""

    def __init__(self, known: dict[str, Sequence[str]] | None = None) -> None:
        self._known = known or {}
        self.asked: list[str] = []

    async def addresses(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        if name not in self._known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        assert all(address.startswith("127.") for address in self._known[name])
        return list(self._known[name])


@asynccontextmanager
async def a_client(
    *allowed: str,
    resolver: Resolver | None = None,
    connect: float = 2,
    read: float = 2,
    total: float = 4,
    contact_email: str | None = None,
    authorities: bytes | None = None,
) -> AsyncIterator[Client]:
    """A client that may connect to these addresses and, as far as the test is concerned, to no others."""
    async with Client(
        guard=AddressGuard(AllowList.parse(",".join(allowed))),
        clock=DatabaseClock(),
        user_agent=AGENT,
        contact_email=contact_email,
        timeouts=Timeouts(connect=connect, read=read, total=total),
        resolver=resolver or Names(),
        authorities=authorities,
    ) as client:
        yield client


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A door, its store, and what tests ask of them."""

    door: Door
    store: Store
    settings: Any

    async def ask(self, url: str) -> Visit:
        """What comes of asking for one URL, redirects followed."""
        return (await self.door.fetcher.fetch_once(url)).visit

    async def host(self, origin: Origin) -> Host:
        """What is stored about an origin's host."""
        async with self.store.db.read() as db:
            found = await hosts.get(db, origin.address, defaults=app.default_policy(self.settings))
        assert found is not None
        return found

    async def set_policy(self, origin: Origin, **policy: int) -> None:
        """What the operator allows on an origin's host."""
        now = self.store.clock.now()
        await self.store.db.write(lambda db: set_host(db, origin.address, now=now, **policy))

    async def take_down(self, domain_or_url: str) -> None:
        """Puts it on the takedown list."""
        now = self.store.clock.now()
        await self.store.db.write(lambda db: takedowns.add(db, domain_or_url, reason=None, now=now))


@asynccontextmanager
async def opened(folder: Path, *origins: Origin, **overrides: Any) -> AsyncIterator[Opened]:
    """The door, open to these origins."""
    settings = quick_settings(folder, *origins, **overrides)
    async with app.open_store(settings) as store, app.open_door(settings, store) as door:
        yield Opened(door=door, store=store, settings=settings)
