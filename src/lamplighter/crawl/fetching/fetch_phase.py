"""The fetch phase: leases hosts, fetches their pages in turn, passes the visits to the sink."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from lamplighter import telemetry
from lamplighter.crawl.fetching import proxy_waits
from lamplighter.crawl.fetching.due_pages import DuePages
from lamplighter.crawl.fetching.host_round import HostRound
from lamplighter.crawl.fetching.page_visitor import PageVisitor
from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.crawl.process import loops
from lamplighter.crawl.process.batcher import Batcher
from lamplighter.crawl.process.bells import Bell
from lamplighter.crawl.process.in_flight import STEP_SECONDS, InFlight
from lamplighter.errors import CrawlPaused, LeaseLost, NotYet
from lamplighter.fetch.held_host import HeldHost
from lamplighter.fetch.turns import Turns
from lamplighter.model.page import HeldBody
from lamplighter.model.visit import Failed, Refusal, Refused
from lamplighter.ports import Clock
from lamplighter.rules.fleet import fleet
from lamplighter.rules.hosts import politeness
from lamplighter.store.engine.database import Database, is_away
from lamplighter.store.hosts import hosts
from lamplighter.store.pages.pages_in_flight import PageStep

log = telemetry.logger("fetch")
#: leased hosts, at least, whatever the number of slots: waiting hosts are cheap
LEAST_HOSTS = 256
CLAIM_EVERY_SECONDS = 1.0
#: another process's change of a host policy takes effect within this time on leased hosts
POLICIES_SECONDS = 1.0
#: a host that waits longer than this is taken by any worker, beyond its share
_OVERDUE_AFTER = timedelta(seconds=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """How much one process fetches at once, and how long it holds a host."""

    #: requests in flight over all hosts
    slots: int
    #: how long a host is leased
    lease_seconds: float
    #: whether this process parses pages too, and so announces new pages of a host at once
    parses_here: bool

    @property
    def most_hosts(self) -> int:
        """How many hosts are leased at most."""
        return max(LEAST_HOSTS, 4 * self.slots)


class FetchPhase:
    """Fetches pages of all hosts this worker leases."""

    def __init__(
        self,
        db: Database,
        *,
        turns: Turns,
        visitor: PageVisitor,
        responses: Batcher[PageVisit],
        clock: Clock,
        bell: Bell,
        limits: FetchLimits,
        stopping: asyncio.Event,
        may_fetch: Callable[[], bool],
        fetchers: Callable[[], int],
    ) -> None:
        self._db = db
        self._turns = turns
        self._visitor = visitor
        #: collects responses until they are archived together
        self._responses = responses
        self._clock = clock
        #: rung when a host may have pages to fetch
        self._bell = bell
        self.limits = limits
        self._stopping = stopping
        #: whether anything may be fetched now: crawling is not paused, and what is fetched can be stored
        self._may_fetch = may_fetch
        #: how many processes fetch, this one among them
        self._fetchers = fetchers
        #: hosts that a message says have pages to fetch, and the event that is set when they were looked up
        self._called: set[int] = set()
        self._looked = asyncio.Event()
        self._due = DuePages(db, clock=clock)
        self._rounds: dict[int, HostRound] = {}
        self._visits = 0
        self._in_flight = InFlight(db, clock=clock, work=PageStep.REQUEST)
        #: no host is leased
        self._all_released = asyncio.Event()
        self._all_released.set()
        #: we lease as many hosts as we may, and others wait
        self._is_crowded = False

    async def run(self) -> None:
        """Leases hosts and fetches their pages until stopped; then waits for open requests."""
        async with asyncio.TaskGroup() as group:
            renewing, turns = self.limits.lease_seconds / 3, self._turns
            keepers = [
                group.create_task(loops.repeat(step, seconds=seconds, log=log, failed=failed))
                for step, seconds, failed in (
                    (turns.renew, renewing, "fetch.renew_failed"),
                    (turns.refresh_policies, POLICIES_SECONDS, "fetch.policies_failed"),
                    (self._note_requests, STEP_SECONDS, "fetch.requests_failed"),
                )
            ]
            while not self._stopping.is_set():
                await self._take_hosts(group)
                await self._bell.wait(CLAIM_EVERY_SECONDS)
            self._looked.set()
            for host_round in list(self._rounds.values()):
                host_round.arrived.set()
            await self._all_released.wait()
            for keeper in keepers:
                keeper.cancel()

    async def _note_requests(self) -> None:
        await self._in_flight.store(
            {page_id: at for each in self._rounds.values() for page_id, at in each.requested.items()}
        )

    def settled(self, visits: Sequence[PageVisit], bodies: Mapping[int, HeldBody]) -> None:
        """Notes that visits are stored, with bodies by page."""
        for visited in visits:
            host_round = self._rounds.get(visited.page.host_id)
            while host_round is not None and host_round.held.host.lease_token != visited.host.lease_token:
                host_round = host_round.before
            if host_round is not None:
                host_round.settled(visited.page, bodies.get(visited.page.id))

    def announce(self, host_ids: Iterable[int]) -> set[int]:
        """Wakes the rounds of hosts with new pages; returns the hosts we do not lease."""
        others = set[int]()
        for host_id in host_ids:
            if (host_round := self._rounds.get(host_id)) is not None:
                host_round.arrived.set()
            else:
                others.add(host_id)
        return others

    async def hear(self, host_ids: Sequence[int]) -> None:
        """Tries to lease hosts that a message says have pages, and returns when that is done.

        Hosts beyond our limit are left to other workers and to the next claim: returning the message would only
        repeat it.
        """
        others = self.announce(host_ids)
        if not others or self._stopping.is_set():
            return
        self._called |= others
        looked = self._looked
        self._bell.ring()
        await looked.wait()
        if left := others - self._rounds.keys():
            async with self._db.read() as db:
                gone = await hosts.unknown(db, left)
            if gone:
                log.info("queue.ignored", hosts=sorted(gone), reason="there are no such hosts")

    async def _take_hosts(self, group: asyncio.TaskGroup) -> None:
        looked, self._looked = self._looked, asyncio.Event()
        try:
            claimed = await self._claim()
        except Exception as error:
            loops.report_failure(log, "fetch.claim_failed", error)
            return
        finally:
            looked.set()
        for held in claimed:
            host_round = HostRound(
                held,
                db=self._db,
                due=self._due,
                clock=self._clock,
                stopping=self._stopping,
                hears_of_pages=self.limits.parses_here,
                before=self._rounds.get(held.host.id),
            )
            self._rounds[held.host.id] = host_round
            self._visits += 1
            self._all_released.clear()
            group.create_task(self._visit(host_round), name=f"rounds of {held.host.key}")

    async def _claim(self) -> list[HeldHost]:
        """Leases hosts named in messages, and our share of others."""
        called, self._called = self._called, set()
        if not self._may_fetch():
            return []
        room = self.limits.most_hosts - len(self._rounds)
        self._is_crowded = room <= 0 and await self._others_wait()
        if room <= 0:
            return []
        workers = self._fetchers()
        if workers <= 1:
            return await self._turns.claim(room)
        claimed = await self._turns.claim(room, among=called) if called else []
        share = await self._share(len(self._rounds) + len(claimed), workers)
        room = min(room - len(claimed), share)
        return claimed + (await self._turns.claim(room) if room > 0 else [])

    async def _share(self, held: int, workers: int) -> int:
        """How many more hosts are our fair share among all workers."""
        now = self._clock.now()
        async with self._db.read() as db:
            demand = await hosts.demand(db, now=now, overdue_since=now - _OVERDUE_AFTER)
        return fleet.share(
            waiting=demand.waiting, overdue=demand.overdue, leased=demand.leased, held=held, workers=workers
        )

    async def _others_wait(self) -> bool:
        async with self._db.read() as db:
            return await hosts.any_due(db, now=self._clock.now())

    async def _visit(self, host_round: HostRound) -> None:
        """Fetches one host's pages, with as many requests at once as its policy allows.

        Our own round under a lease that has expired ends first.
        """
        held = host_round.held
        try:
            if (before := host_round.before) is not None:
                before.held.is_lost = True
                before.arrived.set()
                await before.ended.wait()
                host_round.before = None
            async with asyncio.TaskGroup() as group:
                for _ in range(held.host.policy.max_concurrency):
                    group.create_task(self._fetch_pages(host_round))
            await host_round.all_stored()
        except* Exception as broken:
            loops.report_failure(log, "fetch.rounds_failed", broken.exceptions[0], host=held.host.key)
        finally:
            with suppress(Exception):
                await self._turns.release(held)
            host_round.ended.set()
            if self._rounds.get(held.host.id) is host_round:
                del self._rounds[held.host.id]
            self._visits -= 1
            if not self._visits:
                self._all_released.set()
            self._bell.ring()

    async def _fetch_pages(self, host_round: HostRound) -> None:
        while self._may_continue(host_round) and (page := await host_round.next_page()) is not None:
            try:
                visited = await self._visitor.visit(host_round, page, may_continue=self._may_continue)
            except LeaseLost:
                host_round.in_hand.discard(page.id)
                log.warning("fetch.lease_lost", host=host_round.held.host.key)
                return
            except (NotYet, CrawlPaused):
                # robots.txt has just set a long delay: the host is released until its next turn. Or crawling was
                # paused. Neither is a response of the site: the page stays pending.
                host_round.in_hand.discard(page.id)
                return
            except Exception as error:
                if is_away(error):
                    raise
                # Left pending, the page would come first again and again, and block all others.
                log.exception("fetch.page_failed", url=page.url, host=host_round.held.host.key)
                await self._store(host_round, self._visitor.broken(page, host_round.held.host, error))
                return
            if isinstance(visited.visit, Refused) and visited.visit.reason is Refusal.HOST_DISABLED:
                # No response of the site, and no fault of the page: it stays pending until the host is enabled.
                host_round.in_hand.discard(page.id)
                return
            is_without = isinstance(visited.visit, Refused | Failed)
            if is_without and (waits := proxy_waits.of(visited.visit, now=self._clock.now())) is not None:
                await self._store(host_round, visited._replace(visit=waits))
                return
            await self._store(host_round, visited)

    async def _store(self, host_round: HostRound, visited: PageVisit) -> None:
        host_round.visited()
        await self._responses.put(visited)

    def _may_continue(self, host_round: HostRound) -> bool:
        """False for a host with a long wait, or one leased for long while others wait: it is released."""
        held = host_round.held
        if self._stopping.is_set() or held.is_lost or held.wait_seconds > self.limits.lease_seconds:
            return False
        if not self._may_fetch():
            return False
        if self._is_crowded and host_round.age_seconds > self.limits.lease_seconds / 3:
            return False
        host = held.host
        is_open = host.blocked_until is None or not politeness.is_blocked(host, now=self._clock.now())
        return host.policy.enabled and is_open
