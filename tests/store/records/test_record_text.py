"""The full text of records: always what they say, and found alike in both databases."""

from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lamplighter.model.record import Record
from lamplighter.model.record_search import Presence, RecordFilter, RecordOrder, SortKey
from lamplighter.rules.records import search_query
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import record_search, records
from lamplighter.store.schema import record_text_ddl
from lamplighter.store.sources import sources
from tests.moments import NOON
from tests.store.given_rows import a_source, write
from tests.store.records.given_records import found, posting

TITLES = {
    1: "Water engineer, Zürich",
    2: "Senior water-engineer (full-time)",
    3: "Écrivain public à Genève",
    4: "МОСКВА: инженер",
    5: "Łódź straße Ελλάδα",
    6: "東京 エンジニア",
    7: "Python/Django developer at node.js",
    8: "Engineer “of” water – 2nd class",
}


async def _store(db: Database, *given: Record) -> int:
    source_id = await write(db, a_source)
    await write(db, records.put, [found(source_id, None, record) for record in given], now=NOON)
    return source_id


async def _titled(db: Database) -> None:
    await _store(db, *(posting(number, title=title) for number, title in TITLES.items()))


async def _found(connection: Connection, typed: str, **more: Any) -> list[int]:
    wanted = RecordFilter(text=search_query.parse(typed), presence=Presence.ALL)
    hits = await record_search.find(
        connection, wanted, RecordOrder(**{"by": SortKey.FIRST_SEEN, "descending": False} | more)
    )
    rows = await record_search.rows(connection, [hit.id for hit in hits.page])
    assert hits.total == len(rows)
    return [int(row.canonical_hash) for row in rows]


async def test_the_same_is_found_in_both_databases(db: Database) -> None:
    await _titled(db)
    expected = {
        "water": [1, 2, 8],
        "water engineer": [1, 2, 8],
        '"water engineer"': [1, 2],
        "water -senior": [1, 8],
        "-water": [3, 4, 5, 6, 7],
        '-"water engineer" -senior': [3, 4, 5, 6, 7, 8],
        "engin*": [1, 2, 8],
        '"water engin"*': [1, 2],
        "engin": [],
        "zurich": [1],
        "ZÜRICH": [1],
        "ecrivain geneve": [3],
        "écrivain": [3],
        "москва": [4],
        "Инженер": [4],
        "инженёр": [],
        "Łódź": [5],
        "lodz": [],
        "ŁÓDŹ": [5],
        "straße": [5],
        "ελλάδα": [5],
        "東京": [6],
        "エン*": [6],
        "django": [7],
        "python/django": [7],
        "node js": [7],
        "full time": [2],
        "full-time": [2],
        "of": [8],
        "2nd": [8],
        "2*": [8],
        "or and not": [],
        '"* - "': [1, 2, 3, 4, 5, 6, 7, 8],
    }

    async with db.read() as connection:
        assert {typed: await _found(connection, typed) for typed in expected} == expected


async def test_a_phrase_does_not_reach_from_one_column_into_the_next(db: Database) -> None:
    await _store(db, posting(1, title="Night", organisation="watch"), posting(2, title="x", organisation="Night watch"))

    async with db.read() as connection:
        assert await _found(connection, '"night watch"') == [2]


async def test_a_find_in_the_title_counts_most_and_one_in_the_description_least(db: Database) -> None:
    texts = {"title": 4, "organisation": 3, "location_raw": 2, "description": 1}
    same = {"title": "many plain words here", "organisation": "many", "location_raw": "many", "description": "many"}
    await _store(db, *(posting(number, **same | {column: "lamp"}) for column, number in texts.items()))

    async with db.read() as connection:
        assert await _found(connection, "lamp", by=SortKey.RELEVANCE, descending=True) == [4, 3, 2, 1]


async def test_text_follows_every_change_of_its_record(db: Database) -> None:
    source_id = await _store(db, posting(1, description="oil lamp"))
    changed = posting(1, description="gas lamp", content_hash="v2", quality=0.9)

    async def change(connection: Connection) -> tuple[list[int], list[int]]:
        await records.put(connection, [found(source_id, None, changed)], now=NOON)
        return await _found(connection, "oil"), await _found(connection, "gas")

    assert await db.write(change) == ([], [1])
    await write(db, sources.remove, source_id)
    async with db.read() as connection:
        assert await _found(connection, "gas") == []
        assert await _rows_of_text(connection) == 0


async def _rows_of_text(connection: Connection) -> int:
    table = "record_text_docsize" if connection.dialect.name == "sqlite" else "record_text"
    return int(await connection.scalar(sa.text(f"SELECT count(*) FROM {table}")))


async def test_a_transaction_that_fails_leaves_the_text_as_it_was(db: Database) -> None:
    source_id = await _store(db, posting(1, title="before"))
    changed = posting(1, title="after", content_hash="v2", quality=0.9)

    async def fail(connection: Connection) -> None:
        await records.put(connection, [found(source_id, None, changed)], now=NOON)
        raise LookupError

    with pytest.raises(LookupError):
        await db.write(fail)

    async with db.read() as connection:
        assert [await _found(connection, word) for word in ("before", "after")] == [[1], []]


async def test_text_is_not_written_when_a_record_is_only_seen_again_or_changes_elsewhere(db: Database) -> None:
    source_id = await _store(db, posting(1))
    before = await _written(db)

    await write(db, records.touch, [1], now=NOON)
    again = posting(1, content_hash="v2", quality=0.9, fields={"price": 3.5})
    put = await write(db, records.put, [found(source_id, None, again)], now=NOON)

    assert [each.revision for each in put.values()] == [2]
    assert await _written(db) == before


async def _written(db: Database) -> list[Any]:
    """What changes with every write to the text."""
    query = "SELECT id, hex(block) FROM record_text_data" if db.is_sqlite else "SELECT id, xmin::text FROM record_text"
    async with db.read() as connection:
        return [tuple(row) for row in await connection.execute(sa.text(query))]


async def test_the_longest_text_that_a_record_may_have_is_stored_and_found(db: Database) -> None:
    words = " ".join(f"{'각' * (number % 7)}é{number}" for number in range(9000))[:50_000]

    await _store(db, posting(1, description=words), posting(2, description="x" * 50_000))

    async with db.read() as connection:
        assert await _found(connection, "e7") == [1]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(typed=st.text())
async def test_nothing_that_is_typed_is_an_error(db: Database, typed: str) -> None:
    async with db.read() as connection:
        await _found(connection, typed)


@pytest.mark.parametrize("database_kind", ["postgresql"])
async def test_postgresql_folds_texts_as_queries_are_folded(db: Database) -> None:
    latin = st.characters(min_codepoint=0x20, max_codepoint=0x17F, exclude_categories=["Cc", "Cf"])
    letters = st.characters(max_codepoint=0x52F, categories=["Lu", "Ll", "Nd"])
    seen: list[str] = ["Lamp™ – “lit” • 5 €", "🏮lamp🏮", "「東京」、。", "e\u0301te\u0301"]

    @settings(max_examples=200, deadline=None)
    @given(st.lists(st.text(latin | letters, min_size=1), min_size=1, max_size=50))
    def texts(given: list[str]) -> None:
        seen.extend(given)

    texts()
    words = sa.text(f"SELECT {record_text_ddl.words_in('given')} FROM unnest(CAST(:given AS text[])) AS given")

    async with db.read() as connection:
        folded = list(await connection.scalars(words, {"given": seen}))

    ascii_case = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
    for text, theirs in zip(seen, folded, strict=True):
        ours = " ".join(search_query.words_of(search_query.fold(text)))
        assert theirs.translate(ascii_case).lower().split() == ours.split(), text
