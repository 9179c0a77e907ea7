"""Leads: leases in the database that let one process at a time do what is done once for all.

Two leaders at once would do nothing twice, because every step claims what it acts on: a due job, an order, a run under
lock. The lease keeps many processes from doing the same queries, and shows which one leads.
"""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from lamplighter import metrics, telemetry
from lamplighter.model.fleet import Instance, Lead
from lamplighter.ports import Clock
from lamplighter.store.engine.after_commit import after_commit
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import instances, leads

log = telemetry.logger("leadership")
#: how long a lead lasts without renewal, and how often it is renewed: a dead leader is replaced within their sum
LEASE = timedelta(seconds=15)
RENEW_SECONDS = 5.0


class Leadership:
    """The leads that this process holds or wants."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        owner: str,
        wanted: Collection[Lead],
        is_dead: Callable[[Instance], bool],
        taken: Callable[[Lead], None],
    ) -> None:
        self._db = db
        self._clock = clock
        self._owner = owner
        self._wanted = sorted(wanted)
        self._is_dead = is_dead
        self._taken = taken
        #: lead -> until when it is ours, by the monotonic clock
        self._until: dict[Lead, float] = {}

    def holds(self, lead: Lead) -> bool:
        """Whether we lead: checked before every step, so that a process with an expired lease does nothing."""
        return self._clock.monotonic() < self._until.get(lead, float("-inf"))

    async def keep(self) -> None:
        """Takes free leads, and renews the held ones."""
        if not self._wanted:
            return
        # Read the clock before the query: the lease must not seem longer than it is.
        ends_at = self._clock.monotonic() + LEASE.total_seconds()
        ours = await self._db.keep(lambda db: self._take(db, now=self._clock.now()))
        for lead in self._wanted:
            was_held = self.holds(lead)
            if lead in ours:
                self._until[lead] = ends_at
                if not was_held:
                    log.info("lead.taken", lead=lead, owner=self._owner)
                    self._taken(lead)
            elif self._until.pop(lead, None) is not None:
                log.warning("lead.lost", lead=lead, owner=self._owner)

    async def give_back(self) -> None:
        """Releases the leads when this process stops."""
        held, self._until = set(self._until), {}
        if held:
            await self._db.write(lambda db: leads.give_back(db, held, owner=self._owner))

    async def _take(self, db: Connection, *, now: datetime) -> set[Lead]:
        await self._clear_dead(db, now=now)
        return {
            lead for lead in self._wanted if await leads.take(db, lead, owner=self._owner, now=now, until=now + LEASE)
        }

    async def _clear_dead(self, db: Connection, *, now: datetime) -> None:
        """Releases leads of processes that are known to be gone after a crash."""
        for lead, owner in (await leads.holders(db, now=now)).items():
            if lead not in self._wanted or owner == self._owner:
                continue
            holder = await instances.get(db, owner)
            if holder is not None and self._is_dead(holder):
                await leads.give_back(db, [lead], owner=owner)
                after_commit(metrics.CRASH_RECOVERIES.labels("lead").inc)
