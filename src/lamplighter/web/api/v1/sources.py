"""Sources: what is watched."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response

from lamplighter.model.access import Role
from lamplighter.operations import source_bulk, source_list, source_states
from lamplighter.operations.source_rows import altered, wish_from
from lamplighter.operations.trials import FetchTrial, Simulation
from lamplighter.web.api import source_verbs
from lamplighter.web.api.paging import listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.shapes_source_verbs import (
    BulkIn,
    BulkOut,
    CloneIn,
    DeletedOut,
    ImportOut,
    SimulateIn,
    ToggleIn,
    bulk_out,
    deleted_out,
    import_out,
)
from lamplighter.web.api.source_uploads import Uploaded
from lamplighter.web.api.v1.examples_sources import BULK, DELETED, IMPORT, LIST, SOURCE
from lamplighter.web.api.v1.shapes_sources import (
    SourceChanges,
    SourceExportIn,
    SourceIn,
    SourceListIn,
    SourceListOut,
    SourceOut,
    source_out,
)
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/sources", tag="sources")


@ROUTES.get("", response_model=SourceListOut, example=LIST)
async def list_sources(view: View, asked: Annotated[SourceListIn, Query()]) -> Any:
    """Sources, filtered and sorted."""
    part = {"limit": asked.limit, "offset": asked.offset}
    which = asked.which()
    how: dict[str, Any] = {"sort": asked.sort, "descending": asked.order == "desc", **part}
    page = await view.db.look(lambda db: source_list.page(db, which, **how))
    return listed("sources", [source_out(row) for row in page.rows], total=page.total, **part)


@ROUTES.post("", status=201, errors=(409,), response_model=SourceOut, example=SOURCE)
async def create(view: View, caller: Asking, body: SourceIn) -> Any:
    """Watches a source from now on."""
    return source_out(await source_verbs.create(view, caller, wish_from(body.row())))


@ROUTES.post("/bulk", response_model=BulkOut, example=BULK)
async def bulk(view: View, caller: Asking, body: BulkIn) -> Any:
    """One action for many sources: those named, or all that match a filter."""
    order = body.order()
    if body.preview:
        return bulk_out(body.action, await source_bulk.preview(view.db, order), is_preview=True)
    toggle = source_verbs.toggle_of(view, caller, reason=body.reason, by=body.toggled_by)
    return bulk_out(body.action, await source_verbs.bulk(view, order, toggle), is_preview=False)


@ROUTES.post("/import", response_model=ImportOut, example=IMPORT)
async def import_sources(view: View, caller: Asking, given: Uploaded) -> Any:
    """Adds the sources of a file, and tells of every row what became of it."""
    return import_out(await source_verbs.upload(view, caller, given))


@ROUTES.get("/export", response_class=Response, success="The file.")
async def export_sources(view: View, asked: Annotated[SourceExportIn, Query()]) -> Response:
    """All sources that match, as a file."""
    return source_verbs.download(view, asked.which(), asked.format)


@ROUTES.get("/{source_id}", response_model=SourceOut, example=SOURCE)
async def show(source_id: UUID, view: View) -> Any:
    """One source, deleted or not."""
    return source_out(await source_verbs.show(view, source_id))


@ROUTES.put("/{source_id}", errors=(409,), response_model=SourceOut, example=SOURCE)
async def replace(source_id: UUID, view: View, caller: Asking, body: SourceIn) -> Any:
    """Makes a source what is said, and nothing else: what is left out is as it is by default."""
    wish = wish_from(body.row())
    work = source_verbs.altering(lambda _: wish)
    return source_out(await source_verbs.do(view, source_id, work, source_verbs.toggle_of(view, caller)))


@ROUTES.patch("/{source_id}", errors=(409,), response_model=SourceOut, example=SOURCE)
async def change(source_id: UUID, view: View, caller: Asking, body: SourceChanges) -> Any:
    """Changes what is said of a source, and leaves the rest."""
    work = source_verbs.altering(lambda wish: altered(wish, body.row()))
    return source_out(await source_verbs.do(view, source_id, work, source_verbs.toggle_of(view, caller)))


@ROUTES.delete("/{source_id}", errors=(409,), response_model=DeletedOut, example=DELETED)
async def delete(source_id: UUID, view: View, caller: Asking) -> Any:
    """Hides a source and cancels its job; what was found stays until it is purged."""
    toggle = source_verbs.toggle_of(view, caller)
    return deleted_out(source_id, await source_verbs.delete(view, source_id, toggle))


@ROUTES.delete("/{source_id}/permanent", role=Role.ADMIN, response_model=DeletedOut, example=DELETED)
async def purge(source_id: UUID, view: View, caller: Asking) -> Any:
    """Removes a source for good, with all that was found through it."""
    return deleted_out(source_id, await source_verbs.purge(view, caller, source_id))


@ROUTES.post("/{source_id}/enable", errors=(409,), response_model=SourceOut, example=SOURCE)
async def enable(source_id: UUID, view: View, caller: Asking, body: ToggleIn | None = None) -> Any:
    """Lets a source be crawled, from now on."""
    said = body or ToggleIn()
    toggle = source_verbs.toggle_of(view, caller, reason=said.reason, by=said.by)
    return source_out(await source_verbs.do(view, source_id, source_states.enable, toggle))


@ROUTES.post("/{source_id}/disable", errors=(409,), response_model=SourceOut, example=SOURCE)
async def disable(source_id: UUID, view: View, caller: Asking, body: ToggleIn | None = None) -> Any:
    """Leaves a source alone until it is enabled; the run that goes on ends."""
    said = body or ToggleIn()
    toggle = source_verbs.toggle_of(view, caller, reason=said.reason, by=said.by)
    return source_out(await source_verbs.do(view, source_id, source_states.disable, toggle))


@ROUTES.post("/{source_id}/restore", errors=(409,), response_model=SourceOut, example=SOURCE)
async def restore(source_id: UUID, view: View, caller: Asking) -> Any:
    """Brings a deleted source back."""
    toggle = source_verbs.toggle_of(view, caller)
    return source_out(await source_verbs.do(view, source_id, source_states.restore, toggle))


@ROUTES.post("/{source_id}/clone", status=201, errors=(409,), response_model=SourceOut, example=SOURCE)
async def clone(source_id: UUID, view: View, caller: Asking, body: CloneIn) -> Any:
    """Watches another URL in the same way."""
    return source_out(await source_verbs.clone(view, caller, source_id, url=body.url, name=body.name))


@ROUTES.post("/{source_id}/test", errors=(409,), response_model=FetchTrial)
async def test(source_id: UUID, view: View) -> Any:
    """Asks the site for the headers alone, as politely as a run would."""
    return await source_verbs.test_fetch(view, source_id)


@ROUTES.post("/{source_id}/simulate-extract", errors=(409,), response_model=Simulation)
async def simulate_extract(source_id: UUID, view: View, body: SimulateIn | None = None) -> Any:
    """What a run would find on the source's page, by its own recipe or by another; nothing is kept."""
    return await source_verbs.simulate(view, source_id, body.recipe if body is not None else None)
