"""Turns: which worker may send a request to a host.

A worker holds a host by a lease in the database, so no other worker sends requests to it meanwhile; when it may send,
`held_host` decides.
"""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from lamplighter import crash_points, metrics, telemetry
from lamplighter.errors import NotPossible, NotYet
from lamplighter.fetch.current_rules import CurrentRulesReader
from lamplighter.fetch.held_host import LONGEST_WAIT_SECONDS, HeldHost
from lamplighter.fetch.slots import Slots
from lamplighter.model.host import Host, HostPolicy, PathOutcome
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import hosts
from lamplighter.store.hosts.hosts import Lease

log = telemetry.logger("fetch")

#: how often a host that another worker holds is checked again
_RETRY_HOLD_SECONDS = 0.25
#: how late a policy change may become visible after its timestamp
_LATEST_COMMIT = timedelta(seconds=10)
#: a clock that gained more than this against the monotonic clock was set forward
_CLOCK_STEP_SECONDS = 0.05
#: released hosts whose latest paths are remembered
_HOSTS_REMEMBERED = 10_000


class Turns:
    """Takes, keeps and releases the hosts of this worker."""

    def __init__(self, db: Database, *, clock: Clock, defaults: HostPolicy, lease: timedelta, slots: int) -> None:
        self._db = db
        self._clock = clock
        self._defaults = defaults
        self._lease = lease
        self._slots = Slots(slots)
        self._rules = CurrentRulesReader(db, defaults=defaults)
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

    def use(self, *, defaults: HostPolicy, slots: int) -> None:
        """Applies other defaults and another number of slots, from the next turns on."""
        self._defaults = self._rules.defaults = defaults
        self._slots.resize(slots)

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
            rules=self._rules.get,
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
        held_ids = list(self._held)
        policies = await self._db.look(
            lambda db: hosts.policies(db, held_ids, changed_since=since, defaults=self._defaults)
        )
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
        await self._db.write(lambda db: hosts.release(db, held.host, free_at=free_at, now=now))

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
