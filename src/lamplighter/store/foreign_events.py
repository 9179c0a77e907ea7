"""SQL about events that others published: what became of each, and what else was told of the same source."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa

from lamplighter.model.event import Event
from lamplighter.store.database import Connection
from lamplighter.store.events import Note, Result, milliseconds
from lamplighter.store.tables import events, sources
from lamplighter.store.upsert import insert

#: so many bits of a source's id name its lock; two sources that share one only wait for each other
_LOCKS = 2**62 - 1


async def one_at_a_time(db: Connection, told_of: Iterable[str]) -> None:
    """Until the transaction ends, nobody else settles what others tell of these sources, known or not."""
    if db.dialect.name == "sqlite":
        return  # where one writes at a time anyway
    # In one order for everybody, so that two who want several never wait for each other.
    for number in sorted({UUID(each).int & _LOCKS for each in told_of}):
        await db.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.literal(number, sa.BigInteger))))


async def since(db: Connection, source: str, *, when: datetime, kinds: Iterable[str]) -> list[Mapping[str, Any]]:
    """What events of these types, with a later time than this, said of a source and could be settled."""
    later = _about(source, events.c.created_at > when, kinds)
    return list(await db.scalars(sa.select(events.c.payload).where(later).order_by(events.c.id)))


async def ahead(db: Connection, source: str, *, when: datetime, kinds: Iterable[str]) -> list[Event]:
    """Events of these types about a source, no older than this, that have come already: the oldest first."""
    come = _about(source, events.c.created_at >= when, kinds)
    columns = (events.c.event_id, events.c.type, events.c.source_public_id, events.c.created_at, events.c.payload)
    rows = await db.execute(sa.select(*columns).where(come).order_by(events.c.created_at, events.c.id))
    return [
        Event(id=row.event_id, type=row.type, source=row.source_public_id, at=row.created_at, payload=row.payload)
        for row in rows
    ]


async def done_late(db: Connection, event_id: str, *, detail: str) -> None:
    """Notes that an event which there was nothing to do about when it came was done after all."""
    mine = sa.and_(events.c.event_id == event_id, events.c.is_foreign, events.c.result == Result.IGNORED)
    await db.execute(sa.update(events).where(mine).values(result=Result.SUCCESS, detail=detail))


async def note(db: Connection, rows: Sequence[tuple[Event, str, Note]], *, now: datetime) -> None:
    """Notes what became of others' events, with where each stood in the stream."""
    if not rows:
        return
    known = sa.select(sources.c.id).where(sources.c.public_id == sa.bindparam("source")).scalar_subquery()
    columns: dict[str, Any] = {name: sa.bindparam(name) for name in _FOREIGN}
    statement = insert(db, events).values(source_id=known, **columns, source_public_id=sa.bindparam("source"))
    said = {"published_at": now, "delivered_at": now, "is_foreign": True, "try_count": 1}
    # One that was put aside and is tried again was noted before.
    again = {name: statement.excluded[name] for name in ("delivered_at", "stream_id", "result", "detail", "took_ms")}
    again["try_count"] = events.c.try_count + 1
    await db.execute(
        statement.on_conflict_do_update(
            index_elements=["event_id"], set_=again, where=sa.and_(events.c.is_foreign, events.c.result == Result.ERROR)
        ),
        [
            {
                "event_id": event.id,
                "type": event.type,
                "source": event.source,
                "payload": dict(event.payload),
                "created_at": event.at,
                "stream_id": position,
                "result": noted.result,
                "detail": noted.detail,
                "took_ms": milliseconds(noted.took),
                **said,
            }
            for event, position, noted in rows
        ],
    )


_FOREIGN = (
    *("event_id", "type", "payload", "created_at", "is_foreign", "published_at", "stream_id"),
    *("delivered_at", "result", "detail", "took_ms", "try_count"),
)


def _about(source: str, when: sa.ColumnElement[bool], kinds: Iterable[str]) -> sa.ColumnElement[bool]:
    about = sa.and_(events.c.source_public_id == source, events.c.is_foreign, when)
    return sa.and_(about, events.c.type.in_(list(kinds)), events.c.result != Result.ERROR)
