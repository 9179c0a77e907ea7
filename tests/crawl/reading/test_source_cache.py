"""Sources as the phases know them: a few seconds old at most, and whole while several ask at once."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.reading import source_cache
from lamplighter.crawl.reading.source_cache import KnownSource, SourceCache
from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import tables
from tests.clocks import At
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.query_plans import heard


async def _add(db: Database, number: int) -> int:
    async def work(connection: Connection) -> int:
        return await sources.add(connection, NewSource(url=f"https://{number}.example/"), stamp=Stamp("test", NOON))

    return await db.write(work)


@on_sqlite
async def test_whoever_asks_while_all_is_read_anew_gets_all_that_there_is(db: Database) -> None:
    ids = {await _add(db, number) for number in range(1, 4)}
    clock = At()
    cache = SourceCache(db, clock=clock, agent="bot")
    await cache.many(set(sorted(ids)[:2]))

    async def others_expire() -> None:
        clock.at += timedelta(seconds=2 * source_cache.KEPT_SECONDS)
        await cache.many(set(sorted(ids)[:1]))

    found, _ = await asyncio.gather(cache.many(ids), others_expire())

    assert found.keys() == ids


@on_sqlite
async def test_many_who_miss_the_same_sources_read_them_once(db: Database) -> None:
    ids = {await _add(db, number) for number in range(1, 9)}
    clock = At()
    cache = SourceCache(db, clock=clock, agent="bot")
    await cache.many(ids)
    clock.at += timedelta(seconds=2 * source_cache.KEPT_SECONDS)

    with heard("SELECT sources.") as reads:
        found = await asyncio.gather(*(cache.many({source_id}) for source_id in ids))

    assert [list(each) for each in found] == [[source_id] for source_id in ids]
    assert len(reads) == 1


async def _spoil(db: Database, source_id: int, **stored: str) -> None:
    """Behind everybody's back."""
    table = tables.sources
    await db.write(lambda tx: tx.execute(sa.update(table).where(table.c.id == source_id).values(**stored)))


@on_sqlite
async def test_an_address_that_cannot_be_used_is_the_trouble_of_its_source_alone(db: Database) -> None:
    good, bad = await _add(db, 1), await _add(db, 2)
    clock = At()
    cache = SourceCache(db, clock=clock, agent="bot")
    await cache.many({good, bad})
    await _spoil(db, bad, url="http://[nowhere/")
    clock.at += timedelta(seconds=2 * source_cache.KEPT_SECONDS)

    found = await cache.many({good, bad})

    assert found[good].trouble is None
    assert found[bad].trouble is not None
    assert "address cannot be used: Cannot use 'http://[nowhere/'" in found[bad].trouble


@on_sqlite
async def test_a_word_that_nobody_knows_any_more_says_nothing(db: Database) -> None:
    good, bad = await _add(db, 1), await _add(db, 2)
    await _spoil(db, bad, kind="unheard-of")

    found = await SourceCache(db, clock=At(), agent="bot").many({good, bad})

    assert found.keys() == {good, bad}
    assert found[bad].kind is None


@on_sqlite
async def test_a_source_that_cannot_be_read_at_all_keeps_nobody_from_the_others_for_long(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = await _add(db, 1), await _add(db, 2)
    clock = At()
    cache = SourceCache(db, clock=clock, agent="bot")
    await cache.many({good, bad})
    known = source_cache._known

    def refuse_bad(source: Source, *others: Any) -> KnownSource:
        if source.id == bad:
            raise ValueError("unheard-of")
        return known(source, *others)

    monkeypatch.setattr(source_cache, "_known", refuse_bad)
    clock.at += timedelta(seconds=2 * source_cache.KEPT_SECONDS)

    with pytest.raises(ValueError, match="unheard-of"):
        await cache.many({good})

    assert (await cache.many({good})).keys() == {good}
