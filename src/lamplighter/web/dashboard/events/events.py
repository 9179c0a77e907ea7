"""The event log and the dead letters."""

from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

import orjson
from fastapi import Path, Query, Response

from lamplighter.errors import NotPossible
from lamplighter.model.event import SourceFact
from lamplighter.operations.events import dead_letters, event_log
from lamplighter.operations.list_part import ListPart
from lamplighter.store.events import events
from lamplighter.store.events.events import EventFilter, EventResult
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.routes import Pages
from lamplighter.web.values import Line, Offset

ROUTES = Pages()
_LIMIT = 50
_LETTERS = "/events/dead-letters"

Word = Annotated[Line, Query(max_length=100)]
LetterId = Annotated[str, Path(pattern="^[0-9A-Za-z-]{1,50}$")]


@ROUTES.get("/events")
async def log(
    request: ThisRequest, source: Word = "", kind: Word = "", result: Word = "", offset: Offset = 0
) -> Response:
    """The event log, newest first, with the result of each event."""
    given = {"source": source.strip(), "kind": kind, "result": result}
    wanted_result = EventResult(result) if result in set(EventResult) else None
    async with request.view.db.read() as db:
        which = _about(given["source"])._replace(kind=kind or None, result=wanted_result)
        found, total = await events.newest(db, which, limit=_LIMIT, offset=offset)
        names = await event_log.source_names(db, found)
    shown: dict[str, Any] = {
        "found": found,
        "total": total,
        "names": names,
        "payloads": {event.id: _readable(event.payload) for event in found},
        "given": given,
        "kinds": sorted(SourceFact),
        "results": list(EventResult),
        "path": f"/events?{urlencode(given)}&",
        **_part(offset),
    }
    if request.target == "event-list":
        return request.part("events/list.html", **shown)
    return request.page("events/index.html", health=await _health(request), **shown)


def _about(text: str) -> EventFilter:
    """The events of a source: by its id, or by a part of its name."""
    try:
        return EventFilter(source=str(UUID(text)) if text else None)
    except ValueError:
        return EventFilter(source_name=text)


@ROUTES.get(_LETTERS)
async def letters(request: ThisRequest, offset: Offset = 0) -> Response:
    """The dead letters with their reasons."""
    away = None
    try:
        found = await dead_letters.listed(request.view.connections.events, limit=_LIMIT, offset=offset)
    except NotPossible as error:
        found, away = ListPart(rows=[], total=0), str(error)
    return request.page("events/letters.html", found=found, away=away, health=await _health(request), **_part(offset))


@ROUTES.post(_LETTERS + "/{letter_id}/retry")
async def retry(letter_id: LetterId, request: ThisRequest) -> Response:
    """Retries a dead letter."""
    view = request.view
    await dead_letters.retry(view.db, view.connections.events, letter_id, stamp=request.stamp)
    return request.done("The event will be processed again.", to=_LETTERS)


@ROUTES.post(_LETTERS + "/{letter_id}/discard")
async def discard(letter_id: LetterId, request: ThisRequest) -> Response:
    """Discards a dead letter."""
    view, form = request.view, await request.form()
    question = "Discard this event? Its change is not applied; the audit log keeps its text."
    request.confirm(form, question, label="Discard", back=_LETTERS)
    await dead_letters.discard(view.db, view.connections.events, letter_id, stamp=request.stamp)
    return request.done("The event was discarded.", to=_LETTERS)


async def _health(request: PageRequest) -> event_log.EventHealth:
    return await event_log.health(request.view.db, request.view.connections.events)


def _part(offset: int) -> dict[str, int]:
    return {"offset": offset, "limit": _LIMIT}


def _readable(payload: Any) -> str:
    return orjson.dumps(payload, option=orjson.OPT_INDENT_2).decode()
