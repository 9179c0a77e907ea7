"""Queries for recent changes of a source's records: added, changed and gone.

A source's changes are found through its records. Where those are very many, the newest changes of all sources are
searched instead.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs, record_changes, records

#: counts stop here; an exact higher number is of no use
MOST_COUNTED = 1_000
#: the most records of a source that are searched; for a source with more, the most changes of all sources
MOST_RECORDS, MOST_LINES = 5_000, 50_000


class SourceChangeCounts(NamedTuple):
    """Numbers of changed records since a time."""

    added: int
    changed: int
    gone: int


class ChangeKey(NamedTuple):
    """A record and the time of its change."""

    record_id: int
    at: datetime


async def not_looked_at(db: Connection, source_id: int) -> int | None:
    """The id of the newest change that is too old to be searched; None when all changes are searched."""
    mine = sa.select(records.c.id).where(records.c.source_id == source_id)
    if (await db.execute(mine.limit(1).offset(MOST_RECORDS))).first() is None:
        return None
    newest = sa.select(record_changes.c.id).order_by(record_changes.c.id.desc())
    return int(await db.scalar(newest.limit(1).offset(MOST_LINES)) or 0)


async def counts(db: Connection, source_id: int, *, since: datetime, after: int | None = None) -> SourceChangeCounts:
    """Counts a source's changed records since then, up to MOST_COUNTED + 1 each; each record counts once.

    `after` comes from `not_looked_at`.
    """
    mine = sa.select(records.c.id).where(records.c.source_id == source_id)
    # Ids grow with time, so that recent records have the highest ids: no others are read.
    newest = mine.add_columns(records.c.first_seen_at).order_by(records.c.id.desc()).limit(MOST_COUNTED + 1).subquery()
    added = sa.select(newest.c.id).where(newest.c.first_seen_at >= since)
    lines = _lines(source_id, after).with_only_columns(record_changes.c.record_id).where(record_changes.c.at >= since)
    changed = lines.where(record_changes.c.field != "state").distinct()
    gone = mine.where(records.c.gone_at >= since)
    if after is not None:
        gone = gone.where(records.c.id.in_(lines.where(record_changes.c.field == "state")))
    return SourceChangeCounts(await _count(db, added), await _count(db, changed), await _count(db, gone))


async def changes(
    db: Connection, source_id: int, *, run_id: int | None, limit: int, offset: int, after: int | None = None
) -> tuple[list[ChangeKey], int]:
    """The changes of a source's records, the latest first, and how many; `run_id` takes those of one run.

    Counted up to MOST_COUNTED + 1. `after` comes from `not_looked_at`.
    """
    lines = _lines(source_id, after)
    if run_id is not None:
        lines = lines.where(record_changes.c.run_id == run_id)
    one = (record_changes.c.record_id, record_changes.c.at)
    each = lines.with_only_columns(*one, sa.func.max(record_changes.c.id).label("newest")).group_by(*one)
    rows = await db.execute(each.order_by(sa.desc("newest")).limit(limit).offset(offset))
    total = await _count(db, lines.with_only_columns(*one).distinct())
    return [ChangeKey(row.record_id, row.at) for row in rows], total


async def lines_of(db: Connection, keys: Sequence[ChangeKey]) -> Sequence[Any]:
    """The fields that changed, each with its record and the run that saw it."""
    columns = (
        *(record_changes.c[name] for name in ("id", "record_id", "at", "field", "before", "after")),
        *(records.c.public_id, records.c.title, records.c.url, records.c.kind),
        *(crawl_runs.c.public_id.label("run_public_id"), crawl_runs.c.number.label("run_number")),
    )
    wanted = sa.and_(
        record_changes.c.record_id.in_(sorted({key.record_id for key in keys})),
        record_changes.c.at.in_(sorted({key.at for key in keys})),
    )
    query = (
        sa.select(*columns)
        .select_from(record_changes)
        .join(records, records.c.id == record_changes.c.record_id)
        .outerjoin(crawl_runs, crawl_runs.c.id == record_changes.c.run_id)
        .where(wanted)
    )
    return (await db.execute(query.order_by(record_changes.c.id))).all()


async def _count(db: Connection, query: sa.Select[Any]) -> int:
    return await queries.count(db, query.limit(MOST_COUNTED + 1).subquery())


def _lines(source_id: int, after: int | None) -> sa.Select[Any]:
    lines = sa.select(record_changes.c.id)
    if after is None:
        mine = sa.select(records.c.id).where(records.c.source_id == source_id)
        return lines.where(record_changes.c.record_id.in_(mine))
    # A subquery per change: with a join, PostgreSQL might begin with all records of the source.
    whose = sa.select(records.c.source_id).where(records.c.id == record_changes.c.record_id).scalar_subquery()
    return lines.where(record_changes.c.id > after, whose == source_id)
