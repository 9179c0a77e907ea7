"""Routes that both source APIs share; each API shows a source in its own model."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from lamplighter.model.access import Role
from lamplighter.operations.sources import source_bulk, source_states
from lamplighter.web import source_verbs
from lamplighter.web.api import shapes_source_verbs as shapes
from lamplighter.web.routes import Routes
from lamplighter.web.source_verbs import Work
from lamplighter.web.view import Asking, ServiceView, View


def declare(routes: Routes, shape: type[BaseModel]) -> None:
    """Adds the routes to an API; `shape` is its source model."""
    changed: dict[str, Any] = {"errors": (409,), "response_model": shape}
    routes.post("/bulk", response_model=shapes.SourceBulkOut)(bulk)
    routes.get("/{source_id}", response_model=shape)(show)
    routes.delete("/{source_id}", errors=(409,), response_model=shapes.SourceDeletedOut)(delete)
    routes.delete("/{source_id}/permanent", role=Role.ADMIN, response_model=shapes.SourceDeletedOut)(purge)
    routes.post("/{source_id}/enable", **changed)(enable)
    routes.post("/{source_id}/disable", **changed)(disable)
    routes.post("/{source_id}/restore", **changed)(restore)
    routes.post("/{source_id}/clone", status=201, **changed)(clone)


async def bulk(view: View, caller: Asking, body: shapes.SourceBulkIn) -> Any:
    """Applies one action to many sources: by ids, or by a filter."""
    order = body.order()
    if body.preview:
        report = await source_bulk.preview(view.db, order)
    else:
        toggle = source_verbs.toggle_of(view, caller, reason=body.reason, by=body.toggled_by)
        report = await source_verbs.bulk(view, order, toggle)
    return asdict(report) | {"action": body.action, "preview": body.preview}


async def show(source_id: UUID, view: View) -> Any:
    """One source, deleted or not."""
    return await source_verbs.show(view, source_id)


async def delete(source_id: UUID, view: View, caller: Asking) -> Any:
    """Hides a source and cancels its job; its data stays until it is purged."""
    toggle = source_verbs.toggle_of(view, caller)
    return {"id": source_id, "impact": await source_verbs.delete(view, source_id, toggle)}


async def purge(source_id: UUID, view: View, caller: Asking) -> Any:
    """Removes a source and all of its data for good."""
    return {"id": source_id, "impact": await source_verbs.purge(view, caller, source_id)}


async def enable(source_id: UUID, view: View, caller: Asking, body: shapes.ToggleIn | None = None) -> Any:
    """Enables crawling of a source."""
    return await do(view, caller, source_id, source_states.enable, body)


async def disable(source_id: UUID, view: View, caller: Asking, body: shapes.ToggleIn | None = None) -> Any:
    """Disables a source until it is enabled; its current run ends."""
    return await do(view, caller, source_id, source_states.disable, body)


async def restore(source_id: UUID, view: View, caller: Asking) -> Any:
    """Restores a deleted source."""
    return await do(view, caller, source_id, source_states.restore)


async def clone(source_id: UUID, view: View, caller: Asking, body: shapes.CloneIn) -> Any:
    """Clones a source for another URL."""
    return await source_verbs.clone(view, caller, source_id, url=body.url, name=body.name)


async def simulate_extract(source_id: UUID, view: View, body: shapes.SimulateIn | None = None) -> Any:
    """Extracts records from the source's page, by its own or another recipe; stores nothing."""
    return await source_verbs.simulate(view, source_id, body.recipe if body is not None else None)


async def do(
    view: ServiceView, caller: Asking, source_id: UUID, work: Work, said: shapes.ToggleIn | None = None
) -> Any:
    """Applies an action to a source, for the caller's reason."""
    reason, by = (said.reason, said.by) if said is not None else (None, None)
    return await source_verbs.do(view, source_id, work, source_verbs.toggle_of(view, caller, reason=reason, by=by))
