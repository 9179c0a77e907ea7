"""SQL about events: the outbox, what became of each, and receipts of what was handled."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import events, receipts, sources
from lamplighter.store.upsert import insert


class Result(StrEnum):
    """What became of an event."""

    SUCCESS = "success"
    ERROR = "error"
    #: it had been handled before
    DUPLICATE = "duplicate"
    #: it waits, or is being handled
    PENDING = "pending"


class OutboxEvent(NamedTuple):
    """A fact that waits to be passed on."""

    id: int
    event_id: str
    type: str
    source_id: int | None
    payload: Mapping[str, Any]
    created_at: datetime
    try_count: int


class LoggedEvent(NamedTuple):
    """A fact, and what became of it."""

    event_id: str
    type: str
    #: the public id; None once the source is gone, and for facts about none
    source: str | None
    created_at: datetime
    payload: Mapping[str, Any]
    result: str
    took_ms: float | None
    try_count: int
    detail: str | None


async def publish(
    db: Connection, kind: str, *, source_id: int | None, payload: Mapping[str, Any], now: datetime
) -> str:
    """Writes an event into the outbox, in the transaction of the change it tells of."""
    event_id = str(uuid4())
    row = {"event_id": event_id, "type": kind, "source_id": source_id, "payload": dict(payload), "created_at": now}
    await db.execute(sa.insert(events).values(**row))
    return event_id


async def undelivered(db: Connection, *, limit: int) -> list[OutboxEvent]:
    """The oldest events that still wait."""
    query = sa.select(*(events.c[name] for name in OutboxEvent._fields)).where(events.c.delivered_at.is_(None))
    return [OutboxEvent._make(row) for row in await db.execute(query.order_by(events.c.id).limit(limit))]


async def mark_delivered(
    db: Connection, ids: list[int], *, now: datetime, result: Result = Result.SUCCESS, took: timedelta | None = None
) -> None:
    """Notes that these events were passed on, and how."""
    values = {"delivered_at": now, "result": result, "detail": None, "try_count": events.c.try_count + 1}
    await db.execute(sa.update(events).where(events.c.id.in_(ids)).values(took_ms=_ms(took), **values))


async def mark_failed(
    db: Connection, event_id: int, *, detail: str, took: timedelta, given_up_at: datetime | None
) -> None:
    """Notes a try that failed, and when it was the last."""
    values = {"result": Result.ERROR, "detail": detail, "try_count": events.c.try_count + 1}
    failed = sa.update(events).where(events.c.id == event_id)
    await db.execute(failed.values(delivered_at=given_up_at, took_ms=_ms(took), **values))


async def newest(
    db: Connection,
    *,
    source: str | None = None,
    kind: str | None = None,
    result: Result | None = None,
    limit: int,
    offset: int,
) -> tuple[list[LoggedEvent], int]:
    """Events, the latest first, and how many there are in all: of a source (by its public id), a type, a result."""
    which = _which(source, kind, result)
    said = sa.func.coalesce(events.c.result, Result.PENDING)
    columns = [
        sources.c.public_id if name == "source" else said if name == "result" else events.c[name]
        for name in LoggedEvent._fields
    ]
    query = sa.select(*columns).outerjoin(sources, sources.c.id == events.c.source_id).where(*which)
    rows = await db.execute(query.order_by(events.c.id.desc()).limit(limit).offset(offset))
    total = await db.scalar(sa.select(sa.func.count()).select_from(events).where(*which))
    return [LoggedEvent._make(row) for row in rows], int(total)


def _which(source: str | None, kind: str | None, result: Result | None) -> list[sa.ColumnElement[bool]]:
    which: list[sa.ColumnElement[bool]] = []
    if source is not None:
        mine = sa.select(sources.c.id).where(sources.c.public_id == source)
        which.append(events.c.source_id == mine.scalar_subquery())
    if kind is not None:
        which.append(events.c.type == kind)
    if result is not None:
        which.append(events.c.result.is_(None) if result is Result.PENDING else events.c.result == result)
    return which


async def take_receipt(db: Connection, event_id: str, *, now: datetime) -> bool:
    """Notes that an event was handled; False when it already was, and nothing more is to be done."""
    statement = insert(db, receipts).values(event_id=event_id, processed_at=now).on_conflict_do_nothing()
    return rows_written(await db.execute(statement)) > 0


async def purge(db: Connection, *, before: datetime) -> None:
    """Forgets delivered events and receipts older than this."""
    await db.execute(sa.delete(receipts).where(receipts.c.processed_at < before))
    await db.execute(sa.delete(events).where(events.c.delivered_at < before))


def _ms(took: timedelta | None) -> float | None:
    return round(took / timedelta(milliseconds=1), 3) if took is not None else None
