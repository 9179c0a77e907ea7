"""What every index has to find: SQLite, PostgreSQL, Meilisearch, Elasticsearch."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import Presence, RecordFilter, RecordOrder, SortKey
from lamplighter.operations.records import record_search
from lamplighter.rules.records import search_query
from lamplighter.store.schema import tables
from tests.contracts.search_servers import KINDS, RECORDS, Searching, many, opened
from tests.moments import NOON
from tests.store.records.given_records import posting


@pytest.fixture(params=KINDS)
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Searching]:
    """Each kind of index, over an empty database."""
    async with opened(request.param, request, tmp_path) as searching:
        yield searching


async def _set(index: Searching, table: sa.Table, **values: Any) -> None:
    await index.db.write(lambda db: db.execute(sa.update(table).values(**values)))
    await index.tell()


#: what no server is told of a record
CHANGED = {"changed_after": datetime(2000, 1, 1, tzinfo=UTC)}
FILTERS: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [4, 3, 2, 1]),
    ({"kind": RecordKind.JOB}, [2, 1]),
    ({"country": "ke"}, [1]),
    ({"language": "fr"}, [2]),
    ({"language": "fr-CH"}, [2]),
    ({"language": "f"}, []),
    ({"organisation": 'the "RELIEF" fund'}, [1]),
    ({"organisation": "c:\\lights"}, [4]),
    ({"organisation": 'x" OR kind = "job'}, []),
    ({"published_after": datetime(2026, 3, 15, tzinfo=UTC)}, [2]),
    ({"published_before": datetime(2026, 4, 1, tzinfo=UTC)}, [1]),
    ({"published_after": datetime(2026, 4, 1, tzinfo=UTC)}, [2]),
    ({"deadline_after": date(2026, 5, 2)}, [2]),
    ({"deadline_before": date(2026, 6, 1)}, [1]),
    ({"first_seen_after": datetime(2100, 1, 1, tzinfo=UTC)}, []),
    ({"first_seen_before": datetime(2100, 1, 1, tzinfo=UTC)}, [4, 3, 2, 1]),
    (CHANGED, []),
    ({"level": "senior"}, [1]),
    ({"modality": "remote"}, [2]),
    ({"career_type": "temporary"}, [1]),
    ({"career_type": "part"}, []),
    ({"mission_tag": "health"}, [1]),
    ({"international_eligible": True}, [2]),
    ({"international_eligible": False}, []),
    ({"price_min": 19.9, "price_max": 20}, [3]),
    ({"price_min": 100}, [4]),
    ({"rating_min": 4}, [3]),
    ({"currency": "usd"}, [4]),
    ({"availability": "in_stock"}, [3]),
    ({"brand": "lux"}, [3]),
    ({"category": "LAMPS"}, [3]),
    ({"presence": Presence.GONE}, []),
    ({"presence": Presence.ALL}, [4, 3, 2, 1]),
    ({"host": "b.example"}, []),
    ({"tag": "aid"}, []),
]


async def test_each_filter_leaves_what_it_asks_for(index: Searching) -> None:
    await index.keep()

    assert [(wanted, await index.numbers(**wanted)) for wanted, _ in FILTERS] == FILTERS


async def test_words_phrases_prefixes_and_exclusions_are_found_whatever_their_case_and_marks(index: Searching) -> None:
    await index.keep()
    expected: list[tuple[str, list[int]]] = [
        ("water", [1, 2]),
        ("WATER engineer", [1]),
        ('"water engineer"', [1]),
        ('"engineer water"', []),
        ("wat", []),
        ("wat*", [1, 2]),
        ("wat* eng*", [1]),
        ("engineer wat*", [1]),
        ("water -writer", [1]),
        ('water -"about water"', [1]),
        ("water -eng*", [2]),
        ('"water engin"*', [1]),
        ("geneve", [2]),
        ("GENÈVE wells", [2]),
        ("full-time", [2]),
        ("engineer writer", []),
        ("watr", []),
        ("enginer", []),
    ]

    assert [(typed, await index.numbers(typed)) for typed, _ in expected] == expected


async def test_exclusions_alone_leave_the_rest(index: Searching) -> None:
    await index.keep()

    assert await index.numbers("-water", by=SortKey.FIRST_SEEN) == [4, 3]


async def test_a_find_in_the_title_counts_more_than_one_in_the_text(index: Searching) -> None:
    titled, told = (
        posting(1, title="About lamps"),
        posting(2, title="About light", description="Old lamps burn longer."),
    )

    await index.keep([titled, told])

    assert await index.numbers("lamps") == [1, 2]


async def test_every_order_has_those_without_the_value_last(index: Searching) -> None:
    await index.keep()
    expected = {
        (SortKey.FIRST_SEEN, True): [4, 3, 2, 1],
        (SortKey.FIRST_SEEN, False): [1, 2, 3, 4],
        (SortKey.RELEVANCE, True): [4, 3, 2, 1],
        (SortKey.PUBLISHED, True): [2, 1, 4, 3],
        (SortKey.PUBLISHED, False): [1, 2, 3, 4],
        (SortKey.DEADLINE, False): [1, 2, 3, 4],
        (SortKey.DEADLINE, True): [2, 1, 4, 3],
        (SortKey.TITLE, False): [3, 4, 1, 2],
        (SortKey.TITLE, True): [2, 1, 4, 3],
        (SortKey.PRICE, False): [3, 4, 1, 2],
        (SortKey.PRICE, True): [4, 3, 2, 1],
        (SortKey.RATING, True): [3, 4, 2, 1],
    }

    assert {(by, down): await index.numbers(by=by, down=down) for by, down in expected} == expected


async def test_words_may_be_sorted_by_something_else(index: Searching) -> None:
    await index.keep()

    assert await index.numbers("water", by=SortKey.PUBLISHED) == [2, 1]
    assert await index.numbers("water", by=SortKey.PUBLISHED, kind=RecordKind.PRODUCT) == []


async def test_parts_of_a_list_make_the_whole_and_each_says_how_long_it_is(index: Searching) -> None:
    await index.keep(many(23, title="A lamp"))

    for wanted in (RecordFilter(), RecordFilter(country="CH")):
        whole = (await index.finder.find(wanted, RecordOrder(limit=50))).hits
        for limit in (1, 4, 7):
            parts = [
                (await index.finder.find(wanted, RecordOrder(limit=limit, offset=offset))).hits
                for offset in range(0, 25, limit)
            ]
            assert [hit for part in parts for hit in part.page] == whole.page
            assert {part.total for part in parts} == {whole.total}
        odd = (await index.finder.find(wanted, RecordOrder(limit=4, offset=3))).hits
        assert odd.page == whole.page[3:7]


async def test_facets_count_what_the_filter_leaves(index: Searching) -> None:
    source_id = await index.keep()

    names = ["kind", "country", "source", "level", "brand", "career_type", "currency", "organisation", "language"]
    counted = await index.finder.facets(RecordFilter(), names, most=20)
    some = await index.finder.facets(RecordFilter(country="KE"), ["kind", "country"], most=20)

    assert counted == {
        "kind": [("job", 2), ("product", 2)],
        "country": [("CH", 1), ("KE", 1)],
        "source": [(source_id, 4)],
        "level": [("junior", 1), ("senior", 1)],
        "brand": [("Lux", 1), ("Nox", 1)],
        "career_type": [("full_time, temporary", 1)],
        "currency": [("EUR", 1), ("USD", 1)],
        "organisation": [("C:\\lights", 1), ('The "Relief" Fund', 1)],
        "language": [("en", 1), ("fr-CH", 1)],
    }
    assert some == {"kind": [("job", 1)], "country": [("KE", 1)]}


async def test_the_most_frequent_values_come_first_and_no_more_than_wanted(index: Searching) -> None:
    await index.keep([posting(n, organisation=f"Org {n % 5}" if n % 7 else "Org 1") for n in range(1, 31)])

    counted = await index.finder.facets(RecordFilter(), ["organisation"], most=3)

    values, counts = zip(*counted["organisation"], strict=True)
    assert (values[0], len(values)) == ("Org 1", 3)
    assert list(counts) == sorted(counts, reverse=True)


async def test_a_record_is_found_as_it_is_now(index: Searching) -> None:
    await index.keep(RECORDS[:1])

    await _set(index, tables.records, title="Well digger", country_iso="UG", revision=2)

    assert await index.numbers("water") == []
    assert await index.numbers("digger", country="UG") == [1]


async def test_a_gone_record_is_found_among_the_gone_and_again_when_it_is_back(index: Searching) -> None:
    await index.keep(RECORDS[:1])

    await _set(index, tables.records, gone_at=NOON)
    gone = [await index.numbers(presence=presence) for presence in Presence]
    await _set(index, tables.records, gone_at=None)

    assert dict(zip(Presence, gone, strict=True)) == {Presence.PRESENT: [], Presence.GONE: [1], Presence.ALL: [1]}
    assert await index.numbers() == [1]


async def test_a_deleted_record_is_found_nowhere(index: Searching) -> None:
    await index.keep()

    await index.db.write(lambda db: db.execute(sa.delete(tables.records).where(tables.records.c.title == "Lamp")))
    await index.tell()

    assert await index.numbers(presence=Presence.ALL) == [4, 2, 1]
    assert index.server is None or await index.server.count() == 3


async def test_the_source_of_a_record_decides_who_sees_it(index: Searching) -> None:
    await index.keep(RECORDS[:2])
    await index.keep(RECORDS[2:], source="b")

    async def describe(db: Any) -> None:
        await db.execute(sa.insert(tables.source_tags).values(source_id=1, tag="aid"))
        await db.execute(sa.insert(tables.hosts).values(key="b.example", updated_at=NOON, task_source_id=2))
        await db.execute(sa.update(tables.sources).where(tables.sources.c.id == 1).values(public_id="one"))

    await index.db.write(describe)

    assert await index.numbers(tag="aid") == await index.numbers(source_id="one") == [2, 1]
    assert await index.numbers(host="B.example") == await index.numbers(source_url="https://b.example/") == [4, 3]
    assert await index.numbers(tag="aid", host="b.example") == []


async def test_records_of_a_deleted_source_are_found_only_by_who_asks_for_it(index: Searching) -> None:
    await index.keep(RECORDS[:2])
    await index.keep(RECORDS[2:], source="b")

    mine = sa.update(tables.sources).where(tables.sources.c.id == 1)
    await index.db.write(lambda db: db.execute(mine.values(public_id="one", deleted_at=NOON)))
    await index.tell()
    hidden = await index.numbers(), await index.numbers(source_id="one")
    await index.db.write(lambda db: db.execute(mine.values(deleted_at=None)))
    await index.tell()

    assert hidden == ([4, 3], [2, 1])
    assert await index.numbers() == [4, 3, 2, 1]


async def test_finds_are_marked_alike(index: Searching) -> None:
    await index.keep()
    wanted = RecordFilter(text=search_query.parse("water"))

    found = await record_search.search_with(index.db, index.finder, wanted, RecordOrder(by=SortKey.RELEVANCE))
    marked = record_search.highlighted(found.records, wanted.text)

    assert [each["highlight"]["title"] for each in marked] == ["<mark>Water</mark> engineer", "Writer"]
    assert all(each["score"] > 0 for each in marked)


async def test_a_server_is_asked_itself_wherever_it_has_words_for_the_question(index: Searching) -> None:
    await index.keep()
    beyond = {"meilisearch": {"wat* eng*", "water -eng*", '"water engin"*'}, "elasticsearch": {'"water engin"*'}}
    typed = ["water", '"water engineer"', "wat*", "water -writer", "-water", *beyond["meilisearch"]]

    fell_back = {text for text in typed if (await index.asked(text))[0] == "database"}

    engine = index.server.engine if index.server is not None else None
    assert fell_back == (beyond[engine] if engine else set(typed))
    # Only these ask the database: a backslash in a filter, changes, and a restriction that no source fulfils.
    unlike = [wanted for wanted, _ in FILTERS if engine and (await index.asked(**wanted))[0] == "database"]
    slash = [{"organisation": "c:\\lights"}] if engine == "meilisearch" else []
    assert unlike == ([*slash, CHANGED, {"host": "b.example"}, {"tag": "aid"}] if engine else [])
