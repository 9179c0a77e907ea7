"""What was told of sources, and what nobody could make sense of."""

from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

import orjson
from fastapi import Path, Query, Response

from lamplighter.errors import NotPossible
from lamplighter.model.event import SourceFact
from lamplighter.operations import dead_letters, event_log
from lamplighter.operations.dead_letters import DeadLetterPage
from lamplighter.store.events import Result
from lamplighter.web.api.paging import DEEPEST
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_LIMIT = 50
_LETTERS = "/events/dead-letters"

Word = Annotated[Line, Query(max_length=100)]
Offset = Annotated[int, Query(ge=0, le=DEEPEST)]
LetterId = Annotated[str, Path(pattern="^[0-9A-Za-z-]{1,50}$")]


@ROUTES.get("/events", include_in_schema=False)
async def log(visit: Visiting, source: Word = "", kind: Word = "", result: Word = "", offset: Offset = 0) -> Response:
    """Events of the last days, the latest first, and what became of each."""
    given = {"source": source.strip(), "kind": kind, "result": result}
    wanted_result = Result(result) if result in set(Result) else None
    async with visit.view.db.read() as db:
        found = await event_log.listed(
            db,
            source_id=_public_id(given["source"]),
            kind=kind or None,
            result=wanted_result,
            limit=_LIMIT,
            offset=offset,
        )
        names = await event_log.source_names(db, found.events)
    shown: dict[str, Any] = {
        "found": found,
        "names": names,
        "payloads": {event.id: _readable(event.payload) for event in found.events},
        "given": given,
        "kinds": sorted(SourceFact),
        "results": list(Result),
        "path": f"/events?{urlencode(given)}&",
        **_part(offset),
    }
    if visit.target == "event-list":
        return visit.part("events/list.html", **shown)
    return visit.page("events/index.html", health=await _health(visit), **shown)


def _public_id(text: str) -> str | None:
    """A source's id as it is stored; one that is none finds nothing."""
    try:
        return str(UUID(text)) if text else None
    except ValueError:
        return text


@ROUTES.get(_LETTERS, include_in_schema=False)
async def letters(visit: Visiting, offset: Offset = 0) -> Response:
    """Events that could not be handled, and why."""
    away = None
    try:
        found = await dead_letters.listed(visit.view.events, limit=_LIMIT, offset=offset)
    except NotPossible as error:
        found, away = DeadLetterPage(letters=[], total=0), str(error)
    return visit.page("events/letters.html", found=found, away=away, health=await _health(visit), **_part(offset))


@ROUTES.post(_LETTERS + "/{letter_id}/retry", include_in_schema=False)
async def retry(letter_id: LetterId, visit: Visiting) -> Response:
    """Has an event handled once more."""
    view = visit.view
    await dead_letters.retry(view.db, view.events, letter_id, actor=visit.caller.name, now=visit.now)
    view.sources_changed()
    return visit.done("The event is handled once more, as if it were new.", to=_LETTERS)


@ROUTES.post(_LETTERS + "/{letter_id}/discard", include_in_schema=False)
async def discard(letter_id: LetterId, visit: Visiting) -> Response:
    """Ends the matter of an event that could not be handled."""
    view, form = visit.view, await visit.form()
    question = "Discard this event? What it asked for is not done; the audit log keeps its text."
    if (asked := visit.confirm(form, question, label="Discard", back=_LETTERS)) is not None:
        return asked
    await dead_letters.discard(view.db, view.events, letter_id, actor=visit.caller.name, now=visit.now)
    return visit.done("The event is discarded.", to=_LETTERS)


async def _health(visit: Visit) -> event_log.EventHealth:
    return await event_log.health(visit.view.db, visit.view.events)


def _part(offset: int) -> dict[str, int]:
    return {"offset": offset, "limit": _LIMIT}


def _readable(payload: Any) -> str:
    return orjson.dumps(payload, option=orjson.OPT_INDENT_2).decode()
