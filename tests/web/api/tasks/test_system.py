"""/api/health, /api/admin/stats and /api/admin/queues."""

from datetime import timedelta

import sqlalchemy as sa

from lamplighter import __version__
from lamplighter.app import Store
from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from tests.store.given_rows import a_run, some_pages
from tests.web.asgi_client import Ask


async def test_health_tells_how_each_part_is_and_which_are_embedded(ask: Ask) -> None:
    reply = await ask.get("/api/health")

    data = reply.json["data"]
    assert (reply.status, reply.json["success"], data["status"], data["version"]) == (200, True, "healthy", __version__)
    assert data["services"]["database"]["status"] == "healthy"
    assert data["services"]["database"]["response_time_ms"] >= 0
    assert (
        data["services"]["rabbitmq"]
        == data["services"]["elasticsearch"]
        == {
            "status": "embedded",
            "response_time_ms": 0.0,
        }
    )


async def test_queues_count_what_waits_and_what_somebody_holds(ask: Ask, store: Store) -> None:
    now = store.clock.now()

    async def arrange(db: Connection) -> None:
        source_id, run_id = await a_run(db)
        await some_pages(db, source_id, run_id, "/1", "/2")
        await some_pages(db, source_id, run_id, "/later", due_at=now + timedelta(hours=1))
        await some_pages(db, source_id, run_id, "/urgent", rank=10_003)
        await some_pages(db, source_id, run_id, "/body", phase=Phase.DOWNLOADED)
        lease = {"lease_owner": "reader", "lease_until": now + timedelta(minutes=1)}
        await some_pages(db, source_id, run_id, "/read", phase=Phase.DOWNLOADED, **lease)

    await store.db.write(arrange)

    free = (await ask.get("/api/admin/queues")).json["data"]
    held = sa.update(tables.hosts).values(lease_owner="worker", lease_until=now + timedelta(minutes=1))
    await store.db.write(lambda db: db.execute(held))
    taken = (await ask.get("/api/admin/queues")).json["data"]

    assert free["crawl_queue"] == {"messages_ready": 2, "messages_unacked": 0, "consumers": 0}
    assert free["priority_queue"]["messages_ready"] == 1
    assert free["parse_queue"] == {"messages_ready": 1, "messages_unacked": 1, "consumers": 1}
    assert taken["crawl_queue"] == {"messages_ready": 0, "messages_unacked": 2, "consumers": 1}
    assert taken["priority_queue"]["messages_unacked"] == 1


async def test_stats_count_tasks_domains_and_proxies(ask: Ask, store: Store) -> None:
    now = store.clock.now()

    async def arrange(db: Connection) -> None:
        source_id, run_id = await a_run(db)
        read = {"pages_read": 2, "parse_cpu_ms": 7.5}
        await db.execute(sa.update(tables.crawl_runs).values(started_at=now, figures=read))
        await some_pages(db, source_id, run_id, "/1", "/2", phase=Phase.COMPLETED, took_ms=100)
        await some_pages(db, source_id, run_id, "/3", phase=Phase.FAILED)

    await store.db.write(arrange)
    first = await ask.post("/api/admin/domains", {"base_url": "https://shop.example/"})
    await ask.post("/api/admin/domains", {"base_url": "https://other.example/"})
    await ask.post(f"/api/admin/domains/{first.json['data']['id']}/disable")
    await ask.post("/api/admin/proxies", {"proxy_url": "proxy.example", "proxy_port": 8080})

    data = (await ask.get("/api/admin/stats")).json["data"]

    assert (data["tasks"]["total"], data["tasks"]["completed"], data["tasks"]["failed"]) == (3, 2, 1)
    assert data["domains"] == {"total": 2, "active": 1, "disabled": 1}
    assert data["proxies"] == {"total": 1, "active": 1, "failing": 0}
    assert data["products"] == {"total": 0, "added_today": 0}
    assert data["performance"] == {"avg_crawl_time_ms": 100, "avg_parse_time_ms": 3.75, "success_rate": 66.67}
