"""SQL for where the lists of a source's pages are."""

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from lamplighter.model.reading import RowPosition
from lamplighter.model.record import RecordKind
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import list_positions, sources

_COLUMNS: tuple[sa.ColumnElement[Any], ...] = tuple(list_positions.c[name] for name in RowPosition._fields)
_OF_SOURCES = sa.select(list_positions.c.source_id, *_COLUMNS).where(Among(list_positions.c.source_id, "sources"))
_OF_ADDRESS = (
    sa.select(*_COLUMNS)
    .join(sources)
    .where(sources.c.url == sa.bindparam("address"), sources.c.kind.is_not_distinct_from(sa.bindparam("kind")))
)


async def of_sources(db: Connection, source_ids: Iterable[int]) -> dict[int, dict[str, RowPosition]]:
    """Source -> template -> where the list is."""
    rows = await db.execute(_OF_SOURCES, {"sources": sorted(set(source_ids))})
    found: dict[int, dict[str, RowPosition]] = {}
    for row in rows:
        position = RowPosition._make(row[1:])
        found.setdefault(row.source_id, {})[position.template] = position
    return found


async def of_address(db: Connection, url: str, kind: RecordKind | None) -> dict[str, RowPosition]:
    """The same of the source with this URL, if it is of this kind."""
    rows = await db.execute(_OF_ADDRESS, {"address": url, "kind": kind})
    return {row.template: RowPosition._make(row) for row in rows}


async def save(db: Connection, found: Sequence[tuple[int, RowPosition]]) -> None:
    """Stores where the lists of these sources are, instead of what was known of the same templates."""
    latest = {(source_id, position.template): position for source_id, position in found}
    if not latest:
        return
    statement = insert(db, list_positions)
    new = {name: statement.excluded[name] for name in RowPosition._fields if name != "template"}
    statement = statement.on_conflict_do_update(index_elements=["source_id", "template"], set_=new)
    await db.execute(
        statement,
        [{"source_id": source_id} | position._asdict() for (source_id, _), position in sorted(latest.items())],
    )


async def forget(db: Connection, source_id: int) -> None:
    """Deletes all that is known about a source: its pages are judged anew."""
    await db.execute(sa.delete(list_positions).where(list_positions.c.source_id == source_id))
