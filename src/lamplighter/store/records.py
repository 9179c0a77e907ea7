"""SQL about records: found, changed, seen again."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.record import Record, RecordKind
from lamplighter.store.database import Connection
from lamplighter.store.lists import Among
from lamplighter.store.tables import records
from lamplighter.store.upsert import insert_many, many_rows

#: values in one IN
_MANY = 500


class Stored(NamedTuple):
    """What is stored of a record, as far as a new find needs to know."""

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


class Find(NamedTuple):
    """A record to be stored, and where it was found."""

    source_id: int
    #: None when no page of ours told it
    page_id: int | None
    url_key: str
    #: on a page other than its own
    is_listed: bool
    record: Record


class Put(NamedTuple):
    """A record that was inserted (revision 1) or changed."""

    id: int
    canonical_hash: str
    revision: int


_HOLD = (
    sa.select(*(records.c[name] for name in Stored._fields))
    .where(Among(records.c.canonical_hash, "hashes"))
    .order_by(records.c.canonical_hash)
    .with_for_update()
)


async def hold(db: Connection, hashes: Iterable[str]) -> dict[str, Stored]:
    """Which of these canonical hashes we have; held until the transaction ends, in one order so that none deadlock."""
    wanted = sorted(hashes)
    found: dict[str, Stored] = {}
    for start in range(0, len(wanted), _MANY):
        rows = await db.execute(_HOLD, {"hashes": wanted[start : start + _MANY]})
        found |= {row.canonical_hash: Stored._make(row) for row in rows}
    return found


async def put(db: Connection, finds: Sequence[Find], *, now: datetime) -> dict[str, Put]:
    """Inserts records, or changes those for which the find is the better telling; returns these, and no others.

    A rival may have stored the same record since we looked: then this find may turn out to be neither.
    """
    if not finds:
        return {}
    rows = [
        content_of(find.record) | _origin_of(find, now)
        for find in sorted(finds, key=lambda find: find.record.canonical_hash)
    ]
    done = await db.execute(_upsert(db.dialect.name), many_rows(db.dialect.name, rows))
    return {row.canonical_hash: Put._make(row) for row in done}


def _origin_of(find: Find, now: datetime) -> dict[str, Any]:
    return {
        "public_id": str(uuid4()),
        "source_id": find.source_id,
        "page_id": find.page_id,
        "url_key": find.url_key,
        "is_listed": find.is_listed,
        "canonical_hash": find.record.canonical_hash,
        "first_seen_at": now,
        "last_seen_at": now,
    }


@cache
def _upsert(dialect: str) -> Any:
    """INSERT … ON CONFLICT, once for each dialect."""
    statement = insert_many(dialect, records, (*_CONTENT, *_ORIGIN))
    new = statement.excluded
    changes = {name: new[name] for name in (*_CONTENT, "page_id", "url_key", "last_seen_at")}
    changes |= {"revision": records.c.revision + 1, "is_listed": sa.or_(records.c.is_listed, new.is_listed)}
    # The rule of `normalise.merging.supersedes`, in SQL because it must hold against whatever a rival has just stored.
    may_tell = sa.or_(records.c.page_id.is_(None), records.c.page_id == new.page_id, new.quality > records.c.quality)
    upsert = statement.on_conflict_do_update(
        index_elements=["canonical_hash"],
        set_=changes,
        where=sa.and_(new.content_hash != records.c.content_hash, may_tell),
    )
    return upsert.returning(*(records.c[name] for name in Put._fields))


async def contents(db: Connection, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """What these records say."""
    wanted = sorted(ids)
    found: dict[int, dict[str, Any]] = {}
    columns = [records.c[name] for name in _CONTENT]
    for start in range(0, len(wanted), _MANY):
        query = sa.select(records.c.id, *columns).where(records.c.id.in_(wanted[start : start + _MANY]))
        for row in await db.execute(query):
            found[row.id] = dict(zip(_CONTENT, row[1:], strict=True))
    return found


async def touch(db: Connection, ids: Iterable[int], *, now: datetime) -> None:
    """Notes that these records were seen again, unchanged."""
    seen = sorted(ids)
    for start in range(0, len(seen), _MANY):
        these = records.c.id.in_(seen[start : start + _MANY])
        await db.execute(sa.update(records).where(these).values(last_seen_at=now))


async def amend(db: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Corrects what is known besides the content: rows of record, new_url_key, new_is_listed, new_expires_at."""
    if rows:
        values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in ("url_key", "is_listed", "expires_at")}
        await db.execute(sa.update(records).where(records.c.id == sa.bindparam("record")).values(**values), rows)


async def get(db: Connection, public_id_or_hash: str) -> Any:
    """The record with this public id or canonical hash; None when there is none."""
    is_it = sa.or_(records.c.public_id == public_id_or_hash, records.c.canonical_hash == public_id_or_hash)
    return (await db.execute(sa.select(records).where(is_it))).first()


async def delete(db: Connection, record_id: int) -> None:
    """Forgets a record, with its history and its sightings."""
    await db.execute(sa.delete(records).where(records.c.id == record_id))


async def count(db: Connection) -> int:
    """How many records there are."""
    return int((await db.execute(sa.select(sa.func.count()).select_from(records))).scalar_one())


def content_of(record: Record) -> dict[str, Any]:
    """The columns that hold what a record says."""
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
        "price": record.fields.get("price"),
        "provenance": {name: list(evidence) for name, evidence in record.provenance.items()},
        "quality": record.quality,
        "expires_at": record.expires_at,
    }


_NOTHING = Record(kind=RecordKind.OTHER, url="", canonical_hash="", content_hash="", title="")
_CONTENT = tuple(content_of(_NOTHING))
_ORIGIN = tuple(_origin_of(Find(0, None, "", False, _NOTHING), datetime.min))


async def publication_dates(db: Connection, source_id: int, *, newest: int) -> list[datetime | None]:
    """When the source's newest records were published, as far as they say so."""
    query = sa.select(records.c.published_at).where(records.c.source_id == source_id)
    return list(await db.scalars(query.order_by(records.c.id.desc()).limit(newest)))
