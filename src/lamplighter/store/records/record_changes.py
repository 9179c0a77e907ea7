"""SQL about the history of records, one line for each field that changed."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert_many, many_rows
from lamplighter.store.schema.tables import record_changes, records

#: lines kept of each record; older ones are deleted
MOST_OF_A_RECORD = 200
_NAMES = ("record_id", "run_id", "page_id", "at", "field", "before", "after")


async def write(db: Connection, lines: Sequence[dict[str, Any]]) -> None:
    """Appends lines (record_id, run_id, page_id, at, field, before, after), and deletes old ones over the limit."""
    if lines:
        await db.execute(_insert(db.dialect.name), many_rows(db.dialect.name, lines))
        await trim(db, {line["record_id"] for line in lines})


@cache
def _insert(dialect: str) -> Any:
    return insert_many(dialect, record_changes, _NAMES)


async def trim(db: Connection, record_ids: Iterable[int]) -> None:
    """Removes all but the newest lines of these records."""
    newer = record_changes.alias()
    mine = sa.select(newer.c.id).where(newer.c.record_id == record_changes.c.record_id)
    oldest_kept = mine.order_by(newer.c.id.desc()).limit(1).offset(MOST_OF_A_RECORD).scalar_subquery()
    for ids in queries.chunks(sorted(record_ids)):
        of_these = record_changes.c.record_id.in_(ids)
        await db.execute(sa.delete(record_changes).where(of_these, record_changes.c.id <= oldest_kept))


def ids_since(moment: datetime) -> sa.Select[tuple[int]]:
    """Selects the records that changed from then on.

    Line ids grow with time, so a scan back from the newest line to the first older one reads only what is wanted; that
    needs no index on the time.
    """
    line = record_changes.alias()
    last_before = sa.select(line.c.id).where(line.c.at < moment).order_by(line.c.id.desc()).limit(1)
    is_later = record_changes.c.id > sa.func.coalesce(last_before.scalar_subquery(), 0)
    return sa.select(record_changes.c.record_id).where(is_later, record_changes.c.at >= moment)


async def latest(db: Connection, public_ids: Iterable[str]) -> dict[str, datetime]:
    """When each of these records changed last; without those that never did."""
    last = sa.func.max(record_changes.c.at).label("last")
    query = (
        sa.select(records.c.public_id, last)
        .join(record_changes, record_changes.c.record_id == records.c.id)
        .where(records.c.public_id.in_(sorted(public_ids)))
        .group_by(records.c.public_id)
    )
    return {row.public_id: row.last for row in await db.execute(query)}


async def of_record(db: Connection, record_id: int) -> Sequence[Any]:
    """The history of a record, newest first."""
    query = sa.select(record_changes).where(record_changes.c.record_id == record_id)
    return (await db.execute(query.order_by(record_changes.c.id.desc()))).all()
