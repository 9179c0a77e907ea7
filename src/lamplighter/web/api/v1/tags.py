"""Tags: labels of sources, and what sources inherit from them."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, Field

from lamplighter.model.schedule import PolicyName
from lamplighter.operations import tags
from lamplighter.operations.source_wish import MOST_PAGES
from lamplighter.rules.window_text import MOST_WINDOWS
from lamplighter.store.tags import CountedTag
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.shapes_source_verbs import Given, Minutes
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/tags", tag="tags")
TagName = Annotated[Line, Path(min_length=1, max_length=100)]
_EXAMPLE = {
    "tag": "news",
    "source_count": 41,
    "policy": "learned",
    "interval_minutes": 60,
    "min_interval_minutes": 10,
    "max_interval_minutes": None,
    "windows": [],
    "max_pages": 20,
    "updated_at": "2026-03-14T12:00:00Z",
}


class TagIn(Given):
    """What sources with the tag inherit where they say nothing; what is left out is left to the installation."""

    policy: PolicyName | None = None
    interval_minutes: Minutes | None = None
    min_interval_minutes: Minutes | None = None
    max_interval_minutes: Minutes | None = None
    windows: (
        Annotated[Line, Field(max_length=4000)] | Annotated[list[dict[str, Any]], Field(max_length=MOST_WINDOWS)] | None
    ) = None
    max_pages: Annotated[int, Field(ge=1, le=MOST_PAGES)] | None = None


class TagOut(BaseModel):
    """A tag, how many sources carry it, and what they inherit."""

    tag: str
    source_count: int
    policy: str | None
    interval_minutes: float | None
    min_interval_minutes: float | None
    max_interval_minutes: float | None
    windows: list[dict[str, Any]]
    max_pages: int | None
    updated_at: datetime | None


class TagListOut(BaseModel):
    """A part of the list."""

    tags: list[TagOut]
    total: int
    limit: int
    offset: int


class RemovedTagOut(BaseModel):
    """A tag that is gone, and from how many sources."""

    tag: str
    removed_from: int


@ROUTES.get("", response_model=TagListOut, example={"tags": [_EXAMPLE], "total": 1, "limit": 50, "offset": 0})
async def list_tags(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """Tags that sources carry or that say something, in their order."""
    async with view.db.read() as db:
        found, total = await tags.page(db, limit=limit, offset=offset)
    return listed("tags", [_out(tag) for tag in found], total=total, limit=limit, offset=offset)


@ROUTES.get("/{tag}", response_model=TagOut, example=_EXAMPLE)
async def show(tag: TagName, view: View) -> Any:
    """One tag."""
    async with view.db.read() as db:
        return _out(await tags.get(db, tag))


@ROUTES.put("/{tag}", response_model=TagOut, example=_EXAMPLE)
async def put(tag: TagName, view: View, caller: Asking, body: TagIn) -> Any:
    """Says what sources with this tag inherit."""
    now, said = view.clock.now(), body.model_dump(exclude_unset=True)
    return _out(await view.db.write(lambda db: tags.put(db, tag, said, actor=caller.name, now=now)))


@ROUTES.delete("/{tag}", response_model=RemovedTagOut, example={"tag": "news", "removed_from": 41})
async def remove(tag: TagName, view: View, caller: Asking) -> Any:
    """Takes a tag from every source, and forgets what it said."""
    now = view.clock.now()
    count = await view.db.write(lambda db: tags.remove(db, tag, actor=caller.name, now=now))
    return {"tag": tag, "removed_from": count}


def _out(counted: CountedTag) -> dict[str, Any]:
    said = counted.settings
    return {
        "tag": said.tag,
        "source_count": counted.source_count,
        "policy": said.policy,
        "interval_minutes": _minutes(said.interval_seconds),
        "min_interval_minutes": _minutes(said.min_interval_seconds),
        "max_interval_minutes": _minutes(said.max_interval_seconds),
        "windows": said.windows or [],
        "max_pages": said.max_pages,
        "updated_at": said.updated_at,
    }


def _minutes(seconds: int | None) -> float | None:
    return seconds / 60 if seconds is not None else None
