"""SQL about records."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.record import Record
from lamplighter.store.database import Connection
from lamplighter.store.tables import records
from lamplighter.store.upsert import insert


class Stored(NamedTuple):
    """What is stored of a record, as far as an upsert needs to know."""

    id: int
    page_id: int | None
    content_hash: str
    quality: float


async def known(db: Connection, hashes: Sequence[str]) -> dict[str, Stored]:
    """Which of these canonical hashes we have."""
    found: dict[str, Stored] = {}
    for start in range(0, len(hashes), 500):
        rows = await db.execute(
            sa.select(
                records.c.canonical_hash, records.c.id, records.c.page_id, records.c.content_hash, records.c.quality
            ).where(records.c.canonical_hash.in_(hashes[start : start + 500]))
        )
        for row in rows:
            found[row.canonical_hash] = Stored(row.id, row.page_id, row.content_hash, row.quality)
    return found


async def add(db: Connection, new: Sequence[tuple[int, int, Record]], *, now: datetime) -> None:
    """Adds (source id, page id, record) triples; one that a rival added meanwhile is only seen again."""
    if not new:
        return
    statement = insert(db, records)
    seen_again = statement.on_conflict_do_update(index_elements=["canonical_hash"], set_={"last_seen_at": now})
    await db.execute(
        seen_again,
        [
            _content(record)
            | {
                "public_id": str(uuid4()),
                "source_id": source_id,
                "page_id": page_id,
                "canonical_hash": record.canonical_hash,
                "first_seen_at": now,
                "last_seen_at": now,
            }
            for source_id, page_id, record in new
        ],
    )


async def change(db: Connection, changed: Sequence[tuple[int, int, Record]], *, now: datetime) -> None:
    """Rewrites (record id, page id, record) triples."""
    if not changed:
        return
    rows = [_content(record) | {"page_id": page_id, "record": record_id} for record_id, page_id, record in changed]
    values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in rows[0] if name != "record"}
    statement = sa.update(records).where(records.c.id == sa.bindparam("record")).values(last_seen_at=now, **values)
    await db.execute(
        statement, [{"record": row["record"]} | {f"new_{name}": row[name] for name in values} for row in rows]
    )


async def touch(db: Connection, ids: Sequence[int], *, now: datetime) -> None:
    """Notes that these records were seen again, unchanged."""
    if ids:
        statement = sa.update(records).where(records.c.id == sa.bindparam("record")).values(last_seen_at=now)
        await db.execute(statement, [{"record": record_id} for record_id in ids])


async def newest(db: Connection, *, source_id: int | None = None, limit: int = 50) -> Sequence[Any]:
    """The latest records, of one source or of all."""
    query = sa.select(records).order_by(records.c.id.desc()).limit(limit)
    if source_id is not None:
        query = query.where(records.c.source_id == source_id)
    return (await db.execute(query)).all()


async def count(db: Connection) -> int:
    """How many records there are."""
    return int((await db.execute(sa.select(sa.func.count()).select_from(records))).scalar_one())


def _content(record: Record) -> dict[str, Any]:
    return {
        "kind": record.kind,
        "url": record.url,
        "content_hash": record.content_hash,
        "title": record.title,
        "organisation": record.organisation,
        "location_raw": record.location_raw,
        "country_iso": record.country_iso,
        "deadline": record.deadline,
        "published_at": record.published_at,
        "updated_at": record.updated_at,
        "description": record.description,
        "language": record.language,
        "tags": list(record.tags),
        "fields": dict(record.fields),
        "provenance": {name: list(evidence) for name, evidence in record.provenance.items()},
        "quality": record.quality,
    }
