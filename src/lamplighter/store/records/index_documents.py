"""SQL about records as search server documents."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from lamplighter.model.search_index import Document, IndexedRecord
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import records, sources

_SAME = (
    *("id", "public_id", "kind", "url", "title", "organisation", "location_raw", "description", "country_iso"),
    *("language", "deadline", "published_at", "first_seen_at", "last_seen_at", "price", "source_id"),
)
_COLUMNS = (
    *(records.c[name] for name in (*_SAME, "tags", "fields", "revision", "gone_at")),
    sources.c.name.label("source_name"),
    sources.c.deleted_at.label("source_deleted_at"),
)
_TABLES = records.join(sources, sources.c.id == records.c.source_id)


async def of(db: Connection, ids: Sequence[int]) -> list[Document]:
    """Those of these records that exist."""
    found: list[Document] = []
    for some in queries.chunks(ids):
        query = sa.select(*_COLUMNS).select_from(_TABLES).where(records.c.id.in_(some))
        found += [_document(row) for row in await db.execute(query.order_by(records.c.id))]
    return found


async def after(db: Connection, record_id: int, *, limit: int) -> list[Document]:
    """The next records in the order of their ids."""
    query = sa.select(*_COLUMNS).select_from(_TABLES).where(records.c.id > record_id)
    return [_document(row) for row in await db.execute(query.order_by(records.c.id).limit(limit))]


async def held(db: Connection, *, after: int, limit: int) -> list[IndexedRecord]:
    """What a search server should hold, by id."""
    stamped = records.c.id, records.c.revision, records.c.gone_at, sources.c.deleted_at.label("source_deleted_at")
    query = sa.select(*stamped).select_from(_TABLES).where(records.c.id > after)
    return [IndexedRecord(row.id, _stamp(row)) for row in await db.execute(query.order_by(records.c.id).limit(limit))]


def _document(row: Any) -> Document:
    return Document(
        **{name: getattr(row, name) for name in _SAME},
        stamp=_stamp(row),
        is_gone=row.gone_at is not None,
        tags=tuple(row.tags),
        fields=row.fields,
        source_name=row.source_name,
        is_hidden=row.source_deleted_at is not None,
    )


def _stamp(row: Any) -> str:
    """Identifies a record's content and visibility: its revision, gone, hidden."""
    gone, hidden = ("g" if row.gone_at is not None else "", "h" if row.source_deleted_at is not None else "")
    return f"{row.revision}{gone}{hidden}"
