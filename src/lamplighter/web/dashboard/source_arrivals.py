"""The records that came last from a source, for whoever has just added it and waits for them."""

from uuid import UUID

from fastapi import Response

from lamplighter.model.record_search import Order, Presence, RecordFilter, SortKey
from lamplighter.operations import record_search, source_changes, sources
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.visit import Visiting

ROUTES = Routes("", tag="dashboard")
_SHOWN = 5


@ROUTES.get("/sources/{source_id}/arrivals", include_in_schema=False)
async def arrivals(source_id: UUID, visit: Visiting) -> Response:
    """A part of the source's page: its newest records."""
    view = visit.view
    async with view.db.read() as db:
        source = await sources.find(db, source_id)
    wanted = RecordFilter(source_id=source.public_id, presence=Presence.PRESENT)
    order = Order(by=SortKey.FIRST_SEEN, descending=True, limit=_SHOWN)
    found = await record_search.search_with(view.db, view.finder, wanted, order)
    async with view.db.read() as db:
        found_first = await source_changes.found_first(db, source.id) if not found.records else []
    return visit.part(
        "add/arrived.html",
        records=found.records,
        total=found.total,
        found_first=found_first,
        path=f"/sources/{source.public_id}",
    )
