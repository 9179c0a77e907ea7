"""SQL about events: the outbox, the result of each event, and receipts."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.event import Event
from lamplighter.store.engine import queries
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import events, receipts, sources
from lamplighter.store.schema.types import UtcTime, literal


class EventResult(StrEnum):
    """The result of handling an event."""

    SUCCESS = "success"
    ERROR = "error"
    #: it had been handled before
    DUPLICATE = "duplicate"
    #: there was nothing to do, and the detail says why
    IGNORED = "ignored"
    #: it waits, or is being handled
    PENDING = "pending"


def event_of(row: Any) -> Event:
    """The event that a row of the events table holds."""
    return Event(id=row.event_id, type=row.type, source=row.source_public_id, at=row.created_at, payload=row.payload)


class OutboxEvent(NamedTuple):
    """An event that waits in the outbox."""

    id: int
    event_id: str
    type: str
    source_public_id: str | None
    payload: Mapping[str, Any]
    created_at: datetime
    try_count: int

    @property
    def event(self) -> Event:
        """The event itself."""
        return event_of(self)


class LoggedEvent(NamedTuple):
    """An event, and its result."""

    id: int
    event_id: str
    type: str
    #: the source's public id, even after its deletion; None without a source
    source_public_id: str | None
    created_at: datetime
    payload: Mapping[str, Any]
    is_foreign: bool
    published_at: datetime | None
    stream_id: str | None
    delivered_at: datetime | None
    result: str
    took_ms: float | None
    try_count: int
    detail: str | None

    @property
    def event(self) -> Event:
        """The event itself."""
        return event_of(self)


class EventFilter(NamedTuple):
    """Which events; None means all."""

    #: public id
    source: str | None = None
    #: a part of the name, also of a deleted source
    source_name: str | None = None
    kind: str | None = None
    result: EventResult | None = None


ALL = EventFilter()


class Note(NamedTuple):
    """The result of handling an event."""

    event_id: str
    result: EventResult
    detail: str | None
    took: timedelta


_OUTBOX = tuple(events.c[name] for name in OutboxEvent._fields)
_IS_WAITING = events.c.delivered_at.is_(None)
_IS_UNPUBLISHED = sa.and_(_IS_WAITING, events.c.published_at.is_(None))


async def publish(
    db: Connection, kind: str, *, source_id: int | None, payload: Mapping[str, Any], now: datetime
) -> str:
    """Writes an event into the outbox, in the transaction of the change it is about."""
    event_id = str(uuid4())
    public_id = sa.select(sources.c.public_id).where(sources.c.id == source_id).scalar_subquery()
    row = {"event_id": event_id, "type": kind, "source_id": source_id, "payload": dict(payload), "created_at": now}
    await db.execute(sa.insert(events).values(source_public_id=public_id, **row))
    signal(Signal.EVENTS)
    return event_id


async def latest_id(db: Connection) -> int:
    """The id of the latest event; 0 without any."""
    return await db.scalar(sa.select(sa.func.max(events.c.id))) or 0


async def withdraw(db: Connection, source: str, *, after: int, now: datetime) -> list[Event]:
    """Removes the events about a source that this transaction has written since, and returns them."""
    mine = sa.and_(events.c.id > after, events.c.source_public_id == source, events.c.created_at == now)
    unpublished = sa.and_(mine, ~events.c.is_foreign, events.c.published_at.is_(None))
    return [event_of(row) for row in await db.execute(sa.delete(events).where(unpublished).returning(*events.c))]


async def undelivered(db: Connection, *, limit: int) -> list[OutboxEvent]:
    """The oldest waiting events."""
    return await _oldest(db, _IS_WAITING, limit=limit)


async def untried(db: Connection, *, limit: int) -> list[OutboxEvent]:
    """The oldest events that were neither published to the stream nor tried."""
    return await _oldest(db, sa.and_(_IS_UNPUBLISHED, events.c.result.is_(None)), limit=limit)


async def _oldest(db: Connection, which: sa.ColumnElement[bool], *, limit: int) -> list[OutboxEvent]:
    query = sa.select(*_OUTBOX).where(which).order_by(events.c.id).limit(limit)
    return [OutboxEvent._make(row) for row in await db.execute(query)]


async def count_waiting(db: Connection) -> int:
    """How many events still wait."""
    return await queries.count(db, events, _IS_WAITING)


async def note(db: Connection, notes: Iterable[Note], *, delivered_at: datetime | None) -> None:
    """Stores the results of our events; with a time they are done, without they wait for the stream."""
    alike: dict[tuple[EventResult, str | None, timedelta], list[str]] = {}
    for each in notes:
        alike.setdefault((each.result, each.detail, each.took), []).append(each.event_id)
    for (result, detail, took), ids in alike.items():
        mine = sa.update(events).where(events.c.event_id.in_(sorted(ids)), _IS_WAITING)
        values: dict[str, Any] = {"delivered_at": delivered_at, "try_count": events.c.try_count + 1}
        if result is EventResult.DUPLICATE:
            # An event handled while the stream was down arrives again through the stream; its result stays success.
            values["result"] = sa.case((events.c.result == EventResult.SUCCESS, events.c.result), else_=result)
        else:
            values |= {"result": result, "detail": detail, "took_ms": milliseconds(took)}
        await db.execute(mine.values(**values))


async def give_up(db: Connection, event_id: str, *, detail: str, now: datetime) -> None:
    """Ends the retries of an event that failed."""
    mine = sa.update(events).where(events.c.event_id == event_id, _IS_WAITING)
    await db.execute(mine.values(delivered_at=now, result=EventResult.ERROR, detail=detail))


async def reopen(db: Connection, event_id: str, *, now: datetime) -> None:
    """Makes an event of ours that was given up wait again, as if it were new."""
    # An event that goes through the stream counts as published from now on.
    published = sa.case((events.c.published_at.is_not(None), sa.literal(now, UtcTime)))
    anew = {"delivered_at": None, "result": None, "detail": None, "try_count": 0, "published_at": published}
    await db.execute(sa.update(events).where(events.c.event_id == event_id, ~events.c.is_foreign).values(**anew))
    signal(Signal.EVENTS)


async def close(db: Connection, event_id: str, *, detail: str) -> None:
    """Marks a failed event as ignored: nothing more is done about it."""
    in_vain = sa.and_(events.c.event_id == event_id, events.c.result == EventResult.ERROR)
    await db.execute(sa.update(events).where(in_vain).values(result=EventResult.IGNORED, detail=detail))


async def ours(db: Connection, event_ids: Iterable[str]) -> set[str]:
    """Those of these events that we published ourselves."""
    mine = sa.and_(events.c.event_id.in_(sorted(event_ids)), ~events.c.is_foreign)
    return set(await db.scalars(sa.select(events.c.event_id).where(mine)))


async def newest(db: Connection, which: EventFilter = ALL, *, limit: int, offset: int) -> tuple[list[LoggedEvent], int]:
    """One page of events, latest first, and their total."""
    return await _logged(db, _conditions(which), limit=limit, offset=offset)


_IN_VAIN = (events.c.result.in_(literal(EventResult.ERROR)), events.c.delivered_at.is_not(None), ~events.c.is_foreign)


async def given_up(db: Connection, *, limit: int, offset: int) -> tuple[list[LoggedEvent], int]:
    """Our events that failed, the latest first, and how many there are."""
    return await _logged(db, _IN_VAIN, limit=limit, offset=offset)


async def given_up_with(db: Connection, event_id: str) -> LoggedEvent | None:
    """The failed event with this id; None when there is none."""
    found, _ = await _logged(db, (*_IN_VAIN, events.c.event_id == event_id), limit=1, offset=0)
    return found[0] if found else None


async def _logged(
    db: Connection, which: Sequence[sa.ColumnElement[bool]], *, limit: int, offset: int
) -> tuple[list[LoggedEvent], int]:
    result = sa.func.coalesce(events.c.result, EventResult.PENDING).label("result")
    columns = [result if name == "result" else events.c[name] for name in LoggedEvent._fields]
    query = sa.select(*columns).where(*which).order_by(events.c.id.desc())
    rows, total = await queries.page(db, query, limit=limit, offset=offset)
    return [LoggedEvent._make(row) for row in rows], total


def _conditions(which: EventFilter) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = []
    if which.source is not None:
        found.append(events.c.source_public_id == which.source)
    if which.source_name is not None:
        named = sa.select(sources.c.public_id).where(sources.c.name.icontains(which.source_name, autoescape=True))
        found.append(events.c.source_public_id.in_(named))
    if which.kind is not None:
        found.append(events.c.type == which.kind)
    if which.result is EventResult.PENDING:
        found.append(events.c.result.is_(None))
    elif which.result is not None:
        found.append(events.c.result == which.result)
    return found


async def take_receipts(db: Connection, event_ids: Iterable[str], *, now: datetime) -> set[str]:
    """Stores receipts of events; returns the events that had none before."""
    # Always in the same order, so that two processes that write the same receipts never deadlock.
    rows = [{"event_id": event_id, "processed_at": now} for event_id in sorted(set(event_ids))]
    if not rows:
        return set()
    statement = insert(db, receipts).on_conflict_do_nothing().returning(receipts.c.event_id)
    return set((await db.execute(statement, rows)).scalars())


def milliseconds(took: timedelta) -> float:
    """A duration as it is stored."""
    return round(took / timedelta(milliseconds=1), 3)
