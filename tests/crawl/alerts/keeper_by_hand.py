"""A watch that tests have look by hand, what it tells, and a process that is there."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.adapters.messaging.in_process_queue import InProcessQueue
from lamplighter.adapters.messaging.outbox_events import OutboxEvents
from lamplighter.crawl.alerts.alert_keeper import AlertKeeper
from lamplighter.model.fleet import Duty, Instance
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import instances
from lamplighter.store.schema import tables
from tests.clocks import At

EVERYTHING = frozenset(Duty)


async def be_there(
    db: Database, now: datetime, *, duties: Collection[Duty] = EVERYTHING, figures: Mapping[str, float] | None = None
) -> None:
    """The heartbeat of a process."""
    instance = Instance(
        id="worker-1",
        kind="worker",
        machine="lighthouse",
        pid=1,
        duties=frozenset(duties),
        version="1",
        started_at=now,
        heartbeat_at=now,
        figures=figures or {},
        is_stopping=False,
    )

    async def work(connection: Connection) -> None:
        await instances.leave(connection, instance.id)
        await instances.beat(connection, instance)

    await db.write(work)


class Watching:
    """Looks by the test's own clock, and gathers what people would be told."""

    def __init__(self, db: Database, clock: At) -> None:
        self.db = db
        self.clock = clock
        events = OutboxEvents(db)
        self.watch = AlertKeeper(db, clock=clock, queue=InProcessQueue(), events=events, longest_run=timedelta(hours=1))

    async def look(self) -> list[tuple[str, str]]:
        """Looks once; returns what is told: fired or cleared, and by which rule."""
        await self.watch.keep()
        return [(row.kind.removeprefix("alert."), row.data["rule"]) for row in await self.taken()]

    async def taken(self) -> list[Any]:
        """What is to be told, taken as the one who tells would."""

        async def work(connection: Connection) -> list[Any]:
            rows = list(await connection.execute(sa.select(tables.notices).order_by(tables.notices.c.id)))
            await connection.execute(sa.delete(tables.notices))
            return rows

        return await self.db.write(work)
