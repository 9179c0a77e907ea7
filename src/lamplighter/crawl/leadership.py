"""One process at a time does what is done once for all: whoever holds the lead, a lease in the database.

Two leaders at once would double nothing, because every step claims what it acts on: a due job, an order, a run under
lock. The lease keeps many processes from asking the same questions, and says who answers them.
"""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from lamplighter import metrics, telemetry
from lamplighter.model.fleet import Instance, Lead
from lamplighter.ports import Clock
from lamplighter.store import instances, leads
from lamplighter.store.after_commit import after_commit
from lamplighter.store.database import Connection, Database

log = telemetry.logger("leadership")
#: how long a lead lasts without a sign of life, and how often it is lengthened: a dead leader is replaced within both
LEASE = timedelta(seconds=15)
RENEW_SECONDS = 5.0


class Leadership:
    """The leads that this process has, or would take."""

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
        """Whether we lead: asked before every step, so that a process that slept beyond its lease does nothing."""
        return self._clock.monotonic() < self._until.get(lead, float("-inf"))

    async def keep(self) -> None:
        """Takes what nobody leads in, and keeps what we do."""
        if not self._wanted:
            return
        # Read before the database is asked: what was granted counts from no later than that.
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
        """Lets another process lead, when this one stops."""
        held, self._until = set(self._until), {}
        if held:
            await self._db.write(lambda db: leads.give_back(db, held, owner=self._owner))

    async def _take(self, db: Connection, *, now: datetime) -> set[Lead]:
        await self._clear_dead(db, now=now)
        return {
            lead for lead in self._wanted if await leads.take(db, lead, owner=self._owner, now=now, until=now + LEASE)
        }

    async def _clear_dead(self, db: Connection, *, now: datetime) -> None:
        """After a crash nobody waits for the lease of a process that is known to be gone."""
        for lead, owner in (await leads.holders(db, now=now)).items():
            if lead not in self._wanted or owner == self._owner:
                continue
            holder = await instances.get(db, owner)
            if holder is not None and self._is_dead(holder):
                await leads.give_back(db, [lead], owner=owner)
                after_commit(metrics.CRASH_RECOVERIES.labels("lead").inc)
