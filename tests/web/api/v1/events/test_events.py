"""Which events were published, and what became of each."""

from datetime import datetime
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.crawl.events.event_delivery import MOST_TRIES
from lamplighter.store.engine.database import Connection
from lamplighter.store.events import events
from lamplighter.store.schema import tables
from tests.web.api.given_sources import on_sqlite, watched
from tests.web.asgi_client import Ask

FIELDS = set("event_id event_type source_id timestamp payload result processing_time_ms detail".split())


async def _log(ask: Ask, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await ask.get("/api/v1/events/log", **query)).json["events"]
    return found


async def _broken(db: Connection, source_id: int, *, now: datetime) -> None:
    """A source that cannot have a job, and an event about it."""
    await db.execute(sa.update(tables.sources).values(url="ht!tp:/"))
    await db.execute(sa.update(tables.crawl_jobs).values(host_id=None))
    await events.publish(db, "SOURCE_UPDATED", source_id=source_id, payload={}, now=now)


async def test_the_log_tells_what_became_of_each_event_the_latest_first(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    await watched(service, ask, "b")
    await ask.post(f"/api/v1/sources/{source.source_id}/disable", {"reason": "moved"})

    waiting = await _log(ask, result="pending")
    await service.events.deliver.deliver_all()
    mine = await ask.get("/api/v1/events/log", source_id=source.source_id, limit=1)

    assert [event["event_type"] for event in waiting] == ["SOURCE_DISABLED"]
    assert mine.json["total"] == 2
    (latest,) = mine.json["events"]
    assert set(latest) >= FIELDS
    assert (latest["event_type"], latest["source_id"], latest["result"]) == (
        "SOURCE_DISABLED",
        source.source_id,
        "success",
    )
    assert latest["processing_time_ms"] > 0
    assert "moved" in latest["detail"]
    assert len(await _log(ask, type="SOURCE_CREATED", result="success")) == 2


async def test_an_event_that_was_handled_before_is_a_duplicate(service: Service, ask: Ask) -> None:
    await watched(service, ask)

    async def again(db: Connection) -> None:
        await db.execute(sa.update(tables.events).values(delivered_at=None, result=None))

    await service.db.write(again)
    await service.events.deliver.deliver_all()

    (event,) = await _log(ask)
    assert (event["result"], event["try_count"]) == ("duplicate", 2)


async def test_an_event_that_cannot_be_handled_is_tried_again_and_then_given_up(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    now = service.clock.now()

    await service.db.write(lambda db: _broken(db, source.row, now=now))
    seen = []
    for _ in range(MOST_TRIES):
        await service.events.deliver.deliver_all()
        seen.append((await _log(ask))[0])
    async with service.db.read() as db:
        left = await events.undelivered(db, limit=10)

    assert [event["try_count"] for event in seen] == [1, 2, 3]
    assert {event["result"] for event in seen} == {"error"}
    assert "ht!tp:/" in seen[0]["detail"]
    assert left == []


@on_sqlite
@pytest.mark.parametrize("query", [{"result": "lost"}, {"limit": 251}, {"type": "\x00"}, {"source_id": "1"}])
async def test_what_cannot_be_asked_for_is_refused(ask: Ask, query: dict[str, Any]) -> None:
    assert (await ask.get("/api/v1/events/log", **query)).status == 422


async def test_what_was_given_up_is_listed_with_its_reason_and_handled_when_retried(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    now = service.clock.now()

    async def mend_it(db: Connection) -> None:
        await db.execute(sa.update(tables.sources).values(url="https://a.example/"))

    await service.db.write(lambda db: _broken(db, source.row, now=now))
    for _ in range(MOST_TRIES):
        await service.events.deliver.deliver_all()
    (letter,) = (await ask.get("/api/v1/events/dead-letters")).json["dead_letters"]
    health = (await ask.get("/health")).json["events"]
    await service.db.write(mend_it)

    retried = await ask.post(f"/api/v1/events/dead-letters/{letter['id']}/retry")
    await service.events.deliver.deliver_all()

    assert ("ht!tp:/" in letter["reason"], letter["tries"]) == (True, MOST_TRIES)
    assert health == {
        "engine": "outbox",
        "state": "closed",
        "outbox": 0,
        "lag": 0,
        "pending": 0,
        "dead_letters": 1,
    }
    assert (retried.status, retried.json["id"]) == (200, letter["id"])
    assert (await _log(ask))[0]["result"] == "success"
    assert (await ask.get("/api/v1/events/dead-letters")).json["total"] == 0


@on_sqlite
@pytest.mark.parametrize(("letter", "status"), [("1-0", 404), ("a.b", 422)])
async def test_a_letter_that_is_not_there_cannot_be_retried(ask: Ask, letter: str, status: int) -> None:
    assert (await ask.post(f"/api/v1/events/dead-letters/{letter}/retry")).status == status


@on_sqlite
async def test_the_log_is_filtered_by_the_name_of_the_source_and_says_what_changed(service: Service, ask: Ask) -> None:
    source = await watched(service, ask, "harbour")
    await watched(service, ask, "museum")
    await ask.patch(f"/api/v1/sources/{source.source_id}", {"rate_limit": 5})
    await ask.patch(f"/api/v1/sources/{source.source_id}", {"rate_limit": 10})
    await service.events.deliver.deliver_all()

    found = await _log(ask, source="arbou")

    assert {event["source_id"] for event in found} == {source.source_id}
    assert found[0]["detail"] == "rate_limit 5 → 10"
    assert await _log(ask, source="100%") == []


@on_sqlite
async def test_a_dead_letter_is_discarded_and_the_alert_about_it_ends(service: Service, ask: Ask) -> None:
    source = await watched(service, ask)
    await service.db.write(lambda db: _broken(db, source.row, now=service.clock.now()))
    for _ in range(MOST_TRIES):
        await service.events.deliver.deliver_all()
    (letter,) = (await ask.get("/api/v1/events/dead-letters")).json["dead_letters"]
    before = await service.notifying.watch.look(service.clock.now())

    gone = await ask.delete(f"/api/v1/events/dead-letters/{letter['id']}")
    again = await ask.post(f"/api/v1/events/dead-letters/{letter['id']}/discard")

    after = await service.notifying.watch.look(service.clock.now())
    assert (gone.status, again.status) == (200, 404)
    assert (len(before["DeadLetters"].findings), after["DeadLetters"].findings) == (1, ())
