"""Sources as the phases know them: a few seconds old at most, and whole while several ask at once."""

import asyncio
from datetime import timedelta

from lamplighter.crawl import source_cache
from lamplighter.crawl.source_cache import SourceCache
from lamplighter.operations import sources
from lamplighter.operations.sources import NewSource
from lamplighter.store.database import Connection, Database
from tests.crawl.planning import At
from tests.crawl.queueing import on_sqlite
from tests.moments import NOON


async def _add(db: Database, number: int) -> int:
    async def work(connection: Connection) -> int:
        return await sources.add(connection, NewSource(url=f"https://{number}.example/"), actor="test", now=NOON)

    return await db.write(work)


@on_sqlite
async def test_whoever_asks_while_all_is_read_anew_gets_all_that_there_is(db: Database) -> None:
    ids = {await _add(db, number) for number in range(1, 4)}
    clock = At()
    cache = SourceCache(db, clock=clock, agent="bot")
    await cache.many(set(sorted(ids)[:2]))

    async def others_expire() -> None:
        clock.at += timedelta(seconds=2 * source_cache._KEPT_SECONDS)
        await cache.many(set(sorted(ids)[:1]))

    found, _ = await asyncio.gather(cache.many(ids), others_expire())

    assert found.keys() == ids
