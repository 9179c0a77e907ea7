"""Does the health check tell a monitor what it needs?"""

import json

from lamplighter import __version__
from lamplighter.app import Service, Store
from lamplighter.crawl.disk_watch import DiskState
from lamplighter.operations import sources
from tests.web.asking import Ask


async def test_a_service_whose_database_answers_is_well(ask: Ask) -> None:
    reply = await ask("/health")
    told = json.loads(reply.text)

    assert reply.status == 200
    assert told.pop("disk")["state"] in ("ok", "low")
    assert told == {
        "status": "ok",
        "version": __version__,
        "database": "sqlite",
        "sources": 0,
        "records": 0,
        "active_hosts": 0,
        "instances": {"alive": 0, "lost": 0},
        "queue": {"state": "embedded"},
        "mirror": {"state": "off"},
        "archive": {"state": "ok"},
        "index": {"state": "embedded", "engine": "database", "pending": 0, "parked": 0},
        "events": {"engine": "outbox", "state": "closed", "outbox": 0, "lag": 0, "pending": 0, "dead_letters": 0},
    }


async def test_it_counts_what_is_stored(ask: Ask, store: Store) -> None:
    new = sources.NewSource(url="https://example.org/jobs")
    await store.db.write(lambda db: sources.add(db, new, actor="test", now=store.clock.now()))

    assert json.loads((await ask("/health")).text)["sources"] == 1


async def test_a_service_whose_database_is_broken_is_unavailable_and_says_why(ask: Ask, store: Store) -> None:
    async with store.db.exclusive() as db:
        await db.run_sync(lambda connection: connection.exec_driver_sql("DROP TABLE records"))

    reply = await ask("/health")

    assert reply.status == 503
    assert json.loads(reply.text)["reason"].startswith("the database does not answer")


async def test_it_tells_when_what_is_fetched_could_not_be_kept(ask: Ask, service: Service) -> None:
    service.archiving.trouble = "the S3 archive of bucket secret does not answer"
    service.disk.state = DiskState(free_bytes=100 << 20, least_bytes=512 << 20, is_low=True)

    told = json.loads((await ask("/health")).text)

    assert told["archive"] == {"state": "away"}
    assert told["disk"] == {"state": "low", "free_mb": 100, "least_free_mb": 512}
