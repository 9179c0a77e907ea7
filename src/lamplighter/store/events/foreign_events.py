"""SQL about events of other publishers: their results, and what else was published about the same source."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa

from lamplighter.model.event import Event
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.events.events import EventResult, Note, event_of, milliseconds
from lamplighter.store.schema.tables import events, sources

#: these bits of a source's id name its lock; two sources that share a lock only wait for each other
_LOCKS = 2**62 - 1


async def one_at_a_time(db: Connection, source_ids: Iterable[str]) -> None:
    """Locks these sources, known or not, against other handlers of foreign events until the transaction ends."""
    if db.dialect.name == "sqlite":
        return  # SQLite has one writer at a time
    # Always in the same order, so that two handlers that need several locks never deadlock.
    for number in sorted({UUID(each).int & _LOCKS for each in source_ids}):
        await db.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.literal(number, sa.BigInteger))))


async def since(db: Connection, source: str, *, when: datetime, kinds: Iterable[str]) -> list[Mapping[str, Any]]:
    """The payloads of later events of these types about a source that could be handled."""
    later = _about(source, events.c.created_at > when, kinds)
    return list(await db.scalars(sa.select(events.c.payload).where(later).order_by(events.c.id)))


async def ahead(db: Connection, source: str, *, when: datetime, kinds: Iterable[str]) -> list[Event]:
    """Events of these types about a source, no older than this, that have already arrived: the oldest first."""
    arrived = _about(source, events.c.created_at >= when, kinds)
    rows = await db.execute(sa.select(events).where(arrived).order_by(events.c.created_at, events.c.id))
    return [event_of(row) for row in rows]


async def done_late(db: Connection, event_id: str, *, detail: str) -> None:
    """Marks an ignored foreign event as handled after all."""
    mine = sa.and_(events.c.event_id == event_id, events.c.is_foreign, events.c.result == EventResult.IGNORED)
    await db.execute(sa.update(events).where(mine).values(result=EventResult.SUCCESS, detail=detail))


async def note(db: Connection, rows: Sequence[tuple[Event, str, Note]], *, now: datetime) -> None:
    """Stores the results of foreign events, with the stream position of each."""
    if not rows:
        return
    known = sa.select(sources.c.id).where(sources.c.public_id == sa.bindparam("source")).scalar_subquery()
    columns: dict[str, Any] = {name: sa.bindparam(name) for name in _FOREIGN}
    statement = insert(db, events).values(source_id=known, **columns, source_public_id=sa.bindparam("source"))
    # An event that was put aside and is retried has a row already.
    again = {name: statement.excluded[name] for name in ("delivered_at", "stream_id", "result", "detail", "took_ms")}
    again["try_count"] = events.c.try_count + 1
    failed = sa.and_(events.c.is_foreign, events.c.result == EventResult.ERROR)
    statement = statement.on_conflict_do_update(index_elements=["event_id"], set_=again, where=failed)
    await db.execute(statement, [_row(event, position, noted, now) for event, position, noted in rows])


def _row(event: Event, position: str, noted: Note, now: datetime) -> dict[str, Any]:
    about = {"event_id": event.id, "type": event.type, "source": event.source, "payload": dict(event.payload)}
    result = {"result": noted.result, "detail": noted.detail, "took_ms": milliseconds(noted.took), "try_count": 1}
    times = {"created_at": event.at, "published_at": now, "delivered_at": now}
    return about | result | times | {"stream_id": position, "is_foreign": True}


_FOREIGN = (
    *("event_id", "type", "payload", "created_at", "is_foreign", "published_at", "stream_id"),
    *("delivered_at", "result", "detail", "took_ms", "try_count"),
)


def _about(source: str, when: sa.ColumnElement[bool], kinds: Iterable[str]) -> sa.ColumnElement[bool]:
    about = sa.and_(events.c.source_public_id == source, events.c.is_foreign, when)
    return sa.and_(about, events.c.type.in_(list(kinds)), events.c.result != EventResult.ERROR)
