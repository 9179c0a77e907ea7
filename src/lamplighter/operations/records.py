"""Records as programs read them: the one JSON form of a record, and those that stand after a run."""

from datetime import date
from typing import Any

import sqlalchemy as sa

from lamplighter.model.crawl import CrawlRun
from lamplighter.model.page import Phase
from lamplighter.model.record import Record
from lamplighter.rules import frontier
from lamplighter.store.database import Connection
from lamplighter.store.tables import pages, records

_PLAIN = ("kind", "url", "canonical_hash", "title", "organisation", "location_raw", "country_iso")
_TIMES = ("deadline", "published_at", "updated_at")
_SEEN = ("first_seen_at", "last_seen_at")


def to_json(record: Any) -> dict[str, Any]:
    """A stored record (a row of the table) in its JSON form."""
    return _form(record, source_id=record.source_id, seen={name: _iso(getattr(record, name)) for name in _SEEN})


def unstored_to_json(record: Record) -> dict[str, Any]:
    """A record that was only read: it belongs to no source and was never seen before."""
    return _form(record, source_id=None, seen=dict.fromkeys(_SEEN))


async def of_run(db: Connection, run: CrawlRun) -> list[dict[str, Any]]:
    """What a source offers after a run: the records it read, and those it had no reason to doubt.

    A page that did not change is not read again, and the pages it leads to are not even asked for; their records stand.
    They fall when their page is gone, was read without them, or would have been asked for again if the page on which it
    was found still led to it.
    """
    parent = pages.alias()
    was_read = records.c.last_seen_at >= run.started_at
    is_led_to = sa.or_(
        pages.c.run_id == run.id,
        parent.c.changed_at < run.started_at,
        pages.c.fetched_at >= run.started_at - frontier.REVISIT_LINKED_AFTER,
    )
    stands = sa.and_(pages.c.phase == Phase.COMPLETED, pages.c.changed_at < run.started_at, is_led_to)
    query = (
        sa.select(records)
        .outerjoin(pages, pages.c.id == records.c.page_id)
        .outerjoin(parent, parent.c.id == pages.c.found_on)
        .where(records.c.source_id == run.source_id, sa.or_(was_read, stands))
        .order_by(records.c.id)
    )
    return [to_json(row) for row in await db.execute(query)]


def _form(record: Any, *, source_id: int | None, seen: dict[str, str | None]) -> dict[str, Any]:
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
