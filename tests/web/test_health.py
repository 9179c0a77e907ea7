"""Does the health check tell a monitor what it needs?"""

import json

from lamplighter import __version__
from lamplighter.app import Store
from lamplighter.operations import sources
from tests.web.asking import Ask


async def test_a_service_whose_database_answers_is_well(ask: Ask) -> None:
    reply = await ask("/health")

    assert reply.status == 200
    assert json.loads(reply.text) == {
        "status": "ok",
        "version": __version__,
        "database": "sqlite",
        "sources": 0,
        "records": 0,
        "active_hosts": 0,
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
