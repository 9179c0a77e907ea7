"""Takedowns: never requested again."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from lamplighter.errors import NotAllowed
from lamplighter.model.access import Role
from lamplighter.operations.hosts import purge as purging
from lamplighter.operations.hosts import takedowns
from lamplighter.web.api.envelope import listed, part_of, taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Limit, Line, Offset, Text
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/takedowns", tag="takedowns")
Entry = Annotated[
    Line, Field(min_length=1, max_length=4096, description="A domain with its subdomains, or a URL and all below it.")
]


class TakedownIn(Given):
    """A domain or URL prefix."""

    domain_or_url: Entry


class NewTakedown(TakedownIn):
    """A domain or URL prefix never to request again."""

    #: who requested it, and why
    reason: Text | None = Field(None, max_length=2000)
    #: also remove what is stored of it; takes an administrator
    purge: bool = False


class TakedownEntry(BaseModel):
    """A takedown."""

    domain_or_url: str = taken_from("entry", examples=["example.org"])
    reason: str | None = Field(examples=["its owner asked"])
    created_at: datetime


class TakedownCounts(BaseModel):
    """Counts of a site's stored data."""

    pages: int
    #: bodies in the archive
    bodies: int
    records: int
    changes: int
    log_lines: int


class AddedTakedown(TakedownEntry):
    """The result of adding a takedown."""

    was_listed: bool
    sources_paused: int
    #: null without a purge
    purged: TakedownCounts | None


class TakedownRemoved(BaseModel):
    """The result of removing a takedown."""

    domain_or_url: str
    sources_resumed: int


class SitePurged(BaseModel):
    """The counts of a purge or preview."""

    domain_or_url: str
    purged: TakedownCounts


@ROUTES.get("", response_model=part_of("takedowns", TakedownEntry))
async def list_takedowns(
    view: View,
    search: Annotated[Line | None, Query(max_length=300, description="A part of the domain or URL.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """Takedowns, the newest first."""
    found, total = await view.read(lambda db: takedowns.listed(db, search=search, limit=limit, offset=offset))
    return listed("takedowns", found, total=total, limit=limit, offset=offset)


@ROUTES.post("", status=201, response_model=AddedTakedown)
async def add(new: NewTakedown, view: View, caller: Asking) -> Any:
    """Adds a takedown: from the next request on it is never requested; sources that start there are paused.

    Purging takes an administrator; the response comes when it is done.
    """
    if new.purge and not caller.role.covers(Role.ADMIN):
        raise NotAllowed(f"purging takes the role {Role.ADMIN}; yours is {caller.role}. Leave out purge")
    added = await view.db.write(
        lambda db: takedowns.add(db, new.domain_or_url, stamp=view.stamp(caller), reason=new.reason)
    )
    counts = None
    if new.purge:
        counts = await purging.purge(
            view.db, view.storage.archive, added.takedown.entry, actor=caller.name, clock=view.clock
        )
    return asdict(added.takedown) | {
        "was_listed": added.was_listed,
        "sources_paused": added.sources_paused,
        "purged": counts,
    }


@ROUTES.delete("", errors=(404,), response_model=TakedownRemoved)
async def remove(
    view: View,
    caller: Asking,
    domain_or_url: Annotated[Line, Query(min_length=1, max_length=4096, description="As it stands on the list.")],
) -> Any:
    """Removes a takedown; sources that were paused for it alone are resumed."""
    resumed = await view.db.write(lambda db: takedowns.remove(db, domain_or_url, stamp=view.stamp(caller)))
    return {"domain_or_url": domain_or_url, "sources_resumed": resumed}


@ROUTES.post("/purge-preview", response_model=SitePurged)
async def preview(submitted: TakedownIn, view: View) -> Any:
    """Counts what a purge would remove; removes nothing."""
    counts = await purging.preview(view.db, submitted.domain_or_url)
    return {"domain_or_url": submitted.domain_or_url, "purged": counts}


@ROUTES.post("/purge", role=Role.ADMIN, errors=(404,), response_model=SitePurged)
async def purge(submitted: TakedownIn, view: View, caller: Asking) -> Any:
    """Removes all that is stored of a takedown: pages, bodies, records, histories. It cannot be undone."""
    counts = await purging.purge(
        view.db, view.storage.archive, submitted.domain_or_url, actor=caller.name, clock=view.clock
    )
    return {"domain_or_url": submitted.domain_or_url, "purged": counts}
