"""Discovered links: pages that were found on other pages."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from lamplighter.operations import discovered_links, task_actions
from lamplighter.store.database import Connection
from lamplighter.web.api import page_ids
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.v1 import shapes_frontier as shapes
from lamplighter.web.api.v1.page_query import PageQuery, listed
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/discovered-links", tag="discovered links")

_LIST = {"links": [shapes.LINK_EXAMPLE], "total": 1, "total_is_exact": True, "limit": 50, "offset": 0}
_JOB = {
    "id": "0c8e9a1b-2d3f-4e5a-9b6c-7d8e9f0a1b2c",
    "source_id": "6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f",
    "source_name": "board.example",
    "url": "https://board.example/job/7",
    "status": "pending",
    "priority": 50,
    "next_run_at": "2026-03-02T12:00:00Z",
}


class NewJob(BaseModel):
    """What the job's source is to be called."""

    model_config = ConfigDict(extra="forbid")

    #: None takes the host's name
    name: Annotated[Line, Field(min_length=1, max_length=500)] | None = None


class JobShape(BaseModel):
    """The crawl job that was made of a link."""

    id: UUID
    source_id: UUID
    source_name: str
    url: str
    status: str
    priority: int
    next_run_at: datetime | None


@ROUTES.get("", errors=(404,), response_model=shapes.LinkList, example=_LIST)
async def list_links(view: View, wanted: PageQuery) -> Any:
    """Pages that were found on other pages, the newest first; `search` is looked for in their URLs."""
    return await listed(view, wanted, "links", shapes.link_of, is_found=True)


@ROUTES.get("/{link_id}", response_model=shapes.Link, example=shapes.LINK_EXAMPLE)
async def show(link_id: UUID, view: View) -> Any:
    """One link."""
    async with view.db.read() as db:
        return shapes.link_of(await discovered_links.one(db, page_ids.number_of(link_id), now=view.clock.now()))


@ROUTES.delete("/{link_id}", status=204, errors=(409,), response_model=None)
async def forget(link_id: UUID, view: View, caller: Asking) -> None:
    """Forget a link, unless it is being asked for or read at this moment; a crawl may find it again."""
    number, now = page_ids.number_of(link_id), view.clock.now()

    async def work(db: Connection) -> None:
        await discovered_links.one(db, number, now=now)
        await task_actions.forget(db, number, actor=caller.name, now=now)

    await view.db.write(work)
    view.tasks_changed()


@ROUTES.post("/{link_id}/create-job", status=201, errors=(409,), response_model=JobShape, example=_JOB)
async def create_job(link_id: UUID, view: View, caller: Asking, new: NewJob | None = None) -> Any:
    """Watch a link as a source of its own; answers with the source's crawl job."""
    number, now, name = page_ids.number_of(link_id), view.clock.now(), new.name if new is not None else None
    job, source = await view.db.write(
        lambda db: discovered_links.watch(db, number, name=name, norms=view.norms, actor=caller.name, now=now)
    )
    view.sources_changed()
    view.jobs_changed()
    return {
        "id": job.public_id,
        "source_id": source.public_id,
        "source_name": source.name,
        "url": source.url,
        "status": job.state,
        "priority": job.priority,
        "next_run_at": job.next_run_at,
    }
