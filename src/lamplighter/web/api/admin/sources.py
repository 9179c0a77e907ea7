"""Sources in the words of job boards."""

from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response
from fastapi.responses import JSONResponse

from lamplighter.errors import NotPossible
from lamplighter.model.access import Role
from lamplighter.model.source import SourceStatus
from lamplighter.operations import source_bulk, source_list, source_states
from lamplighter.operations.source_edits import Toggle
from lamplighter.operations.source_import import Words
from lamplighter.operations.source_rows import altered, wish_from
from lamplighter.operations.source_wish import NewSource, wish_of
from lamplighter.operations.trials import FetchTrial, Simulation
from lamplighter.store.database import Connection
from lamplighter.store.source_lists import ListedSource
from lamplighter.store.sources import SourceRow
from lamplighter.web.api import source_verbs
from lamplighter.web.api.admin.shapes_sources import (
    FIELDS,
    BoardEdit,
    BoardFetchOut,
    BoardListIn,
    BoardListOut,
    BoardSource,
    BoardSourceOut,
    board_row,
    in_their_words,
    row_of,
    source_out,
)
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
from lamplighter.web.api.source_verbs import Work
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/admin/sources", tag="sources")
#: what job boards list
_KIND = {"kind": "job"}
_WORDS = Words(translate=lambda row: _KIND | row_of(row), fields=FIELDS)
_EXAMPLE = {
    "id": "0b6f6a3c-8f4e-4c55-9d0e-1f2f6a7b8c9d",
    "org_name": "Harbour Relief",
    "careers_url": "https://harbour.example/jobs",
    "source_type": "html",
    "org_type": "ngo",
    "status": "active",
    "crawl_frequency_days": 3.0,
    "next_run_at": "2026-03-17T12:05:00Z",
    "last_crawled_at": "2026-03-14T12:05:00Z",
    "last_crawl_status": "ok",
    "last_crawl_message": "3 pages (1 unchanged, 0 refused, 0 failed), 12 records",
    "consecutive_failures": 0,
    "consecutive_nochange": 1,
    "parser_hint": "li.job",
    "time_window": "22:00-05:00",
    "country": "KE",
    "tags": [],
    "created_at": "2026-03-01T09:00:00Z",
    "updated_at": "2026-03-02T10:00:00Z",
}


@ROUTES.get("", response_model=BoardListOut, example={"sources": [_EXAMPLE], "total": 1, "limit": 50, "offset": 0})
async def list_sources(view: View, asked: Annotated[BoardListIn, Query()]) -> Any:
    """Sources, filtered and sorted."""
    part = {"limit": asked.limit, "offset": asked.offset}
    async with view.db.read() as db:
        page = await source_list.page(
            db, asked.which(), sort=asked.sorted_by(), descending=asked.order == "desc", **part
        )
    return listed("sources", [_out(row) for row in page.rows], total=page.total, **part)


@ROUTES.post("", status=201, errors=(409,), response_model=BoardSourceOut, example=_EXAMPLE)
async def create(view: View, caller: Asking, body: BoardSource) -> Any:
    """Watches a source; its first crawl is due at once."""
    with in_their_words():
        return _out(await source_verbs.create(view, caller, _wish(body)))


@ROUTES.post("/bulk", response_model=BulkOut)
async def bulk(view: View, caller: Asking, body: BulkIn) -> Any:
    """One action for many sources: those named, or all that match a filter."""
    order = body.order()
    if body.preview:
        return bulk_out(body.action, await source_bulk.preview(view.db, order), is_preview=True)
    toggle = source_verbs.toggle_of(view, caller, reason=body.reason, by=body.toggled_by)
    return bulk_out(body.action, await source_verbs.bulk(view, order, toggle), is_preview=False)


@ROUTES.post("/import", response_model=ImportOut)
async def import_sources(view: View, caller: Asking, given: Uploaded) -> Any:
    """Adds the sources of a file, in these words or in those of /api/v1, and tells what became of every row."""
    return import_out(await source_verbs.upload(view, caller, given, words=_WORDS))


@ROUTES.get("/{source_id}", response_model=BoardSourceOut, example=_EXAMPLE)
async def show(source_id: UUID, view: View) -> Any:
    """One source, deleted or not."""
    return _out(await source_verbs.show(view, source_id))


@ROUTES.put("/{source_id}", errors=(409,), response_model=BoardSourceOut, example=_EXAMPLE)
async def replace(source_id: UUID, view: View, caller: Asking, body: BoardSource) -> Any:
    """Makes a source what is said, and nothing else: what is left out is as it is by default."""
    with in_their_words():
        wish = _wish(body)
        return await _do(view, caller, source_id, source_verbs.altering(lambda _: wish))


@ROUTES.patch("/{source_id}", errors=(409,), response_model=BoardSourceOut, example=_EXAMPLE)
async def change(source_id: UUID, view: View, caller: Asking, body: BoardEdit) -> Any:
    """Changes what is said of a source, and leaves the rest; a status pauses or resumes it."""
    said = body.said()
    status = said.pop("status", None)

    async def work(db: Connection, source: SourceRow, toggle: Toggle) -> None:
        if said:
            alter = source_verbs.altering(lambda wish: altered(wish, row_of(said, recipe=wish.recipe)))
            await alter(db, source, toggle)
        if status is not None:
            await _set_status(db, source, status, toggle)

    with in_their_words():
        return await _do(view, caller, source_id, work)


@ROUTES.delete("/{source_id}", errors=(409,), response_model=DeletedOut)
async def delete(source_id: UUID, view: View, caller: Asking) -> Any:
    """Hides a source and cancels its job; what was found stays until it is purged."""
    toggle = source_verbs.toggle_of(view, caller)
    return deleted_out(source_id, await source_verbs.delete(view, source_id, toggle))


@ROUTES.delete("/{source_id}/permanent", role=Role.ADMIN, response_model=DeletedOut)
async def purge(source_id: UUID, view: View, caller: Asking) -> Any:
    """Removes a source for good, with all that was found through it."""
    return deleted_out(source_id, await source_verbs.purge(view, caller, source_id))


@ROUTES.post("/{source_id}/pause", errors=(409,), response_model=BoardSourceOut, example=_EXAMPLE)
async def pause(source_id: UUID, view: View, caller: Asking) -> Any:
    """Leaves a source alone until somebody resumes it."""
    return await _do(view, caller, source_id, source_verbs.pause)


@ROUTES.post("/{source_id}/resume", errors=(409,), response_model=BoardSourceOut, example=_EXAMPLE)
async def resume(source_id: UUID, view: View, caller: Asking) -> Any:
    """Lets a source go on, its failures forgotten."""
    return await _do(view, caller, source_id, source_verbs.resume)


@ROUTES.post("/{source_id}/enable", errors=(409,), response_model=BoardSourceOut, example=_EXAMPLE)
async def enable(source_id: UUID, view: View, caller: Asking, body: ToggleIn | None = None) -> Any:
    """Lets a source be crawled, from now on."""
    return await _do(view, caller, source_id, source_states.enable, body)


@ROUTES.post("/{source_id}/disable", errors=(409,), response_model=BoardSourceOut, example=_EXAMPLE)
async def disable(source_id: UUID, view: View, caller: Asking, body: ToggleIn | None = None) -> Any:
    """Leaves a source alone until it is enabled; the run that goes on ends."""
    return await _do(view, caller, source_id, source_states.disable, body)


@ROUTES.post("/{source_id}/restore", errors=(409,), response_model=BoardSourceOut, example=_EXAMPLE)
async def restore(source_id: UUID, view: View, caller: Asking) -> Any:
    """Brings a deleted source back."""
    return await _do(view, caller, source_id, source_states.restore)


@ROUTES.post("/{source_id}/clone", status=201, errors=(409,), response_model=BoardSourceOut, example=_EXAMPLE)
async def clone(source_id: UUID, view: View, caller: Asking, body: CloneIn) -> Any:
    """Watches another URL in the same way."""
    return _out(await source_verbs.clone(view, caller, source_id, url=body.url, name=body.name))


@ROUTES.post("/{source_id}/test", errors=(409,), response_model=BoardFetchOut)
async def test(source_id: UUID, view: View) -> Any:
    """Asks the site for the headers alone, as politely as a run would."""
    return _fetch_out(await source_verbs.test_fetch(view, source_id))


@ROUTES.post("/{source_id}/simulate_extract", errors=(409,), response_model=Simulation)
async def simulate_extract(source_id: UUID, view: View, body: SimulateIn | None = None) -> Any:
    """The first records that a run would find; nothing is kept."""
    return await source_verbs.simulate(view, source_id, body.recipe if body is not None else None)


@ROUTES.get("/{source_id}/export", response_class=Response, success="A file that import takes.")
async def export(source_id: UUID, view: View) -> Response:
    """One source, as a file."""
    found = await source_verbs.show(view, source_id)
    headers = {"Content-Disposition": f'attachment; filename="source-{source_id}.json"'}
    return JSONResponse([board_row(wish_of(found.source, found.tags))], headers=headers)


async def _do(view: ServiceView, caller: Asking, source_id: UUID, work: Work, said: ToggleIn | None = None) -> Any:
    reason, by = (said.reason, said.by) if said is not None else (None, None)
    toggle = source_verbs.toggle_of(view, caller, reason=reason, by=by)
    return _out(await source_verbs.do(view, source_id, work, toggle))


async def _set_status(db: Connection, source: SourceRow, status: str, toggle: Toggle) -> None:
    """Pauses or resumes, where it is not so already."""
    now = await source_list.one(db, source.id)
    if now.status == status:
        return
    if now.status is SourceStatus.DELETED:
        raise NotPossible(f"source {source.public_id} is deleted; restore it first", possible=("restore",))
    await (source_verbs.pause if status == "paused" else source_verbs.resume)(db, now.source, toggle)


def _wish(body: BoardSource) -> NewSource:
    return wish_from(_KIND | row_of(body.said()))


def _out(listed_source: ListedSource) -> dict[str, Any]:
    return source_out(listed_source, wish_of(listed_source.source, listed_source.tags))


def _fetch_out(trial: FetchTrial) -> dict[str, Any]:
    said = asdict(trial)
    return said | {
        "ok": trial.trouble is None and trial.status is not None and trial.status < 400,
        "size": said.pop("size_bytes"),
        "message": said.pop("trouble"),
    }
