"""Pages: where each stands, and why."""

from typing import Any

from fastapi import Response

from lamplighter.errors import NotFound
from lamplighter.operations import frontier, page_bulk
from lamplighter.operations.frontier import PageKind, Status
from lamplighter.operations.task_lists import Listing
from lamplighter.rules import page_reasons
from lamplighter.store.page_lists import MOST_SEARCHED
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.page_filter import PageFilter, Picking
from lamplighter.web.dashboard.page_rows import Row
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.words import counted

ROUTES = Routes("", tag="dashboard")
_SHOWN = 50


@ROUTES.get("/pages", include_in_schema=False)
async def listed(visit: Visiting, picked: Picking) -> Response:
    """The frontier and what was submitted, the newest first."""
    found = await _found(visit, picked)
    shown: dict[str, Any] = {
        "rows": [Row.of(page) for page in found.rows],
        "found": found,
        "picked": picked,
        "limit": _SHOWN,
        "most_searched": MOST_SEARCHED,
        "statuses": [(str(status), str(status)) for status in Status],
        "kinds": [(str(kind), str(kind)) for kind in PageKind],
        "reasons": sorted(page_reasons.REASONS.items(), key=lambda pair: pair[1]),
    }
    if visit.target == "pages":
        return visit.part("frontier/rows.html", **shown)
    return visit.page("frontier/list.html", **shown)


@ROUTES.get("/pages/counts", include_in_schema=False)
async def counts(visit: Visiting) -> Response:
    """How many pages stand where: counted when somebody asks, as it means looking at every page."""
    async with visit.view.db.read() as db:
        found = await frontier.counts(db, now=visit.now)
    if visit.target == "counts":
        return visit.part("frontier/counts.html", counts=found)
    return visit.page("frontier/counted.html", counts=found)


@ROUTES.post("/pages/restart", include_in_schema=False)
async def restart_matching(visit: Visiting) -> Response:
    """Has all matching pages asked for again that ended or were paused."""
    view, form = visit.view, await visit.form()
    picked = PageFilter.of_form(form)
    async with view.db.read() as db:
        count = await page_bulk.count_restartable(db, picked.which, now=visit.now)
    if not count:
        return visit.done("Nothing to restart: none of these pages has ended.", to=picked.path)
    if asked := visit.confirm(form, _question(count), label="Restart them", back=picked.path):
        return asked
    done = await page_bulk.restart(view.db, picked.which, actor=visit.caller.name, now=visit.now)
    view.tasks_changed()
    return visit.done(f"{counted(done, 'page')} will be asked for again.", to=picked.path)


async def _found(visit: Visit, picked: PageFilter) -> Listing:
    """What matches; of a source that there is not, nothing does."""
    async with visit.view.db.read() as db:
        try:
            return await frontier.listed(db, picked.which, limit=_SHOWN, offset=picked.offset, now=visit.now)
        except NotFound:
            return Listing(rows=[], total=0, is_exact=True)


def _question(count: int) -> str:
    if count > page_bulk.MOST_AT_ONCE:
        return (
            f"Ask for {counted(page_bulk.MOST_AT_ONCE, 'page')} again, the oldest of those that match? "
            "Each in its host's turn."
        )
    return f"Ask for {counted(count, 'page')} again? Each in its host's turn."
