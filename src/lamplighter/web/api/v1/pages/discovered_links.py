"""Discovered links: pages found on other pages."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.operations.pages import discovered_links, task_actions
from lamplighter.store.engine.database import Connection
from lamplighter.web import page_ids
from lamplighter.web.api.v1.pages import frontier as shapes
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/discovered-links", tag="discovered links")


class LinkJobIn(Given):
    """The name of the new source."""

    #: None takes the host's name
    name: Annotated[Line, Field(min_length=1, max_length=500)] | None = None


class JobShape(BaseModel):
    """The crawl job created for a link."""

    id: UUID
    source_id: UUID
    source_name: str
    url: str
    status: str
    priority: int
    next_run_at: datetime | None


@ROUTES.get("", errors=(404,), response_model=shapes.LinkList)
async def list_links(view: View, wanted: shapes.PageQuery) -> Any:
    """Pages that were found on other pages, the newest first; `search` matches in their URLs."""
    return await shapes.page_list(view, wanted, "links", is_found=True)


@ROUTES.get("/{link_id}", response_model=shapes.DiscoveredLinkOut)
async def show(link_id: UUID, view: View) -> Any:
    """One link."""
    async with view.db.read() as db:
        return shapes.entry_of(await discovered_links.one(db, page_ids.number_of(link_id), now=view.clock.now()))


@ROUTES.delete("/{link_id}", status=204, errors=(409,), response_model=None)
async def forget(link_id: UUID, view: View, caller: Asking) -> None:
    """Delete a link, unless it is being fetched or parsed; a crawl may find it again."""
    number, stamp = page_ids.number_of(link_id), view.stamp(caller)

    async def work(db: Connection) -> None:
        await discovered_links.one(db, number, now=stamp.now)
        await task_actions.forget(db, number, stamp=stamp)

    await view.db.write(work)


@ROUTES.post("/{link_id}/create-job", status=201, errors=(409,), response_model=JobShape)
async def create_job(link_id: UUID, view: View, caller: Asking, new: LinkJobIn | None = None) -> Any:
    """Add a link as a source of its own; returns the source's crawl job."""
    number, stamp, name = page_ids.number_of(link_id), view.stamp(caller), new.name if new is not None else None
    job, source = await view.db.write(
        lambda db: discovered_links.watch(db, number, name=name, source_defaults=view.source_defaults, stamp=stamp)
    )
    return {
        "id": job.public_id,
        "source_id": source.public_id,
        "source_name": source.name,
        "url": source.url,
        "status": job.state,
        "priority": job.priority,
        "next_run_at": job.next_run_at,
    }
