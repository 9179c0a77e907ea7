"""Events: the event log and dead letters."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query
from pydantic import BaseModel, Field

from lamplighter.operations.events import dead_letters
from lamplighter.store.events import events
from lamplighter.store.events.events import EventFilter, EventResult
from lamplighter.web.api.envelope import listed, part_of, taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.values import Limit, Line, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/events", tag="events")
LetterId = Annotated[str, Path(pattern="^[0-9A-Za-z-]{1,50}$")]


class EventOut(BaseModel):
    """An event and its result."""

    event_id: UUID
    event_type: str = taken_from("type", examples=["SOURCE_UPDATED"])
    #: null when it concerns no source
    source_id: UUID | None = taken_from("source_public_id")
    timestamp: datetime = taken_from("created_at")
    payload: dict[str, Any] = Field(
        examples=[{"changed_fields": ["priority"], "previous": {"priority": 50}, "current": {"priority": 75}}]
    )
    result: EventResult
    processing_time_ms: float | None = taken_from("took_ms")
    try_count: int
    #: what changed, why it could not be handled, or why there was nothing to do
    detail: str | None
    #: its id in the stream, and when it was published; null where events stay within the process
    stream_id: str | None = Field(examples=["1769677200123-0"])
    published_at: datetime | None
    #: whether another program published it
    is_foreign: bool


class DeadLetterOut(BaseModel):
    """An event that could not be handled, with the reason."""

    id: str = Field(examples=["1769677205456-0"])
    #: as received
    event: str = taken_from("text")
    #: null when it could not be parsed
    event_id: UUID | None
    reason: str = Field(examples=["event_id 'no' is not a UUID"])
    tries: int
    #: its id in the stream from which it came
    stream_id: str = taken_from("position")
    at: datetime


@ROUTES.get("/log", response_model=part_of("events", EventOut))
async def log(
    view: View,
    source_id: UUID | None = None,
    source: Annotated[Annotated[Line, Field(max_length=100)] | None, Query(description="Part of its name.")] = None,
    kind: Annotated[Annotated[Line, Field(max_length=40)] | None, Query(alias="type")] = None,
    result: EventResult | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """Events of the last days, the latest first."""
    which = EventFilter(
        source=str(source_id) if source_id is not None else None, source_name=source, kind=kind, result=result
    )
    async with view.db.read() as db:
        found, total = await events.newest(db, which, limit=limit, offset=offset)
    return listed("events", found, total=total, limit=limit, offset=offset)


@ROUTES.get("/dead-letters", errors=(409,), response_model=part_of("dead_letters", DeadLetterOut))
async def list_dead_letters(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """Events that could not be handled, the latest first; 409 while the event stream is unreachable."""
    page = await dead_letters.listed(view.connections.events, limit=limit, offset=offset)
    return listed("dead_letters", page.rows, total=page.total, limit=limit, offset=offset)


@ROUTES.post("/dead-letters/{letter_id}/retry", errors=(409,), response_model=DeadLetterOut)
async def retry(letter_id: LetterId, view: View, caller: Asking) -> Any:
    """Handles a dead letter again, as a new event."""
    stamp = view.stamp(caller)
    return await dead_letters.retry(view.db, view.connections.events, letter_id, stamp=stamp)


@ROUTES.delete("/dead-letters/{letter_id}", errors=(409,), response_model=DeadLetterOut)
@ROUTES.post("/dead-letters/{letter_id}/discard", errors=(409,), response_model=DeadLetterOut)
async def discard(letter_id: LetterId, view: View, caller: Asking) -> Any:
    """Discards a dead letter: its change is not applied; the audit log keeps its text."""
    stamp = view.stamp(caller)
    return await dead_letters.discard(view.db, view.connections.events, letter_id, stamp=stamp)
