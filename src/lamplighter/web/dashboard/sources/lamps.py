"""`/lamps`: all sources at a glance, one lamp each."""

from datetime import timedelta
from typing import Annotated

from fastapi import Query, Response
from fastapi.responses import JSONResponse, RedirectResponse
from markupsafe import Markup, escape

from lamplighter.operations.sources import lamps
from lamplighter.operations.sources.lamps import Lamp, LampGroup, LampOrder
from lamplighter.web.dashboard.page_request import ThisRequest
from lamplighter.web.routes import Pages
from lamplighter.web.values import RowId

ROUTES = Pages()
_PATH = "/lamps"
_ORDERS = ((LampOrder.STATE, "State"), (LampOrder.HOST, "Host"), (LampOrder.TAG, "Tag"))
#: a change may be seen this late: its time is that of its transaction's begin
_OVERLAP = timedelta(seconds=10)
_LONGEST_AGO = 3600


@ROUTES.get(_PATH)
async def grid(request: ThisRequest, by: str = LampOrder.STATE) -> Response:
    """All lamps, by state, host or tag."""
    order = LampOrder(by) if by in set(LampOrder) else LampOrder.STATE
    groups = await request.view.db.look(lambda db: lamps.grid(db, order, now=request.now))
    # Each source once, also when it has several tags.
    total = len({lamp.id for group in groups for lamp in group.lamps})
    shown = [(group.name.replace("_", " "), len(group.lamps), _drawn(group)) for group in groups]
    return request.page("sources/lamps.html", groups=shown, total=total, order=order, orders=_ORDERS)


@ROUTES.get(f"{_PATH}/changed")
async def changed(request: ThisRequest, seconds: Annotated[int, Query(ge=0, le=_LONGEST_AGO)]) -> Response:
    """The lamps whose job changed in the last seconds: number, state."""
    since = request.now - timedelta(seconds=seconds) - _OVERLAP
    found = await request.read(lambda db: lamps.changed(db, since=since, now=request.now))
    return JSONResponse([[lamp.id, lamp.state] for lamp in found], headers={"Cache-Control": "no-store"})


@ROUTES.get(f"{_PATH}/{{number}}")
async def one(number: RowId, request: ThisRequest) -> Response:
    """Leads to a lamp's source: its short address keeps the grid small."""
    public_id = await request.read(lambda db: lamps.public_id(db, number))
    return RedirectResponse(f"/sources/{public_id}", status_code=303)


def _drawn(group: LampGroup) -> Markup:
    # Not in a template: there may be ten thousand.
    return Markup("".join(map(_lamp, group.lamps)))


def _lamp(lamp: Lamp) -> str:
    return f'<a href="{_PATH}/{lamp.id}" class="{lamp.state}" title="{escape(lamp.name)}: {lamp.state}"></a>'
