"""The explain page: what would happen to a URL, and why; sends no request."""

from datetime import datetime
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.model.crawl import JobState
from lamplighter.operations.explain import explain_sources
from lamplighter.operations.explain.explain import VERDICTS, Explanation, why_not_revisited
from lamplighter.operations.sources import sources
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.add_source import Trial, manners_of, waiting
from lamplighter.web.routes import Pages

ROUTES = Pages()
_TONES = {True: "good", False: "bad", None: "idle"}


@ROUTES.get("/explain")
async def explain(request: ThisRequest, url: str = "") -> Response:
    """The explanation of one URL, or the empty form."""
    if not url.strip():
        return request.page("sources/explain/page.html", url="", found=None)
    return await _answer(request, url)


@ROUTES.post("/explain")
async def fetch_now(request: ThisRequest) -> Response:
    """Fetches the page now, in its host's turn, and shows the response beside the explanation; stores nothing."""
    form = await request.form()
    url = form.text("url")
    try:
        trial = await _fetch_now(request, url)
    except BadInput as error:
        if request.is_partial:
            raise
        return _refused(request, url, error)
    if request.is_partial:
        return request.part("sources/add/trial.html", trial=trial, typed={"url": url})
    return await _answer(request, url, trial=trial)


async def _fetch_now(request: PageRequest, url: str) -> Trial:
    """Fetches the page and parses it with the recipe of the source that watches the URL."""
    found = await manners_of(request, url)
    watching = next((source for source in found.sources if source["watches_it"]), None)
    recipe = None
    if watching is not None:
        recipe = (await request.read(lambda db: sources.find_by_url(db, found.url))).recipe
    look = await request.view.sites.first_looks.look(
        found.url, recipe=recipe, kind=None, by=request.stamp.actor, is_wanted=waiting(request)
    )
    return Trial(look=look, manners=await manners_of(request, url))


async def _answer(request: PageRequest, url: str, *, trial: Trial | None = None) -> Response:
    try:
        found = await manners_of(request, url)
    except BadInput as error:
        return _refused(request, url, error)
    return request.page("sources/explain/page.html", url=url, found=found, trial=trial, **_words(request, found))


def _refused(request: PageRequest, url: str, error: BadInput) -> Response:
    error.field = "url"
    return request.page("sources/explain/page.html", url=url[:2000], faults=faults_of(error), found=None)


def _words(request: PageRequest, found: Explanation) -> dict[str, Any]:
    """The template variables of the explanation."""
    page = found.page
    return {
        "verdict": VERDICTS[found.would_be_asked],
        "tone": _TONES[found.would_be_asked],
        "obstacles": [obstacle.why for obstacle in found.obstacles],
        "running": next((source for source in found.sources if source["state"] == JobState.RUNNING), None),
        "planned": next((source for source in found.sources if source["is_planned"]), None),
        "rests": why_not_revisited(page["rest"]) if page is not None else "",
        "interval": explain_sources.interval_if_added(request.view.source_defaults),
        "at": _time,
    }


def _time(iso: str | None) -> datetime | None:
    return datetime.fromisoformat(iso) if iso is not None else None
