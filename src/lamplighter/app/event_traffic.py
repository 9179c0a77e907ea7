"""Puts together how events travel: from the outbox alone, or from there through a stream."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lamplighter.adapters.outbox_events import OutboxEvents
from lamplighter.app.defaults import norms
from lamplighter.app.engines import stream_of
from lamplighter.app.opening import Store
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.deliver import Deliver, TakeOver
from lamplighter.crawl.event_effects import Effects
from lamplighter.crawl.loops import Loop
from lamplighter.crawl.publisher import Publisher
from lamplighter.operations import foreign_events
from lamplighter.ports import Events
from lamplighter.settings import Settings

#: how often is looked for events that nobody rang the bell for
_OUTBOX_SECONDS = 5.0
#: how often is looked for events that somebody received and left lying
_TAKE_OVER_SECONDS = 30.0


class EventTraffic:
    """Whoever carries events, and whoever acts on them."""

    def __init__(self, settings: Settings, store: Store, *, bells: Bells, instance: str) -> None:
        db, clock = store.db, store.clock
        stream = self._stream = stream_of(settings, clock, instance=instance)
        self.carrier: Events = stream or OutboxEvents(db)
        effects = Effects(norms=norms(settings), foreign=foreign_events.apply, monotonic=clock.monotonic)
        self.deliver = Deliver(db, self.carrier, effects=effects, clock=clock, bells=bells)
        self._bells = bells
        self._publisher = Publisher(db, stream, effects=effects, clock=clock, bells=bells) if stream else None
        self._take_over = TakeOver(self.deliver, stream) if stream else None

    @property
    def loops(self) -> list[Loop]:
        """What is done in the background, in every process."""
        if self._publisher is None or self._take_over is None:
            step = self.deliver.deliver_all
            return [Loop(name="deliver", step=step, seconds=_OUTBOX_SECONDS, bell=self._bells.events)]
        publish, take_over = self._publisher.publish_all, self._take_over.take_over
        return [
            Loop(name="publish", step=publish, seconds=_OUTBOX_SECONDS, bell=self._bells.events),
            # Whoever receives waits at the stream, not here.
            Loop(name="deliver", step=self.deliver.deliver_all, seconds=0.0),
            Loop(name="take over", step=take_over, seconds=_TAKE_OVER_SECONDS),
        ]

    async def close(self) -> None:
        """Leaves the stream."""
        if self._stream is not None:
            await self._stream.close()


@asynccontextmanager
async def open_carrier(settings: Settings, store: Store) -> AsyncIterator[Events]:
    """Whoever carries events, for one who only looks: without a service around it."""
    stream = stream_of(settings, store.clock, instance="visitor")
    try:
        yield stream or OutboxEvents(store.db)
    finally:
        if stream is not None:
            await stream.close()
