"""Tags: labels of sources, with settings that they inherit."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, BeforeValidator, Field

from lamplighter.model import window_json
from lamplighter.model.schedule import PolicyName
from lamplighter.model.window_json import MOST_WINDOWS
from lamplighter.operations.sources import tags
from lamplighter.operations.sources.source_input import MOST_PAGES
from lamplighter.web.api.envelope import listed, part_of, taken_from
from lamplighter.web.api.source_routes import Minutes
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Limit, Line, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/tags", tag="tags")
TagName = Annotated[Line, Path(min_length=1, max_length=100)]


class TagIn(Given):
    """Settings that sources with the tag inherit where they have none; omitted ones take the defaults."""

    policy: PolicyName | None = None
    interval_minutes: Minutes | None = None
    min_interval_minutes: Minutes | None = None
    max_interval_minutes: Minutes | None = None
    windows: (
        Annotated[Line, Field(max_length=4000)] | Annotated[list[dict[str, Any]], Field(max_length=MOST_WINDOWS)] | None
    ) = None
    max_pages: Annotated[int, Field(ge=1, le=MOST_PAGES)] | None = None


#: converted from a timedelta, and from windows
_Minutes = Annotated[float, BeforeValidator(lambda span: span / timedelta(minutes=1))]
_Windows = Annotated[list[dict[str, Any]], BeforeValidator(window_json.to_json)]


class TagOut(BaseModel):
    """A tag, its number of sources, and its settings."""

    tag: str = taken_from("settings", "tag")
    source_count: int
    policy: str | None = taken_from("settings", "policy")
    interval_minutes: _Minutes | None = taken_from("settings", "interval")
    min_interval_minutes: _Minutes | None = taken_from("settings", "min_interval")
    max_interval_minutes: _Minutes | None = taken_from("settings", "max_interval")
    windows: _Windows = taken_from("settings", "windows")
    max_pages: int | None = taken_from("settings", "max_pages")
    updated_at: datetime | None = taken_from("settings", "updated_at")


class RemovedTagOut(BaseModel):
    """A removed tag, and its number of sources."""

    tag: str
    removed_from: int


@ROUTES.get("", response_model=part_of("tags", TagOut))
async def list_tags(view: View, limit: Limit = 50, offset: Offset = 0) -> Any:
    """Tags with sources or settings, by name."""
    found, total = await view.read(lambda db: tags.page(db, limit=limit, offset=offset))
    return listed("tags", found, total=total, limit=limit, offset=offset)


@ROUTES.get("/{tag}", response_model=TagOut)
async def show(tag: TagName, view: View) -> Any:
    """One tag."""
    return await view.read(lambda db: tags.get(db, tag))


@ROUTES.put("/{tag}", response_model=TagOut)
async def put(tag: TagName, view: View, caller: Asking, body: TagIn) -> Any:
    """Sets what sources with this tag inherit."""
    stamp, said = view.stamp(caller), body.model_dump(exclude_unset=True)
    return await view.db.write(lambda db: tags.put(db, tag, said, stamp=stamp))


@ROUTES.delete("/{tag}", response_model=RemovedTagOut)
async def remove(tag: TagName, view: View, caller: Asking) -> Any:
    """Removes a tag from every source, with its settings."""
    count = await view.db.write(lambda db: tags.remove(db, tag, stamp=view.stamp(caller)))
    return {"tag": tag, "removed_from": count}
