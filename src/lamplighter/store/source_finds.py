"""SQL about what a source has brought lately: records that came, changed and went.

Changes know their record and records their source: both queries go through the records of the one source.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_runs, record_changes, records


class Finds(NamedTuple):
    """How many records did what since some time."""

    added: int
    changed: int
    gone: int


class ChangeKey(NamedTuple):
    """What was read of one record at one moment."""

    record_id: int
    at: datetime


async def counts(db: Connection, source_id: int, *, since: datetime) -> Finds:
    """What came of a source since then; a record that changed twice counts once."""
    added = sa.func.sum(sa.case((records.c.first_seen_at >= since, 1), else_=0))
    gone = sa.func.sum(sa.case((records.c.gone_at >= since, 1), else_=0))
    query = sa.select(added.label("added"), gone.label("gone")).where(records.c.source_id == source_id)
    row = (await db.execute(query)).one()
    lines = _lines(source_id).where(record_changes.c.at >= since, record_changes.c.field != "state")
    changed = await db.scalar(lines.with_only_columns(sa.func.count(record_changes.c.record_id.distinct())))
    return Finds(int(row.added or 0), int(changed or 0), int(row.gone or 0))


async def changes(
    db: Connection, source_id: int, *, run_id: int | None, limit: int, offset: int
) -> tuple[list[ChangeKey], int]:
    """The changes of a source's records, the latest first, and how many there are; `run_id` takes those of one run."""
    lines = _lines(source_id)
    if run_id is not None:
        lines = lines.where(record_changes.c.run_id == run_id)
    one = (record_changes.c.record_id, record_changes.c.at)
    each = lines.with_only_columns(*one, sa.func.max(record_changes.c.id).label("newest")).group_by(*one)
    total = await db.scalar(sa.select(sa.func.count()).select_from(each.subquery()))
    rows = await db.execute(each.order_by(sa.desc("newest")).limit(limit).offset(offset))
    return [ChangeKey(row.record_id, row.at) for row in rows], int(total)


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


def _lines(source_id: int) -> sa.Select[Any]:
    mine = sa.select(records.c.id).where(records.c.source_id == source_id)
    return sa.select(record_changes.c.id).where(record_changes.c.record_id.in_(mine))
