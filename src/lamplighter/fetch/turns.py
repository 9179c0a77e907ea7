"""Turns: which worker may send a request to a host, and when.

A worker holds a host by a lease in the database, so no other worker sends requests to it meanwhile. While it holds the
host, the pacing lives here, in memory, on the monotonic clock. Waiting for a host's delay comes before taking a fetch
slot, so a slow host never keeps a slot from the others.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

from lamplighter import crash_points, metrics, telemetry
from lamplighter.errors import LeaseLost, NotPossible, NotYet
from lamplighter.fetch import send_checks
from lamplighter.model.host import Host, HostPolicy, PathOutcome
from lamplighter.ports import Clock
from lamplighter.rules.hosts import politeness
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import hosts
from lamplighter.store.hosts.hosts import CurrentRules, Lease

log = telemetry.logger("fetch")

#: a holder sends no later than this share of a lease after renewing it; it renews every third of a lease
_SENDS_FOR = 2 / 3
#: how often a host that another worker holds is checked again
_RETRY_HOLD_SECONDS = 0.25
#: how much longer a request may take to reach the site than the next one
_ARRIVAL_SLACK_SECONDS = 0.05
#: a caller waiting for a turn checks again after this long: the operator may have shortened the delay meanwhile
_LOOK_AGAIN_SECONDS = 1.0
#: how late a policy change may become visible after its timestamp
_LATEST_COMMIT = timedelta(seconds=10)
#: a clock that gained more than this against the monotonic clock was set forward
_CLOCK_STEP_SECONDS = 0.05
#: no caller waits longer than this for the next turn of a host
LONGEST_WAIT_SECONDS = 60.0
#: released hosts whose latest paths are remembered
_HOSTS_REMEMBERED = 10_000
#: for requests that need no more than the host's own delay
NO_EXTRA_DELAY = timedelta(0)


class Turn:
    """One permission to send one request."""

    def __init__(self, held: "HeldHost", *, extra_delay: timedelta) -> None:
        self._held = held
        self._extra_delay = extra_delay
        self._is_out = False

    @property
    def on_sent(self) -> Callable[[], None] | None:
        """Called when the request is sent: where several may be in flight, the next delay counts from there."""
        if self._is_out or self._held.host.policy.max_concurrency == 1:
            return None
        return self.over

    def over(self) -> None:
        """Allows the next request, one delay from now. A second call does nothing."""
        if not self._is_out:
            self._is_out = True
            self._held.let_next_go(extra_delay=self._extra_delay)


class HeldHost:
    """A host that this worker holds: its current state, and the pacing of its turns."""

    def __init__(
        self,
        lease: Lease,
        *,
        clock: Clock,
        slots: asyncio.Semaphore,
        lease_seconds: float,
        leased_at: float,
        rules: Callable[[int], Awaitable[CurrentRules | None]],
    ) -> None:
        self.host: Host = lease.host
        #: changes when there are new takedowns; read just before each request
        self.takedowns: tuple[int, datetime | None] | None = None
        self._rules = rules
        #: another worker holds it by now
        self.is_lost = False
        #: held for visitors only, not for its pages
        self.is_visited_only = False
        #: callers that use it outside the frontier at present
        self.visitors = 0
        #: its pages are not due before this when it is released; visitors need not wait
        self.not_due_before: datetime | None = None
        self._clock = clock
        self._slots = slots
        self._lease_seconds = lease_seconds
        self._renewed_at = leased_at
        #: no turn before this, whatever the delay
        self._not_before = clock.monotonic()
        #: when the last request was sent; where only one may be in flight, when its response came
        self._last_at = float("-inf")
        #: held from the moment a request waits for its turn until the next may be sent
        self._pacing = asyncio.Lock()
        self._in_flight = 0
        self._one_done = asyncio.Event()
        first = politeness.first_turn_at(lease.host, abandoned_until=lease.abandoned_until)
        if first is not None:
            self._not_before += max(0.0, (first - clock.now()).total_seconds())
        if lease.abandoned_until is not None:
            # Its lease has ended by our clock only. A holder that is alive, by another clock, cannot renew it any more.
            self._last_at = clock.monotonic() + lease_seconds * _SENDS_FOR
            self._not_before = max(self._not_before, self._last_at)

    @property
    def wait_seconds(self) -> float:
        """How long until the next turn; the delay may have grown since the last request."""
        delay = politeness.effective_delay(self.host).total_seconds()
        next_at = max(self._not_before, self._last_at + delay) if delay else self._not_before
        return max(0.0, next_at - self._clock.monotonic())

    @property
    def in_flight(self) -> int:
        """Requests to it that are in flight."""
        return self._in_flight

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of this host's requests that others do not have: the User-Agent that its operator set."""
        agent = self.host.policy.user_agent
        return {"User-Agent": agent} if agent else {}

    @asynccontextmanager
    async def turn(self, *, extra_delay: timedelta = NO_EXTRA_DELAY) -> AsyncIterator[Turn]:
        """Waits for the host's next turn and a free slot.

        Raises LeaseLost when the host is no longer ours, NotYet when the wait would be too long. After this turn the
        host gets no request for `rest` at least, whatever its own delay is.
        """
        await self._pacing.acquire()
        try:
            await self._wait_for_turn()
        except BaseException:
            self._pacing.release()
            raise
        turn = Turn(self, extra_delay=extra_delay)
        if self.host.policy.max_concurrency > 1 and not max(extra_delay, politeness.effective_delay(self.host)):
            turn.over()
        try:
            with send_checks.checking_lease(self._check_lease):
                yield turn
        finally:
            self._in_flight -= 1
            self._slots.release()
            turn.over()
            self._one_done.set()

    async def _wait_for_turn(self) -> None:
        # The rules are read when the wait is over, so that what an operator has set applies to this very request.
        await self._wait()
        while await self._read_rules() and self.wait_seconds > 0:
            await self._wait()
        await self._slots.acquire()
        try:
            self._check_lease()
            send_checks.check_caller()
        except BaseException:
            self._slots.release()
            raise
        self._in_flight += 1

    async def _read_rules(self) -> bool:
        """Applies the current policy; whether it has changed."""
        rules = await self._rules(self.host.id)
        if rules is None:
            return False
        self.takedowns, before = rules.takedowns, self.host.policy
        self.allow(rules.policy)
        return rules.policy != before

    async def _wait(self) -> None:
        while self._in_flight >= self.host.policy.max_concurrency:
            self._one_done.clear()
            await self._one_done.wait()
        while (wait := self.wait_seconds) > 0:
            if wait > LONGEST_WAIT_SECONDS:
                raise NotYet(f"{self.host.key} allows its next request only in {wait:.0f} s; try again then")
            await asyncio.sleep(min(wait, _LOOK_AGAIN_SECONDS))

    def _check_lease(self) -> None:
        if self.is_lost or self._clock.monotonic() >= self._renewed_at + self._lease_seconds * _SENDS_FOR:
            raise LeaseLost(f"the lease of {self.host.key} ran out")

    def let_next_go(self, *, extra_delay: timedelta) -> None:
        """Allows the next request when delay and `rest` end."""
        # A request with a response has certainly arrived. One that was only sent may arrive late, and the next one not.
        is_answered = self.host.policy.max_concurrency == 1
        self._last_at = self._clock.monotonic() + (0.0 if is_answered else _ARRIVAL_SLACK_SECONDS)
        if extra_delay:
            self._not_before = max(self._not_before, self._last_at + extra_delay.total_seconds())
        self._pacing.release()

    def renewed(self, host: Host, *, at: float) -> None:
        """The lease was renewed at `at` (monotonic); the operator may have changed the policy meanwhile."""
        self._renewed_at = at
        self.allow(host.policy)

    def wait_since(self, moment: float) -> None:
        """Keeps the delay since `moment` (monotonic), whatever the stored times say; a very long delay only in part."""
        if self.host.free_at is not None:
            delay = politeness.effective_delay(self.host).total_seconds()
            self._not_before = max(self._not_before, moment + min(delay, LONGEST_WAIT_SECONDS))

    def allow(self, policy: HostPolicy) -> None:
        """Uses another policy from now on."""
        # The host's other state stays ours: it is newer than the row.
        self.host = replace(self.host, policy=policy)


class Turns:
    """Takes, keeps and releases the hosts of this worker."""

    def __init__(self, db: Database, *, clock: Clock, defaults: HostPolicy, lease: timedelta, slots: int) -> None:
        self._db = db
        self._clock = clock
        self._defaults = defaults
        self._lease = lease
        self._slots = asyncio.Semaphore(slots)
        self._held: dict[int, HeldHost] = {}
        #: how far the database's clock is ahead of the monotonic clock, in seconds
        self._clock_lead = self._measured_lead()
        #: when the clock was last set forward (monotonic): stored times from before look older than they are. While
        #: this worker did not run, the clock may have been set forward too.
        self._clock_set_at = clock.monotonic()
        #: what the latest paths of hosts answered, also of those that we released
        self._recent_paths: dict[int, tuple[PathOutcome, ...]] = {}
        #: unique per start of the process: a restarted worker must not be taken for the one that died
        self.owner = f"worker-{uuid4().hex[:12]}"

    @property
    def held(self) -> dict[int, HeldHost]:
        """The hosts this worker holds, by id."""
        return self._held

    @property
    def in_flight(self) -> int:
        """Requests of this worker that are in flight: the slots in use."""
        return sum(held.in_flight for held in self._held.values())

    async def claim(self, limit: int, *, among: Collection[int] | None = None) -> list[HeldHost]:
        """Leases up to `limit` hosts that have pages to fetch; `among` restricts it to these."""
        now, at = self._clock.now(), self._clock.monotonic()
        leases = await self._db.write(
            lambda db: hosts.claim_due(
                db,
                owner=self.owner,
                now=now,
                until=now + self._lease,
                limit=limit,
                defaults=self._defaults,
                among=among,
                held=self._held,
            )
        )
        if leases:
            crash_points.reached("host.after_claim")
            self._notice_clock_step()
        claimed = [self._hold(lease, at) for lease in leases]
        for held in claimed:
            held.wait_since(self._clock_set_at)
        return claimed

    def _notice_clock_step(self) -> None:
        lead = self._measured_lead()
        if lead > self._clock_lead + _CLOCK_STEP_SECONDS:
            self._clock_set_at = self._clock.monotonic()
        self._clock_lead = lead

    def _measured_lead(self) -> float:
        return self._clock.now().timestamp() - self._clock.monotonic()

    def _hold(self, lease: Lease, leased_at: float) -> HeldHost:
        seconds = self._lease.total_seconds()
        recent = self._recent_paths.pop(lease.host.id, ())
        lease = replace(lease, host=replace(lease.host, recent_paths=recent))
        held = HeldHost(
            lease,
            clock=self._clock,
            slots=self._slots,
            lease_seconds=seconds,
            leased_at=leased_at,
            rules=self._current_rules,
        )
        self._held[lease.host.id] = held
        if lease.abandoned_until is not None:
            metrics.LEASES_EXPIRED.labels("host").inc()
        return held

    @asynccontextmanager
    async def visiting(self, host_key: str, *, patience: float) -> AsyncIterator[HeldHost]:
        """Holds one host for a request outside the frontier; shares it when this worker holds it already."""
        held = await self._hold_one(host_key, patience)
        if held.wait_seconds > LONGEST_WAIT_SECONDS and not held.host.blocked_until:
            await self._release_visited(held)
            raise NotYet(f"{host_key} allows its next request only in {held.wait_seconds:.0f} s; try again then")
        held.visitors += 1
        try:
            async with self._keeping():
                yield held
        finally:
            held.visitors -= 1
            await self._release_visited(held)

    @asynccontextmanager
    async def _keeping(self) -> AsyncIterator[None]:
        """Renews our leases meanwhile: where no hosts are claimed, as in a command, nothing else does."""
        keeper = asyncio.create_task(self._keep(), name="leases of visited hosts")
        try:
            yield
        finally:
            keeper.cancel()
            await asyncio.wait([keeper])

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(self._lease.total_seconds() / 3)
            try:
                await self.renew()
            except Exception:
                log.exception("fetch.renew_failed")

    async def _hold_one(self, host_key: str, patience: float) -> HeldHost:
        give_up = self._clock.monotonic() + patience
        while True:
            for held in self._held.values():
                if held.host.key == host_key and not held.is_lost:
                    return held
            now, at = self._clock.now(), self._clock.monotonic()
            lease = await self._db.write(
                lambda db, now=now: hosts.claim_one(  # type: ignore[misc]
                    db, host_key, owner=self.owner, now=now, until=now + self._lease, defaults=self._defaults
                )
            )
            if lease is not None:
                held = self._hold(lease, at)
                held.is_visited_only = True
                return held
            if self._clock.monotonic() >= give_up:
                raise NotPossible(f"another worker is fetching from {host_key}; try again in a moment")
            await asyncio.sleep(_RETRY_HOLD_SECONDS)

    async def _current_rules(self, host_id: int) -> CurrentRules | None:
        return await self._db.look(lambda db: hosts.current_rules(db, host_id, defaults=self._defaults))

    async def renew(self) -> None:
        """Renews every lease; a host that another worker took is marked lost."""
        if not self._held:
            return
        at, until = self._clock.monotonic(), self._clock.now() + self._lease
        tokens = {host_id: held.host.lease_token for host_id, held in self._held.items()}
        ours = await self._db.keep(lambda db: hosts.renew(db, tokens, until=until, defaults=self._defaults))
        for host_id, token in tokens.items():
            held = self._held.get(host_id)
            if held is None or held.host.lease_token != token:
                continue
            if host_id in ours:
                held.renewed(ours[host_id], at=at)
            else:
                held.is_lost = True
                del self._held[host_id]

    async def refresh_policies(self) -> None:
        """Applies the current policies of the hosts that we hold."""
        if not self._held:
            return
        # Earlier changes were seen when the leases were renewed.
        since = self._clock.now() - self._lease - _LATEST_COMMIT
        async with self._db.read() as db:
            policies = await hosts.policies(db, list(self._held), changed_since=since, defaults=self._defaults)
        for host_id, policy in policies.items():
            if (held := self._held.get(host_id)) is not None:
                held.allow(policy)

    async def release(self, held: HeldHost) -> None:
        """Releases a host; its next request comes no sooner than its delay allows."""
        if self._held.get(held.host.id) is not held:
            return
        if held.visitors:
            held.is_visited_only = True
            return
        del self._held[held.host.id]
        self._remember_paths(held.host)
        now = self._clock.now()
        free_at = now + timedelta(seconds=held.wait_seconds)
        not_before = held.not_due_before
        await self._db.write(lambda db: hosts.release(db, held.host, free_at=free_at, now=now, not_before=not_before))

    def _remember_paths(self, host: Host) -> None:
        if host.recent_paths:
            self._recent_paths[host.id] = host.recent_paths
        while len(self._recent_paths) > _HOSTS_REMEMBERED:
            self._recent_paths.pop(next(iter(self._recent_paths)))

    async def _release_visited(self, held: HeldHost) -> None:
        if held.is_visited_only:
            await self.release(held)

    async def release_all(self) -> None:
        """Releases all hosts when the worker stops."""
        for held in list(self._held.values()):
            await self.release(held)
