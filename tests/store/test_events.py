"""The outbox and the receipts."""

import asyncio
from datetime import timedelta

from lamplighter.store import events
from lamplighter.store.database import Database
from tests.moments import NOON
from tests.store.given import write


async def test_events_wait_in_order_until_they_are_delivered(db: Database) -> None:
    for number in range(3):
        await write(db, events.publish, "SOURCE_CREATED", source_id=None, payload={"number": number}, now=NOON)
    async with db.read() as connection:
        waiting = await events.undelivered(connection, limit=10)

    await write(db, events.mark_delivered, [waiting[0].id], now=NOON)

    async with db.read() as connection:
        left = await events.undelivered(connection, limit=10)
    assert [event.payload["number"] for event in waiting] == [0, 1, 2]
    assert [event.payload["number"] for event in left] == [1, 2]


async def test_k1_a_receipt_is_given_once_however_many_ask_at_once(db: Database) -> None:
    given = await asyncio.gather(*(write(db, events.take_receipt, "event-1", now=NOON) for _ in range(10)))

    assert sorted(given) == [False] * 9 + [True]


async def test_only_old_receipts_and_delivered_events_are_forgotten(db: Database) -> None:
    await write(db, events.publish, "SOURCE_CREATED", source_id=None, payload={}, now=NOON)
    await write(db, events.take_receipt, "old", now=NOON)
    await write(db, events.take_receipt, "new", now=NOON + timedelta(days=8))

    await write(db, events.purge, before=NOON + timedelta(days=1))

    assert await write(db, events.take_receipt, "old", now=NOON) is True
    assert await write(db, events.take_receipt, "new", now=NOON) is False
    async with db.read() as connection:
        assert len(await events.undelivered(connection, limit=10)) == 1
