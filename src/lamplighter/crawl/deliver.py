"""Passes events from the outbox to those who act on them: each once in effect, however often it is tried."""

from lamplighter import crash_points, telemetry
from lamplighter.crawl import job_keeper
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.norms import Norms
from lamplighter.ports import Clock
from lamplighter.store import events
from lamplighter.store.database import Connection, Database
from lamplighter.store.events import OutboxEvent

log = telemetry.logger("deliver")
_BATCH = 100
#: facts that may change what the crawl job should be; others (a broken extractor) are only passed on
_ABOUT_THE_SOURCE = "SOURCE_"


class Deliver:
    """Empties the outbox."""

    def __init__(self, db: Database, *, clock: Clock, bells: Bells, norms: Norms) -> None:
        self._db = db
        self._clock = clock
        self._bells = bells
        self._norms = norms

    async def deliver_all(self) -> int:
        """Handles every waiting event and returns how many there were."""
        delivered = 0
        while True:
            async with self._db.read() as db:
                batch = await events.undelivered(db, limit=_BATCH)
            handled = [await self._try(event) for event in batch]
            delivered += sum(handled)
            if len(batch) < _BATCH or not all(handled):
                break
        if delivered:
            self._bells.jobs.ring()
        return delivered

    async def _try(self, event: OutboxEvent) -> bool:
        """One event that cannot be handled stays in the outbox and does not hold up those behind it."""
        try:
            await self._deliver(event)
        except Exception:
            log.exception("event.failed", event_id=event.event_id, event_type=event.type)
            return False
        return True

    async def _deliver(self, event: OutboxEvent) -> None:
        crash_points.reached("deliver.before_effect")
        now = self._clock.now()

        async def handle(db: Connection) -> bool:
            is_new = await events.take_receipt(db, event.event_id, now=now)
            if is_new and event.source_id is not None and event.type.startswith(_ABOUT_THE_SOURCE):
                await job_keeper.match(db, event.source_id, norms=self._norms, now=now)
            return is_new

        is_new = await self._db.write(handle)
        crash_points.reached("deliver.after_effect")
        await self._db.write(lambda db: events.mark_delivered(db, [event.id], now=now))
        log.info(
            "event.delivered", event_id=event.event_id, event_type=event.type, source_id=event.source_id, new=is_new
        )
