"""Whoever carries events, with whoever publishes and settles them, for the tests of every carrier."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.adapters.messaging.outbox_events import OutboxEvents
from lamplighter.adapters.messaging.redis_connection import RedisConnection
from lamplighter.adapters.messaging.redis_streams import RedisStream
from lamplighter.crawl.events.event_delivery import EventDelivery, TakeOver
from lamplighter.crawl.events.event_effects import EventEffects
from lamplighter.crawl.events.event_publisher import Publisher
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.access import Stamp
from lamplighter.model.event import Delivery, SourceFact
from lamplighter.operations.events import foreign_events
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.ports import Clock, Events
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.events import events
from lamplighter.store.schema import tables
from tests.store.given_rows import rows_of

#: in tests nobody waits as long as in life
BLOCK = timedelta(milliseconds=50)
IDLE = timedelta(milliseconds=200)


class Carrier:
    """One process of many: it publishes, receives and settles."""

    def __init__(
        self, db: Database, carrier: Events, *, clock: Clock, source_defaults: SourceDefaults | None = None
    ) -> None:
        self.db = db
        self.carrier = carrier
        self.clock = clock
        self.source_defaults = source_defaults or SourceDefaults()
        effects = EventEffects(
            source_defaults=self.source_defaults, foreign=foreign_events.apply, monotonic=clock.monotonic
        )
        parts: dict[str, Any] = {"effects": effects, "clock": clock}
        self.deliver = EventDelivery(db, carrier, **parts)
        self.publisher = Publisher(db, carrier, **parts) if isinstance(carrier, RedisStream) else None

    async def pass_on(self) -> None:
        """Takes what waits in the outbox to where it is received, if that is elsewhere."""
        if self.publisher is not None:
            await self.publisher.publish_all()

    async def settle(self) -> int:
        """Publishes and settles all that there is."""
        await self.pass_on()
        return await self.deliver.deliver_all()

    async def come_again(self) -> Sequence[Delivery]:
        """What was received and not acknowledged, once its time has come again."""
        if not isinstance(self.carrier, RedisStream):
            return await self.carrier.receive()
        await asyncio.sleep(IDLE.total_seconds() * 1.5)
        return await self.carrier.take_over()

    async def settle_again(self) -> int:
        """Settles what was left lying."""
        if not isinstance(self.carrier, RedisStream):
            return await self.deliver.deliver_all()
        await asyncio.sleep(IDLE.total_seconds() * 1.5)
        return await TakeOver(self.deliver, self.carrier).take_over()

    async def add(self, name: str = "a", **about: Any) -> str:
        """A source whose job is made by its event; returns its public id."""
        now = self.clock.now()
        new = NewSource(url=f"https://{name}.example/", name=name, **about)
        source_id = await self.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", now)))
        return str((await self.rows(tables.sources, tables.sources.c.id == source_id))[0].public_id)

    async def tell(self, source: str, kind: SourceFact = SourceFact.UPDATED) -> str:
        """One more fact about a source, which changes nothing."""
        (row,) = await self.rows(tables.sources, tables.sources.c.public_id == source)
        now = self.clock.now()
        return await self.db.write(lambda db: events.publish(db, kind, source_id=row.id, payload={}, now=now))

    async def set_source(self, name: str, **columns: Any) -> None:
        """Changes a source behind everybody's back."""
        await self.change(sa.update(tables.sources).where(tables.sources.c.name == name).values(**columns))

    async def change(self, statement: Any) -> None:
        """Carries out a statement."""

        async def work(db: Connection) -> None:
            await db.execute(statement)

        await self.db.write(work)

    async def rows(self, table: sa.Table, *which: Any) -> list[Any]:
        """Rows of a table, oldest first."""
        return await rows_of(self.db, table, *which)

    async def results(self) -> list[str | None]:
        """What became of each event, oldest first."""
        return [row.result for row in await self.rows(tables.events)]


@asynccontextmanager
async def through_outbox(db: Database, **more: Any) -> AsyncIterator[Carrier]:
    """Without a stream."""
    yield Carrier(db, OutboxEvents(db), **{"clock": DatabaseClock(None), **more})


@asynccontextmanager
async def through_redis(
    db: Database, url: str, *, instance: str = "1", patience: float = 5.0, cooldown: float = 0.2, **more: Any
) -> AsyncIterator[Carrier]:
    """Through a Redis stream."""
    clock = more.pop("clock", None) or DatabaseClock(None)
    server = RedisConnection(url, setting="URL", clock=DatabaseClock(None), patience=patience, cooldown=cooldown)
    options = {name: more.pop(name) for name in ("longest", "block", "idle") if name in more}
    stream = RedisStream(server, instance=instance, **{"block": BLOCK, "idle": IDLE, **options})
    try:
        yield Carrier(db, stream, clock=clock, **more)
    finally:
        await stream.close()
