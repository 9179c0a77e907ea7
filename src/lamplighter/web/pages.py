"""The pages that people see: rendered here, without a script, everything escaped."""

from importlib.resources import files
from typing import Any

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from jinja2 import Environment, PackageLoader

from lamplighter import __version__
from lamplighter.operations import schedule, sources, status
from lamplighter.rules.robots_parse import product_token
from lamplighter.store import records
from lamplighter.store import sources as stored_sources
from lamplighter.web import words
from lamplighter.web.rim import is_own_form
from lamplighter.web.view import View

DEMO_TAG = "demo"
_SHOWN_SOURCES = 200
_SHOWN_RUNS = 12
_SHOWN_RECORDS = 20

_STYLE = files("lamplighter.web").joinpath("static", "lamplighter.css").read_text(encoding="utf-8")
_TEMPLATES = Environment(loader=PackageLoader("lamplighter.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
_TEMPLATES.filters |= {
    "ago": words.ago,
    "stamp": words.stamp,
    "web_link": words.web_link,
    "thousands": words.thousands,
}


async def status_page(view: View) -> Response:
    """What is watched, what was found lately, what comes next."""
    now = view.clock.now()
    async with view.db.read() as db:
        shown = {
            "figures": await status.figures(db, now=now),
            "watched": await status.watched(db, limit=_SHOWN_SOURCES),
            "runs": await status.latest_runs(db, limit=_SHOWN_RUNS),
            "records": await records.newest(db, limit=_SHOWN_RECORDS),
            "schedule": await schedule.overview(db, now=now),
            "demo_count": len(await stored_sources.all_with_tag(db, DEMO_TAG)),
        }
    live = {"active_hosts": view.active_hosts(), "scheduling": view.scheduling()}
    return _page("status.html", now=now, **live, **shown)


async def bot_page(view: View) -> Response:
    """Who is this crawler? For site owners who found it in their log."""
    agent = view.settings.resolved_user_agent
    return _page(
        "bot.html",
        agent=agent,
        token=product_token(agent),
        contact_url=view.settings.contact_url,
        contact_email=view.settings.contact_email,
        min_delay_seconds=view.settings.min_delay_ms / 1000,
    )


async def style_sheet() -> Response:
    """The one style sheet."""
    return PlainTextResponse(_STYLE, media_type="text/css", headers={"Cache-Control": "max-age=300"})


async def remove_demo(request: Request, view: View) -> Response:
    """Removes the demo's sources and all that was found through them."""
    if not is_own_form(request.headers):
        return PlainTextResponse("This can only be asked from the service's own page.\n", status_code=403)
    now = view.clock.now()
    await view.db.write(lambda db: sources.remove_tagged(db, DEMO_TAG, actor="web", now=now))
    view.sources_changed()
    return RedirectResponse("/", status_code=303)


def _page(template: str, **shown: Any) -> HTMLResponse:
    html = _TEMPLATES.get_template(template).render(version=__version__, **shown)
    return HTMLResponse(html, headers={"Cache-Control": "no-store"})
