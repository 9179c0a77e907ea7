"""Records: JSON form, records of a run, history, remove and restore."""

from datetime import date
from typing import Any

import sqlalchemy as sa

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlRun
from lamplighter.model.page import Phase
from lamplighter.model.record import LEAST_CONFIDENCE, Record
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import pages as stored_pages
from lamplighter.store.records import record_changes, record_search, sightings, tombstones
from lamplighter.store.records import records as stored
from lamplighter.store.records.tombstones import Tombstone
from lamplighter.store.schema.tables import pages, records, sources

_PLAIN = ("kind", "url", "canonical_hash", "title", "organisation", "location_raw", "country_iso")
_TIMES = ("deadline", "published_at", "updated_at")
_SEEN = ("first_seen_at", "last_seen_at", "gone_at")


def to_json(record: Any) -> dict[str, Any]:
    """A stored record (a row of the table, with its source's public id) in its JSON form."""
    seen: dict[str, str | None] = {name: _iso(getattr(record, name)) for name in _SEEN}
    seen["state"] = "present" if record.gone_at is None else "gone"
    return _form(record, source_id=record.source_public_id, seen=seen)


def unstored_to_json(record: Record) -> dict[str, Any]:
    """A record that was only read: it belongs to no source and was never seen before; a run keeps no guess."""
    form = _form(record, source_id=None, seen=dict.fromkeys((*_SEEN, "state")))
    return {**form, "state": "guess"} if record.confidence < LEAST_CONFIDENCE else form


async def of_run(db: Connection, run: CrawlRun) -> list[dict[str, Any]]:
    """What a source offers after a run: the records it read, and those it had no reason to doubt.

    An unchanged page is not parsed again, and the pages it links to are not even fetched; their records are kept. They
    are dropped when their page is gone, was parsed without them, or would have been fetched again if the page on which
    it was found still linked to it.
    """
    parent = pages.alias()
    was_read = records.c.last_seen_at >= run.started_at
    is_led_to = sa.or_(
        pages.c.run_id == run.id, parent.c.changed_at < run.started_at, pages.c.rest_until >= run.started_at
    )
    stands = sa.and_(pages.c.phase == Phase.COMPLETED, pages.c.changed_at < run.started_at, is_led_to)
    query = (
        sa.select(records, sources.c.public_id.label("source_public_id"))
        .join(sources, sources.c.id == records.c.source_id)
        .outerjoin(pages, pages.c.id == records.c.page_id)
        .outerjoin(parent, parent.c.id == pages.c.found_on)
        .where(records.c.source_id == run.source_id, records.c.gone_at.is_(None), sa.or_(was_read, stands))
        .order_by(records.c.id)
    )
    return [to_json(row) for row in await db.execute(query)]


def listed(row: Any) -> dict[str, Any]:
    """A record as the world outside knows it: with its public id, and its source's id and name."""
    shown = {"id": row.public_id, **to_json(row)}
    return shown | {"source_name": row.source_name}


async def show(db: Connection, public_id_or_hash: str) -> dict[str, Any]:
    """A record with all that is known of it: what it says, which pages show it, how it changed."""
    record = await _get(db, public_id_or_hash)
    page_url = await stored_pages.url_of(db, record.page_id) if record.page_id is not None else None
    (row,) = await record_search.rows(db, [record.id])
    return {
        **listed(row),
        "revision": record.revision,
        "expires_at": _iso(record.expires_at),
        "told_by": page_url,
        "shown_on": [
            {"url": page.url, "is_own": page.is_own, "since": _iso(page.since)}
            for page in await sightings.of_record(db, record.id)
        ],
        "history": await _history(db, record.id),
    }


async def history(db: Connection, public_id_or_hash: str) -> list[dict[str, Any]]:
    """How a record changed, the latest change first."""
    return await _history(db, (await _get(db, public_id_or_hash)).id)


async def _history(db: Connection, record_id: int) -> list[dict[str, Any]]:
    return [
        {"at": _iso(line.at), "field": line.field, "before": line.before, "after": line.after}
        for line in await record_changes.of_record(db, record_id)
    ]


async def remove(db: Connection, public_id_or_hash: str, *, reason: str, stamp: Stamp) -> Tombstone:
    """Forgets a record for good, and returns the tombstone that keeps it from being stored again."""
    if not reason.strip():
        raise BadInput("give a reason for the removal", field="reason")
    record = await _get(db, public_id_or_hash)
    stone = Tombstone(record.canonical_hash, reason.strip(), record.title, record.page_id, stamp.now)
    await tombstones.add(db, stone)
    await stored.delete(db, record.id)
    detail = {"reason": stone.reason, "title": record.title, "url": record.url}
    await audit_log.write(db, stamp, "record.remove", record.canonical_hash, after=detail)
    return stone


async def removed(db: Connection, canonical_hash: str) -> Tombstone | None:
    """What is left of a record that was removed; None when none was under this hash."""
    return (await tombstones.among(db, [canonical_hash])).get(canonical_hash)


async def restore(db: Connection, canonical_hash: str, *, stamp: Stamp) -> Tombstone:
    """Lifts a tombstone; the record is stored again when its page is next fetched."""
    stone = await removed(db, canonical_hash)
    if stone is None:
        raise NotFound(
            f"no removed record has the hash {canonical_hash!r}; use the hash that `records remove` printed",
            code="tombstone_not_found",
        )
    await tombstones.lift(db, canonical_hash)
    if stone.page_id is not None:
        # Otherwise an unchanged page would not be read.
        await stored_pages.save(db, [{"page": stone.page_id, "content_hash": None}])
    await audit_log.write(db, stamp, "record.restore", canonical_hash)
    return stone


async def _get(db: Connection, public_id_or_hash: str) -> Any:
    record = await stored.get(db, public_id_or_hash)
    if record is None:
        raise NotFound(
            f"there is no record {public_id_or_hash!r}; `lamplighter records list` shows them", code="record_not_found"
        )
    return record


def _form(record: Any, *, source_id: str | None, seen: dict[str, str | None]) -> dict[str, Any]:
    return {
        **{name: getattr(record, name) for name in _PLAIN[:2]},
        "source_id": source_id,
        **{name: getattr(record, name) for name in _PLAIN[2:]},
        **{name: _iso(getattr(record, name)) for name in _TIMES},
        "description": record.description,
        "language": record.language,
        "tags": list(record.tags),
        "fields": dict(record.fields),
        "quality": record.quality,
        "provenance": {
            name: {"method": method, "confidence": confidence}
            for name, (method, confidence) in record.provenance.items()
        },
        **seen,
    }


def _iso(moment: date | None) -> str | None:
    return moment.isoformat() if moment is not None else None
