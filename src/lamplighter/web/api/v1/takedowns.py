"""Takedowns: what is never asked again."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from lamplighter.errors import NotAllowed
from lamplighter.model.access import Role
from lamplighter.operations import purge as purging
from lamplighter.operations import takedowns
from lamplighter.operations.takedowns import Takedown
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line, Text
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/takedowns", tag="takedowns")
Entry = Annotated[
    Line, Field(min_length=1, max_length=4096, description="A domain with its subdomains, or a URL and all below it.")
]


class Wish(BaseModel):
    """A domain or URL prefix."""

    model_config = ConfigDict(extra="forbid")

    domain_or_url: Entry


class NewTakedown(Wish):
    """A domain or URL prefix that is not to be asked again."""

    #: who asked for it, and why
    reason: Text | None = Field(None, max_length=2000)
    #: also forget what is stored of it; takes an administrator
    purge: bool = False


class TakedownEntry(BaseModel):
    """An entry of the list."""

    domain_or_url: str
    reason: str | None
    created_at: datetime


class Counts(BaseModel):
    """How much is, or was, stored of a site."""

    pages: int
    #: bodies in the archive
    bodies: int
    records: int
    changes: int
    log_lines: int


class AddedTakedown(TakedownEntry):
    """What putting an entry on the list did."""

    was_listed: bool
    sources_paused: int
    #: null when nothing was to be purged
    purged: Counts | None


class Takedowns(BaseModel):
    """A page of the list."""

    takedowns: list[TakedownEntry]
    total: int
    limit: int
    offset: int


class Removed(BaseModel):
    """What taking an entry off the list did."""

    domain_or_url: str
    sources_resumed: int


class Purged(BaseModel):
    """What is, or was, stored of a site."""

    domain_or_url: str
    purged: Counts


_EXAMPLE = {
    "domain_or_url": "example.org",
    "reason": "its owner asked",
    "created_at": "2026-03-02T12:00:00Z",
}
_COUNTS = {"pages": 120, "bodies": 118, "records": 64, "changes": 3, "log_lines": 7}


@ROUTES.get("", response_model=Takedowns, example={"takedowns": [_EXAMPLE], "total": 1, "limit": 50, "offset": 0})
async def list_takedowns(
    view: View,
    search: Annotated[Line | None, Query(max_length=300, description="A part of the domain or URL.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """What is never asked again, the newest first."""
    async with view.db.read() as db:
        found, total = await takedowns.listed(db, search=search, limit=limit, offset=offset)
    return listed("takedowns", [_entry(each) for each in found], total=total, limit=limit, offset=offset)


@ROUTES.post(
    "",
    status=201,
    response_model=AddedTakedown,
    example=_EXAMPLE | {"was_listed": False, "sources_paused": 1, "purged": None},
)
async def add(new: NewTakedown, view: View, caller: Asking) -> Any:
    """Never asks a domain or URL prefix again, from five seconds on; sources that start there are paused.

    Purging takes an administrator, and the answer comes when it is done.
    """
    if new.purge and not caller.role.covers(Role.ADMIN):
        raise NotAllowed(f"purging takes the role {Role.ADMIN}; yours is {caller.role}. Leave out purge")
    added = await view.db.write(
        lambda db: takedowns.add(db, new.domain_or_url, actor=caller.name, now=view.clock.now(), reason=new.reason)
    )
    counts = None
    if new.purge:
        counts = asdict(
            await purging.purge(view.db, view.archive, added.takedown.entry, actor=caller.name, clock=view.clock)
        )
    return _entry(added.takedown) | {
        "was_listed": added.was_listed,
        "sources_paused": added.sources_paused,
        "purged": counts,
    }


@ROUTES.delete(
    "", errors=(404,), response_model=Removed, example={"domain_or_url": "example.org", "sources_resumed": 1}
)
async def remove(
    view: View,
    caller: Asking,
    domain_or_url: Annotated[Line, Query(min_length=1, max_length=4096, description="As it stands on the list.")],
) -> Any:
    """Lets a domain or URL prefix be asked again; sources that were paused for it alone go on."""
    resumed = await view.db.write(
        lambda db: takedowns.remove(db, domain_or_url, actor=caller.name, now=view.clock.now())
    )
    view.jobs_changed()
    return {"domain_or_url": domain_or_url, "sources_resumed": resumed}


@ROUTES.post("/purge-preview", response_model=Purged, example={"domain_or_url": "example.org", "purged": _COUNTS})
async def preview(wish: Wish, view: View) -> Any:
    """Counts what a purge would remove; removes nothing."""
    counts = asdict(await purging.preview(view.db, wish.domain_or_url))
    return {"domain_or_url": wish.domain_or_url, "purged": counts}


@ROUTES.post(
    "/purge",
    role=Role.ADMIN,
    errors=(404,),
    response_model=Purged,
    example={"domain_or_url": "example.org", "purged": _COUNTS},
)
async def purge(wish: Wish, view: View, caller: Asking) -> Any:
    """Forgets all that is stored of an entry of the list: pages, bodies, records, histories. It cannot be undone."""
    counts = asdict(await purging.purge(view.db, view.archive, wish.domain_or_url, actor=caller.name, clock=view.clock))
    return {"domain_or_url": wish.domain_or_url, "purged": counts}


def _entry(found: Takedown) -> dict[str, Any]:
    return {"domain_or_url": found.entry, "reason": found.reason, "created_at": found.created_at}
