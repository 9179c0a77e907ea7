"""The pages that people see."""

from importlib.resources import files
from typing import Any

from fastapi import Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse

from lamplighter.operations import instances, schedule, sources, status
from lamplighter.rules.robots_parse import product_token
from lamplighter.store import records
from lamplighter.store import sources as stored_sources
from lamplighter.web.access.forgery import csrf_token
from lamplighter.web.api.routes import PUBLIC, Routes
from lamplighter.web.rendering import page
from lamplighter.web.view import Asking, View

DEMO_TAG = "demo"
ROUTES = Routes("", tag="pages")
_SHOWN_SOURCES = 200
_SHOWN_RUNS = 12
_SHOWN_RECORDS = 20

_STYLE = files("lamplighter.web").joinpath("static", "lamplighter.css").read_text(encoding="utf-8")


@ROUTES.get("/", include_in_schema=False)
async def status_page(request: Request, view: View) -> Response:
    """What is watched, what was found lately, what comes next."""
    now = view.clock.now()
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
    return page("status.html", now=now, csrf_token=csrf_token(request), **live, **shown)


@ROUTES.get("/bot", role=PUBLIC, include_in_schema=False)
async def bot_page(view: View) -> Response:
    """Who is this crawler? For site owners who found it in their log."""
    agent = view.settings.resolved_user_agent
    return page(
        "bot.html",
        agent=agent,
        token=product_token(agent),
        contact_url=view.settings.contact_url,
        contact_email=view.settings.contact_email,
        min_delay_seconds=view.settings.min_delay_ms / 1000,
    )


@ROUTES.get("/static/lamplighter.css", role=PUBLIC, include_in_schema=False)
async def style_sheet() -> Response:
    """The one style sheet."""
    return PlainTextResponse(_STYLE, media_type="text/css", headers={"Cache-Control": "max-age=300"})


@ROUTES.post("/demo/remove", include_in_schema=False)
async def remove_demo(view: View, caller: Asking) -> Response:
    """Removes the demo's sources and all that was found through them."""
    now = view.clock.now()
    await view.db.write(lambda db: sources.remove_tagged(db, DEMO_TAG, actor=caller.name, now=now))
    view.sources_changed()
    return RedirectResponse("/", status_code=303)
