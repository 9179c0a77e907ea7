"""How the databases go about finding records."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import Hit, RecordFilter, RecordOrder, SortKey
from lamplighter.rules.records import search_query
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import record_search, records
from tests.moments import NOON
from tests.store.given_rows import a_source, write
from tests.store.query_plans import plan_of
from tests.store.records.given_records import found, posting

JOBS = RecordFilter(kind=RecordKind.JOB)
LAMP = RecordFilter(text=search_query.parse("lamp"))


def _finding(wanted: RecordFilter, **order: Any) -> Callable[[Connection], Awaitable[object]]:
    return lambda connection: record_search.find(connection, wanted, RecordOrder(limit=1, **order))


async def _some(db: Database, count: int = 50) -> None:
    source_id = await write(db, a_source)
    finds = [
        found(
            source_id,
            None,
            posting(
                number,
                title="A lamp" if number % 2 else "A light",
                description=f"n{number}",
                published_at=NOON - timedelta(hours=number) if number % 5 else None,
                deadline=(NOON + timedelta(days=number)).date(),
                fields={"price": float(number)},
            ),
        )
        for number in range(1, count + 1)
    ]
    await write(db, records.put, finds, now=NOON)
    await db.write(lambda connection: connection.execute(sa.text("ANALYZE")))


@pytest.mark.parametrize(
    ("wanted", "order", "index"),
    [
        pytest.param(JOBS, {"by": SortKey.PUBLISHED}, "ix_records_published", id="newest first"),
        pytest.param(JOBS, {"by": SortKey.DEADLINE, "descending": False}, "ix_records_deadline", id="soonest first"),
        pytest.param(
            RecordFilter(kind=RecordKind.JOB, price_min=3, price_max=9),
            {"by": SortKey.PRICE, "descending": False},
            "ix_records_price",
            id="cheapest first",
        ),
    ],
)
async def test_a_list_follows_the_index_of_its_order(
    db: Database, wanted: RecordFilter, order: dict[str, Any], index: str
) -> None:
    await _some(db)

    plan = await plan_of(db, _finding(wanted, **order))

    assert index in plan
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan


async def test_records_are_counted_in_the_narrowest_index(db: Database) -> None:
    await _some(db)

    async def count(connection: Connection) -> object:
        return await record_search.count_by(connection, RecordFilter(), "kind", most=9)

    plan = await plan_of(db, count)

    assert "COVERING INDEX ix_records_" in plan if db.is_sqlite else "Index Only Scan using ix_records_" in plan


async def test_words_are_looked_up_in_the_index_of_words(db: Database) -> None:
    await _some(db, 2000)
    one = RecordFilter(text=search_query.parse("n777"))

    plan = await plan_of(db, _finding(one, by=SortKey.RELEVANCE), start="WITH")

    assert "VIRTUAL TABLE INDEX" in plan if db.is_sqlite else "ix_record_text" in plan


async def test_beyond_those_that_were_weighed_the_newest_come_first(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _some(db)
    monkeypatch.setattr(record_search, "MOST_WEIGHED", 10)

    async def pages(connection: Connection) -> list[Hit]:
        hits: list[Hit] = []
        for offset in range(0, 25, 4):
            order = RecordOrder(by=SortKey.RELEVANCE, limit=4, offset=offset)
            page = await record_search.find(connection, LAMP, order)
            assert page.total == 25
            hits += page.page
        return hits

    hits = await db.write(pages)

    assert [hit.id for hit in hits] == list(range(49, 0, -2))
    assert [hit.score is not None for hit in hits] == [True] * 10 + [False] * 15


async def test_of_many_matches_none_is_lost(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await _some(db)
    monkeypatch.setattr(record_search, "MANY_MATCHES", 5)

    async with db.read() as connection:
        best = await record_search.find(connection, LAMP, RecordOrder(by=SortKey.RELEVANCE, limit=3))
        newest = await record_search.find(connection, LAMP, RecordOrder(limit=3))
        rest = await record_search.after(connection, LAMP, record_id=40, limit=100)

    assert (best.total, newest.total) == (25, 25)
    assert [hit.id for hit in newest.page] == [49, 47, 45]
    assert rest == [41, 43, 45, 47, 49]
