"""SQL about what notification rules watch: records that a run found, changed, lost or saw again, and changed pages."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import page_versions, pages, record_changes, records, source_tags

_RECORD = (records.c.id.label("record_id"), records.c.source_id, records.c.title, records.c.url, records.c.description)


class WatchedSources(NamedTuple):
    """Of which sources; both None means of all."""

    source_id: int | None = None
    tag: str | None = None


ALL_SOURCES = WatchedSources()


async def new_records(
    db: Connection, of: WatchedSources, *, since: datetime | None, until: datetime | None, limit: int
) -> list[Any]:
    """The records first seen in this time, newest first: record_id, title, url, description."""
    query = sa.select(*_RECORD).where(*_of(records.c.source_id, of))
    if since is not None:
        query = query.where(records.c.first_seen_at >= since)
    if until is not None:
        query = query.where(records.c.first_seen_at <= until)
    return list((await db.execute(query.order_by(records.c.id.desc()).limit(limit))).all())


async def changed_records(db: Connection, of: WatchedSources, *, run_id: int | None, limit: int) -> list[Any]:
    """The changes of a run, or the latest ones: record_id, title, url, description, field, before, after."""
    return await _lines(db, of, [record_changes.c.field != "state"], run_id=run_id, limit=limit)


async def turned_records(
    db: Connection, of: WatchedSources, state: str, *, run_id: int | None, limit: int
) -> list[Any]:
    """The records that became "gone" or "present" again in a run, or lately; the same columns."""
    is_turn = [record_changes.c.field == "state", sa.cast(record_changes.c.after, sa.Text) == f'"{state}"']
    return await _lines(db, of, is_turn, run_id=run_id, limit=limit)


async def changed_pages(
    db: Connection, of: WatchedSources, *, run_id: int | None, since: datetime | None, limit: int
) -> list[Any]:
    """The pages whose content differs from their version before, in a run or lately: title (the URL) and url."""
    latest = sa.and_(page_versions.c.page_id == pages.c.id, page_versions.c.superseded_at.is_(None))
    query = (
        sa.select(pages.c.id.label("record_id"), pages.c.source_id, pages.c.url, page_versions.c.number)
        .join(page_versions, latest)
        .where(page_versions.c.number > 1, pages.c.changed_at.is_not(None), *_of(pages.c.source_id, of))
    )
    if run_id is not None:
        query = query.where(pages.c.run_id == run_id, pages.c.changed_at >= since, page_versions.c.fetched_at >= since)
    return list((await db.execute(query.order_by(pages.c.id).limit(limit))).all())


async def _lines(
    db: Connection, of: WatchedSources, which: Iterable[Any], *, run_id: int | None, limit: int
) -> list[Any]:
    query = (
        sa.select(*_RECORD, record_changes.c.field, record_changes.c.before, record_changes.c.after)
        .join(record_changes, record_changes.c.record_id == records.c.id)
        .where(*which, *_of(records.c.source_id, of))
    )
    if run_id is not None:
        query = query.where(record_changes.c.run_id == run_id)
    return list((await db.execute(query.order_by(record_changes.c.id.desc()).limit(limit))).all())


def _of(column: Any, of: WatchedSources) -> list[Any]:
    if of.source_id is not None:
        return [column == of.source_id]
    if of.tag is not None:
        return [column.in_(sa.select(source_tags.c.source_id).where(source_tags.c.tag == of.tag))]
    return []
