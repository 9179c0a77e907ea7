"""The crawl pause: one switch for the whole installation; every process obeys within seconds."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from pydantic import BaseModel, Field

from lamplighter.model.fleet import CrawlPause
from lamplighter.operations.fleet import crawl_pause
from lamplighter.store.fleet import crawl_pause as stored_pause
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/crawl/pause", tag="crawl")
_GOING_ON = {"paused": False, "since": None, "paused_by": None, "reason": None}


class PauseIn(Given):
    """Why all crawling is paused, for other operators."""

    reason: Annotated[Line, Field(max_length=crawl_pause.LONGEST_REASON)] = ""


class PauseOut(BaseModel):
    """Whether all crawling is paused; if not, other fields are null."""

    paused: bool
    since: datetime | None
    paused_by: str | None = Field(examples=["user:mara"])
    reason: str | None = Field(examples=["the proxies are being moved"])


@ROUTES.get("", response_model=PauseOut)
async def show(view: View) -> Any:
    """Whether all crawling is paused, since when, by whom and why."""
    return _out(await view.read(lambda db: stored_pause.get(db)))


@ROUTES.post("", errors=(409,), response_model=PauseOut)
async def pause(view: View, caller: Asking, given: Annotated[PauseIn | None, Body()] = None) -> Any:
    """Pauses all crawling: until it is resumed, no run is opened and no page fetched; requests in flight end.

    Trials and manual robots.txt fetches stay possible. 409 when it is paused already.
    """
    reason, stamp = given.reason if given is not None else "", view.stamp(caller)
    begun = await view.db.write(lambda db: crawl_pause.pause(db, reason=reason, stamp=stamp))
    await view.crawl.crawl_pause_changed()
    return _out(begun)


@ROUTES.delete("", errors=(409,), response_model=PauseOut)
async def resume(view: View, caller: Asking) -> Any:
    """Resumes all crawling where it stopped; 409 when it is not paused."""
    await view.db.write(lambda db: crawl_pause.resume(db, stamp=view.stamp(caller)))
    await view.crawl.crawl_pause_changed()
    return _out(None)


def _out(pause: CrawlPause | None) -> dict[str, Any]:
    return asdict(pause) | {"paused": True} if pause is not None else _GOING_ON
