"""May this URL be asked for, now? Asked in this order: stranger, takedown, robots, breaker. The turn comes after."""

from dataclasses import dataclass
from datetime import datetime

from lamplighter.fetch.guard import Guard
from lamplighter.fetch.robots_cache import Compiled, RobotsCache
from lamplighter.fetch.turns import HeldHost
from lamplighter.model.host import RobotsState
from lamplighter.model.visit import Refusal, Refused
from lamplighter.ports import Clock
from lamplighter.rules import politeness, takedown, urls
from lamplighter.rules.addresses import is_literal, refused_address
from lamplighter.store import takedowns
from lamplighter.store.database import Database

#: a takedown takes effect within this many seconds, without a look into the database for every page
_TAKEDOWNS_KEPT_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """Yes, and by which rule."""

    rule: str


class Gate:
    """Everything that stands between a URL and its request."""

    def __init__(self, db: Database, *, robots: RobotsCache, guard: Guard, clock: Clock, has_contact: bool) -> None:
        self._db = db
        self._robots = robots
        self._guard = guard
        self._clock = clock
        self._has_contact = has_contact
        self._takedowns: tuple[str, ...] = ()
        self._takedowns_read_at = float("-inf")

    async def ask(self, url: str, held: HeldHost) -> Passed | Refused:
        """Decides; may use a turn of the host to ask for its robots.txt first."""
        target = urls.parse(url)
        if (refused := self._stranger(url, target)) is not None:
            return refused
        if (entry := takedown.matching(target.href, await self._taken_down())) is not None:
            return Refused(url=url, reason=Refusal.TAKEDOWN, detail=f"{entry} is on the takedown list")
        blocked = self._breaker(url, held)
        robots = self._robots.fresh(target.origin)
        if robots is None and blocked is not None:
            return blocked  # asking for its robots.txt would also be asking
        robots = robots or await self._robots.of(target.origin, held)
        answer = judge_robots(robots, token=self._robots.token, url=target.href)
        return answer if isinstance(answer, Refused) else blocked or answer

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

    def _breaker(self, url: str, held: HeldHost) -> Refused | None:
        host = held.host
        if not politeness.is_blocked(host, now=self._clock.now()):
            return None
        detail = f"{host.key} is left alone until {_minute(host.blocked_until)}: {host.block_reason}"
        return Refused(url=url, reason=Refusal.BREAKER, detail=detail, until=host.blocked_until)

    async def _taken_down(self) -> tuple[str, ...]:
        if self._clock.monotonic() - self._takedowns_read_at > _TAKEDOWNS_KEPT_SECONDS:
            async with self._db.read() as db:
                self._takedowns = tuple(await takedowns.all_of_them(db))
            self._takedowns_read_at = self._clock.monotonic()
        return self._takedowns


def judge_robots(robots: Compiled, *, token: str, url: str) -> Passed | Refused:
    """What robots.txt says, with the line that decided."""
    file = robots.file
    if file.state is RobotsState.UNREACHABLE:
        detail = (
            f"{file.origin}/robots.txt could not be had ({file.detail}), so nothing may be asked; "
            f"next try {_minute(file.expires_at)}"
        )
        return Refused(url=url, reason=Refusal.ROBOTS_UNREACHABLE, detail=detail, until=file.expires_at)
    verdict = robots.verdict(token, url)
    if verdict.allowed:
        return Passed(rule=verdict.rule or "no rule of robots.txt applies")
    where = f"line {verdict.line} of {file.origin}/robots.txt, group {verdict.group}"
    return Refused(url=url, reason=Refusal.ROBOTS, detail=f"robots disallow: {verdict.rule!r} ({where})")


def _minute(time: datetime | None) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC") if time else "further notice"
