"""Builds the event delivery: from the outbox directly, or through a stream."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lamplighter.adapters.messaging.outbox_events import OutboxEvents
from lamplighter.app.database import Store
from lamplighter.app.engines import stream_of
from lamplighter.app.foundation import Foundation
from lamplighter.crawl.events.event_delivery import EventDelivery, TakeOver
from lamplighter.crawl.events.event_effects import EventEffects
from lamplighter.crawl.events.event_publisher import Publisher
from lamplighter.crawl.process.loops import Loop
from lamplighter.operations.events import foreign_events
from lamplighter.ports import Events
from lamplighter.settings import Settings

#: how often events are looked for without a bell
OUTBOX_SECONDS = 5.0
#: how often events are looked for that a consumer did not finish
_TAKE_OVER_SECONDS = 30.0


class EventTraffic:
    """The event carrier and the loops that use it."""

    def __init__(self, base: Foundation) -> None:
        db, clock = base.db, base.clock
        stream = self._stream = stream_of(base.settings, clock, instance=base.owner)
        self.carrier: Events = stream or OutboxEvents(db)
        effects = self.effects = EventEffects(
            source_defaults=base.source_defaults, foreign=foreign_events.apply, monotonic=clock.monotonic
        )
        self.deliver = EventDelivery(db, self.carrier, effects=effects, clock=clock)
        self._bell = base.bells.events
        self._publisher = Publisher(db, stream, effects=effects, clock=clock) if stream else None
        self._take_over = TakeOver(self.deliver, stream) if stream else None

    @property
    def is_streamed(self) -> bool:
        """Whether events go through a server."""
        return self._stream is not None

    @property
    def loops(self) -> list[Loop]:
        """The event loops, which run in every process."""
        if self._publisher is None or self._take_over is None:
            step = self.deliver.deliver_all
            return [Loop(name="deliver", step=step, seconds=OUTBOX_SECONDS, bell=self._bell)]
        publish, take_over = self._publisher.publish_all, self._take_over.take_over
        return [
            Loop(name="publish", step=publish, seconds=OUTBOX_SECONDS, bell=self._bell),
            # Receiving waits at the stream, not here.
            Loop(name="deliver", step=self.deliver.deliver_all, seconds=0.0),
            Loop(name="take over", step=take_over, seconds=_TAKE_OVER_SECONDS),
        ]

    async def close(self) -> None:
        """Closes the stream."""
        if self._stream is not None:
            await self._stream.close()


@asynccontextmanager
async def open_carrier(settings: Settings, store: Store) -> AsyncIterator[Events]:
    """Opens the event carrier for a command that only reads, without a service."""
    stream = stream_of(settings, store.clock, instance="visitor")
    try:
        yield stream or OutboxEvents(store.db)
    finally:
        if stream is not None:
            await stream.close()
