"""What needs no robots.txt to be refused: strangers, takedowns, hosts that are to be left alone."""

from datetime import datetime

from lamplighter.fetch.guard import Guard
from lamplighter.model.host import Host
from lamplighter.model.visit import Refusal, Refused
from lamplighter.ports import Clock
from lamplighter.rules import politeness, takedown, urls
from lamplighter.rules.addresses import is_literal, refused_address
from lamplighter.store import takedowns
from lamplighter.store.database import Database
from lamplighter.store.recent import Recent

#: a takedown takes effect within this many seconds, without a look into the database for every page
_TAKEDOWNS_KEPT_SECONDS = 5.0


class Barrier:
    """Asked for every URL that is about to be requested, robots.txt files included."""

    def __init__(self, db: Database, *, guard: Guard, clock: Clock, has_contact: bool) -> None:
        self._guard = guard
        self._clock = clock
        self._has_contact = has_contact
        self._takedowns = Recent(db, takedowns.all_of_them, seconds=_TAKEDOWNS_KEPT_SECONDS, clock=clock)

    async def refusal(self, url: str) -> Refused | None:
        """Why this URL is not asked for, whoever its host is and whatever its robots.txt says."""
        target = urls.parse(url)
        return self._stranger(url, target) or await self._taken_down(url, target)

    async def recheck(self, url: str, host: Host) -> Refused | None:
        """What may have come up while a request waited for its turn, which can take a minute."""
        return await self._taken_down(url, urls.parse(url)) or self.breaker(url, host)

    def breaker(self, url: str, host: Host) -> Refused | None:
        """Whether the host is to be left alone for now: by its operator, by its own wish, or because it is broken."""
        if not host.policy.enabled:
            detail = f"{host.key} is disabled: it is asked for nothing until somebody enables it"
            return Refused(url=url, reason=Refusal.HOST_DISABLED, detail=detail)
        if not politeness.is_blocked(host, now=self._clock.now()):
            return None
        detail = f"{host.key} is left alone until {moment(host.blocked_until)}: {host.block_reason}"
        return Refused(url=url, reason=Refusal.BREAKER, detail=detail, until=host.blocked_until)

    async def _taken_down(self, url: str, target: urls.WebUrl) -> Refused | None:
        entry = takedown.matching(target.href, await self._takedowns.get())
        if entry is None:
            return None
        return Refused(url=url, reason=Refusal.TAKEDOWN, detail=f"{entry} is on the takedown list")

    def _stranger(self, url: str, target: urls.WebUrl) -> Refused | None:
        """Hosts that the operator did not open himself: not inside this network, and not before they can reach us."""
        if self._guard.is_opened(target.hostname, target.port):
            return None
        if is_literal(target.hostname) and (why := refused_address(target.hostname)) is not None:
            detail = f"{why}; LAMPLIGHTER_ALLOW_HOSTS={target.hostname}:{target.port} would open it"
            return Refused(url=url, reason=Refusal.ADDRESS, detail=detail)
        if self._has_contact:
            return None
        detail = "site owners could not reach you: set LAMPLIGHTER_CONTACT_URL to a page about your crawler"
        return Refused(url=url, reason=Refusal.NO_CONTACT, detail=detail)


def moment(time: datetime | None) -> str:
    """A time for people."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC") if time else "further notice"
