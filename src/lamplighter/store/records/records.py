"""SQL about records: store, change, delete."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.record import Record, RecordKind
from lamplighter.store.engine import queries
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert_many, many_rows
from lamplighter.store.schema.tables import records


class StoredRecord(NamedTuple):
    """The stored columns that a newly found record is compared with."""

    id: int
    canonical_hash: str
    page_id: int | None
    content_hash: str
    quality: float
    url_key: str | None
    is_listed: bool
    missing_count: int
    gone_at: datetime | None
    expires_at: datetime | None
    first_seen_at: datetime
    last_seen_at: datetime


class NewRecord(NamedTuple):
    """A record to be stored, and where it was found."""

    source_id: int
    #: None when it comes from no page of ours
    page_id: int | None
    url_key: str
    #: found on a page other than its own
    is_listed: bool
    record: Record


class WrittenRecord(NamedTuple):
    """A record that was inserted (revision 1) or changed."""

    id: int
    canonical_hash: str
    revision: int


_HOLD = (
    sa.select(*(records.c[name] for name in StoredRecord._fields))
    .where(Among(records.c.canonical_hash, "hashes"))
    .order_by(records.c.canonical_hash)
    .with_for_update()
)


async def hold(db: Connection, hashes: Iterable[str]) -> dict[str, StoredRecord]:
    """The records with these canonical hashes, locked until the transaction ends; in one order, to avoid deadlocks."""
    found: dict[str, StoredRecord] = {}
    for some in queries.chunks(sorted(hashes)):
        found |= {row.canonical_hash: StoredRecord._make(row) for row in await db.execute(_HOLD, {"hashes": some})}
    return found


async def put(db: Connection, finds: Sequence[NewRecord], *, now: datetime) -> dict[str, WrittenRecord]:
    """Inserts records, or updates those that the new ones supersede; returns what was written.

    If another worker stored the same record meanwhile, this one may not be written.
    """
    if not finds:
        return {}
    ordered = sorted(finds, key=lambda find: find.record.canonical_hash)
    rows = [content_of(find.record) | _origin_of(find, now) for find in ordered]
    done = await db.execute(_upsert(db.dialect.name), many_rows(db.dialect.name, rows))
    return {row.canonical_hash: WrittenRecord._make(row) for row in done}


def _origin_of(find: NewRecord, now: datetime) -> dict[str, Any]:
    place = find._asdict()
    canonical_hash = place.pop("record").canonical_hash
    new = {"public_id": str(uuid4()), "canonical_hash": canonical_hash, "first_seen_at": now, "last_seen_at": now}
    return place | new


@cache
def _upsert(dialect: str) -> Any:
    """INSERT … ON CONFLICT, once for each dialect."""
    statement = insert_many(dialect, records, (*_CONTENT, *_ORIGIN))
    new = statement.excluded
    changes = {name: new[name] for name in (*_CONTENT, "page_id", "url_key", "last_seen_at")}
    changes |= {"revision": records.c.revision + 1, "is_listed": sa.or_(records.c.is_listed, new.is_listed)}
    # The rule of `normalise.merging.supersedes`, in SQL because another worker may just have stored the same record.
    may_tell = sa.or_(records.c.page_id.is_(None), records.c.page_id == new.page_id, new.quality > records.c.quality)
    upsert = statement.on_conflict_do_update(
        index_elements=["canonical_hash"],
        set_=changes,
        where=sa.and_(new.content_hash != records.c.content_hash, may_tell),
    )
    return upsert.returning(*(records.c[name] for name in WrittenRecord._fields))


async def contents(db: Connection, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """These records' content."""
    found: dict[int, dict[str, Any]] = {}
    query = sa.select(records.c.id, *(records.c[name] for name in _CONTENT))
    for some in queries.chunks(sorted(ids)):
        rows = await db.execute(query.where(records.c.id.in_(some)))
        found |= {row.id: dict(zip(_CONTENT, row[1:], strict=True)) for row in rows}
    return found


async def touch(db: Connection, ids: Iterable[int], *, now: datetime) -> None:
    """Notes that these records were seen again, unchanged."""
    for some in queries.chunks(sorted(ids)):
        await db.execute(sa.update(records).where(records.c.id.in_(some)).values(last_seen_at=now))


async def amend(db: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Updates columns besides the content: rows of record, new_url_key, new_is_listed, new_expires_at."""
    if rows:
        values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in ("url_key", "is_listed", "expires_at")}
        await db.execute(sa.update(records).where(records.c.id == sa.bindparam("record")).values(**values), rows)


async def get(db: Connection, public_id_or_hash: str) -> Any:
    """The record with this public id or canonical hash; None when there is none."""
    is_it = sa.or_(records.c.public_id == public_id_or_hash, records.c.canonical_hash == public_id_or_hash)
    return (await db.execute(sa.select(records).where(is_it))).first()


async def delete(db: Connection, record_id: int) -> None:
    """Deletes a record with its history and sightings."""
    await db.execute(sa.delete(records).where(records.c.id == record_id))


async def count(db: Connection) -> int:
    """How many records there are."""
    return await queries.count(db, records)


def content_of(record: Record) -> dict[str, Any]:
    """The columns of a record's content."""
    return {name: getattr(record, name) for name in _SAME} | {
        "tags": list(record.tags),
        "fields": dict(record.fields),
        "price": record.fields.get("price"),
        "provenance": {name: list(evidence) for name, evidence in record.provenance.items()},
    }


#: the fields of a record that have columns of the same name
_SAME = tuple(
    each.name for each in fields(Record) if each.name not in ("canonical_hash", "tags", "fields", "provenance")
)


_NOTHING = Record(kind=RecordKind.OTHER, url="", canonical_hash="", content_hash="", title="")
_CONTENT = tuple(content_of(_NOTHING))
_ORIGIN = tuple(_origin_of(NewRecord(0, None, "", False, _NOTHING), datetime.min))


async def publication_dates(db: Connection, source_id: int, *, newest: int) -> list[datetime | None]:
    """The publication dates of the source's newest records; None if unknown."""
    query = sa.select(records.c.published_at).where(records.c.source_id == source_id)
    return list(await db.scalars(query.order_by(records.c.id.desc()).limit(newest)))
