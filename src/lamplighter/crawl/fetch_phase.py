"""The first phase: hosts are leased, their pages asked for in turn, the answers passed to the sink."""

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from lamplighter import telemetry
from lamplighter.crawl import exit_waits, failures, measuring
from lamplighter.crawl.answers import Answer
from lamplighter.crawl.batcher import Batcher
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.host_round import HostRound
from lamplighter.crawl.page_asker import PageAsker
from lamplighter.crawl.request import Request
from lamplighter.crawl.source_cache import KnownSource, SourceCache
from lamplighter.crawl.standstill import StandstillWatch
from lamplighter.errors import BadInput, LeaseLost, NotYet, StandingStill
from lamplighter.extract.sniff import BodyType, sniff
from lamplighter.fetch import last_look
from lamplighter.fetch.fetcher import Asked
from lamplighter.fetch.rendering import Rendering
from lamplighter.fetch.turns import NO_REST, HeldHost, Turns
from lamplighter.model.page import HeldBody, Page
from lamplighter.model.visit import NO_VALIDATORS, Failed, Fault, Fetched, Refusal, Refused, Validators, Visit
from lamplighter.ports import Clock
from lamplighter.rules import fleet, politeness
from lamplighter.store import hosts
from lamplighter.store.database import Database, is_away

log = telemetry.logger("fetch")
#: leased hosts, at least, whatever the number of slots: waiting hosts are cheap
_LEAST_HOSTS = 256
_CLAIM_EVERY_SECONDS = 1.0
#: another process's change of a host's policy takes effect within this long on hosts that are being asked
_POLICIES_SECONDS = 1.0
#: a host that waits longer than this is taken by whoever sees it, whosesoever turn it was
_OVERDUE_AFTER = timedelta(seconds=2)


class FetchPhase:
    """Makes the rounds of every host this worker holds."""

    def __init__(
        self,
        db: Database,
        *,
        turns: Turns,
        asker: PageAsker,
        rendering: Rendering,
        sources: SourceCache,
        secrets: Mapping[str, str],
        sink: Batcher[Answer],
        clock: Clock,
        bells: Bells,
        slots: int,
        request_retries: int,
        lease_seconds: float,
        stopping: asyncio.Event,
        may_fetch: Callable[[], bool],
        standstill: StandstillWatch,
        fetchers: Callable[[], int],
        reads_here: bool,
    ) -> None:
        self._db = db
        self._turns = turns
        self._asker = asker
        self._rendering = rendering
        self._sources = sources
        self._secrets = secrets
        self._sink = sink
        self._clock = clock
        self._bells = bells
        self._most_hosts = max(_LEAST_HOSTS, 4 * slots)
        self._request_retries = request_retries
        self._lease_seconds = lease_seconds
        self._stopping = stopping
        #: whether there is room for what would come
        self._has_room = may_fetch
        #: whether anybody may be asked at all
        self._standstill = standstill
        #: how many processes ask sites, this one among them
        self._fetchers = fetchers
        #: whether this process reads pages too, and so says at once when a host has more of them
        self._reads_here = reads_here
        #: hosts that somebody says have pages to ask for, and what is set when they were looked for
        self._called: set[int] = set()
        self._looked = asyncio.Event()
        self._rounds: dict[int, HostRound] = {}
        self._visits = 0
        #: no host is being visited
        self._all_home = asyncio.Event()
        self._all_home.set()
        #: we hold as many hosts as we may, and others wait
        self._is_crowded = False

    async def run(self) -> None:
        """Takes hosts and visits them until asked to stop; then lets what is in flight end."""
        async with asyncio.TaskGroup() as group:
            keepers = [group.create_task(self._keep_leases()), group.create_task(self._keep_to_policies())]
            while not self._stopping.is_set():
                await self._take_hosts(group)
                await self._bells.hosts.wait(_CLAIM_EVERY_SECONDS)
            self._looked.set()
            for going in list(self._rounds.values()):
                going.arrived.set()
            await self._all_home.wait()
            for keeper in keepers:
                keeper.cancel()

    def settled(self, answers: Sequence[Answer], bodies: Mapping[int, HeldBody]) -> None:
        """These answers are durable, with these bodies (by page)."""
        for answer in answers:
            going = self._rounds.get(answer.page.host_id)
            if going is not None and going.held.host.lease_token == answer.host.lease_token:
                going.settled(answer.page, bodies.get(answer.page.id))

    def tell(self, host_ids: Iterable[int]) -> set[int]:
        """Tells those of these hosts that we hold that they got new pages; returns the others."""
        others = set[int]()
        for host_id in host_ids:
            if (going := self._rounds.get(host_id)) is not None:
                going.arrived.set()
            else:
                others.add(host_id)
        return others

    async def hear(self, host_ids: Sequence[int]) -> None:
        """Looks for hosts that somebody says have pages to ask for, and returns when that is done.

        What there is no room for is left to others and to the next look: a message that came back would only come
        again.
        """
        others = self.tell(host_ids)
        if not others or self._stopping.is_set():
            return
        self._called |= others
        looked = self._looked
        self._bells.hosts.ring()
        await looked.wait()
        if left := others - self._rounds.keys():
            async with self._db.read() as db:
                gone = await hosts.unknown(db, left)
            if gone:
                log.info("queue.ignored", hosts=sorted(gone), reason="there are no such hosts")

    def _may_fetch(self) -> bool:
        return self._standstill.current is None and self._has_room()

    async def _take_hosts(self, group: asyncio.TaskGroup) -> None:
        looked, self._looked = self._looked, asyncio.Event()
        try:
            claimed = await self._claim()
        except Exception as error:
            failures.tell(log, "fetch.claim_failed", error)
            return
        finally:
            looked.set()
        for held in claimed:
            before = self._rounds.get(held.host.id)
            going = HostRound(held, db=self._db, clock=self._clock, stopping=self._stopping, is_told=self._reads_here)
            self._rounds[held.host.id] = going
            self._visits += 1
            self._all_home.clear()
            group.create_task(self._visit(going, before), name=f"rounds of {held.host.key}")

    async def _claim(self) -> list[HeldHost]:
        """Hosts that we were called for, and our share of the others."""
        called, self._called = self._called, set()
        if not self._may_fetch():
            return []
        room = self._most_hosts - len(self._rounds)
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
        """How many hosts we may take without taking them from other workers."""
        now = self._clock.now()
        async with self._db.read() as db:
            demand = await hosts.demand(db, now=now, overdue_since=now - _OVERDUE_AFTER)
        return fleet.share(
            waiting=demand.waiting, overdue=demand.overdue, leased=demand.leased, held=held, workers=workers
        )

    async def _others_wait(self) -> bool:
        async with self._db.read() as db:
            return await hosts.any_due(db, now=self._clock.now())

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            try:
                await self._turns.renew()
            except Exception as error:
                failures.tell(log, "fetch.renew_failed", error)

    async def _keep_to_policies(self) -> None:
        while True:
            await asyncio.sleep(_POLICIES_SECONDS)
            try:
                await self._turns.look_at_policies()
            except Exception as error:
                failures.tell(log, "fetch.policies_failed", error)

    async def _visit(self, going: HostRound, before: HostRound | None) -> None:
        """All of one host's pages, with as many requests in flight as its policy allows.

        `before` is our own round under a lease that ran out meanwhile: it ends first.
        """
        held = going.held
        try:
            if before is not None:
                before.held.is_lost = True
                before.arrived.set()
                await before.ended.wait()
            async with asyncio.TaskGroup() as group:
                for _ in range(held.host.policy.max_concurrency):
                    group.create_task(self._ask_pages(going))
            await self._sink.settled()
        except* Exception as broken:
            failures.tell(log, "fetch.rounds_failed", broken.exceptions[0], host=held.host.key)
        finally:
            with suppress(Exception):
                await self._turns.release(held)
            going.ended.set()
            if self._rounds.get(held.host.id) is going:
                del self._rounds[held.host.id]
            self._visits -= 1
            if not self._visits:
                self._all_home.set()
            self._bells.hosts.ring()

    async def _ask_pages(self, going: HostRound) -> None:
        while self._may_go_on(going) and (page := await going.next_page()) is not None:
            try:
                answer = await self._ask(going, page)
            except LeaseLost:
                going.in_hand.discard(page.id)
                log.warning("fetch.lease_lost", host=going.held.host.key)
                return
            except NotYet:
                # robots.txt has just asked for so long a delay: the host is given back until its turn has come.
                going.in_hand.discard(page.id)
                return
            except StandingStill:
                # No answer of the site that would count: the page waits as it is.
                going.in_hand.discard(page.id)
                return
            except Exception as error:
                if is_away(error):
                    raise
                # Left as it is, the page would come first again and again, and no other would be asked for.
                log.exception("fetch.page_failed", url=page.url, host=going.held.host.key)
                await self._sink.put(Answer(page, self._unexpected(page, error), going.held.host, None))
                return
            if isinstance(answer.visit, Refused) and answer.visit.reason is Refusal.HOST_DISABLED:
                # No answer of the site, and no fault of the page: it waits as it is until the host is enabled.
                going.in_hand.discard(page.id)
                return
            if isinstance(answer.visit, Refused) and answer.visit.reason is Refusal.NO_PROXY:
                until = exit_waits.ends_at(answer.visit, now=self._clock.now())
                going.held.not_due_before = until  # the host's other pages wait with this one
                await self._sink.put(answer._replace(visit=replace(answer.visit, until=until)))
                return
            await self._sink.put(answer)

    def _may_go_on(self, going: HostRound) -> bool:
        """A host to be left alone for long is given back, not sat on; so is a long held one while others wait."""
        held = going.held
        if self._stopping.is_set() or held.is_lost or held.wait_seconds > self._lease_seconds:
            return False
        if not self._may_fetch():
            return False
        if self._is_crowded and going.age_seconds > self._lease_seconds / 3:
            return False
        return held.host.policy.enabled and not politeness.is_blocked(held.host, now=self._clock.now())

    async def _ask(self, going: HostRound, page: Page) -> Answer:
        """Asks, and asks again after a transient fault, each time in the host's turn."""
        held, repeats, waited = going.held, 0, timedelta(0)

        def validators() -> Validators:
            # Only when the turn has come is it known what another source may have got from this URL meanwhile.
            nonlocal page
            if held.host.policy.allow_js:
                return NO_VALIDATORS  # the bare page may be the same while what its scripts show is not
            page = going.with_body(page)
            return page.body.validators if page.body is not None else NO_VALIDATORS

        source = (await self._sources.many({page.source_id})).get(page.source_id)
        try:
            request = self._request(page, source)
        except BadInput as missing:
            refused = Refused(url=page.url, reason=Refusal.NO_SECRET, detail=str(missing))
            return Answer(page, refused, held.host, None)
        while True:
            with last_look.asking_leave(self._standstill.refuse):
                asked = await self._asker.ask(
                    held,
                    page,
                    request,
                    validators=validators if request.is_conditional else lambda: NO_VALIDATORS,
                    rest=source.min_delay if source is not None else NO_REST,
                )
            measuring.answered(asked)
            repeats, waited = repeats + 1, waited + asked.waited
            is_over = not _is_worth_repeating(asked) or repeats > self._request_retries
            if not is_over:
                self._standstill.refuse()
            if is_over or not self._may_go_on(going):
                visit = await self._as_shown(held, asked.visit)
                return Answer(
                    page,
                    visit,
                    held.host,
                    asked.allowed_by,
                    repeats=repeats - 1,
                    waited=waited,
                    proxy_id=asked.proxy_id,
                )
            delay = politeness.effective_delay(held.host)
            await asyncio.sleep(politeness.request_backoff(repeats, delay=delay, draw=random.random()).total_seconds())

    def _unexpected(self, page: Page, error: Exception) -> Failed:
        """What came of a request that broke something of ours."""
        detail = f"asking for it broke something here: {type(error).__name__}; the log says more"
        now = self._clock.now()
        return Failed(url=page.url, fault=Fault.BROKEN_RESPONSE, detail=detail, at=now, took=timedelta(0))

    def _request(self, page: Page, source: KnownSource | None) -> Request:
        """How its source wants the page to be asked for; a source that is gone meanwhile wants nothing special."""
        return source.request(page, secrets=self._secrets) if source else Request(page.url, {}, is_conditional=True)

    async def _as_shown(self, held: HeldHost, visit: Visit) -> Visit:
        """The page after its scripts have run, where the host's operator allows them."""
        if not held.host.policy.allow_js or not isinstance(visit, Fetched):
            return visit
        if sniff(visit.body, visit.content_type) is not BodyType.HTML:
            return visit
        most = held.host.policy.max_page_bytes
        return await self._rendering.rendered(visit, max_bytes=most, leave=self._standstill.refuse)


def _is_worth_repeating(asked: Asked) -> bool:
    visit = asked.visit
    return isinstance(visit, Failed) and visit.fault.is_transient and visit.fault is not Fault.BUSY
