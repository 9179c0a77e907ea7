"""Sources."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response

from lamplighter.operations.explain.trials import FetchTrial, Simulation
from lamplighter.operations.sources import source_list
from lamplighter.operations.sources.source_fields import altered, input_from
from lamplighter.web import source_verbs
from lamplighter.web.api import source_routes
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.api.shapes_source_verbs import ImportOut, import_out
from lamplighter.web.api.v1.sources.shapes_sources import (
    SourceChanges,
    SourceExportIn,
    SourceIn,
    SourceListIn,
    SourceOut,
)
from lamplighter.web.routes import Routes
from lamplighter.web.source_uploads import Uploaded
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/sources", tag="sources")


@ROUTES.get("", response_model=part_of("sources", SourceOut))
async def list_sources(view: View, asked: Annotated[SourceListIn, Query()]) -> Any:
    """Sources, filtered and sorted."""
    part = {"limit": asked.limit, "offset": asked.offset}
    which = asked.which()
    how: dict[str, Any] = {"sort": asked.sort, "descending": asked.order == "desc", **part}
    page = await view.db.look(lambda db: source_list.page(db, which, **how))
    return listed("sources", page.rows, total=page.total, **part)


@ROUTES.post("", status=201, errors=(409,), response_model=SourceOut)
async def create(view: View, caller: Asking, body: SourceIn) -> Any:
    """Adds a source."""
    return await source_verbs.create(view, caller, input_from(body.row()))


@ROUTES.post("/import", response_model=ImportOut)
async def import_sources(view: View, caller: Asking, given: Uploaded) -> Any:
    """Adds the sources of a file, and reports on every row."""
    return import_out(await source_verbs.upload(view, caller, given))


@ROUTES.get("/export", response_class=Response, success="The file.")
async def export_sources(view: View, asked: Annotated[SourceExportIn, Query()]) -> Response:
    """All matching sources, as a file."""
    return source_verbs.download(view, asked.which(), asked.format)


source_routes.declare(ROUTES, SourceOut)


@ROUTES.put("/{source_id}", errors=(409,), response_model=SourceOut)
async def replace(source_id: UUID, view: View, caller: Asking, body: SourceIn) -> Any:
    """Replaces a source; omitted fields take their defaults."""
    submitted = input_from(body.row())
    work = source_verbs.altering(lambda _: submitted)
    return await source_routes.do(view, caller, source_id, work)


@ROUTES.patch("/{source_id}", errors=(409,), response_model=SourceOut)
async def change(source_id: UUID, view: View, caller: Asking, body: SourceChanges) -> Any:
    """Changes the given fields and keeps the others."""
    work = source_verbs.altering(lambda submitted: altered(submitted, body.row()))
    return await source_routes.do(view, caller, source_id, work)


@ROUTES.post("/{source_id}/test", errors=(409,), response_model=FetchTrial)
async def test(source_id: UUID, view: View) -> Any:
    """Sends a HEAD request to the site, as politely as a run would."""
    return await source_verbs.test_fetch(view, source_id)


ROUTES.post("/{source_id}/simulate-extract", errors=(409,), response_model=Simulation)(source_routes.simulate_extract)
