"""Publishes events from the outbox to the stream, and republishes those that the stream has lost.

The outbox keeps an event until it is settled. While the stream is away, its effect on our own jobs does not
wait: it is applied from the outbox, and the event stays there to be published later, for other consumers. When we
then receive it through the stream, its receipt says that it was handled.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from lamplighter import telemetry
from lamplighter.crawl.events import event_counts
from lamplighter.crawl.events.event_effects import EventEffects
from lamplighter.errors import LamplighterError
from lamplighter.model.event import Delivery, SourceFact
from lamplighter.ports import Clock, EventStream, StreamAway
from lamplighter.store.engine.database import Connection, Database, is_away
from lamplighter.store.events import event_outbox, events
from lamplighter.store.events.events import EventResult, Note, OutboxEvent

log = telemetry.logger("publisher")
#: events published or checked at once
_BATCH = 500
#: a published event that is not settled after this time is looked up in the stream
LOST_AFTER = timedelta(seconds=60)
#: with so many waiting in the stream, nothing more is published: trimmed events would be published again
MOST_WAITING = 50_000
#: the types that are published: the stream is about sources, other events are only stored
_FACTS = frozenset(SourceFact)


class Publisher:
    """Publishes the outbox's events."""

    def __init__(self, db: Database, stream: EventStream, *, effects: EventEffects, clock: Clock) -> None:
        self._db = db
        self._stream = stream
        self._effects = effects
        self._clock = clock

    async def publish_all(self) -> int:
        """Publishes waiting events, and returns how many; while the stream is away, applies them directly."""
        published = 0
        try:
            # The receiver finds out when the stream is back, so that only one loop tries.
            if self._stream.is_away:
                raise StreamAway
            await self._look_after(await self._silent())
            while not await self._is_full():
                count = await self._publish_some()
                published += count
                if count < _BATCH:
                    break
        except StreamAway:
            await self._take_back([row_id for row_id, _ in await self._silent()])
            await self._apply_directly()
        return published

    async def _is_full(self) -> bool:
        return ((await self._stream.figures()).lag or 0) > MOST_WAITING

    async def _publish_some(self) -> int:
        now = self._clock.now()
        claimed = await self._db.write(lambda db: event_outbox.claim(db, now=now, limit=_BATCH))
        facts = [row for row in claimed if row.type in _FACTS and row.source_public_id is not None]
        others = [row for row in claimed if row not in facts]
        if others:
            await self._db.write(lambda db: self._settle(db, others, delivered_at=now))
            event_counts.received(_deliveries(others))
        if not facts:
            return len(claimed)
        try:
            positions = await self._stream.publish([row.event for row in facts])
        except StreamAway:
            await self._take_back([row.id for row in facts])
            raise
        placed = [(row.id, position) for row, position in zip(facts, positions, strict=True)]
        await self._db.write(lambda db: event_outbox.note_positions(db, placed))
        log.info("events.published", count=len(facts), first=positions[0], last=positions[-1])
        for row, position in zip(facts, positions, strict=True):
            about = {"event_id": row.event_id, "event_type": row.type, "source_id": row.source_public_id}
            log.info("event.published", **about, stream_id=position)
        return len(claimed)

    async def _silent(self) -> list[tuple[int, str | None]]:
        before = self._clock.now() - LOST_AFTER
        async with self._db.read() as db:
            return await event_outbox.unhandled(db, published_before=before, limit=_BATCH)

    async def _look_after(self, silent: Sequence[tuple[int, str | None]]) -> None:
        """Republishes unsettled events that the stream no longer has, because it was emptied or trimmed."""
        if not silent:
            return
        carried = await self._stream.still_carried([position for _, position in silent if position is not None])
        lost = await self._take_back([row_id for row_id, position in silent if position not in carried])
        if lost:
            log.warning("events.lost", count=lost, next="they are published again")

    async def _take_back(self, ids: Sequence[int]) -> int:
        return await self._db.write(lambda db: event_outbox.take_back(db, ids)) if ids else 0

    async def _apply_directly(self) -> None:
        while True:
            async with self._db.read() as db:
                waiting = await events.untried(db, limit=_BATCH)
            if not waiting:
                return
            log.info("events.applied_directly", count=len(waiting))
            try:
                await self._db.write(lambda db: self._settle(db, waiting, delivered_at=None))  # noqa: B023
            except Exception as error:
                if is_away(error):
                    raise
                for row in waiting:
                    await self._try(row)

    async def _try(self, row: OutboxEvent) -> None:
        """Applies one event; if that fails, it waits for a retry through the stream."""
        try:
            await self._db.write(lambda db: self._settle(db, [row], delivered_at=None))
        except Exception as error:
            event_counts.failed(row.event)
            log.exception("event.failed", event_id=row.event_id, event_type=row.type, source_id=row.source_public_id)
            detail = str(error) if isinstance(error, LamplighterError) else type(error).__name__
            note = Note(row.event_id, EventResult.ERROR, detail, timedelta(0))
            await self._db.write(lambda db: events.note(db, [note], delivered_at=None))

    async def _settle(self, db: Connection, rows: Sequence[OutboxEvent], *, delivered_at: datetime | None) -> None:
        await self._effects.settle(db, _deliveries(rows), now=self._clock.now(), delivered_at=delivered_at)


def _deliveries(rows: Sequence[OutboxEvent]) -> list[Delivery]:
    return [Delivery(position=row.event_id, tries=row.try_count + 1, event=row.event) for row in rows]
