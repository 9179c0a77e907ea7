"""Sources for job boards."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from lamplighter.errors import NotPossible
from lamplighter.model.schedule import PolicyName
from lamplighter.model.source import Source, SourceStatus
from lamplighter.operations.explain.trials import FetchTrial, Simulation
from lamplighter.operations.sources import source_list
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.operations.sources.source_fields import altered, input_from
from lamplighter.operations.sources.source_import import ColumnAliases
from lamplighter.operations.sources.source_input import NewSource, input_of
from lamplighter.store.engine.database import Connection
from lamplighter.web import source_verbs
from lamplighter.web.api import source_routes
from lamplighter.web.api.admin import shapes_sources as shapes
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.api.source_routes import ImportOut, import_out
from lamplighter.web.problems import is_for_people
from lamplighter.web.routes import Routes
from lamplighter.web.source_uploads import Uploaded
from lamplighter.web.view import Asking, View

ROUTES = Routes("/admin/sources", tag="sources")
#: the kind of records on job boards, and how their intervals are chosen (S0)
_USUAL = {"kind": "job", "policy": PolicyName.YIELD_DAYS}
_WORDS = ColumnAliases(translate=lambda row: _USUAL | shapes.row_of(row), fields=shapes.FIELDS)


@ROUTES.get("", response_model=part_of("sources", shapes.BoardSourceOut))
async def list_sources(request: Request, view: View, query: Annotated[shapes.BoardListIn, Query()]) -> Any:
    """Sources, filtered and sorted. A browser, which asks for text/html, is led to the page of sources."""
    if is_for_people(request.scope):
        return RedirectResponse("/", status_code=303, headers={"Vary": "Accept"})
    part = {"limit": query.limit, "offset": query.offset}
    page = await view.read(
        lambda db: source_list.page(
            db,
            query.which(),
            sort=query.sorted_by(),
            descending=query.order == "desc",
            now=view.clock.now(),
            **part,
        )
    )
    return listed("sources", page.rows, total=page.total, **part)


@ROUTES.post("", status=201, errors=(409,), response_model=shapes.BoardSourceOut)
async def create(view: View, caller: Asking, body: shapes.BoardSource) -> Any:
    """Adds a source; its first crawl is due at once."""
    with shapes.in_their_words():
        return await source_verbs.create(view, caller, _submitted(body))


@ROUTES.post("/import", response_model=ImportOut)
async def import_sources(view: View, caller: Asking, given: Uploaded) -> Any:
    """Adds the sources of a file, with these fields or those of /api/v1, and reports on every row."""
    return import_out(await source_verbs.upload(view, caller, given, words=_WORDS))


source_routes.declare(ROUTES, shapes.BoardSourceOut)


@ROUTES.put("/{source_id}", errors=(409,), response_model=shapes.BoardSourceOut)
async def replace(source_id: UUID, view: View, caller: Asking, body: shapes.BoardSource) -> Any:
    """Replaces a source; omitted fields take their defaults."""
    with shapes.in_their_words():
        submitted = _submitted(body)
        return await source_routes.do(view, caller, source_id, source_verbs.altering(lambda _: submitted))


@ROUTES.patch("/{source_id}", errors=(409,), response_model=shapes.BoardSourceOut)
async def change(source_id: UUID, view: View, caller: Asking, body: shapes.BoardEdit) -> Any:
    """Changes the given fields and keeps the others; a status pauses or resumes it."""
    said = body.said()
    status = said.pop("status", None)

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        if said:
            alter = source_verbs.altering(
                lambda submitted: altered(
                    submitted, _policy_for(submitted, said) | shapes.row_of(said, recipe=submitted.recipe)
                )
            )
            await alter(db, source, context)
        if status is not None:
            await _set_status(db, source, status, context)

    with shapes.in_their_words():
        return await source_routes.do(view, caller, source_id, work)


@ROUTES.post("/{source_id}/pause", errors=(409,), response_model=shapes.BoardSourceOut)
async def pause(source_id: UUID, view: View, caller: Asking) -> Any:
    """Pauses a source until it is resumed."""
    return await source_routes.do(view, caller, source_id, source_verbs.pause)


@ROUTES.post("/{source_id}/resume", errors=(409,), response_model=shapes.BoardSourceOut)
async def resume(source_id: UUID, view: View, caller: Asking) -> Any:
    """Resumes a source and resets its failures."""
    return await source_routes.do(view, caller, source_id, source_verbs.resume)


@ROUTES.post("/{source_id}/test", errors=(409,), response_model=shapes.BoardFetchOut)
async def test(source_id: UUID, view: View) -> Any:
    """Sends a HEAD request to the site, as politely as a run would."""
    return _fetch_out(await source_verbs.test_fetch(view, source_id))


ROUTES.post("/{source_id}/simulate_extract", errors=(409,), response_model=Simulation)(source_routes.simulate_extract)


@ROUTES.get("/{source_id}/export", response_class=Response, success="A file that import takes.")
async def export(source_id: UUID, view: View) -> Response:
    """One source, as a file."""
    found = await source_verbs.show(view, source_id)
    headers = {"Content-Disposition": f'attachment; filename="source-{source_id}.json"'}
    return JSONResponse([shapes.board_row(input_of(found.source, found.tags))], headers=headers)


async def _set_status(db: Connection, source: Source, status: str, context: SourceChangeContext) -> None:
    """Pauses or resumes it, unless already done."""
    now = await source_list.one(db, source.id, now=context.stamp.now)
    if now.status == status:
        return
    if now.status is SourceStatus.DELETED:
        raise NotPossible(f"source {source.public_id} is deleted; restore it first", possible=("restore",))
    await (source_verbs.pause if status == "paused" else source_verbs.resume)(db, now.source, context)


def _submitted(body: shapes.BoardSource) -> NewSource:
    return input_from(_USUAL | shapes.row_of(body.said()))


def _policy_for(submitted: NewSource, said: Mapping[str, Any]) -> dict[str, Any]:
    """A frequency in days is that of the yield policy, unless the source names another policy."""
    is_open = submitted.policy is None and said.get("crawl_frequency_days") is not None
    return {"policy": PolicyName.YIELD_DAYS} if is_open else {}


def _fetch_out(trial: FetchTrial) -> dict[str, Any]:
    said = asdict(trial)
    return said | {
        "ok": trial.trouble is None and trial.status is not None and trial.status < 400,
        "size": said.pop("size_bytes"),
        "message": said.pop("trouble"),
    }
