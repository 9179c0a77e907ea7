"""Passes events from the outbox to those who act on them: each once in effect, however often it is tried."""

from datetime import timedelta

from lamplighter import crash_points, telemetry
from lamplighter.crawl import job_keeper
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.norms import Norms
from lamplighter.errors import LamplighterError
from lamplighter.ports import Clock
from lamplighter.store import events
from lamplighter.store.database import Connection, Database, is_away
from lamplighter.store.events import OutboxEvent, Result

log = telemetry.logger("deliver")
_BATCH = 100
#: after so many tries an event is given up; what it told of, the reconciler finds out anyway
MOST_TRIES = 5
#: facts that may change what the crawl job should be; others (a broken extractor) are only passed on
_ABOUT_THE_SOURCE = "SOURCE_"
_ENABLED = "SOURCE_ENABLED"


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
        """One event that cannot be handled stays in the outbox for a while, and does not hold up those behind it."""
        began = self._clock.monotonic()
        try:
            await self._deliver(event, began)
        except Exception as error:
            log.exception("event.failed", event_id=event.event_id, event_type=event.type)
            # A database that is away says nothing about the event.
            if not is_away(error):
                await self._note_failure(event, error, began)
            return False
        return True

    async def _deliver(self, event: OutboxEvent, began: float) -> None:
        crash_points.reached("deliver.before_effect")
        now = self._clock.now()

        async def handle(db: Connection) -> bool:
            is_new = await events.take_receipt(db, event.event_id, now=now)
            if is_new and event.source_id is not None and event.type.startswith(_ABOUT_THE_SOURCE):
                if event.type == _ENABLED:
                    await job_keeper.bring_back(db, event.source_id, asked_at=event.created_at, now=now)
                await job_keeper.match(db, event.source_id, norms=self._norms, now=now)
            return is_new

        is_new = await self._db.write(handle)
        crash_points.reached("deliver.after_effect")
        result, took = Result.SUCCESS if is_new else Result.DUPLICATE, self._since(began)
        await self._db.write(lambda db: events.mark_delivered(db, [event.id], now=now, result=result, took=took))
        log.info(
            "event.delivered",
            event_id=event.event_id,
            event_type=event.type,
            source_id=event.source_id,
            result=result,
            processing_ms=took / timedelta(milliseconds=1),
        )

    async def _note_failure(self, event: OutboxEvent, error: Exception, began: float) -> None:
        # Of errors that nobody expected the log has the words; they may hold what was in the database.
        detail = str(error) if isinstance(error, LamplighterError) else type(error).__name__
        given_up_at = self._clock.now() if event.try_count + 1 >= MOST_TRIES else None
        took = self._since(began)
        await self._db.write(
            lambda db: events.mark_failed(db, event.id, detail=detail, took=took, given_up_at=given_up_at)
        )

    def _since(self, began: float) -> timedelta:
        return timedelta(seconds=self._clock.monotonic() - began)
