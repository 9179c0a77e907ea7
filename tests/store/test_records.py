"""Records in the database: one per identity, whoever finds it first."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

from lamplighter.model.record import Record, RecordKind
from lamplighter.store import records
from lamplighter.store.database import Connection, Database
from tests.moments import NOON
from tests.store.given import a_run, some_pages, write

POSTING = Record(
    kind=RecordKind.JOB,
    url="https://a.example/1",
    canonical_hash="c" * 64,
    content_hash="v1",
    title="Lamplighter",
    tags=("night",),
    fields={"salary": {"min": 1.5}},
    provenance={"title": ("jsonld", 0.9)},
    quality=0.5,
)


async def _page(db: Database) -> tuple[int, int]:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1")
    return source_id, page_id


async def _all(db: Database) -> list[Any]:
    async with db.read() as connection:
        return list(await records.newest(connection))


async def test_a_record_comes_back_as_it_went_in(db: Database) -> None:
    source_id, page_id = await _page(db)

    await write(db, records.add, [(source_id, page_id, POSTING)], now=NOON)

    (row,) = await _all(db)
    assert (row.title, row.tags, row.fields) == ("Lamplighter", ["night"], {"salary": {"min": 1.5}})
    assert row.provenance == {"title": ["jsonld", 0.9]}
    assert row.first_seen_at == row.last_seen_at == NOON


async def test_k1_the_same_thing_found_at_once_by_many_is_stored_once(db: Database) -> None:
    source_id, page_id = await _page(db)

    await asyncio.gather(*(write(db, records.add, [(source_id, page_id, POSTING)], now=NOON) for _ in range(8)))

    assert len(await _all(db)) == 1


async def test_a_rewritten_record_keeps_its_id_and_its_first_sight(db: Database) -> None:
    source_id, page_id = await _page(db)
    await write(db, records.add, [(source_id, page_id, POSTING)], now=NOON)
    (before,) = await _all(db)
    later = NOON + timedelta(days=1)

    changed = replace(POSTING, title="Senior lamplighter", content_hash="v2")
    await write(db, records.change, [(before.id, page_id, changed)], now=later)

    (after,) = await _all(db)
    assert (after.id, after.public_id, after.first_seen_at) == (before.id, before.public_id, NOON)
    assert (after.title, after.content_hash, after.last_seen_at) == ("Senior lamplighter", "v2", later)


async def test_two_workers_that_rewrite_the_same_records_do_not_stop_each_other(db: Database) -> None:
    source_id, page_id = await _page(db)
    several = [replace(POSTING, canonical_hash=f"{number:064}") for number in range(20)]
    await write(db, records.add, [(source_id, page_id, record) for record in several], now=NOON)
    ids = [row.id for row in await _all(db)]

    async def touch(connection: Connection, order: list[int]) -> None:
        for record_id in order:
            await records.touch(connection, [record_id], now=NOON)

    async with asyncio.timeout(20):
        await asyncio.gather(*(write(db, touch, order) for order in (ids, ids[::-1])))

    assert len(await _all(db)) == 20


async def test_many_identities_are_looked_up_at_once(db: Database) -> None:
    source_id, page_id = await _page(db)
    await write(db, records.add, [(source_id, page_id, POSTING)], now=NOON)

    async with db.read() as connection:
        known = await records.known(connection, [*(f"{number:064}" for number in range(1200)), POSTING.canonical_hash])

    assert list(known) == [POSTING.canonical_hash]
