"""The processes on the database, over the API and on the status page."""

from dataclasses import replace
from datetime import timedelta

from lamplighter.app import Service
from lamplighter.model.fleet import Duty, Lead
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import instances, leads
from tests.rules.fleet.fleet_workers import WORKER
from tests.web.asgi_client import Ask


async def some_processes(service: Service) -> None:
    now = service.clock.now()
    alive = replace(WORKER, started_at=now, heartbeat_at=now, duties=frozenset({Duty.SCHEDULE}))
    killed = replace(alive, id="killed", started_at=now - timedelta(hours=2), heartbeat_at=now - timedelta(hours=1))

    async def arrange(db: Connection) -> None:
        for each in (alive, killed):
            await instances.beat(db, each)
        await leads.take(db, Lead.SCHEDULE, owner=alive.id, now=now, until=now + timedelta(seconds=15))

    await service.db.write(arrange)


async def test_processes_are_listed_with_what_they_do_and_who_is_lost(ask: Ask, service: Service) -> None:
    await some_processes(service)

    reply = await ask.get("/api/v1/instances")

    listed = [(each["id"], each["state"], each["duties"], each["leads"]) for each in reply.json["instances"]]
    assert listed == [("killed", "lost", ["schedule"], []), (WORKER.id, "alive", ["schedule"], ["schedule"])]
    assert [reply.json[name] for name in ("total", "alive", "lost")] == [2, 1, 1]


async def test_the_status_page_and_health_count_them(ask: Ask, service: Service) -> None:
    await some_processes(service)

    page = (await ask.get("/")).text
    health = (await ask.get("/health")).json

    assert "<strong>1</strong> process" in page
    assert "<strong>1</strong> lost" in page
    assert health["instances"] == {"alive": 1, "lost": 1}
    assert health["queue"] == {"state": "embedded"}
