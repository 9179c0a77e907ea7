"""Searches records, counts facets, and highlights matches."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from lamplighter.errors import BadInput
from lamplighter.model.record_search import Hits, RecordFilter, RecordOrder, TextQuery
from lamplighter.operations.records.record_finder import RecordFinder
from lamplighter.operations.records.records import listed
from lamplighter.rules.records.search_query import Marker
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import record_search as stored

#: values shown of each facet
_MOST_VALUES = 20
FACETS = tuple(stored.FACETS)


class RecordPage(NamedTuple):
    """A page of records in their JSON form, how many there are in all, and who found them."""

    records: list[dict[str, Any]]
    total: int
    engine: str


async def search(db: Connection, wanted: RecordFilter, order: RecordOrder) -> tuple[list[dict[str, Any]], int]:
    """A page of the records that a filter wants, as the database has them, and how many there are in all."""
    hits = await stored.find(db, wanted, order)
    return await _shown(db, hits), hits.total


async def search_with(db: Database, finder: RecordFinder, wanted: RecordFilter, order: RecordOrder) -> RecordPage:
    """The same, through whichever index there is."""
    hits, engine = await finder.find(wanted, order)
    async with db.read() as connection:
        return RecordPage(await _shown(connection, hits), hits.total, engine)


async def _shown(db: Connection, hits: Hits) -> list[dict[str, Any]]:
    scores = {hit.id: hit.score for hit in hits.page}
    rows = await stored.rows(db, [hit.id for hit in hits.page])
    return [{**listed(row), "score": _rounded(scores[row.id])} for row in rows]


async def facets(
    db: Database, finder: RecordFinder, wanted: RecordFilter, names: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """How many of the wanted records have which value, the most frequent values first."""
    if unknown := [name for name in names if name not in FACETS]:
        raise BadInput(f"cannot count by {unknown[0]!r}; use any of {', '.join(FACETS)}", field="facets")
    counted = await finder.facets(wanted, list(dict.fromkeys(names)), most=_MOST_VALUES)
    return {name: await _named(db, name, counts) for name, counts in counted.items()}


async def _named(db: Database, name: str, counted: Sequence[tuple[Any, int]]) -> list[dict[str, Any]]:
    if name != "source":
        return [{"value": value, "count": count} for value, count in counted]
    async with db.read() as connection:
        sources = await stored.source_names(connection, [source_id for source_id, _ in counted])
    named = ((sources[source_id], count) for source_id, count in counted if source_id in sources)
    return [{"value": public_id, "label": label, "count": count} for (public_id, label), count in named]


def highlighted(records: Sequence[dict[str, Any]], query: TextQuery) -> list[dict[str, Any]]:
    """The same records, each with the finds in its texts between <mark> and </mark>, everything else escaped."""
    marker = Marker(query)
    return [
        {
            **record,
            "highlight": {
                "title": marker.whole(record["title"]),
                "description": marker.part(record["description"]) if record["description"] else None,
            },
        }
        for record in records
    ]


def _rounded(score: float | None) -> float | None:
    return None if score is None else float(f"{score:.4g}")
