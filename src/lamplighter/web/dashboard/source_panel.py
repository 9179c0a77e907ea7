"""One source: how it stands, when it is next and why, how its runs went, and what was told of it."""

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from fastapi.responses import RedirectResponse

from lamplighter.operations import event_log, executions, source_detail, who_is_told
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.day_strip import day_strip
from lamplighter.web.dashboard.settings.notifications import LABELS
from lamplighter.web.dashboard.source_head import Returned, head_of, source_page
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_RUNS, _EVENTS = 25, 15
#: ended runs that the curves show
_CURVE_RUNS = 60
#: so that a page of nonsense is not reckoned with
_FARTHEST = 1_000_000


@ROUTES.get("/sources/{source_id}", include_in_schema=False)
async def show(source_id: UUID, visit: Visiting) -> Response:
    """A source at a glance."""
    return await overview_page(visit, source_id)


@ROUTES.get("/sources/{source_id}/head", include_in_schema=False)
async def head_alone(source_id: UUID, visit: Visiting, tab: Annotated[str, Query(max_length=300)] = "") -> Response:
    """What stands above a view of it, to take the place of what stood there; `tab` is the path of that view."""
    if not visit.is_partial:
        return RedirectResponse(f"/sources/{source_id}", status_code=303)
    return source_page(visit, "source/head.html", head=await head_of(visit, source_id), tab=tab)


@ROUTES.get("/sources/{source_id}/runs", include_in_schema=False)
async def runs(source_id: UUID, visit: Visiting, offset: Annotated[int, Query(ge=0, le=_FARTHEST)] = 0) -> Response:
    """How its runs went, and what was told of it."""
    head = await head_of(visit, source_id)
    public_id = head.source.public_id
    async with visit.view.db.read() as db:
        page = await executions.of_source(db, public_id, limit=_RUNS, offset=offset)
        told = await event_log.listed(db, source_id=public_id, kind=None, result=None, limit=_EVENTS, offset=0)
    return source_page(visit, "source/runs.html", head=head, page=page, told=told, offset=offset, limit=_RUNS)


async def overview_page(
    visit: Visit, source_id: UUID, *, status: int = 200, returned: Returned | None = None
) -> Response:
    """The overview, with a form of it that comes back to whoever filled it in."""
    head = await head_of(visit, source_id)
    async with visit.view.db.read() as db:
        seen = await source_detail.detail(db, head.source, norms=visit.view.norms, now=visit.now)
        tellings = await who_is_told.of_source(db, head.source.id, head.tags)
    return source_page(
        visit,
        "source/overview.html",
        head=head,
        status=status,
        returned=returned,
        detail=seen,
        tellings=tellings,
        labels=LABELS,
        strip=day_strip(seen.runs, now=visit.now),
        curves=seen.ended[:_CURVE_RUNS][::-1],
    )
