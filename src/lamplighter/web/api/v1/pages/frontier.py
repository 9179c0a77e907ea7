"""The frontier: the known pages, and which are still to be fetched."""

from typing import Any
from uuid import UUID

from lamplighter.operations.pages import frontier, task_actions
from lamplighter.operations.pages.frontier import FrontierStatus
from lamplighter.operations.pages.task_actions import TaskRestart
from lamplighter.store.engine.database import Connection
from lamplighter.web import page_ids
from lamplighter.web.api.v1.pages import shapes_frontier as shapes
from lamplighter.web.routes import Routes
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/frontier", tag="frontier")


@ROUTES.get("", errors=(404,), response_model=shapes.EntryList)
async def list_pages(view: View, wanted: shapes.PageQuery, status: FrontierStatus | None = None) -> Any:
    """Pages, the newest first; `search` matches in their URLs."""
    return await shapes.page_list(view, wanted, "urls", status=status)


@ROUTES.get("/stats", response_model=shapes.FrontierStats)
async def stats(view: View) -> Any:
    """Page counts by status, and the hosts with most pages."""
    counts = await view.read(lambda db: frontier.counts(db, now=view.clock.now()))
    by_host = [{"host": host, "count": count} for host, count in counts.by_host]
    return {"total": sum(counts.by_status.values()), "by_status": counts.by_status, "by_host": by_host}


async def submit(new: shapes.Submission, view: View, caller: Asking) -> Any:
    """Fetch a page once, as a page of a source or for itself; its links are not followed."""
    stamp = view.stamp(caller)

    async def work(db: Connection) -> Any:
        page_id = await frontier.submit(db, new.url, source_id=new.source_id, priority=new.priority, stamp=stamp)
        return await frontier.one(db, page_id, now=stamp.now)

    page = await view.db.write(work)
    return shapes.entry_of(page)


for _path in ("/submit", ""):
    ROUTES.post(
        _path,
        status=201,
        errors=(404, 409),
        response_model=shapes.FrontierEntry,
        name=f"submit{_path.replace('/', '_')}",
    )(submit)


@ROUTES.get("/{page_id}", response_model=shapes.FrontierEntry)
async def show(page_id: UUID, view: View) -> Any:
    """One page."""
    async with view.db.read() as db:
        return shapes.entry_of(await frontier.one(db, page_ids.number_of(page_id), now=view.clock.now()))


@ROUTES.post("/{page_id}/retry", errors=(409,), response_model=shapes.FrontierEntry)
async def retry(page_id: UUID, view: View, caller: Asking) -> Any:
    """Fetch a page again that was fetched, failed, was paused or cancelled; a queued page stays as it is."""
    number, stamp = page_ids.number_of(page_id), view.stamp(caller)

    async def work(db: Connection) -> Any:
        await frontier.one(db, number, now=stamp.now)
        return await task_actions.restart(db, number, TaskRestart(), stamp=stamp)

    page = await view.db.write(work)
    return shapes.entry_of(page)


@ROUTES.delete("/{page_id}", status=204, errors=(409,), response_model=None)
async def forget(page_id: UUID, view: View, caller: Asking) -> None:
    """Delete a page, unless it is being fetched or parsed; a crawl may find it again."""
    number, stamp = page_ids.number_of(page_id), view.stamp(caller)

    async def work(db: Connection) -> None:
        await frontier.one(db, number, now=stamp.now)
        await task_actions.forget(db, number, stamp=stamp)

    await view.db.write(work)
