"""Records in the database: one per identity, whoever finds it first."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import product

import sqlalchemy as sa

from lamplighter.normalise import merging
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import records
from lamplighter.store.records.records import NewRecord, WrittenRecord
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of
from tests.store.records.given_records import POSTING, all_stored, found, posting

LATER = NOON + timedelta(days=1)


async def _pages(db: Database, *paths: str) -> tuple[int, list[int]]:
    source_id, run_id = await write(db, a_run)
    return source_id, await write(db, some_pages, source_id, run_id, *paths)


async def _page(db: Database) -> tuple[int, int]:
    source_id, (page_id,) = await _pages(db, "/1")
    return source_id, page_id


async def test_a_record_comes_back_as_it_went_in(db: Database) -> None:
    source_id, page_id = await _page(db)

    await write(db, records.put, [found(source_id, page_id)], now=NOON)

    (row,) = await all_stored(db)
    assert (row.title, row.tags, row.fields) == ("Lamplighter", ["night"], {"salary": {"min": 1.5}})
    assert row.provenance == {"title": ["jsonld", 0.9]}
    assert row.first_seen_at == row.last_seen_at == NOON
    assert row.revision == 1


async def test_k1_of_many_who_find_the_same_thing_at_once_exactly_one_has_inserted_it(db: Database) -> None:
    source_id, page_id = await _page(db)

    put = await asyncio.gather(*(write(db, records.put, [found(source_id, page_id)], now=NOON) for _ in range(8)))

    assert sorted(len(each) for each in put) == [0] * 7 + [1]
    assert len(await all_stored(db)) == 1


async def test_one_statement_tells_what_was_inserted_changed_and_left_as_it_was(db: Database) -> None:
    source_id, page_id = await _page(db)
    first = [found(source_id, page_id, posting(number)) for number in (1, 2)]
    await write(db, records.put, first, now=NOON)
    changed = found(source_id, page_id, posting(2, content_hash="v2"))
    new = found(source_id, page_id, posting(3))
    sent = []

    def listen(_c: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    async def put(connection: Connection) -> Mapping[str, WrittenRecord]:
        sa.event.listen(sa.Engine, "before_cursor_execute", listen)
        try:
            return await records.put(connection, [first[0], changed, new], now=LATER)
        finally:
            sa.event.remove(sa.Engine, "before_cursor_execute", listen)

    put_now = await db.write(put)

    assert {int(identity): each.revision for identity, each in put_now.items()} == {2: 2, 3: 1}
    assert len(sent) == 1


async def test_a_rewritten_record_keeps_its_id_and_its_first_sight(db: Database) -> None:
    source_id, page_id = await _page(db)
    await write(db, records.put, [found(source_id, page_id)], now=NOON)
    (before,) = await all_stored(db)

    changed = replace(POSTING, title="Senior lamplighter", content_hash="v2")
    await write(db, records.put, [found(source_id, page_id, changed)], now=LATER)

    (after,) = await all_stored(db)
    assert (after.id, after.public_id, after.first_seen_at) == (before.id, before.public_id, NOON)
    assert (after.title, after.content_hash, after.last_seen_at) == ("Senior lamplighter", "v2", LATER)


async def test_the_database_prefers_the_same_telling_as_the_rule_of_merging(db: Database) -> None:
    source_id, (one, other) = await _pages(db, "/1", "/2")
    cases = list(product(("v1", "v2"), (0.4, 0.5, 0.6), (one, other), (None, one, other)))

    for number, (content_hash, quality, page_id, stored_page_id) in enumerate(cases):
        await write(db, records.put, [found(source_id, stored_page_id, posting(number))], now=NOON)
        record = posting(number, content_hash=content_hash, quality=quality)
        put = await write(db, records.put, [found(source_id, page_id, record)], now=LATER)

        is_better = merging.supersedes(
            record, page_id, stored_hash="v1", stored_quality=0.5, stored_page_id=stored_page_id
        )
        assert bool(put) is is_better, (content_hash, quality, page_id, stored_page_id)


async def test_k1_workers_that_store_the_same_records_in_opposite_orders_do_not_stop_each_other(db: Database) -> None:
    source_id, page_id = await _page(db)
    several = [found(source_id, page_id, posting(number)) for number in range(40)]

    async def store(connection: Connection, finds: list[NewRecord], version: str) -> None:
        await records.hold(connection, [find.record.canonical_hash for find in finds])
        changed = [find._replace(record=replace(find.record, content_hash=version)) for find in finds]
        await records.put(connection, changed, now=NOON)

    async with asyncio.timeout(60):
        for repeat in range(5):
            orders = (several, several[::-1], several[20:] + several[:20])
            await asyncio.gather(*(write(db, store, order, f"{repeat}-{len(order)}") for order in orders))

    assert len(await all_stored(db)) == 40


async def test_many_identities_are_looked_up_at_once(db: Database) -> None:
    source_id, page_id = await _page(db)
    await write(db, records.put, [found(source_id, page_id)], now=NOON)

    known = await write(db, records.hold, [*(f"{number:064}" for number in range(1200)), POSTING.canonical_hash])

    assert list(known) == [POSTING.canonical_hash]


async def test_a_record_is_found_by_its_public_id_and_by_its_hash(db: Database) -> None:
    source_id, page_id = await _page(db)
    await write(db, records.put, [found(source_id, page_id)], now=NOON)
    (row,) = await all_stored(db)

    async with db.read() as connection:
        both = [await records.get(connection, name) for name in (row.public_id, row.canonical_hash, "nobody")]

    assert [each and each.id for each in both] == [row.id, row.id, None]


async def test_identities_are_looked_up_by_their_index(db: Database) -> None:
    plan = await plan_of(db, lambda connection: records.hold(connection, ["a", "b"]))

    assert "canonical_hash" in plan
    assert "SCAN records" not in plan
