"""The robots.txt of every origin: from memory, the database or the site, fetched once for all callers."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from lamplighter import crash_points
from lamplighter.errors import NotPossible, NotYet
from lamplighter.fetch.barrier import Barrier
from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.fetch.held_host import HeldHost
from lamplighter.fetch.proxy_routing import ProxyRouting
from lamplighter.fetch.site_request import SiteRequest, always
from lamplighter.fetch.turns import Turns
from lamplighter.model.host import RobotsFile, RobotsState, RobotsVerdict
from lamplighter.model.visit import Failed, Fault, Redirected, Refusal, Refused, ResponseHead, Visit
from lamplighter.ports import Clock
from lamplighter.rules.hosts import politeness
from lamplighter.rules.robots import robots, robots_answer, robots_parse
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts, robots_files

#: one byte more than is parsed, which shows whether the last line was cut
_WANTED = BodyLimits(max_bytes=robots_parse.MAX_BYTES + 1, only_text=False, cut=True)
KEPT_IN_MEMORY = 10_000
_MEMORY_BYTES = 64 * 1024 * 1024
_PATIENCE_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A robots.txt and its rules, parsed once."""

    file: RobotsFile
    rules: robots.Robots

    def verdict(self, token: str, url: str) -> RobotsVerdict:
        """May this URL be fetched? Only meaningful when the file is not unreachable."""
        if self.file.state is RobotsState.UNAVAILABLE:
            return RobotsVerdict(allowed=True, rule=f"no robots.txt (HTTP {self.file.status})")
        return self.rules.verdict(token, url)

    def crawl_delay(self, token: str) -> timedelta | None:
        """The delay it sets; if it is unreachable, that of its last good copy."""
        return self.verdict(token, f"{self.file.origin}/").crawl_delay


class RobotsCache:
    """Returns the robots.txt of every origin, and fetches it when it must."""

    def __init__(
        self,
        db: Database,
        *,
        routing: ProxyRouting,
        turns: Turns,
        barrier: Barrier,
        clock: Clock,
        token: str,
        ttl: timedelta,
        denied_refuses: bool,
    ) -> None:
        self._db = db
        self._barrier = barrier
        self._routing = routing
        self._turns = turns
        self._clock = clock
        self._ttl = ttl
        self._without_rules = robots_answer.without_rules(denied_refuses=denied_refuses)
        self.token = token
        self._known: OrderedDict[str, Compiled] = OrderedDict()
        self._known_bytes = 0
        self._fetching: dict[str, asyncio.Lock] = {}

    def fresh(self, origin: str) -> Compiled | None:
        """The copy in memory, if it is still valid: the quick path of every fetch."""
        known = self._known.get(origin)
        return known if known is not None and known.file.expires_at > self._clock.now() else None

    async def of(self, origin: str, held: HeldHost, *, leave: Callable[[], None] = always) -> Compiled | Refused:
        """The robots.txt of an origin, fetched in turn when no fresh copy is known; Refused when we may not fetch.

        `leave` is called before each request, and raises when it is no longer wanted.
        """
        if (known := self.fresh(origin)) is not None:
            return known
        async with self._fetching.setdefault(origin, asyncio.Lock()):
            if (known := self.fresh(origin)) is not None:
                return known
            stored = await self.stored(origin)
            if stored is not None and stored.expires_at > self._clock.now():
                return self._remember(stored, held, beside=await self._stored_beside(origin))
            return await self.refresh(origin, held, last=stored, leave=leave)

    async def stored(self, origin: str) -> RobotsFile | None:
        """The copy in the database, fresh or not."""
        return await self._db.look(lambda db: robots_files.get(db, origin))

    async def refresh(
        self, origin: str, held: HeldHost, *, last: RobotsFile | None, leave: Callable[[], None] = always
    ) -> Compiled | Refused:
        """Fetches it from the site now, and stores the result."""
        visit = await self._fetch(origin, held, last=last, leave=leave)
        if isinstance(visit, Refused):
            return visit
        if isinstance(visit, Failed) and visit.fault is Fault.PROXY:
            # It says nothing about the site, so it does not count against its robots.txt.
            until = self._clock.now() + robots_answer.FIRST_RECHECK
            return Refused(url=visit.url, reason=Refusal.NO_PROXY, detail=visit.detail, until=until)
        crash_points.reached("robots.after_fetch")
        beside = await self._stored_beside(origin)
        file = robots_answer.judge(
            origin, visit, last=last, ttl=self._ttl, without_rules=self._without_rules, now=self._clock.now()
        )
        compiled = self._remember(file, held, beside=beside)
        # Only now its crawl delay is known.
        longer = robots_answer.until_next_turn(file, delay=politeness.effective_delay(held.host))
        if longer is not None:
            file = replace(file, expires_at=longer)
            compiled = self._remember(file, held, beside=beside)

        async def store(db: Connection) -> None:
            await robots_files.save(db, file)
            await hosts.save_crawl_delay(db, held.host.id, held.host.crawl_delay)

        await self._db.write(store)
        return compiled

    async def fetch_now(self, origin: str) -> Compiled | Refused:
        """Fetches it now, however fresh our copy is, in its host's turn; raises NotPossible while that is taken."""
        url = f"{origin}/robots.txt"
        if (refused := await self._barrier.refusal(url)) is not None:
            return refused
        async with self._turns.visiting(urls.parse(url).host_key, patience=_PATIENCE_SECONDS) as held:
            if (blocked := self._barrier.breaker(url, held.host)) is not None:
                return blocked
            async with self._fetching.setdefault(origin, asyncio.Lock()):
                return await self.refresh(origin, held, last=await self.stored(origin))

    async def _fetch(self, origin: str, held: HeldHost, *, last: RobotsFile | None, leave: Callable[[], None]) -> Visit:
        """Follows up to five redirects, each hop in the turn of the host it leads to.

        A hop that the host has no turn for yet is the first request of its next turn.
        """
        delay, now = politeness.effective_delay(held.host), self._clock.now()
        url, done = robots_answer.begins_at(origin, last, delay=delay, now=now)
        for hops in range(done, robots_answer.MAX_REDIRECTS + 1):
            target = urls.parse(url)
            if target.host_key == held.host.key:
                try:
                    visit = await self._get(url, held, leave)
                except NotYet:
                    if hops > done:
                        await self._note_redirect(origin, url, hops=hops, last=last)
                    raise
            else:
                visit = await self._get_elsewhere(url, target.host_key, leave)
            if isinstance(visit, Refused) and hops and visit.reason.is_final:
                # The header is about the robots.txt itself, not about the pages that it covers.
                return robots_answer.unreachable(url, visit.detail, self._clock.now())
            if not isinstance(visit, Redirected):
                return visit
            if visit.retry_after:
                return robots_answer.delayed(visit, visit.retry_after)
            url = visit.target
        return visit

    async def _note_redirect(self, origin: str, url: str, *, hops: int, last: RobotsFile | None) -> None:
        file = robots_answer.led_on(origin, url, hops=hops, last=last, now=self._clock.now())
        await self._db.write(lambda db: robots_files.save(db, file))

    async def _get_elsewhere(self, url: str, host_key: str, leave: Callable[[], None]) -> Visit:
        """A hop to another host, with its own turn, takedown check and delay."""
        if (refused := await self._barrier.refusal(url)) is not None:
            return robots_answer.unreachable(url, refused.detail, self._clock.now())
        try:
            async with self._turns.visiting(host_key, patience=_PATIENCE_SECONDS) as other:
                if (blocked := self._barrier.breaker(url, other.host)) is not None:
                    return robots_answer.unreachable(url, blocked.detail, self._clock.now())
                return await self._get(url, other, leave)
        except NotPossible as busy:
            return robots_answer.unreachable(url, str(busy), self._clock.now())

    async def _get(self, url: str, held: HeldHost, leave: Callable[[], None]) -> Visit:
        visit = (await self._routing.send(held, SiteRequest(url=url, wanted=_WANTED, leave=leave))).visit
        assert not isinstance(visit, ResponseHead), "a robots.txt is fetched by GET"
        return visit

    async def _stored_beside(self, origin: str) -> Compiled | None:
        """The robots.txt of the host's other origin from the database, if it is still valid."""
        stored = await self.stored(_beside(origin))
        if stored is None or stored.expires_at <= self._clock.now():
            return None
        return _compiled(stored)

    def _remember(self, file: RobotsFile, held: HeldHost, *, beside: Compiled | None) -> Compiled:
        """Keeps it in memory; `beside` is that of the host's other origin, unless memory has a newer one."""
        compiled = _compiled(file)
        if (replaced := self._known.pop(file.origin, None)) is not None:
            self._known_bytes -= len(replaced.file.body)
        self._known[file.origin] = compiled
        self._known_bytes += len(file.body)
        while self._known_bytes > _MEMORY_BYTES or len(self._known) > KEPT_IN_MEMORY:
            origin, dropped = self._known.popitem(last=False)
            self._known_bytes -= len(dropped.file.body)
            self._fetching.pop(origin, None)
        # Both origins share the turns of one host: the longest delay counts, whichever was fetched last.
        both = (compiled, self.fresh(_beside(file.origin)) or beside)
        delays = [delay for each in both if each is not None and (delay := each.crawl_delay(self.token)) is not None]
        held.host = replace(held.host, crawl_delay=max(delays, default=None))
        return compiled


def _compiled(file: RobotsFile) -> Compiled:
    return Compiled(file=file, rules=robots.compile_robots(file.body))


def _beside(origin: str) -> str:
    """The other origin of the same host: http for https, and https for http."""
    scheme, _, host_key = origin.partition("://")
    return f"{'http' if scheme == 'https' else 'https'}://{host_key}"
