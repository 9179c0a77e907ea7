"""The start page: how the sources are doing, and all of them."""

from typing import Any

from fastapi import Response
from fastapi.responses import RedirectResponse

from lamplighter.operations import instances, schedule, sources, status
from lamplighter.store import records
from lamplighter.store import sources as stored_sources
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.visit import Visiting

DEMO_TAG = "demo"
ROUTES = Routes("", tag="dashboard")
_SHOWN_SOURCES = 200
_SHOWN_RUNS = 12
_SHOWN_RECORDS = 20


@ROUTES.get("/", include_in_schema=False)
async def start_page(visit: Visiting) -> Response:
    """What is watched, what was found lately, what comes next."""
    view, now = visit.view, visit.now
    async with view.db.read() as db:
        shown: dict[str, Any] = {
            "figures": await status.figures(db, now=now),
            "watched": await status.watched(db, limit=_SHOWN_SOURCES),
            "runs": await status.latest_runs(db, limit=_SHOWN_RUNS),
            "records": await records.newest(db, limit=_SHOWN_RECORDS),
            "schedule": await schedule.overview(db, now=now),
            "instances": await instances.counts(db, now=now),
            "demo_count": len(await stored_sources.all_with_tag(db, DEMO_TAG)),
        }
    live: dict[str, Any] = {"active_hosts": view.active_hosts(), "scheduling": view.scheduling()}
    return visit.page("status.html", **live, **shown)


@ROUTES.post("/demo/remove", include_in_schema=False)
async def remove_demo(visit: Visiting) -> Response:
    """Removes the demo's sources and all that was found through them."""
    view, now, actor = visit.view, visit.now, visit.caller.name
    await view.db.write(lambda db: sources.remove_tagged(db, DEMO_TAG, actor=actor, now=now))
    view.sources_changed()
    return RedirectResponse("/", status_code=303)
