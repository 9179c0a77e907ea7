"""Events: what was published, and what became of it."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, Field

from lamplighter.operations import event_log
from lamplighter.store.events import LoggedEvent, Result
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/events", tag="events")
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
}


class EventOut(BaseModel):
    """A fact, and what became of it."""

    event_id: UUID
    event_type: str
    #: null once the source is gone for good
    source_id: UUID | None
    timestamp: datetime
    payload: dict[str, Any]
    result: Result
    processing_time_ms: float | None
    try_count: int
    #: why it could not be handled
    detail: str | None


class EventListOut(BaseModel):
    """A part of the log."""

    events: list[EventOut]
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
        "source_id": event.source,
        "timestamp": event.created_at,
        "payload": event.payload,
        "result": event.result,
        "processing_time_ms": event.took_ms,
        "try_count": event.try_count,
        "detail": event.detail,
    }
