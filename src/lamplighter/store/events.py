"""SQL about events: the outbox, what became of each, and receipts of what was handled."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.event import Event
from lamplighter.store.database import Connection
from lamplighter.store.tables import events, receipts, sources
from lamplighter.store.types import UtcTime, literal
from lamplighter.store.upsert import insert


class Result(StrEnum):
    """What became of an event."""

    SUCCESS = "success"
    ERROR = "error"
    #: it had been handled before
    DUPLICATE = "duplicate"
    #: there was nothing to do, and the detail says why
    IGNORED = "ignored"
    #: it waits, or is being handled
    PENDING = "pending"


class OutboxEvent(NamedTuple):
    """A fact that waits to be passed on."""

    id: int
    event_id: str
    type: str
    source_public_id: str | None
    payload: Mapping[str, Any]
    created_at: datetime
    try_count: int

    @property
    def event(self) -> Event:
        """The fact itself."""
        return Event(
            id=self.event_id, type=self.type, source=self.source_public_id, at=self.created_at, payload=self.payload
        )


class LoggedEvent(NamedTuple):
    """A fact, and what became of it."""

    id: int
    event_id: str
    type: str
    #: its public id, even when it is gone; None for facts about none
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
        """The fact itself."""
        return Event(
            id=self.event_id, type=self.type, source=self.source_public_id, at=self.created_at, payload=self.payload
        )


class Note(NamedTuple):
    """What became of an event that was tried."""

    event_id: str
    result: Result
    detail: str | None
    took: timedelta


_OUTBOX = tuple(events.c[name] for name in OutboxEvent._fields)
_IS_WAITING = events.c.delivered_at.is_(None)
_IS_UNPUBLISHED = sa.and_(_IS_WAITING, events.c.published_at.is_(None))


async def publish(
    db: Connection, kind: str, *, source_id: int | None, payload: Mapping[str, Any], now: datetime
) -> str:
    """Writes an event into the outbox, in the transaction of the change it tells of, while its source is there."""
    event_id = str(uuid4())
    public_id = sa.select(sources.c.public_id).where(sources.c.id == source_id).scalar_subquery()
    row = {"event_id": event_id, "type": kind, "source_id": source_id, "payload": dict(payload), "created_at": now}
    await db.execute(sa.insert(events).values(source_public_id=public_id, **row))
    return event_id


async def undelivered(db: Connection, *, limit: int) -> list[OutboxEvent]:
    """The oldest events that still wait."""
    query = sa.select(*_OUTBOX).where(_IS_WAITING).order_by(events.c.id).limit(limit)
    return [OutboxEvent._make(row) for row in await db.execute(query)]


async def untried(db: Connection, *, limit: int) -> list[OutboxEvent]:
    """The oldest events that neither went to the stream nor were tried."""
    is_untried = sa.and_(_IS_UNPUBLISHED, events.c.result.is_(None))
    query = sa.select(*_OUTBOX).where(is_untried).order_by(events.c.id).limit(limit)
    return [OutboxEvent._make(row) for row in await db.execute(query)]


async def count_waiting(db: Connection) -> int:
    """How many events still wait."""
    return int(await db.scalar(sa.select(sa.func.count()).select_from(events).where(_IS_WAITING)))


async def note(db: Connection, notes: Iterable[Note], *, delivered_at: datetime | None) -> None:
    """Notes what became of our events; with a time they have gone all their way, without they wait for the stream."""
    alike: dict[tuple[Result, str | None, timedelta], list[str]] = {}
    for each in notes:
        alike.setdefault((each.result, each.detail, each.took), []).append(each.event_id)
    for (result, detail, took), ids in alike.items():
        mine = sa.update(events).where(events.c.event_id.in_(sorted(ids)), _IS_WAITING)
        values: dict[str, Any] = {"delivered_at": delivered_at, "try_count": events.c.try_count + 1}
        if result is Result.DUPLICATE:
            # What was done while the stream was away comes back through the stream; it was done all the same.
            values["result"] = sa.case((events.c.result == Result.SUCCESS, events.c.result), else_=result)
        else:
            values |= {"result": result, "detail": detail, "took_ms": milliseconds(took)}
        await db.execute(mine.values(**values))


async def give_up(db: Connection, event_id: str, *, detail: str, now: datetime) -> None:
    """Ends the waiting of an event that was tried in vain."""
    mine = sa.update(events).where(events.c.event_id == event_id, _IS_WAITING)
    await db.execute(mine.values(delivered_at=now, result=Result.ERROR, detail=detail))


async def reopen(db: Connection, event_id: str, *, now: datetime) -> None:
    """Lets an event of ours that was given up wait again, as if it were new."""
    # One that goes through a stream is on its way there from now on.
    published = sa.case((events.c.published_at.is_not(None), sa.literal(now, UtcTime)))
    anew = {"delivered_at": None, "result": None, "detail": None, "try_count": 0, "published_at": published}
    await db.execute(sa.update(events).where(events.c.event_id == event_id, ~events.c.is_foreign).values(**anew))


async def close(db: Connection, event_id: str, *, detail: str) -> None:
    """Ends the matter of an event that could not be handled: nothing is to be done about it any more."""
    in_vain = sa.and_(events.c.event_id == event_id, events.c.result == Result.ERROR)
    await db.execute(sa.update(events).where(in_vain).values(result=Result.IGNORED, detail=detail))


async def ours(db: Connection, event_ids: Iterable[str]) -> set[str]:
    """Those of these events that we published ourselves."""
    mine = sa.and_(events.c.event_id.in_(sorted(event_ids)), ~events.c.is_foreign)
    return set(await db.scalars(sa.select(events.c.event_id).where(mine)))


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
    return await _logged(db, _which(source, kind, result), limit=limit, offset=offset)


_IN_VAIN = (events.c.result.in_(literal(Result.ERROR)), events.c.delivered_at.is_not(None), ~events.c.is_foreign)


async def given_up(db: Connection, *, limit: int, offset: int) -> tuple[list[LoggedEvent], int]:
    """Our events that were tried in vain, the latest first, and how many there are in all."""
    return await _logged(db, _IN_VAIN, limit=limit, offset=offset)


async def given_up_with(db: Connection, event_id: str) -> LoggedEvent | None:
    """The one of them with this id; None when there is none."""
    found, _ = await _logged(db, (*_IN_VAIN, events.c.event_id == event_id), limit=1, offset=0)
    return found[0] if found else None


async def _logged(
    db: Connection, which: Sequence[sa.ColumnElement[bool]], *, limit: int, offset: int
) -> tuple[list[LoggedEvent], int]:
    said = sa.func.coalesce(events.c.result, Result.PENDING).label("result")
    columns = [said if name == "result" else events.c[name] for name in LoggedEvent._fields]
    rows = await db.execute(sa.select(*columns).where(*which).order_by(events.c.id.desc()).limit(limit).offset(offset))
    total = await db.scalar(sa.select(sa.func.count()).select_from(events).where(*which))
    return [LoggedEvent._make(row) for row in rows], int(total)


def _which(source: str | None, kind: str | None, result: Result | None) -> list[sa.ColumnElement[bool]]:
    which: list[sa.ColumnElement[bool]] = []
    if source is not None:
        which.append(events.c.source_public_id == source)
    if kind is not None:
        which.append(events.c.type == kind)
    if result is not None:
        which.append(events.c.result.is_(None) if result is Result.PENDING else events.c.result == result)
    return which


async def take_receipts(db: Connection, event_ids: Iterable[str], *, now: datetime) -> set[str]:
    """Notes that events were handled; returns those that were not before, and of which more is to be done."""
    # Always in the same order, so that two who note the same ones never wait for each other.
    rows = [{"event_id": event_id, "processed_at": now} for event_id in sorted(set(event_ids))]
    if not rows:
        return set()
    statement = insert(db, receipts).on_conflict_do_nothing().returning(receipts.c.event_id)
    return set((await db.execute(statement, rows)).scalars())


def milliseconds(took: timedelta) -> float:
    """A duration as it is stored."""
    return round(took / timedelta(milliseconds=1), 3)
