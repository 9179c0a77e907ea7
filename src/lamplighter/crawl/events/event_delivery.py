"""Settles events from any carrier: each takes effect once, however often it is delivered."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from lamplighter import crash_points, metrics, telemetry
from lamplighter.crawl.events import event_counts
from lamplighter.crawl.events.event_effects import EventEffect, EventEffects
from lamplighter.errors import LamplighterError
from lamplighter.model.event import Delivery
from lamplighter.ports import Clock, Events, EventStream, StreamAway
from lamplighter.rules.formats.envelope import BadEnvelope
from lamplighter.rules.formats.plural import counted
from lamplighter.store.engine.database import Connection, Database, is_away
from lamplighter.store.events import events, foreign_events
from lamplighter.store.events.events import EventResult, Note

log = telemetry.logger("deliver")
#: after so many tries an event becomes a dead letter; the reconciler finds its change anyway
MOST_TRIES = 3
#: pause when the stream or the database is away
AWAY_SECONDS = 1.0
#: while events keep coming, the lag is logged at this interval
_LAG_TOLD_EVERY = 5.0


class EventDelivery:
    """Receives events and has them settled."""

    def __init__(self, db: Database, carrier: Events, *, effects: EventEffects, clock: Clock) -> None:
        self._db = db
        self._carrier = carrier
        self._effects = effects
        self._clock = clock
        self._lag_told_at = clock.monotonic()
        self._is_database_away = False

    async def deliver_all(self) -> int:
        """Settles events until none are left, and returns their number; failed ones are tried later."""
        settled = 0
        try:
            # Do not receive events that could not be settled now.
            while await self.can_settle() and (batch := await self._carrier.receive()):
                count = await self.settle(batch)
                settled += count
                await self._tell_lag()
                if count < len(batch):
                    break
        except StreamAway:
            await asyncio.sleep(AWAY_SECONDS)
        except Exception:
            # The loop receives again at once; an unexpected error must not make it spin.
            await asyncio.sleep(AWAY_SECONDS)
            raise
        return settled

    async def can_settle(self) -> bool:
        """Whether the database is available; checked only if it was away last time."""
        if not self._is_database_away:
            return True
        try:
            async with self._db.read() as db:
                await events.count_waiting(db)
        except Exception as error:
            if not is_away(error):
                raise
            await asyncio.sleep(AWAY_SECONDS)
            return False
        self._is_database_away = False
        return True

    async def settle(self, batch: Sequence[Delivery]) -> int:
        """Settles a batch at once or, if that fails, one by one; returns how many are done."""
        for each in (each for each in batch if each.event is None):
            event_counts.received([each])
            event_counts.failed(None)
            await self._bury(each, each.complaint)
        readable = [each for each in batch if each.event is not None]
        worn = [each for each in readable if each.tries > MOST_TRIES]
        for each in worn:
            event_counts.failed(each.event)
            await self._give_up(
                each,
                f"it was tried {counted(each.tries - 1, 'time')}, and each time the consumer ended before it was done",
            )
        fresh = [each for each in readable if each.tries <= MOST_TRIES]
        done = await self._settled(fresh) if fresh else []
        if done:
            await self._carrier.acknowledge(done)
        return len(batch) - len(fresh) + len(done)

    async def _settled(self, batch: Sequence[Delivery]) -> Sequence[Delivery]:
        try:
            await self._apply(batch)
        except Exception as error:
            if not is_away(error):
                return await self._one_by_one(batch)
            await self._hand_back(batch, error)
            return []
        return batch

    async def _one_by_one(self, batch: Sequence[Delivery]) -> Sequence[Delivery]:
        """Settles events singly, so that one bad one blocks no other."""
        done: list[Delivery] = []
        for index, each in enumerate(batch):
            try:
                await self._apply([each])
            except Exception as error:
                # A database that is away says nothing about the event.
                if is_away(error):
                    await self._hand_back(batch[index:], error)
                    break
                if not await self._is_given_up(each, error):
                    continue
            done.append(each)
        return done

    async def _apply(self, batch: Sequence[Delivery]) -> None:
        crash_points.reached("deliver.before_effect")
        now = self._clock.now()

        async def work(db: Connection) -> dict[str, EventEffect]:
            return await self._effects.settle(db, batch, now=now, delivered_at=now)

        effects = await self._db.write(work)
        # Only now: an event that is handed back is delivered again as if for the first time.
        event_counts.received(batch)
        crash_points.reached("deliver.after_effect")
        for each in batch:
            assert each.event is not None
            result, detail, took = effects[each.event.id]
            why = {"detail": detail} if detail else {}
            log.info("event.delivered", **_about(each), result=result, processing_ms=events.milliseconds(took), **why)

    async def _is_given_up(self, delivery: Delivery, error: Exception) -> bool:
        """Notes a failed try, and returns whether it was the last."""
        assert delivery.event is not None
        event_counts.received([delivery])
        event_counts.failed(delivery.event)
        # An event that is refused says why in one line; only an unexpected error needs its traceback.
        why = {"error": str(error)} if isinstance(error, LamplighterError) else {"exc_info": error}
        log.error("event.failed", **_about(delivery), tries=delivery.tries, **why)
        # The message of an unexpected error goes only to the log; it may contain database values.
        detail = str(error) if isinstance(error, LamplighterError) else type(error).__name__
        note = Note(delivery.event.id, EventResult.ERROR, detail, timedelta(0))
        await self._db.write(lambda db: events.note(db, [note], delivered_at=None))
        # An invalid event of another publisher will not be valid the next time.
        if isinstance(error, BadEnvelope) or delivery.tries >= MOST_TRIES:
            await self._give_up(delivery, detail)
            return True
        return False

    async def _give_up(self, delivery: Delivery, reason: str) -> None:
        """Writes our own record first: after a crash the event comes again, and is buried once."""
        event, now = delivery.event, self._clock.now()
        assert event is not None
        note = Note(event.id, EventResult.ERROR, reason, timedelta(0))

        async def work(db: Connection) -> None:
            if event.id in await events.ours(db, [event.id]):
                await events.give_up(db, event.id, detail=reason, now=now)
            else:
                await foreign_events.note(db, [(event, delivery.position, note)], now=now)

        await self._db.write(work)
        await self._bury(delivery, reason)

    async def _bury(self, delivery: Delivery, reason: str) -> None:
        await self._carrier.bury(delivery, reason=reason)
        log.warning("event.dead_letter", **_about(delivery), tries=delivery.tries, reason=reason)

    async def _hand_back(self, batch: Sequence[Delivery], error: Exception) -> None:
        log.warning("event.handed_back", count=len(batch), error=type(error).__name__)
        self._is_database_away = True
        await self._carrier.hand_back(batch)

    async def _tell_lag(self) -> None:
        now = self._clock.monotonic()
        if now - self._lag_told_at < _LAG_TOLD_EVERY:
            return
        self._lag_told_at = now
        figures = await self._carrier.figures()
        if figures.lag:
            log.info("events.lag", lag=figures.lag, pending=figures.pending)


def _about(delivery: Delivery) -> dict[str, Any]:
    """Which event a log line is about."""
    event = delivery.event
    known = {"event_id": event.id, "event_type": event.type, "source_id": event.source} if event is not None else {}
    # Without a stream the position of an event is its id.
    is_streamed = event is None or delivery.position != event.id
    return known | ({"stream_id": delivery.position} if is_streamed else {})


class TakeOver:
    """Takes over events that a consumer did not finish."""

    def __init__(self, deliver: EventDelivery, stream: EventStream) -> None:
        self._deliver = deliver
        self._stream = stream

    async def take_over(self) -> int:
        """Settles these events, and returns how many it settled."""
        settled = 0
        try:
            while await self._deliver.can_settle() and (batch := await self._stream.take_over()):
                log.info("events.taken_over", count=len(batch), stream_ids=[each.position for each in batch])
                # An event that was handed back while the database was away is no crash: its try does not count.
                metrics.CRASH_RECOVERIES.labels("event").inc(sum(each.tries > 1 for each in batch))
                settled += await self._deliver.settle(batch)
            await self._stream.sweep()
        except StreamAway:
            pass  # the stream client has logged it, and the loop tries again
        return settled
