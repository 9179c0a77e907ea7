"""What would happen to any URL, and why: everything that has a say, and nothing is asked of its site."""

from datetime import datetime, timedelta
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.model.crawl import JobState
from lamplighter.operations import explain_sources, explain_words, sources
from lamplighter.operations.explain import Explanation
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.add_trial import Trial, manners_of, waiting
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_TONES = {True: "good", False: "bad", None: "idle"}


@ROUTES.get("/explain", include_in_schema=False)
async def explain(visit: Visiting, url: str = "") -> Response:
    """The answer about one URL, or the question."""
    if not url.strip():
        return visit.page("explain/page.html", url="", faults={}, found=None)
    return await _answer(visit, url)


@ROUTES.post("/explain", include_in_schema=False)
async def ask_now(visit: Visiting) -> Response:
    """Asks the site now, in its turn, and shows what it answers beside what was known; nothing is kept."""
    form = await visit.form()
    url = form.text("url")
    try:
        trial = await _asked(visit, url)
    except BadInput as error:
        if visit.is_partial:
            raise
        return _refused(visit, url, error)
    if visit.is_partial:
        return visit.part("add/trial.html", trial=trial, typed={"url": url})
    return await _answer(visit, url, trial=trial)


async def _asked(visit: Visit, url: str) -> Trial:
    """What the site answers; read by the recipe of the source that watches the URL."""
    found = await manners_of(visit, url)
    watching = next((source for source in found.sources if source["watches_it"]), None)
    recipe = None
    if watching is not None:
        async with visit.view.db.read() as db:
            recipe = (await sources.find_by_url(db, found.url)).recipe
    look = await visit.view.first_looks.look(found.url, recipe=recipe, kind=None, is_wanted=waiting(visit))
    return Trial(look=look, manners=await manners_of(visit, url))


async def _answer(visit: Visit, url: str, *, trial: Trial | None = None) -> Response:
    try:
        found = await manners_of(visit, url)
    except BadInput as error:
        return _refused(visit, url, error)
    return visit.page("explain/page.html", url=url, faults={}, found=found, trial=trial, **_words(visit, found))


def _refused(visit: Visit, url: str, error: BadInput) -> Response:
    error.field = "url"
    return visit.page("explain/page.html", url=url[:2000], faults=faults_of(error), found=None, status=422)


def _words(visit: Visit, found: Explanation) -> dict[str, Any]:
    """What the page says beyond the bare facts."""
    page = found.page
    delay = timedelta(seconds=found.host["delay_seconds"])
    return {
        "verdict": explain_words.VERDICTS[found.would_be_asked],
        "tone": _TONES[found.would_be_asked],
        "obstacles": list(explain_words.obstacles(found)),
        "running": next((source for source in found.sources if source["state"] == JobState.RUNNING), None),
        "planned": next((source for source in found.sources if source["is_planned"]), None),
        "rests": explain_words.why_it_rests(page["rest"]) if page is not None else "",
        "interval": explain_sources.interval_if_added(visit.view.norms, delay=delay),
        "at": _time,
    }


def _time(iso: str | None) -> datetime | None:
    return datetime.fromisoformat(iso) if iso is not None else None
