"""Events: what was published, and what became of it."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query
from pydantic import BaseModel, Field

from lamplighter.model.event import DeadLetter
from lamplighter.operations import dead_letters, event_log
from lamplighter.store.events import LoggedEvent, Result
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/events", tag="events")
LetterId = Annotated[str, Path(pattern="^[0-9A-Za-z-]{1,50}$")]
_EVENT = {
    "event_id": "7c0dd2a4-3b0f-4d2e-9a5c-4f3e5ad0c6b1",
    "event_type": "SOURCE_UPDATED",
    "source_id": "0f8e1c3a-6d2b-4a77-8a39-2f7f5b1f9c20",
    "timestamp": "2026-01-28T09:00:00Z",
    "payload": {"changed_fields": ["priority"], "previous": {"priority": 50}, "current": {"priority": 75}},
    "result": "success",
    "processing_time_ms": 3.2,
    "try_count": 1,
    "detail": None,
    "stream_id": "1769677200123-0",
    "published_at": "2026-01-28T09:00:00.2Z",
    "is_foreign": False,
}
_LETTER = {
    "id": "1769677205456-0",
    "event": '{"event_id": "no"}',
    "event_id": None,
    "reason": "event_id 'no' is not a UUID",
    "tries": 1,
    "stream_id": "1769677200123-0",
    "at": "2026-01-28T09:00:05Z",
}


class EventOut(BaseModel):
    """A fact, and what became of it."""

    event_id: UUID
    event_type: str
    #: null when it is about no source
    source_id: UUID | None
    timestamp: datetime
    payload: dict[str, Any]
    result: Result
    processing_time_ms: float | None
    try_count: int
    #: why it could not be handled, or why nothing was to be done
    detail: str | None
    #: where it stands in the stream, and since when; null where events stay within the process
    stream_id: str | None
    published_at: datetime | None
    #: whether somebody else published it
    is_foreign: bool


class EventListOut(BaseModel):
    """A part of the log."""

    events: list[EventOut]
    total: int
    limit: int
    offset: int


class DeadLetterOut(BaseModel):
    """An event that could not be handled, and was put aside."""

    id: str
    #: as it came
    event: str
    #: null when it could not be read
    event_id: UUID | None
    reason: str
    tries: int
    #: where it stood when it came
    stream_id: str
    at: datetime


class DeadLetterListOut(BaseModel):
    """A part of them."""

    dead_letters: list[DeadLetterOut]
    total: int
    limit: int
    offset: int


@ROUTES.get("/log", response_model=EventListOut, example={"events": [_EVENT], "total": 1, "limit": 50, "offset": 0})
async def log(
    view: View,
    source_id: UUID | None = None,
    kind: Annotated[Annotated[Line, Field(max_length=40)] | None, Query(alias="type")] = None,
    result: Result | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """Events of the last days, the latest first."""
    source = str(source_id) if source_id is not None else None
    async with view.db.read() as db:
        page = await event_log.listed(db, source_id=source, kind=kind, result=result, limit=limit, offset=offset)
    return listed("events", [_event_out(each) for each in page.events], total=page.total, limit=limit, offset=offset)


def _event_out(event: LoggedEvent) -> dict[str, Any]:
    return {
        "event_id": event.event_id,
        "event_type": event.type,
        "source_id": event.source_public_id,
        "timestamp": event.created_at,
        "payload": event.payload,
        "result": event.result,
        "processing_time_ms": event.took_ms,
        "try_count": event.try_count,
        "detail": event.detail,
        "stream_id": event.stream_id,
        "published_at": event.published_at,
        "is_foreign": event.is_foreign,
    }


@ROUTES.get(
    "/dead-letters",
    errors=(409,),
    response_model=DeadLetterListOut,
    example={"dead_letters": [_LETTER], "total": 1, "limit": 50, "offset": 0},
)
async def list_dead_letters(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """Events that could not be handled, the latest first; 409 while the stream in which they lie is away."""
    page = await dead_letters.listed(view.events, limit=limit, offset=offset)
    found = [_letter_out(letter) for letter in page.letters]
    return listed("dead_letters", found, total=page.total, limit=limit, offset=offset)


@ROUTES.post("/dead-letters/{letter_id}/retry", errors=(409,), response_model=DeadLetterOut, example=_LETTER)
async def retry(letter_id: LetterId, view: View, caller: Asking) -> Any:
    """Has an event handled once more, as if it were new."""
    now = view.clock.now()
    letter = await dead_letters.retry(view.db, view.events, letter_id, actor=caller.name, now=now)
    view.sources_changed()
    return _letter_out(letter)


def _letter_out(letter: DeadLetter) -> dict[str, Any]:
    return {
        "id": letter.id,
        "event": letter.text,
        "event_id": letter.event_id,
        "reason": letter.reason,
        "tries": letter.tries,
        "stream_id": letter.position,
        "at": letter.at,
    }
