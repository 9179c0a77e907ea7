"""The first phase: hosts are leased, their pages asked for in turn, the answers passed to the sink."""

import asyncio
import random
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from lamplighter import telemetry
from lamplighter.crawl.batcher import Batcher
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.fetch_sink import Answer
from lamplighter.errors import LeaseLost
from lamplighter.fetch.fetcher import Asked, Fetcher
from lamplighter.fetch.turns import HeldHost, Turns
from lamplighter.model.page import HeldBody, Page
from lamplighter.model.visit import NO_VALIDATORS, Failed, Fault
from lamplighter.ports import Clock
from lamplighter.rules import politeness, urls
from lamplighter.store import pages
from lamplighter.store.database import Database

log = telemetry.logger("fetch")
#: pages of a host looked up at once
_PAGES_AT_ONCE = 64
#: how long a host without pages is kept, in case the parser finds some
_LINGER_SECONDS = 2.0
#: leased hosts, at least, whatever the number of slots: waiting hosts are cheap
_LEAST_HOSTS = 256
_CLAIM_EVERY_SECONDS = 1.0
_BODIES_REMEMBERED = 10_000


class FetchPhase:
    """Makes the rounds of every host this worker holds."""

    def __init__(
        self,
        db: Database,
        *,
        turns: Turns,
        fetcher: Fetcher,
        sink: Batcher[Answer],
        clock: Clock,
        bells: Bells,
        slots: int,
        request_retries: int,
        lease_seconds: float,
        stopping: asyncio.Event,
    ) -> None:
        self._db = db
        self._turns = turns
        self._fetcher = fetcher
        self._sink = sink
        self._clock = clock
        self._bells = bells
        self._most_hosts = max(_LEAST_HOSTS, 4 * slots)
        self._request_retries = request_retries
        self._lease_seconds = lease_seconds
        self._stopping = stopping
        self._rounds: dict[int, _Round] = {}
        #: no host is being visited
        self._all_home = asyncio.Event()
        self._all_home.set()

    @property
    def active(self) -> list[HeldHost]:
        """The hosts being visited now."""
        return [going.held for going in self._rounds.values()]

    async def run(self) -> None:
        """Takes hosts and visits them until asked to stop; then lets what is in flight end."""
        async with asyncio.TaskGroup() as group:
            keeper = group.create_task(self._keep_leases())
            while not self._stopping.is_set():
                await self._take_hosts(group)
                await self._bells.hosts.wait(_CLAIM_EVERY_SECONDS)
            for going in list(self._rounds.values()):
                going.arrived.set()
            await self._all_home.wait()
            keeper.cancel()

    def settled(self, answers: Sequence[Answer], bodies: Mapping[int, HeldBody], woken: set[int]) -> None:
        """These answers are durable, with these bodies (by page); these hosts got new pages."""
        for answer in answers:
            if (going := self._rounds.get(answer.page.host_id)) is not None:
                going.settled(answer.page, bodies.get(answer.page.id))
        self.woken(woken)

    def woken(self, host_ids: set[int]) -> None:
        """These hosts got new pages."""
        for host_id in host_ids:
            if (going := self._rounds.get(host_id)) is not None:
                going.arrived.set()
            else:
                self._bells.hosts.ring()

    async def _take_hosts(self, group: asyncio.TaskGroup) -> None:
        room = self._most_hosts - len(self._rounds)
        if room <= 0:
            return
        try:
            claimed = await self._turns.claim(room)
        except Exception:
            log.exception("fetch.claim_failed")
            return
        for held in claimed:
            going = _Round(held, db=self._db, clock=self._clock, stopping=self._stopping)
            self._rounds[held.host.id] = going
            self._all_home.clear()
            group.create_task(self._visit(going), name=f"rounds of {held.host.key}")

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            try:
                await self._turns.renew()
            except Exception:
                log.exception("fetch.renew_failed")

    async def _visit(self, going: "_Round") -> None:
        """All rounds of one host, with as many requests in flight as its policy allows."""
        held = going.held
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(held.host.policy.max_concurrency):
                    group.create_task(self._ask_pages(going))
            await self._sink.settled()
        except* Exception as broken:
            log.exception("fetch.rounds_failed", host=held.host.key, error=str(broken.exceptions[0]))
        finally:
            with suppress(Exception):
                await self._turns.release(held)
            self._rounds.pop(held.host.id, None)
            if not self._rounds:
                self._all_home.set()
            self._bells.hosts.ring()

    async def _ask_pages(self, going: "_Round") -> None:
        held = going.held
        while self._may_go_on(held) and (page := await going.next_page()) is not None:
            try:
                asked = await self._ask(held, page)
            except LeaseLost:
                log.warning("fetch.lease_lost", host=held.host.key)
                return
            await self._sink.put(Answer(page, asked.visit, held.host, asked.allowed_by))

    def _may_go_on(self, held: HeldHost) -> bool:
        """A host to be left alone for long is given back instead of being sat on."""
        if self._stopping.is_set() or held.is_lost or held.wait_seconds > self._lease_seconds:
            return False
        return not politeness.is_blocked(held.host, now=self._clock.now())

    async def _ask(self, held: HeldHost, page: Page) -> Asked:
        """Asks, and asks again after a transient fault, each time in the host's turn."""
        validators = page.body.validators if page.body is not None else NO_VALIDATORS
        repeats = 0
        while True:
            asked = await self._fetcher.ask(held, page.url, validators=validators)
            repeats += 1
            if not _is_worth_repeating(asked) or repeats > self._request_retries or not self._may_go_on(held):
                return asked
            delay = politeness.effective_delay(held.host)
            await asyncio.sleep(politeness.request_backoff(repeats, delay=delay, draw=random.random()).total_seconds())


def _is_worth_repeating(asked: Asked) -> bool:
    visit = asked.visit
    return isinstance(visit, Failed) and visit.fault.is_transient and visit.fault is not Fault.BUSY


class _Round:
    """The pages of one held host, in order."""

    def __init__(self, held: HeldHost, *, db: Database, clock: Clock, stopping: asyncio.Event) -> None:
        self.held = held
        #: pages handed out whose answers are not durable yet: the database still calls them pending
        self.in_hand: set[int] = set()
        self.arrived = asyncio.Event()
        self._db = db
        self._clock = clock
        self._stopping = stopping
        self._queue: deque[Page] = deque()
        self._refilling = asyncio.Lock()
        #: the database had no more when it was last asked, so somebody has to add a page first
        self._is_drained = False
        self._sources: set[int] = set()
        #: URL -> what another source got from it lately
        self._bodies: dict[str, HeldBody] = {}

    async def next_page(self) -> Page | None:
        """The next page to ask for; None when there is none and none is expected."""
        async with self._refilling:
            while not self._queue and not self._stopping.is_set():
                expects_more = bool(self.in_hand)
                if self._is_drained and not await self._wait_for_more() and not expects_more:
                    return None
                self.arrived.clear()
                await self._refill()
            if self._stopping.is_set() or not self._queue:
                return None
            page = self._queue.popleft()
            self.in_hand.add(page.id)
            return self._with_body(page)

    def settled(self, page: Page, body: HeldBody | None) -> None:
        """The answer for this page is durable."""
        self.in_hand.discard(page.id)
        if body is not None and self._is_shared:
            self._bodies[page.url] = body
            if len(self._bodies) > _BODIES_REMEMBERED:
                self._bodies.pop(next(iter(self._bodies)))

    @property
    def _is_shared(self) -> bool:
        """Several sources watch this host, so what one of them got may spare the host the same question by another."""
        return len(self._sources) > 1

    def _with_body(self, page: Page) -> Page:
        if page.body is None and (body := self._bodies.get(page.url)) is not None:
            return replace(page, body=body)
        return page

    async def _refill(self) -> None:
        # A page may settle while we read: then the rows still call it pending, and in_hand no longer has it.
        in_hand = set(self.in_hand)
        limit = _PAGES_AT_ONCE + len(in_hand)
        async with self._db.read() as db:
            due = await pages.due(db, self.held.host.id, now=self._clock.now(), limit=limit)
            self._sources |= {page.source_id for page in due}
            if self._is_shared:
                keys = [urls.url_key(page.url) for page in due if page.body is None]
                self._bodies |= await pages.bodies(db, keys)
        self._queue.extend(page for page in due if page.id not in in_hand)
        self._is_drained = len(due) < limit

    async def _wait_for_more(self) -> bool:
        try:
            async with asyncio.timeout(_LINGER_SECONDS):
                await self.arrived.wait()
        except TimeoutError:
            return False
        return True
