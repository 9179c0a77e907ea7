"""A host that this worker holds, and the pacing of its turns.

While a worker holds a host, the pacing lives here, in memory, on the monotonic clock. Waiting for a host's delay comes
before taking a fetch slot, so a slow host never keeps a slot from the others.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Self

from lamplighter.errors import LeaseLost, NotYet
from lamplighter.fetch.site_request import NO_EXTRA_DELAY, always
from lamplighter.fetch.slots import Slots
from lamplighter.model.host import Host, HostPolicy
from lamplighter.ports import Clock
from lamplighter.rules.hosts import politeness
from lamplighter.store.hosts.hosts import CurrentRules, Lease

#: a holder sends no later than this share of a lease after renewing it; it renews every third of a lease
_SENDS_FOR = 2 / 3
#: how much longer a request may take to reach the site than the next one
_ARRIVAL_SLACK_SECONDS = 0.05
#: a caller waiting for a turn checks again after this long: the operator may have shortened the delay meanwhile
_LOOK_AGAIN_SECONDS = 1.0
#: requests that follow each other more quickly share one reading of the rules
RULES_KEPT_SECONDS = 0.2
#: no caller waits longer than this for the next turn of a host
LONGEST_WAIT_SECONDS = 60.0


class Turn:
    """One permission to send one request: `async with` waits for it, and for a free slot.

    Raises LeaseLost when the host is no longer ours, NotYet when the wait would be too long, and what `leave` raises.
    """

    __slots__ = ("_extra_delay", "_held", "_is_out", "_leave")

    def __init__(self, held: "HeldHost", *, extra_delay: timedelta, leave: Callable[[], None]) -> None:
        self._held = held
        self._extra_delay = extra_delay
        self._leave = leave
        self._is_out = False

    async def __aenter__(self) -> Self:
        await self._held.wait_for_turn(self._leave)
        if self._held.is_free_at_once(self._extra_delay):
            self.over()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._held.end_turn()
        if not self._is_out:
            self.over()

    def check(self) -> None:
        """The last check before a request is sent: raises if it is no longer wanted, or the host no longer ours.

        Between a host's turn and the request there may be a connection to open, and a process may be suspended
        meanwhile for longer than its lease. When it wakes up, another worker may already have sent the same request.
        """
        self._leave()
        self._held.check_lease()

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
        slots: Slots,
        lease_seconds: float,
        leased_at: float,
        rules: Callable[[int], Awaitable[CurrentRules | None]],
    ) -> None:
        self.host: Host = lease.host
        #: until when its holder before us had it, who did not give it back; None if it was free
        self.abandoned_until = lease.abandoned_until
        #: changes when there are new takedowns; read just before each request
        self.takedowns: tuple[int, datetime | None] | None = None
        #: whether there are proxies that it may use; read just before each request
        self.has_proxies = False
        self._rules = rules
        self._rules_read_at = float("-inf")
        #: another worker holds it by now
        self.is_lost = False
        #: held for visitors only, not for its pages
        self.is_visited_only = False
        #: callers that use it outside the frontier at present
        self.visitors = 0
        self._clock = clock
        self._slots = slots
        self._lease_seconds = lease_seconds
        self._renewed_at = leased_at
        #: no turn before this, whatever the delay
        self._not_before = clock.monotonic()
        #: when the last request was sent; where only one may be in flight, when its response came
        self._last_at = float("-inf")
        #: held from the moment a request waits for its turn until the next may be sent
        self._pacing = Slots(1)
        self._in_flight = 0
        #: set by the next request that ends; whoever waits for it has the pacing
        self._one_done: asyncio.Event | None = None
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
        delay = politeness.effective_delay(self.host)
        next_at = max(self._not_before, self._last_at + delay.total_seconds()) if delay else self._not_before
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

    def turn(self, *, extra_delay: timedelta = NO_EXTRA_DELAY, leave: Callable[[], None] = always) -> Turn:
        """The host's next turn; after it the host gets no request for `extra_delay` at least, whatever its own delay.

        `leave` is called when the turn has come, and raises when it is not wanted any more.
        """
        return Turn(self, extra_delay=extra_delay, leave=leave)

    async def wait_for_turn(self, leave: Callable[[], None]) -> None:
        """Waits for the host's next turn and a free slot; see Turn."""
        await self._pacing.acquire()
        try:
            # The rules are read when the wait is over, so that what an operator has set applies to this very request.
            while (
                self._in_flight >= self.host.policy.max_concurrency
                or self.wait_seconds > 0
                or (self._clock.monotonic() >= self._rules_read_at + RULES_KEPT_SECONDS and await self._read_rules())
            ):
                await self._wait()
            await self._slots.acquire()
            try:
                self.check_lease()
                leave()
            except BaseException:
                self._slots.release()
                raise
        except BaseException:
            self._pacing.release()
            raise
        self._in_flight += 1

    def is_free_at_once(self, extra_delay: timedelta) -> bool:
        """Whether the next request need not wait until this one is sent."""
        return self.host.policy.max_concurrency > 1 and not max(extra_delay, politeness.effective_delay(self.host))

    def end_turn(self) -> None:
        """A request has ended."""
        self._in_flight -= 1
        self._slots.release()
        if self._one_done is not None:
            self._one_done.set()
            self._one_done = None

    async def _read_rules(self) -> bool:
        """Applies the current policy; whether it has changed."""
        self._rules_read_at, rules = self._clock.monotonic(), await self._rules(self.host.id)
        if rules is None:
            return False
        self.takedowns, self.has_proxies, before = rules.takedowns, rules.has_proxies, self.host.policy
        self.allow(rules.policy)
        return rules.policy != before

    async def _wait(self) -> None:
        while self._in_flight >= self.host.policy.max_concurrency:
            self._one_done = asyncio.Event()
            await self._one_done.wait()
        while (wait := self.wait_seconds) > 0:
            if wait > LONGEST_WAIT_SECONDS:
                raise NotYet(f"{self.host.key} allows its next request only in {wait:.0f} s; try again then")
            await asyncio.sleep(min(wait, _LOOK_AGAIN_SECONDS))

    def check_lease(self) -> None:
        """Raises LeaseLost when the host is no longer ours."""
        if self.is_lost or self._clock.monotonic() >= self._renewed_at + self._lease_seconds * _SENDS_FOR:
            raise LeaseLost(f"the lease of {self.host.key} ran out")

    def let_next_go(self, *, extra_delay: timedelta) -> None:
        """Allows the next request when delay and `extra_delay` end."""
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
