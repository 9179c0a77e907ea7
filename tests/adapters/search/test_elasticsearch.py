"""What indexes of sources are called, and what is in them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from lamplighter.adapters.search.elasticsearch_mapping import BODY, IndexNames
from lamplighter.store.schema import tables
from tests.contracts.search_servers import RECORDS, Searching, opened
from tests.store.records.given_records import posting

NAMES = IndexNames("lamplighter")


@pytest.fixture
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Searching]:
    """Elasticsearch, over an empty database."""
    async with opened("elasticsearch", request, tmp_path) as made:
        yield made


async def _rename(index: Searching, name: str) -> None:
    await index.db.write(lambda db: db.execute(sa.update(tables.sources).values(name=name)))
    await index.tell()


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("Example.org Jobs", "lamplighter_example_org_jobs_7_raw_content"),
        ("Ärzte ohne Grenzen", "lamplighter_arzte_ohne_grenzen_7_raw_content"),
        ("求人", "lamplighter_source_7_raw_content"),
        ("../../_all?*", "lamplighter_all_7_raw_content"),
        ("", "lamplighter_source_7_raw_content"),
    ],
)
def test_a_name_becomes_one_that_the_server_allows(name: str, alias: str) -> None:
    assert NAMES.alias(7, name) == alias
    assert len(NAMES.alias(7, "x" * 5000)) <= 255


def test_what_the_mapping_does_not_name_is_never_mapped() -> None:
    mappings = BODY["mappings"]

    assert mappings["dynamic"] is False
    assert (
        mappings["properties"]["json_ld_data"]
        == mappings["properties"]["fields"]
        == {"type": "object", "enabled": False}
    )


async def test_readers_find_the_records_of_a_source_under_its_name(index: Searching) -> None:
    await index.keep(RECORDS[:2])
    await index.keep(RECORDS[2:], source="b")

    kept = index.stub.documents("test_a_example_1_raw_content")

    assert sorted(kept) == ["1", "2"]
    one = kept["1"]
    assert (one["title"], one["url"], one["source_name"]) == ("Water engineer", "https://a.example/1", "a.example")
    assert one["published_date"] == "2026-03-01T00:00:00.000+00:00"
    assert "words" not in one
    assert index.stub.documents("test_b_example_2_raw_content").keys() == {"3", "4"}


async def test_records_with_any_fields_fit_whatever_came_before(index: Searching) -> None:
    given = [
        posting(1, fields={"publisher": {"name": "A"}, "word_count": 3, "author": "Ann"}),
        posting(2, fields={"publisher": "A", "word_count": "many", "author": ["Ann", {"name": "Bo"}]}),
        posting(3, organisation="x" * 40_000, fields={"mission_tags": "water", "rating": "good", "brand": 7}),
    ]

    await index.keep(given)

    assert await index.numbers() == [3, 2, 1]


async def test_a_renamed_source_keeps_its_records_and_gets_another_alias(index: Searching) -> None:
    await index.keep(RECORDS[:2])

    await _rename(index, "Relief: jobs")

    assert await index.numbers() == [2, 1]
    assert len(index.stub.indexes) == 1
    assert index.stub.documents("test_relief_jobs_1_raw_content").keys() == {"1", "2"}
    (only,) = index.stub.indexes.values()
    assert only.aliases == {"test.records", "test_relief_jobs_1_raw_content"}


async def test_what_was_only_just_written_can_be_removed(index: Searching) -> None:
    await index.keep(RECORDS[:1])
    assert index.round is not None
    await index.db.write(lambda db: db.execute(sa.update(tables.records).values(title="Rewritten")))
    await index.round.make_round()

    await index.db.write(lambda db: db.execute(sa.delete(tables.records)))
    await index.round.make_round()

    assert index.stub.documents("test.records") == {}
