"""Refusals that need no robots.txt: private addresses, missing contact, takedowns, blocked hosts."""

from datetime import datetime

from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.held_host import HeldHost
from lamplighter.model.host import Host
from lamplighter.model.visit import Refusal, Refused
from lamplighter.ports import Clock
from lamplighter.rules.hosts import politeness, takedown
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.addresses import is_literal, refused_address
from lamplighter.store.engine.cached_query import CachedQuery
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import takedowns

#: how long the list is kept for a first check; just before a request it is read again if it has changed
TAKEDOWNS_KEPT_SECONDS = 5.0


class Barrier:
    """Checked for every URL before it is requested, robots.txt files included."""

    def __init__(self, db: Database, *, guard: AddressGuard, clock: Clock, has_contact: bool) -> None:
        self._guard = guard
        self._clock = clock
        #: whether site owners could reach us
        self.has_contact = has_contact
        self._mark: object = None
        self._takedowns = CachedQuery(db, takedowns.all_of_them, seconds=TAKEDOWNS_KEPT_SECONDS, clock=clock)

    async def refusal(self, url: str) -> Refused | None:
        """Why this URL must not be requested, whatever its host and its robots.txt say."""
        target = urls.parse(url)
        return self._stranger(url, target) or await self._taken_down(url, target)

    async def recheck(self, url: str, held: HeldHost) -> Refused | None:
        """Checks again what may have changed while a request waited for its turn, which can take a minute."""
        if held.takedowns != self._mark:
            self._takedowns.forget()
            self._mark = held.takedowns
        return await self._taken_down(url, urls.parse(url)) or self.breaker(url, held.host)

    def breaker(self, url: str, host: Host) -> Refused | None:
        """Whether the host must not be fetched now: disabled by the operator, blocked by itself, or broken."""
        if not host.policy.enabled:
            detail = f"{host.key} is disabled: no requests are sent until it is enabled"
            return Refused(url=url, reason=Refusal.HOST_DISABLED, detail=detail)
        if host.blocked_until is None or not politeness.is_blocked(host, now=self._clock.now()):
            return None
        detail = f"{host.key} is not fetched until {moment(host.blocked_until)}: {host.block_reason}"
        return Refused(url=url, reason=Refusal.BREAKER, detail=detail, until=host.blocked_until)

    async def _taken_down(self, url: str, target: urls.WebUrl) -> Refused | None:
        entries = await self._takedowns.get()
        entry = takedown.matching(target.href, entries) if entries else None
        if entry is None:
            return None
        return Refused(url=url, reason=Refusal.TAKEDOWN, detail=f"{entry} is on the takedown list")

    def _stranger(self, url: str, target: urls.WebUrl) -> Refused | None:
        """Refuses hosts that the operator did not allow: inside this network, or while no contact is set."""
        if self._guard.is_opened(target.hostname, target.port):
            return None
        if is_literal(target.hostname) and (why := refused_address(target.hostname)) is not None:
            detail = f"{why}; LAMPLIGHTER_ALLOW_HOSTS={target.hostname}:{target.port} would allow it"
            return Refused(url=url, reason=Refusal.ADDRESS, detail=detail)
        if self.has_contact:
            return None
        detail = (
            "site owners could not reach you: set LAMPLIGHTER_CONTACT_URL to a page about your crawler, or "
            "LAMPLIGHTER_CONTACT_EMAIL (AIDJOBS_CONTACT_EMAIL) to an address, or LAMPLIGHTER_USER_AGENT "
            "(AIDJOBS_CRAWLER_UA) to a name with one of the two"
        )
        return Refused(url=url, reason=Refusal.NO_CONTACT, detail=detail)


def moment(time: datetime | None) -> str:
    """A time as text."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC") if time else "further notice"
