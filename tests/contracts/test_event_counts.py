"""Events are counted alike, whoever carries them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from unittest.mock import AsyncMock

import pytest
import sqlalchemy as sa

from lamplighter.crawl.events import event_delivery
from lamplighter.crawl.events.event_effects import EventEffects
from lamplighter.model.event import SourceFact
from lamplighter.store.engine.database import Database
from lamplighter.store.events import events
from lamplighter.store.schema import tables
from tests.contracts.event_carriers import Carrier, through_outbox, through_redis
from tests.counting import Counting
from tests.crawl.runs.due_jobs import on_sqlite

pytestmark = on_sqlite


@pytest.fixture(params=["outbox", "redis"])
async def carrier(request: pytest.FixtureRequest, db: Database) -> AsyncIterator[Carrier]:
    """One process, on each carrier."""
    url = request.getfixturevalue("redis_url") if request.param == "redis" else None
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(through_redis(db, url) if url else through_outbox(db))


async def test_an_event_counts_when_it_comes_and_when_it_is_settled(carrier: Carrier) -> None:
    counting = Counting()
    source = await carrier.add()
    await carrier.tell(source)

    await carrier.settle()

    for kind in (SourceFact.CREATED, SourceFact.UPDATED):
        assert counting.since("crawler_events_received_total", event_type=kind) == 1
        assert counting.since("crawler_events_processed_total", event_type=kind, result="success") == 1
        assert counting.since("crawler_event_processing_duration_seconds_count", event_type=kind) == 1


async def test_an_event_that_comes_twice_counts_as_a_duplicate(carrier: Carrier) -> None:
    await carrier.add()
    (event,) = await carrier.rows(tables.events)
    receipt = {"event_id": event.event_id, "processed_at": event.created_at}
    await carrier.change(sa.insert(tables.receipts).values(receipt))
    counting = Counting()

    await carrier.settle()

    assert counting.since("crawler_events_processed_total", result="duplicate") == 1
    assert counting.since("crawler_events_processed_total", result="success") == 0


async def test_every_try_in_vain_counts_as_an_error_and_the_event_once(carrier: Carrier) -> None:
    await carrier.add()
    await carrier.set_source("a", url="ht!tp:/")
    counting = Counting()

    await carrier.settle()
    await carrier.settle_again()

    assert counting.since("crawler_events_received_total") == 1
    (event,) = await carrier.rows(tables.events)
    assert counting.since("crawler_events_processed_total", result="error") == event.try_count >= 2


async def test_what_calls_itself_anything_is_counted_as_other(carrier: Carrier) -> None:
    counting = Counting()
    now = carrier.clock.now()
    await carrier.db.write(lambda db: events.publish(db, "https://evil.example/", source_id=None, payload={}, now=now))

    await carrier.settle()

    assert counting.since("crawler_events_received_total", event_type="other") == 1
    assert counting.since("crawler_events_processed_total", event_type="other", result="success") == 1


async def test_an_event_that_another_left_lying_counts_as_a_recovery(db: Database, redis_url: str) -> None:
    async with through_redis(db, redis_url) as dead, through_redis(db, redis_url, instance="2") as other:
        await dead.add()
        await dead.pass_on()
        await dead.carrier.receive()
        counting = Counting()

        await other.settle_again()

        assert counting.since("crawler_crash_recoveries_total", what="event") == 1


async def test_what_was_handed_back_while_the_database_was_away_counts_once_and_as_no_recovery(
    carrier: Carrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    await carrier.add()
    counting = Counting()

    with monkeypatch.context() as away:
        away.setattr(EventEffects, "settle", AsyncMock(side_effect=ConnectionError))
        away.setattr(event_delivery, "is_away", lambda error: True)
        assert await carrier.settle() == 0
    assert counting.since("crawler_events_received_total") == 0
    await carrier.settle_again()

    assert counting.since("crawler_events_received_total") == 1
    assert counting.since("crawler_crash_recoveries_total", what="event") == 0
