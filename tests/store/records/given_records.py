"""Records for tests to store."""

from dataclasses import replace
from typing import Any

from lamplighter.model.record import Record, RecordKind
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import records
from lamplighter.store.records.records import NewRecord
from lamplighter.store.schema import tables
from tests.moments import NOON

POSTING = Record(
    kind=RecordKind.JOB,
    url="https://a.example/1",
    canonical_hash="c" * 64,
    content_hash="v1",
    title="Lamplighter",
    tags=("night",),
    fields={"salary": {"min": 1.5}},
    provenance={"title": ("jsonld", 0.9)},
    quality=0.5,
)


def posting(number: int, **values: Any) -> Record:
    """One of several postings, each at an address of its own."""
    identity = {"url": f"https://a.example/{number}", "canonical_hash": f"{number:064}", "title": f"Posting {number}"}
    return replace(POSTING, **(identity | values))


def found(source_id: int, page_id: int | None, record: Record = POSTING, *, is_listed: bool = False) -> NewRecord:
    """A record found on a page."""
    return NewRecord(source_id, page_id, urls.url_key(record.url), is_listed, record)


async def stored(db: Connection, find: NewRecord) -> int:
    """Stores a record and returns its id."""
    return (await records.put(db, [find], now=NOON))[find.record.canonical_hash].id


async def all_stored(db: Database) -> list[Any]:
    """Every stored record, the first first."""
    async with db.read() as connection:
        return list(await connection.execute(tables.records.select().order_by(tables.records.c.id)))
