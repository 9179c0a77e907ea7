"""The switch for all crawling: one for the whole installation, honoured by every process within seconds."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from pydantic import BaseModel, ConfigDict, Field

from lamplighter.model.fleet import Standstill
from lamplighter.operations import standstill
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/crawl/pause", tag="crawl")
_PAUSED = {
    "paused": True,
    "since": "2026-03-14T12:00:00Z",
    "paused_by": "user:mara",
    "reason": "the proxies are being moved",
}
_GOING_ON = {"paused": False, "since": None, "paused_by": None, "reason": None}


class PauseIn(BaseModel):
    """Why everything is to stand still, for whoever wonders."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[Line, Field(max_length=standstill.LONGEST_REASON)] = ""


class PauseOut(BaseModel):
    """Whether all crawling is paused; the rest is null while it is not."""

    paused: bool
    since: datetime | None
    paused_by: str | None
    reason: str | None


@ROUTES.get("", response_model=PauseOut, example=_GOING_ON)
async def show(view: View) -> Any:
    """Whether all crawling is paused, since when, by whom and why."""
    async with view.db.read() as db:
        return _out(await standstill.current(db))


@ROUTES.post("", errors=(409,), response_model=PauseOut, example=_PAUSED)
async def pause(view: View, caller: Asking, given: Annotated[PauseIn | None, Body()] = None) -> Any:
    """Pauses all crawling: no run is opened and no page asked for until somebody resumes it; what is in flight ends.

    Trials and requests for a robots.txt by hand stay possible. 409 when it is paused already.
    """
    reason, now = given.reason if given is not None else "", view.clock.now()
    begun = await view.db.write(lambda db: standstill.pause(db, reason=reason, actor=caller.name, now=now))
    await view.standstill_changed()
    return _out(begun)


@ROUTES.delete("", errors=(409,), response_model=PauseOut, example=_GOING_ON)
async def resume(view: View, caller: Asking) -> Any:
    """Lets all crawling go on where it stopped; 409 when it is not paused."""
    now = view.clock.now()
    await view.db.write(lambda db: standstill.resume(db, actor=caller.name, now=now))
    await view.standstill_changed()
    return _out(None)


def _out(standing: Standstill | None) -> dict[str, Any]:
    if standing is None:
        return _GOING_ON
    return {
        "paused": True,
        "since": standing.since,
        "paused_by": standing.paused_by,
        "reason": standing.reason,
    }
