"""The frontier: which pages are known, and which are still to be asked for."""

from typing import Any
from uuid import UUID

from lamplighter.operations import frontier, task_actions
from lamplighter.operations.frontier import Status
from lamplighter.operations.task_actions import Again
from lamplighter.store.database import Connection
from lamplighter.web.api import page_ids
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.v1 import shapes_frontier as shapes
from lamplighter.web.api.v1.page_query import PageQuery, listed
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/frontier", tag="frontier")

_LIST = {"urls": [shapes.ENTRY_EXAMPLE], "total": 1, "total_is_exact": True, "limit": 50, "offset": 0}


@ROUTES.get("", errors=(404,), response_model=shapes.EntryList, example=_LIST)
async def list_pages(view: View, wanted: PageQuery, status: Status | None = None) -> Any:
    """Pages, the newest first; `search` is looked for in their URLs."""
    return await listed(view, wanted, "urls", shapes.entry_of, status=status)


@ROUTES.get("/stats", response_model=shapes.FrontierStats, example=shapes.STATS_EXAMPLE)
async def stats(view: View) -> Any:
    """How many pages stand where, and the hosts that have most."""
    async with view.db.read() as db:
        counts = await frontier.counts(db, now=view.clock.now())
    by_host = [{"host": host, "count": count} for host, count in counts.by_host]
    return {"total": sum(counts.by_status.values()), "by_status": counts.by_status, "by_host": by_host}


async def submit(new: shapes.Submission, view: View, caller: Asking) -> Any:
    """Have a page asked for once, as a page of a source or for itself; nothing on it is followed."""
    now = view.clock.now()

    async def work(db: Connection) -> Any:
        page_id = await frontier.submit(
            db, new.url, source_id=new.source_id, priority=new.priority, actor=caller.name, now=now
        )
        return await frontier.one(db, page_id, now=now)

    page = await view.db.write(work)
    view.tasks_changed()
    return shapes.entry_of(page)


for _path in ("/submit", ""):
    ROUTES.post(
        _path,
        status=201,
        errors=(404, 409),
        response_model=shapes.Entry,
        example=shapes.ENTRY_EXAMPLE,
        name=f"submit{_path.replace('/', '_')}",
    )(submit)


@ROUTES.get("/{page_id}", response_model=shapes.Entry, example=shapes.ENTRY_EXAMPLE)
async def show(page_id: UUID, view: View) -> Any:
    """One page."""
    async with view.db.read() as db:
        return shapes.entry_of(await frontier.one(db, page_ids.number_of(page_id), now=view.clock.now()))


@ROUTES.post("/{page_id}/retry", errors=(409,), response_model=shapes.Entry, example=shapes.ENTRY_EXAMPLE)
async def retry(page_id: UUID, view: View, caller: Asking) -> Any:
    """Ask for a page again that was had, failed, was paused or cancelled; one that is in line stays as it stands."""
    number, now = page_ids.number_of(page_id), view.clock.now()

    async def work(db: Connection) -> Any:
        await frontier.one(db, number, now=now)
        return await task_actions.restart(db, number, Again(), actor=caller.name, now=now)

    page = await view.db.write(work)
    view.tasks_changed()
    return shapes.entry_of(page)


@ROUTES.delete("/{page_id}", status=204, errors=(409,), response_model=None)
async def forget(page_id: UUID, view: View, caller: Asking) -> None:
    """Forget a page, unless it is being asked for or read at this moment; a crawl may find it again."""
    number, now = page_ids.number_of(page_id), view.clock.now()

    async def work(db: Connection) -> None:
        await frontier.one(db, number, now=now)
        await task_actions.forget(db, number, actor=caller.name, now=now)

    await view.db.write(work)
    view.tasks_changed()
