"""The outbox and the receipts."""

import asyncio
import re
from datetime import timedelta

from lamplighter.store.engine.database import Database
from lamplighter.store.events import event_outbox, events
from lamplighter.store.events.events import EventResult, Note
from tests.moments import NOON
from tests.store.given_rows import write
from tests.store.query_plans import plan_of


async def test_events_wait_in_order_until_they_are_delivered(db: Database) -> None:
    for number in range(3):
        await write(db, events.publish, "SOURCE_CREATED", source_id=None, payload={"number": number}, now=NOON)
    async with db.read() as connection:
        waiting = await events.undelivered(connection, limit=10)

    note = Note(waiting[0].event_id, EventResult.SUCCESS, None, timedelta(0))
    await write(db, events.note, [note], delivered_at=NOON)

    async with db.read() as connection:
        left = await events.undelivered(connection, limit=10)
    assert [event.payload["number"] for event in waiting] == [0, 1, 2]
    assert [event.payload["number"] for event in left] == [1, 2]


async def test_k1_a_receipt_is_given_once_however_many_ask_at_once(db: Database) -> None:
    asked = (["event-1", "event-2"], ["event-2", "event-1"]) * 5
    given = await asyncio.gather(*(write(db, events.take_receipts, ids, now=NOON) for ids in asked))

    assert sorted(event_id for taken in given for event_id in taken) == ["event-1", "event-2"]


async def test_what_one_has_claimed_for_the_stream_no_other_claims_until_it_is_taken_back(db: Database) -> None:
    for _ in range(3):
        await write(db, events.publish, "SOURCE_CREATED", source_id=None, payload={}, now=NOON)

    first = await write(db, event_outbox.claim, now=NOON, limit=2)
    second = await write(db, event_outbox.claim, now=NOON, limit=2)
    await write(db, event_outbox.take_back, [first[0].id])
    third = await write(db, event_outbox.claim, now=NOON, limit=2)

    assert [[row.id for row in claimed] for claimed in (first, second, third)] == [[1, 2], [3], [1]]


async def test_only_what_waits_longer_than_that_is_looked_for_in_the_stream(db: Database) -> None:
    for _ in range(3):
        await write(db, events.publish, "SOURCE_CREATED", source_id=None, payload={}, now=NOON)
    claimed = await write(db, event_outbox.claim, now=NOON, limit=2)
    await write(db, event_outbox.note_positions, [(claimed[0].id, "1-0")])

    async with db.read() as connection:
        early = await event_outbox.unhandled(connection, published_before=NOON, limit=9)
        late = await event_outbox.unhandled(connection, published_before=NOON + timedelta(seconds=1), limit=9)

    assert (early, late) == ([], [(1, "1-0"), (2, None)])


async def test_what_waits_is_found_by_an_index_however_long_the_log_is(db: Database) -> None:
    plans = {
        "ix_events_outbox": lambda c: events.undelivered(c, limit=10),
        # SQLite finds those without a time in the index of times, in the same order
        "ix_events_(un)?published ": lambda c: events.untried(c, limit=10),
        "ix_events_published": lambda c: event_outbox.unhandled(c, published_before=NOON, limit=10),
        "ix_events_in_vain": lambda c: events.given_up(c, limit=10, offset=0),
        "ix_events_about": lambda c: events.newest(c, events.EventFilter(source="a"), limit=10, offset=0),
    }

    for index, look in plans.items():
        assert re.search(index, await plan_of(db, look)), index
